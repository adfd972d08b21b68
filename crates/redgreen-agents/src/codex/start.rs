//! How Codex is started.

use crate::start::{Flag, LastWord, PromptBy, Start, objects, text_at};

/// Codex. It works in its own sandbox, and there without asking.
pub(crate) static START: Start = Start {
    install: "npm install --global @openai/codex",
    words: &["exec"],
    flags: &[
        Flag(&["--json"], None),
        Flag(
            &["--sandbox", "-s", "--approve-for-me", "--dangerously-bypass-approvals-and-sandbox"],
            Some("workspace-write"),
        ),
    ],
    model: "--model",
    prompt: PromptBy::Stdin(Some("-")),
    read,
};

fn read(output: &str) -> LastWord {
    let mut word = LastWord::default();
    for line in objects(output) {
        match line["type"].as_str() {
            Some("item.completed") if line["item"]["type"] == "agent_message" => {
                word.said = text_at(&line, &["/item/text"]).unwrap_or_default();
            }
            Some("turn.started" | "turn.completed") => word.problem = None,
            Some("turn.failed") => word.problem = text_at(&line, &["/error/message"]),
            // It may try again after one of these.
            Some("error") => word.problem = text_at(&line, &["/message"]),
            _ => {}
        }
    }
    word
}
