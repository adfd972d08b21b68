//! Claude Code.

mod hooks;
mod start;

use crate::agent::Agent;

pub(crate) use start::read as read_result;

/// Claude Code.
pub static AGENT: Agent = Agent {
    name: "claude",
    title: "Claude Code",
    program: "claude",
    hooks: Some(&hooks::CONTRACT),
    start: Some(&start::START),
};
