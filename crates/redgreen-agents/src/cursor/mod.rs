//! Cursor.

mod hooks;
mod settings;

use crate::agent::Agent;

/// Cursor.
pub static AGENT: Agent = Agent {
    name: "cursor",
    title: "Cursor",
    program: "cursor-agent",
    hooks: Some(&hooks::CONTRACT),
    start: None,
    settings: Some(&settings::SETTINGS),
    trust: None,
};
