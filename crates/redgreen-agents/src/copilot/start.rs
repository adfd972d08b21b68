//! How Copilot CLI is started.

use crate::start::{Flag, LastWord, PromptBy, Start, objects, text_at};

/// Copilot CLI.
pub(crate) static START: Start = Start {
    install: "npm install --global @github/copilot",
    words: &[],
    flags: &[
        Flag(&["--output-format"], Some("json")),
        Flag(&["--allow-all-tools", "--allow-all", "--yolo"], None),
    ],
    model: "--model",
    prompt: PromptBy::Stdin(None),
    read,
};

fn read(output: &str) -> LastWord {
    let mut word = LastWord::default();
    for line in objects(output) {
        match line["type"].as_str() {
            Some("assistant.message") => {
                word.said = text_at(&line, &["/data/content"]).unwrap_or(word.said);
            }
            Some("session.error") => word.problem = text_at(&line, &["/data/message"]),
            _ => {}
        }
    }
    word
}
