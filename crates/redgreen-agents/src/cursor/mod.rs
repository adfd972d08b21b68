//! Cursor.

mod hooks;
mod settings;

use crate::agent::{Agent, UNKNOWN};

/// Cursor.
pub static AGENT: Agent = Agent {
    name: "cursor",
    title: "Cursor",
    program: "cursor-agent",
    hooks: Some(&hooks::CONTRACT),
    settings: Some(&settings::SETTINGS),
    servers: Some(&settings::SERVERS),
    marks: &["CURSOR_AGENT"],
    variables: &["CURSOR_"],
    ..UNKNOWN
};
