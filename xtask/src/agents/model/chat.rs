//! OpenAI Chat Completions, which many speak.

use serde_json::{Value, json};

use super::Dialect;
use super::http::Reply;
use super::json::{items, text};
use super::tools::{Answer, Tool};

pub struct Completions;

impl Dialect for Completions {
    fn tools(&self, body: &Value) -> Vec<Tool> {
        let tool = |tool: &Value| Tool {
            name: text(&tool["function"]["name"]).to_owned(),
            schema: tool["function"]["parameters"].clone(),
            takes_text: false,
            group: None,
        };
        items(&body["tools"]).iter().filter(|tool| tool["function"].is_object()).map(tool).collect()
    }

    fn messages<'body>(&self, body: &'body Value) -> &'body [Value] {
        items(&body["messages"])
    }

    fn is_the_models(&self, message: &Value) -> bool {
        message["role"] == "assistant"
    }

    fn form<'body>(&self, body: &'body Value) -> Option<&'body Value> {
        body.pointer("/response_format/json_schema/schema")
    }

    fn reply(&self, body: &Value, answer: &Answer, number: usize) -> Reply {
        let (message, reason) = match answer {
            Answer::Text(words) => (json!({ "role": "assistant", "content": words }), "stop"),
            Answer::Call(tool, input) => {
                let call = json!({
                    "index": 0, "id": format!("call_{number:04}"), "type": "function",
                    "function": { "name": tool.name, "arguments": input.to_string() },
                });
                let message = json!({ "role": "assistant", "content": null, "tool_calls": [call] });
                (message, "tool_calls")
            }
        };
        let usage = json!({ "prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20 });
        let document = |object: &str, choices: Value, usage: &Value| {
            json!({
                "id": format!("chatcmpl-{number:04}"), "object": object, "created": 1_700_000_000,
                "model": body["model"], "choices": choices, "usage": usage,
            })
        };
        if body["stream"] != true {
            let choice = json!({ "index": 0, "message": message, "finish_reason": reason });
            return Reply::json(&document("chat.completion", json!([choice]), &usage));
        }
        let chunk = |choices, usage: &Value| document("chat.completion.chunk", choices, usage);
        let mut reply = Reply::events(&[
            chunk(json!([{ "index": 0, "delta": message, "finish_reason": null }]), &Value::Null),
            chunk(json!([{ "index": 0, "delta": {}, "finish_reason": reason }]), &Value::Null),
            chunk(json!([]), &usage),
        ]);
        reply.body.push_str("data: [DONE]\n\n");
        reply
    }
}
