//! Claude Code.

mod hooks;
mod settings;
mod start;

use crate::agent::{Agent, UNKNOWN};

pub(crate) use hooks::CONTRACT;
pub(crate) use start::read as read_result;

/// Claude Code.
pub static AGENT: Agent = Agent {
    name: "claude",
    title: "Claude Code",
    program: "claude",
    hooks: Some(&CONTRACT),
    start: Some(&start::START),
    settings: Some(&settings::SETTINGS),
    servers: Some(&settings::SERVERS),
    marks: &["CLAUDECODE"],
    variables: &["CLAUDE"],
    ..UNKNOWN
};
