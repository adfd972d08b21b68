//! Copilot CLI.

mod hooks;

use crate::agent::Agent;

/// Copilot CLI.
pub static AGENT: Agent = Agent {
    name: "copilot",
    title: "Copilot CLI",
    program: "copilot",
    hooks: Some(&hooks::CONTRACT),
};
