//! How Qwen Code is started.

use crate::claude;
use crate::start::{Flag, LastWord, PromptBy, Start};

/// Qwen Code.
pub(crate) static START: Start = Start {
    install: "npm install --global @qwen-code/qwen-code",
    words: &[],
    flags: &[
        Flag(&["--output-format", "-o"], Some("stream-json")),
        Flag(&["--approval-mode", "--yolo", "-y"], Some("yolo")),
    ],
    model: "--model",
    prompt: PromptBy::Stdin(None),
    read,
};

/// As Claude Code, but an error of its model is a result like any other.
fn read(output: &str) -> LastWord {
    let mut word = claude::read_result(output);
    if word.said.starts_with("[API Error:") {
        word.problem.get_or_insert_with(|| word.said.clone());
    }
    word
}
