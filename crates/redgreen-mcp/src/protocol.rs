//! What is answered to a request: at once, or after a command has run.

use serde_json::{Map, Value, json};

use crate::Words;
use crate::message::{Id, Wrong, error, reply};
use crate::resources::{self, resource_command};
use crate::tools::{TOOLS, Tool, tool_command};

/// The versions of the protocol, the newest first.
pub const PROTOCOLS: &[&str] = &["2025-06-18", "2025-03-26", "2024-11-05"];
/// There is no such method.
const METHOD_NOT_FOUND: i64 = -32_601;
/// What was given does not fit.
const INVALID_PARAMS: i64 = -32_602;
/// There is no such resource.
pub const NOT_FOUND: i64 = -32_002;

/// What every request may have beside its own.
const META: &str = "_meta";

/// What a client is told when it begins.
const INSTRUCTIONS: &str = "redgreen runs this project's tests itself and decides whether a change may be returned. \
     Ask `brief` before you touch files, `run_tests` instead of a test command of your own, `failures` for all of what is red, \
     and `gate_status` before you say that you are done. Say why it is red with `analyse`. If you are stuck, `give_up` is an honest end.";

/// What becomes of a request.
pub enum Answer {
    /// It is answered already.
    Now(Value),
    /// A command has to run first.
    After(Asked),
}

/// What a command has to run for.
pub struct Asked {
    /// The words of the command.
    pub words: Words,
    /// By what the client wants to be told how far it is.
    pub progress: Option<Value>,
    /// The tool; none for a resource.
    pub tool: Option<&'static Tool>,
    /// The resource, and what kind of text it is.
    pub resource: Option<(String, &'static str)>,
}

/// Answers a request.
pub fn answer(id: &Id, method: &str, params: &Map<String, Value>, version: &str) -> Answer {
    let refused = |code: i64, message: String| {
        Answer::Now(error(&Wrong { id: Some(id.clone()), code, message }))
    };
    let result = match method {
        "initialize" => initialized(params, version),
        "ping" => json!({}),
        "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list"
            if params.iter().any(|(name, value)| name != META && !value.is_null()) =>
        {
            return refused(INVALID_PARAMS, "there is only one page".to_owned());
        }
        "tools/list" => json!({"tools": TOOLS.iter().map(Tool::listed).collect::<Vec<_>>()}),
        "resources/list" => json!({"resources": resources::listed()}),
        "resources/templates/list" => json!({"resourceTemplates": resources::templates()}),
        "tools/call" => {
            return call(id, params).unwrap_or_else(|words| refused(INVALID_PARAMS, words));
        }
        "resources/read" => {
            let uri = params.get("uri").and_then(Value::as_str).unwrap_or_default();
            let Some((words, kind)) = resource_command(uri) else {
                let uri: String = uri.chars().take(200).collect();
                return refused(NOT_FOUND, format!("there is no resource {uri:?}"));
            };
            let resource = Some((uri.to_owned(), kind));
            return Answer::After(Asked { words, progress: token(params), tool: None, resource });
        }
        _ => return refused(METHOD_NOT_FOUND, "this server knows no such method".to_owned()),
    };
    Answer::Now(reply(id, result))
}

fn initialized(params: &Map<String, Value>, version: &str) -> Value {
    let wanted = params.get("protocolVersion").and_then(Value::as_str);
    let spoken = PROTOCOLS.iter().find(|known| Some(**known) == wanted).unwrap_or(&PROTOCOLS[0]);
    json!({
        "protocolVersion": spoken,
        "capabilities": {"tools": {"listChanged": false}, "resources": {"listChanged": false, "subscribe": false}},
        "serverInfo": {"name": "redgreen", "title": "redgreen", "version": version},
        "instructions": INSTRUCTIONS,
    })
}

fn call(id: &Id, params: &Map<String, Value>) -> Result<Answer, String> {
    let name = params.get("name").and_then(Value::as_str).ok_or("`name` has to be a text")?;
    let given = match params.get("arguments") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(given)) => given.clone(),
        Some(_) => return Err("`arguments` has to be an object".to_owned()),
    };
    let Some((tool, words)) = tool_command(name, &given) else {
        let name: String = name.chars().take(60).collect();
        return Err(format!("there is no tool {name:?}"));
    };
    Ok(match words {
        Ok(words) => Answer::After(Asked {
            words,
            progress: token(params),
            tool: Some(tool),
            resource: None,
        }),
        // The one that can mend it is the model.
        Err(problem) => Answer::Now(reply(id, tool_result(&problem, None, true))),
    })
}

fn token(params: &Map<String, Value>) -> Option<Value> {
    let token = params.get(META)?.get("progressToken")?;
    (token.is_string() || token.is_i64() || token.is_u64()).then(|| token.clone())
}

/// What a tool says.
pub fn tool_result(text: &str, structured: Option<Value>, is_error: bool) -> Value {
    let mut result = json!({"content": [{"type": "text", "text": text}], "isError": is_error});
    if let Some(structured) = structured.filter(Value::is_object) {
        result["structuredContent"] = structured;
    }
    result
}

/// How far something is, for a client that wants to know.
pub fn progress(token: &Value, done: u64, of: Option<u64>, message: &str) -> Value {
    let mut params = json!({"progressToken": token, "progress": done, "message": message});
    if let Some(of) = of {
        params["total"] = json!(of);
    }
    json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now(method: &str, params: Value) -> Value {
        let id = Id::of(&json!(1)).expect("an id");
        match answer(&id, method, params.as_object().expect("an object"), "1.0") {
            Answer::Now(value) => value,
            Answer::After(asked) => panic!("{:?}", asked.words),
        }
    }

    #[test]
    fn a_version_that_is_known_is_spoken_and_otherwise_the_newest() {
        for (asked, spoken) in [
            ("2024-11-05", "2024-11-05"),
            ("2025-03-26", "2025-03-26"),
            ("2025-06-18", "2025-06-18"),
            ("2099-01-01", "2025-06-18"),
        ] {
            let said = now("initialize", json!({"protocolVersion": asked}));
            assert_eq!(said["result"]["protocolVersion"], spoken);
            assert_eq!(said["result"]["serverInfo"]["version"], "1.0");
        }
        assert_eq!(now("initialize", json!({}))["result"]["protocolVersion"], "2025-06-18");
    }

    #[test]
    fn every_tool_has_a_name_words_and_a_closed_schema() {
        let said = now("tools/list", json!({}));
        let tools = said["result"]["tools"].as_array().expect("tools");
        let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
        let expected = "brief run_tests failures coverage analyse declare gate_status give_up";
        assert_eq!(names.join(" "), expected);
        for tool in tools {
            assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
            assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
        }
    }

    #[test]
    fn what_is_not_there_has_a_code() {
        for (method, params, code) in [
            ("tools/call", json!({"name": "answer"}), INVALID_PARAMS),
            ("tools/call", json!({}), INVALID_PARAMS),
            ("tools/call", json!({"name": "brief", "arguments": 5}), INVALID_PARAMS),
            ("tools/list", json!({"page": "x"}), INVALID_PARAMS),
            ("resources/read", json!({"uri": "file:///etc/passwd"}), NOT_FOUND),
            ("sampling/createMessage", json!({}), METHOD_NOT_FOUND),
        ] {
            assert_eq!(now(method, params)["error"]["code"], code, "{method}");
        }
    }
}
