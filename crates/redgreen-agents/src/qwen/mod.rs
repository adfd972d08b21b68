//! Qwen Code. `{"continue":false}` would hold it like a block, so it is never said.

mod settings;
mod start;

use crate::agent::{Agent, UNKNOWN};
use crate::claude;

/// Qwen Code.
pub static AGENT: Agent = Agent {
    name: "qwen",
    title: "Qwen Code",
    program: "qwen",
    hooks: Some(&claude::CONTRACT),
    start: Some(&start::START),
    settings: Some(&settings::SETTINGS),
    servers: Some(&settings::SERVERS),
    marks: &["QWEN_CODE"],
    variables: &["QWEN_"],
    ..UNKNOWN
};
