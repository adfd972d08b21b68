//! Gemini CLI.

mod hooks;
mod settings;
mod start;
mod trust;

use crate::agent::{Agent, UNKNOWN};

/// Gemini CLI.
pub static AGENT: Agent = Agent {
    name: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    hooks: Some(&hooks::CONTRACT),
    start: Some(&start::START),
    settings: Some(&settings::SETTINGS),
    servers: Some(&settings::SERVERS),
    trust: Some(&trust::TRUST),
    marks: &["GEMINI_CLI"],
    variables: &["GEMINI_"],
    ..UNKNOWN
};
