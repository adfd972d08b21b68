//! Qwen Code.

mod hooks;

use crate::agent::Agent;

/// Qwen Code.
pub static AGENT: Agent =
    Agent { name: "qwen", title: "Qwen Code", program: "qwen", hooks: Some(&hooks::CONTRACT) };
