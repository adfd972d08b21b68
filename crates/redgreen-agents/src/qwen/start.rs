//! How Qwen Code is started.

use crate::claude;
use crate::start::{Flag, PromptBy, Start};

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
    read: claude::read_result,
};
