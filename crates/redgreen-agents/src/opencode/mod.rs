//! OpenCode.

mod hooks;
mod settings;
mod start;

use crate::agent::Agent;

/// OpenCode.
pub static AGENT: Agent = Agent {
    name: "opencode",
    title: "OpenCode",
    program: "opencode",
    hooks: Some(&hooks::CONTRACT),
    start: Some(&start::START),
    settings: Some(&settings::SETTINGS),
    trust: None,
};
