//! How OpenCode is started.

use crate::start::{Flag, LastWord, PromptBy, Start, objects, text_at};

/// OpenCode.
pub(crate) const START: Start = Start {
    install: "npm install --global opencode-ai",
    words: &["run"],
    flags: &[Flag(&["--format"], Some("json")), Flag(&["--auto"], None)],
    model: "--model",
    prompt: PromptBy::Stdin(None),
    read,
};

fn read(output: &str) -> LastWord {
    let mut word = LastWord::default();
    for line in objects(output) {
        match line["type"].as_str() {
            Some("text") => word.said = text_at(&line, &["/part/text"]).unwrap_or(word.said),
            Some("error") => {
                let places = ["/error/data/message", "/error/message", "/error/name"];
                word.problem = text_at(&line, &places);
            }
            _ => {}
        }
    }
    word
}
