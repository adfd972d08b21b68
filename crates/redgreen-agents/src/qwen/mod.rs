//! Qwen Code.

mod hooks;
mod settings;
mod start;

use crate::agent::Agent;

/// Qwen Code.
pub static AGENT: Agent = Agent {
    name: "qwen",
    title: "Qwen Code",
    program: "qwen",
    hooks: Some(&hooks::CONTRACT),
    start: Some(&start::START),
    settings: Some(&settings::SETTINGS),
    trust: None,
};
