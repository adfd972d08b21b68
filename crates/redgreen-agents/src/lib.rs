//! One folder for each agent: how to start it headless, what it is given, and how it talks to hooks.
//! What comes of it is judged elsewhere.

mod agent;
mod aider;
mod claude;
mod codex;
pub mod command;
pub mod contract;
mod copilot;
mod cursor;
mod gemini;
mod kilo;
mod opencode;
mod qwen;
pub mod scripted;
pub mod settings;
pub mod start;

use std::ffi::{OsStr, OsString};
use std::path::Path;

pub use agent::{AGENTS, Agent};

/// One request to an agent, as files and facts.
pub struct InvocationRequest<'request> {
    /// The session's id.
    pub session: &'request str,
    /// The attempt, from 1.
    pub attempt: u32,
    /// The phase, as the workflow schema names it.
    pub phase: &'request str,
    /// The prompt.
    pub prompt_file: &'request Path,
    /// The feedback as JSON.
    pub feedback_file: &'request Path,
    /// Where the agent may write its analysis.
    pub analysis_file: &'request Path,
    /// redgreen itself, so that the agent can call it.
    pub redgreen: &'request Path,
    /// The search path as it is.
    pub path: Option<&'request OsStr>,
}

/// How to start an agent.
pub struct Invocation {
    /// What is started.
    pub launch: Launch,
    /// Additions to the environment.
    pub env: Vec<(&'static str, OsString)>,
    /// Whether the prompt is its standard input, which is empty otherwise.
    pub prompt_on_stdin: bool,
}

/// What is started.
pub enum Launch {
    /// A shell command.
    Shell(String),
    /// A program on the search path, and its arguments.
    Program(Vec<OsString>),
}
