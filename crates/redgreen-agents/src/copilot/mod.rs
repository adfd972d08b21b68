//! Copilot CLI.

mod hooks;
mod settings;
mod start;
mod trust;

use crate::agent::{Agent, UNKNOWN};

/// Copilot CLI.
pub static AGENT: Agent = Agent {
    name: "copilot",
    title: "Copilot CLI",
    program: "copilot",
    hooks: Some(&hooks::CONTRACT),
    start: Some(&start::START),
    settings: Some(&settings::SETTINGS),
    servers: Some(&settings::SERVERS),
    trust: Some(&trust::TRUST),
    marks: &["COPILOT_CLI"],
    variables: &["COPILOT_"],
    ..UNKNOWN
};
