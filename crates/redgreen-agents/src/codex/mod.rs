//! Codex.

mod config;
mod hooks;
mod settings;
mod start;
mod trust;

use crate::agent::Agent;

/// Codex.
pub static AGENT: Agent = Agent {
    name: "codex",
    title: "Codex",
    program: "codex",
    hooks: Some(&hooks::CONTRACT),
    start: Some(&start::START),
    settings: Some(&settings::SETTINGS),
    trust: Some(&trust::TRUST),
};
