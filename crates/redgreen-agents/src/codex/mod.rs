//! Codex.

mod hooks;
mod start;

use crate::agent::Agent;

/// Codex.
pub static AGENT: Agent = Agent {
    name: "codex",
    title: "Codex",
    program: "codex",
    hooks: Some(&hooks::CONTRACT),
    start: Some(&start::START),
};
