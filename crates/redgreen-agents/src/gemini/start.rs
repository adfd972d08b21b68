//! How Gemini CLI is started.

use crate::start::{Flag, LastWord, PromptBy, Start, objects, text_at};

/// Gemini CLI. In a folder that it does not trust it would ask, and nobody answers.
pub(crate) static START: Start = Start {
    install: "npm install --global @google/gemini-cli",
    words: &[],
    flags: &[
        Flag(&["--output-format", "-o"], Some("stream-json")),
        Flag(&["--approval-mode", "--yolo", "-y"], Some("yolo")),
        Flag(&["--skip-trust"], None),
    ],
    model: "--model",
    prompt: PromptBy::Stdin(None),
    read,
};

/// Messages come in pieces; anything else ends one.
fn read(output: &str) -> LastWord {
    let (mut word, mut ended) = (LastWord::default(), true);
    for line in objects(output) {
        let kind = line["type"].as_str();
        if kind == Some("message") && line["role"] == "assistant" {
            if std::mem::take(&mut ended) {
                word.said.clear();
            }
            word.said.push_str(line["content"].as_str().unwrap_or_default());
            continue;
        }
        ended = true;
        if kind == Some("result") && line["status"] == "error" {
            word.problem = text_at(&line, &["/error/message", "/error/type"]);
        }
    }
    word
}
