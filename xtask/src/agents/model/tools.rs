//! From what the model wants to do to a call of a tool that the agent has.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::Turn;
use super::json::{dullest, items, text};

/// A tool that the agent offers.
#[derive(Clone, Debug)]
pub struct Tool {
    pub name: String,
    /// The schema of its input.
    pub schema: Value,
    /// Whether it takes any text instead of fields.
    pub takes_text: bool,
    /// The group of tools that it is in.
    pub group: Option<String>,
}

/// What the model answers.
#[derive(Debug)]
pub enum Answer {
    /// Text.
    Text(String),
    /// A call of a tool, with an object, or a text for a tool that takes one.
    Call(Tool, Value),
}

/// The names that agents have for the same.
const READERS: &[&str] = &["Read", "read_file", "read", "view"];
const WRITERS: &[&str] = &["Write", "write_file", "write"];
const SHELLS: &[&str] =
    &["Bash", "bash", "run_shell_command", "exec_command", "shell_command", "shell"];
const PATH: &[&str] = &["file_path", "filePath", "absolute_path", "path"];
const CONTENT: &[&str] = &["content", "file_text"];
const COMMAND: &[&str] = &["command", "cmd"];

/// What only a client says that works by text alone: the files that it finds in an answer are
/// written.
pub fn asks_for_files(said: &&str) -> bool {
    said.contains("*file listing*")
}

/// The answer that plays a turn; none if it has to be left out.
pub fn play(turn: &Turn, tools: &[Tool], folder: &Path) -> Option<Answer> {
    match turn {
        Turn::Say(words) => Some(Answer::Text((*words).to_owned())),
        Turn::Read(path) => {
            let tool = find(tools, READERS)?;
            Some(call(tool, &[(PATH, json!(folder.join(path)))]))
        }
        Turn::Run(command) => run(command, tools),
        Turn::Write(path, content) if tools.is_empty() => {
            Some(Answer::Text(format!("{path}\n```\n{content}```\n")))
        }
        Turn::Write(path, content) => {
            let path = folder.join(path);
            match find(tools, WRITERS) {
                Some(tool) => Some(call(tool, &[(PATH, json!(path)), (CONTENT, json!(content))])),
                None => run(&written_by_shell(&path, content), tools),
            }
        }
    }
}

fn written_by_shell(path: &Path, content: &str) -> String {
    format!("cat > '{}' <<'END_OF_FILE'\n{content}END_OF_FILE\n", path.display())
}

fn run(command: &str, tools: &[Tool]) -> Option<Answer> {
    // Codex may offer one tool that runs JavaScript, which calls the others.
    if let Some(tool) = tools.iter().find(|tool| tool.name == "exec" && tool.takes_text) {
        let input = json!({ "cmd": command });
        let script = format!("text(await tools.exec_command({input}));");
        return Some(Answer::Call(tool.clone(), json!(script)));
    }
    let tool = find(tools, SHELLS)?;
    let takes_words = tool.schema["properties"][name_of(tool, COMMAND)]["type"] == "array";
    let words = if takes_words { json!(["sh", "-c", command]) } else { json!(command) };
    Some(call(tool, &[(COMMAND, words)]))
}

fn find<'tool>(tools: &'tool [Tool], names: &[&str]) -> Option<&'tool Tool> {
    names.iter().find_map(|name| tools.iter().find(|tool| tool.name == *name))
}

/// A call of a tool. What it needs beside, it gets.
fn call(tool: &Tool, given: &[(&[&str], Value)]) -> Answer {
    let mut input: Map<String, Value> = given
        .iter()
        .map(|(names, value)| (name_of(tool, names).to_owned(), value.clone()))
        .collect();
    for name in items(&tool.schema["required"]).iter().map(text) {
        if !input.contains_key(name) {
            input.insert(name.to_owned(), dullest(&tool.schema["properties"][name]));
        }
    }
    Answer::Call(tool.clone(), Value::Object(input))
}

/// What a tool calls one of its fields.
fn name_of<'name>(tool: &Tool, names: &[&'name str]) -> &'name str {
    let known = names.iter().find(|name| tool.schema["properties"].get(**name).is_some());
    known.or(names.first()).copied().unwrap_or_default()
}
