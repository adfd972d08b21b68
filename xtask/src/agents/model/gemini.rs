//! Gemini's `generateContent`, at once or as a stream.

use serde_json::{Value, json};

use super::Dialect;
use super::http::Reply;
use super::json::{items, text};
use super::tools::{Answer, Tool};

pub struct Contents {
    pub streamed: bool,
}

impl Dialect for Contents {
    fn tools(&self, body: &Value) -> Vec<Tool> {
        let tool = |tool: &Value| Tool {
            name: text(&tool["name"]).to_owned(),
            schema: tool.get("parametersJsonSchema").unwrap_or(&tool["parameters"]).clone(),
            takes_text: false,
            group: None,
        };
        let groups = items(&body["tools"]).iter();
        groups.flat_map(|group| items(&group["functionDeclarations"])).map(tool).collect()
    }

    fn messages<'body>(&self, body: &'body Value) -> &'body [Value] {
        items(&body["contents"])
    }

    fn is_the_models(&self, message: &Value) -> bool {
        message["role"] == "model"
    }

    fn form<'body>(&self, body: &'body Value) -> Option<&'body Value> {
        let settings = &body["generationConfig"];
        settings.get("responseJsonSchema").or_else(|| settings.get("responseSchema"))
    }

    fn reply(&self, _: &Value, answer: &Answer, number: usize) -> Reply {
        let part = match answer {
            Answer::Text(words) => json!({ "text": words }),
            Answer::Call(tool, input) => {
                json!({ "functionCall": { "name": tool.name, "args": input } })
            }
        };
        let usage =
            json!({ "promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20 });
        let content = json!({ "role": "model", "parts": [part] });
        let response = json!({
            "responseId": format!("response-{number:04}"), "modelVersion": "scripted",
            "candidates": [{ "index": 0, "content": content, "finishReason": "STOP" }],
            "usageMetadata": usage,
        });
        if self.streamed { Reply::events(&[response]) } else { Reply::json(&response) }
    }
}
