//! What clients of `redgreen mcp` send, and what must hold for whatever it is.
//!
//! As in `readers.rs`, with a fuzz target and a folder in `cases`; the tests of `redgreen-mcp` read those every time.

use redgreen_mcp::{Answer, Id, Incoming, Line, TOOLS, answer, error, read};
use serde_json::Value;

/// A reader by its name.
pub struct McpReader {
    /// The name of its fuzz target, and of its folder in `cases`.
    pub name: &'static str,
    /// Reads the bytes, and panics where something does not hold.
    pub hold: fn(&[u8]),
}

/// All of them.
pub const MCP_READERS: &[McpReader] = &[McpReader { name: "mcp_line", hold: lines }];

/// The only commands that a client can make redgreen run.
const COMMANDS: [&str; 10] = [
    "memory", "test", "failures", "coverage", "analyse", "declare", "gate", "give-up", "report",
    "evidence",
];

/// Reads the bytes by a reader's name.
pub fn hold(name: &str, bytes: &[u8]) {
    let reader = MCP_READERS.iter().find(|reader| reader.name == name);
    (reader.expect("a reader of the table").hold)(bytes);
}

fn lines(bytes: &[u8]) {
    for line in bytes.split(|byte| *byte == b'\n') {
        let read_line = read(line);
        assert_eq!(read_line, read(line), "reading twice gives the same");
        match read_line {
            Line::Blank => assert!(line.trim_ascii().is_empty()),
            Line::One(message) => check(&message),
            Line::Batch(messages) => {
                assert!(!messages.is_empty());
                messages.iter().for_each(check);
            }
        }
    }
}

fn check(message: &Incoming) {
    match message {
        Incoming::Request { id, method, params } => match answer(id, method, params, "0") {
            Answer::Now(value) => is_answer(&value, Some(id)),
            Answer::After(asked) => {
                assert!(COMMANDS.contains(&asked.words[0].as_str()), "{:?}", asked.words);
                assert!(asked.words.iter().all(|word| !word.contains('\0')));
                let options = asked.words.iter().take_while(|word| *word != "--").skip(1);
                let known = |word: &String| {
                    let tool = asked.tool.map(|tool| tool.name);
                    TOOLS.iter().all(|it| Some(it.name) != tool) || !word.starts_with("--base")
                };
                assert!(options.clone().all(known), "{:?}", asked.words);
            }
        },
        Incoming::Wrong(wrong) => is_answer(&error(wrong), wrong.id.as_ref()),
        Incoming::Notification { .. } | Incoming::Answer => {}
    }
}

/// One answer in a line, with the id of what it answers.
fn is_answer(value: &Value, id: Option<&Id>) {
    assert_eq!(value["jsonrpc"], "2.0");
    assert_eq!(&value["id"], id.map_or(&Value::Null, Id::value));
    assert!(value["result"].is_object() != value["error"].is_object(), "{value}");
    assert!(!value.to_string().contains('\n'));
}
