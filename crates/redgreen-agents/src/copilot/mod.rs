//! Copilot CLI.

mod hooks;
mod start;

use crate::agent::Agent;

/// Copilot CLI.
pub static AGENT: Agent = Agent {
    name: "copilot",
    title: "Copilot CLI",
    program: "copilot",
    hooks: Some(&hooks::CONTRACT),
    start: Some(&start::START),
};
