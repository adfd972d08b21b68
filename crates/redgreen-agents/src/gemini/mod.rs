//! Gemini CLI.

mod hooks;
mod start;

use crate::agent::Agent;

/// Gemini CLI.
pub static AGENT: Agent = Agent {
    name: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    hooks: Some(&hooks::CONTRACT),
    start: Some(&start::START),
};
