//! Claude Code.

mod hooks;

use crate::agent::Agent;

/// Claude Code.
pub static AGENT: Agent = Agent {
    name: "claude",
    title: "Claude Code",
    program: "claude",
    hooks: Some(&hooks::CONTRACT),
};
