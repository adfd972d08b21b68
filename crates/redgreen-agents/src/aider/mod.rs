//! aider, which has no hooks: it is gated by its test command, `--test-cmd "redgreen gate"
//! --auto-test`. It gives up after three tries with exit code 0, so the last word is `redgreen gate`
//! after it.

mod start;

use crate::agent::{Agent, UNKNOWN};

/// aider.
pub static AGENT: Agent = Agent {
    name: "aider",
    title: "aider",
    program: "aider",
    start: Some(&start::START),
    leaves: &[".aider.chat.history.md"],
    signs: Some("(aider)"),
    advice: &[
        "give it the gate as its test command: `aider --test-cmd \"redgreen gate\" --auto-test`",
        "run `redgreen gate` once more after aider: it ends with exit code 0 even when it gives up",
    ],
    ..UNKNOWN
};
