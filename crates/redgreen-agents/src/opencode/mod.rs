//! OpenCode.

mod hooks;
mod settings;
mod start;

use crate::agent::{Agent, UNKNOWN};

/// OpenCode.
pub static AGENT: Agent = Agent {
    name: "opencode",
    title: "OpenCode",
    program: "opencode",
    hooks: Some(&hooks::CONTRACT),
    start: Some(&start::START),
    settings: Some(&settings::SETTINGS),
    marks: &["OPENCODE"],
    variables: &["OPENCODE"],
    ..UNKNOWN
};
