//! OpenAI Responses.

use serde_json::{Value, json};

use super::Dialect;
use super::http::Reply;
use super::json::{items, text};
use super::tools::{Answer, Tool};

pub struct Responses;

/// Tools may come in groups.
fn unfold(listed: &[Value], group: Option<&str>) -> Vec<Tool> {
    let one = |tool: &Value| match text(&tool["type"]) {
        "namespace" => unfold(items(&tool["tools"]), tool["name"].as_str()),
        kind @ ("function" | "custom") => vec![Tool {
            name: text(&tool["name"]).to_owned(),
            schema: tool["parameters"].clone(),
            takes_text: kind == "custom",
            group: group.map(str::to_owned),
        }],
        _ => Vec::new(),
    };
    listed.iter().flat_map(one).collect()
}

impl Dialect for Responses {
    fn tools(&self, body: &Value) -> Vec<Tool> {
        let said = self.messages(body).iter().filter(|item| item["type"] == "additional_tools");
        let more = said.flat_map(|item| unfold(items(&item["tools"]), None));
        unfold(items(&body["tools"]), None).into_iter().chain(more).collect()
    }

    fn messages<'body>(&self, body: &'body Value) -> &'body [Value] {
        match &body["input"] {
            Value::Array(items) => items,
            other => std::slice::from_ref(other),
        }
    }

    fn is_the_models(&self, message: &Value) -> bool {
        message["role"] == "assistant"
            || ["function_call", "custom_tool_call", "reasoning"].contains(&text(&message["type"]))
    }

    fn form<'body>(&self, body: &'body Value) -> Option<&'body Value> {
        body.pointer("/text/format/schema")
    }

    fn reply(&self, body: &Value, answer: &Answer, number: usize) -> Reply {
        let item = item(answer, number);
        let usage = json!({
            "input_tokens": 10, "input_tokens_details": { "cached_tokens": 0 },
            "output_tokens": 10, "output_tokens_details": { "reasoning_tokens": 0 },
            "total_tokens": 20,
        });
        let response = |status: &str, output: Value, usage: &Value| {
            json!({
                "id": format!("resp_{number:04}"), "object": "response",
                "created_at": 1_700_000_000, "model": body["model"], "status": status,
                "output": output, "usage": usage,
            })
        };
        let whole = response("completed", json!([item]), &usage);
        if body["stream"] != true {
            return Reply::json(&whole);
        }
        let begun = response("in_progress", json!([]), &Value::Null);
        Reply::events(&[
            json!({ "type": "response.created", "sequence_number": 0, "response": begun }),
            json!({
                "type": "response.output_item.done", "sequence_number": 1, "output_index": 0,
                "item": item,
            }),
            json!({ "type": "response.completed", "sequence_number": 2, "response": whole }),
        ])
    }
}

/// The one thing that an answer consists of.
fn item(answer: &Answer, number: usize) -> Value {
    let mut item = match answer {
        Answer::Text(words) => {
            let part = json!({ "type": "output_text", "text": words, "annotations": [] });
            json!({ "type": "message", "role": "assistant", "content": [part] })
        }
        Answer::Call(tool, Value::String(input)) if tool.takes_text => {
            json!({ "type": "custom_tool_call", "name": tool.name, "input": input })
        }
        Answer::Call(tool, input) => {
            json!({ "type": "function_call", "name": tool.name, "arguments": input.to_string() })
        }
    };
    item["id"] = json!(format!("item_{number:04}"));
    item["status"] = json!("completed");
    if let Answer::Call(tool, _) = answer {
        item["call_id"] = json!(format!("call_{number:04}"));
        if let Some(group) = &tool.group {
            item["namespace"] = json!(group);
        }
    }
    item
}
