//! aider, which has no hooks: it is gated by its test command, `--test-cmd "redgreen gate"
//! --auto-test`. It gives up after three tries with exit code 0, so the last word is `redgreen gate`
//! after it.

mod start;

use crate::agent::Agent;

/// aider.
pub static AGENT: Agent = Agent {
    name: "aider",
    title: "aider",
    program: "aider",
    hooks: None,
    start: Some(&start::START),
    settings: None,
    trust: None,
};
