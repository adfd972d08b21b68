//! How Claude Code is started.

use serde_json::Value;

use crate::start::{Flag, LastWord, PromptBy, Start, objects, text_at};

/// Claude Code. It edits and runs commands without asking; what it may not do otherwise stays so.
pub(crate) static START: Start = Start {
    install: "npm install --global @anthropic-ai/claude-code",
    words: &["--print"],
    flags: &[
        Flag(&["--output-format"], Some("stream-json")),
        Flag(&["--verbose"], None),
        Flag(&["--permission-mode", "--dangerously-skip-permissions"], Some("acceptEdits")),
        Flag(&["--allowedTools", "--allowed-tools"], Some("Bash")),
    ],
    model: "--model",
    prompt: PromptBy::Stdin(None),
    read,
};

/// The last line says what came of it. Qwen Code writes the same.
pub(crate) fn read(output: &str) -> LastWord {
    let Some(result) = objects(output).filter(|line| line["type"] == "result").last() else {
        return LastWord::default();
    };
    let said = text_at(&result, &["/result"]).unwrap_or_default();
    if result["is_error"] != true {
        return LastWord { said, problem: None };
    }
    let told = text_at(&result, &["/result", "/error/message", "/errors/0", "/subtype"]);
    LastWord { said, problem: Some(told.unwrap_or_else(|| Value::to_string(&result))) }
}
