//! Anthropic Messages.

use serde_json::{Value, json};

use super::Dialect;
use super::http::Reply;
use super::json::{items, text};
use super::tools::{Answer, Tool};

pub struct Messages;

impl Dialect for Messages {
    fn tools(&self, body: &Value) -> Vec<Tool> {
        let tool = |tool: &Value| Tool {
            name: text(&tool["name"]).to_owned(),
            schema: tool["input_schema"].clone(),
            takes_text: false,
            group: None,
        };
        items(&body["tools"]).iter().map(tool).collect()
    }

    fn messages<'body>(&self, body: &'body Value) -> &'body [Value] {
        items(&body["messages"])
    }

    fn is_the_models(&self, message: &Value) -> bool {
        message["role"] == "assistant"
    }

    fn form<'body>(&self, body: &'body Value) -> Option<&'body Value> {
        body.pointer("/output_config/format/schema")
            .or_else(|| body.pointer("/output_format/schema"))
    }

    fn reply(&self, body: &Value, answer: &Answer, number: usize) -> Reply {
        let (block, begun, delta, reason) = match answer {
            Answer::Text(words) => (
                json!({ "type": "text", "text": words }),
                json!({ "type": "text", "text": "" }),
                json!({ "type": "text_delta", "text": words }),
                "end_turn",
            ),
            Answer::Call(tool, input) => {
                let block = |input: &Value| {
                    let id = format!("toolu_{number:04}");
                    json!({ "type": "tool_use", "id": id, "name": tool.name, "input": input })
                };
                let delta =
                    json!({ "type": "input_json_delta", "partial_json": input.to_string() });
                (block(input), block(&json!({})), delta, "tool_use")
            }
        };
        let usage = json!({ "input_tokens": 10, "output_tokens": 10 });
        let mut message = json!({
            "id": format!("msg_{number:04}"), "type": "message", "role": "assistant",
            "model": body["model"], "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": usage,
        });
        if body["stream"] != true {
            message["content"] = json!([block]);
            message["stop_reason"] = json!(reason);
            return Reply::json(&message);
        }
        let end = json!({ "stop_reason": reason, "stop_sequence": null });
        Reply::events(&[
            json!({ "type": "message_start", "message": message }),
            json!({ "type": "content_block_start", "index": 0, "content_block": begun }),
            json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
            json!({ "type": "content_block_stop", "index": 0 }),
            json!({ "type": "message_delta", "delta": end, "usage": { "output_tokens": 10 } }),
            json!({ "type": "message_stop" }),
        ])
    }
}
