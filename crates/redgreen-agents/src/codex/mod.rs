//! Codex.

mod hooks;

use crate::agent::Agent;

/// Codex.
pub static AGENT: Agent =
    Agent { name: "codex", title: "Codex", program: "codex", hooks: Some(&hooks::CONTRACT) };
