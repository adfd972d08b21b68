//! What a command said, as the answer to a call.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use redgreen_mcp::{Asked, Id, NOT_FOUND, Wrong, error, progress, reply, tool_result};
use redgreen_model::text::{bound_end, strip_controls};
use serde_json::{Value, json};

use crate::display;

/// The most bytes that are read of what a command said.
const SAID_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// The most characters of an answer: an agent's context is small.
const ANSWER_CHARS: usize = 30_000;
/// The most characters of a resource.
const RESOURCE_CHARS: usize = 400_000;
/// How many failures a run names; all of them are one question away.
const FAILURES_NAMED: usize = 10;
/// How much of each.
const MESSAGE_CHARS: usize = 400;

/// What a command said.
pub struct Said {
    code: i32,
    out: String,
    err: String,
}

impl Said {
    /// Reads it from its files.
    pub fn read(code: i32, out: &Path, err: &Path) -> Self {
        Self { code, out: text(out), err: text(err) }
    }

    /// The result, where the command has one for programs: the last of its lines that is one.
    fn result(&self) -> Option<Value> {
        let mut values = self.out.lines().rev().map(serde_json::from_str::<Value>);
        values.find_map(|value| value.ok().filter(|value| value["result"].is_string()))
    }

    fn words(&self) -> String {
        let parts = [self.out.trim(), self.err.trim()].into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("\n")
    }
}

fn text(path: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = File::open(path) {
        let _ = file.take(SAID_BYTES_MAX).read_to_end(&mut bytes);
    }
    strip_controls(&String::from_utf8_lossy(&bytes))
}

/// The answer to a call.
pub fn answered(id: &Id, asked: &Asked, said: Result<Said, String>) -> Value {
    if let Some((uri, kind)) = &asked.resource {
        return resource(id, uri, kind, said);
    }
    let said = match said {
        Ok(said) => said,
        Err(problem) => return reply(id, tool_result(&problem, None, true)),
    };
    // Red is a result. What is wrong with a call is an error.
    match said.result().filter(|_| matches!(said.code, 0 | 1)) {
        Some(result) => {
            let result = short(result);
            let text = result.to_string();
            match text.chars().nth(ANSWER_CHARS) {
                None => reply(id, tool_result(&text, Some(result), false)),
                Some(_) => reply(id, tool_result(&bound_end(&text, ANSWER_CHARS), None, false)),
            }
        }
        None => {
            let text = bound_end(&said.words(), ANSWER_CHARS);
            reply(id, tool_result(&text, None, said.code != 0))
        }
    }
}

fn resource(id: &Id, uri: &str, kind: &str, said: Result<Said, String>) -> Value {
    let said = said.and_then(|said| match said.code {
        0 | 1 => Ok(bound_end(&said.out, RESOURCE_CHARS)),
        _ => Err(said.words()),
    });
    match said {
        Ok(text) => reply(id, json!({"contents": [{"uri": uri, "mimeType": kind, "text": text}]})),
        Err(message) => error(&Wrong { id: Some(id.clone()), code: NOT_FOUND, message }),
    }
}

/// A run's result with its first failures in short: `failures` has all of them.
fn short(mut result: Value) -> Value {
    if result["result"] != "test" {
        return result;
    }
    let Some(failures) = result["failures"].as_array() else { return result };
    let one = |it: &Value| {
        let failure = &it["failure"];
        let text =
            |name: &str| bound_end(failure[name].as_str().unwrap_or_default(), MESSAGE_CHARS);
        let place =
            [&failure["location"], &failure["test_location"]].into_iter().find(|it| it.is_object());
        json!({
            "check": it["check"],
            "test": failure["test"],
            "error": text("error_type"),
            "message": text("message"),
            "place": place,
        })
    };
    let more = failures.len().saturating_sub(FAILURES_NAMED);
    let named: Vec<Value> = failures.iter().take(FAILURES_NAMED).map(one).collect();
    if more > 0 {
        result["more_failures"] = json!(more);
    }
    result["failures"] = json!(named);
    result
}

/// Tells the client how far a command is, if it wants to know.
pub struct Progress {
    token: Option<Value>,
    path: PathBuf,
    file: Option<File>,
    rest: Vec<u8>,
    done: u64,
    told: u64,
    of: Option<u64>,
}

impl Progress {
    /// Of a command that writes its events into a file.
    pub fn new(token: Option<Value>, path: &Path) -> Self {
        let (file, rest) = (None, Vec::new());
        Self { token, path: path.to_owned(), file, rest, done: 0, told: 0, of: None }
    }

    /// Looks at what is new.
    pub fn look(&mut self) {
        let Some(token) = self.token.clone() else { return };
        if self.file.is_none() {
            self.file = File::open(&self.path).ok();
        }
        if let Some(file) = &mut self.file {
            let _ = file.read_to_end(&mut self.rest);
        }
        let Some(end) = self.rest.iter().rposition(|byte| *byte == b'\n') else { return };
        let lines: Vec<u8> = self.rest.drain(..=end).collect();
        for line in lines.split(|byte| *byte == b'\n') {
            let Ok(event) = serde_json::from_slice::<Value>(line) else { continue };
            match event["event"].as_str() {
                Some("check_started") => {
                    let tests = event["tests"].as_u64();
                    self.of = tests.map(|tests| self.done + tests);
                }
                Some("test_ended") => self.done += 1,
                _ => {}
            }
        }
        if self.done > self.told {
            self.told = self.done;
            let of = self.of.filter(|of| *of >= self.done);
            display::json_line(&progress(&token, self.done, of, &format!("{} tests", self.done)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_names_its_first_failures_and_says_how_many_there_are() {
        let failure = json!({"check": "unit", "failure": {"test": "a", "message": "x".repeat(2000), "error_type": "E", "location": {"file": "a.py"}, "stack": "long"}});
        let run = json!({"result": "test", "failures": vec![failure; 12]});
        let short = short(run);
        assert_eq!(short["failures"].as_array().map(Vec::len), Some(10));
        assert_eq!(short["more_failures"], 2);
        let first = &short["failures"][0];
        assert!(first["message"].as_str().is_some_and(|text| text.chars().count() < 500));
        assert_eq!((&first["place"]["file"], &first["stack"]), (&json!("a.py"), &Value::Null));
    }
}
