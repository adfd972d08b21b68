//! Codex. It has no guard of its own, and drops an answer with a key that it does not know.

mod config;
mod settings;
mod start;
mod trust;

use crate::agent::{Agent, UNKNOWN};
use crate::claude;

/// Codex.
pub static AGENT: Agent = Agent {
    name: "codex",
    title: "Codex",
    program: "codex",
    hooks: Some(&claude::CONTRACT),
    start: Some(&start::START),
    settings: Some(&settings::SETTINGS),
    trust: Some(&trust::TRUST),
    marks: &["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"],
    variables: &["CODEX_"],
    ..UNKNOWN
};
