//! The table of agents. To add one: a folder, and one line here.

use crate::contract::HookContract;
use crate::settings::{Settings, Trust};
use crate::start::Start;
use crate::{aider, claude, codex, copilot, cursor, gemini, opencode, qwen};

/// A coding agent, and what redgreen knows of it.
#[derive(Debug)]
pub struct Agent {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Its program, as it is found on the search path.
    pub program: &'static str,
    /// How it talks to hooks; `None` if it has none.
    pub hooks: Option<&'static HookContract>,
    /// How it is started headless; `None` if redgreen does not know.
    pub start: Option<&'static Start>,
    /// Where its hooks are set up.
    pub settings: Option<&'static Settings>,
    /// How it is told that its hooks may run, if it asks for that.
    pub trust: Option<&'static Trust>,
}

/// All of them, in the order in which they are shown.
pub static AGENTS: &[&Agent] = &[
    &claude::AGENT,
    &codex::AGENT,
    &gemini::AGENT,
    &qwen::AGENT,
    &copilot::AGENT,
    &opencode::AGENT,
    &cursor::AGENT,
    &aider::AGENT,
];

impl Agent {
    /// The agent of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        AGENTS.iter().copied().find(|agent| agent.name == name)
    }
}

impl PartialEq for Agent {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Agent {}
