//! OpenCode.

mod hooks;
mod settings;
mod start;

use crate::agent::{Agent, UNKNOWN};

pub(crate) use hooks::CONTRACT;
pub(crate) use settings::plugin;
pub(crate) use start::START;

/// OpenCode.
pub static AGENT: Agent = Agent {
    name: "opencode",
    title: "OpenCode",
    program: "opencode",
    hooks: Some(&CONTRACT),
    start: Some(&START),
    settings: Some(&settings::SETTINGS),
    servers: Some(&settings::SERVERS),
    marks: &["OPENCODE"],
    variables: &["OPENCODE"],
    ..UNKNOWN
};
