//! The table of agents. To add one: a folder, its `mod` in `lib.rs`, and one line here.

use crate::contract::HookContract;
use crate::settings::{Servers, Settings, Trust};
use crate::start::Start;

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
    /// Where it reads which servers of tools it may ask; `None` if redgreen does not know.
    pub servers: Option<&'static Servers>,
    /// How it is told that its hooks may run, if it asks for that.
    pub trust: Option<&'static Trust>,
    /// Variables by which it marks the commands that it runs.
    pub marks: &'static [&'static str],
    /// What the variables begin with that it sets for what it starts: its session, not the project's.
    pub variables: &'static [&'static str],
    /// Files that it leaves in a work tree where it was at work.
    pub leaves: &'static [&'static str],
    /// What the author's name of its own commits ends with.
    pub signs: Option<&'static str>,
    /// How it comes to the gate without hooks.
    pub advice: &'static [&'static str],
}

/// One of which nothing is known: what an agent does not have, its folder does not mention.
pub(crate) const UNKNOWN: Agent = Agent {
    name: "",
    title: "",
    program: "",
    hooks: None,
    start: None,
    settings: None,
    servers: None,
    trust: None,
    marks: &[],
    variables: &[],
    leaves: &[],
    signs: None,
    advice: &[],
};

/// All of them, in the order in which they are shown.
pub static AGENTS: &[&Agent] = &[
    &crate::claude::AGENT,
    &crate::codex::AGENT,
    &crate::gemini::AGENT,
    &crate::qwen::AGENT,
    &crate::copilot::AGENT,
    &crate::opencode::AGENT,
    &crate::kilo::AGENT,
    &crate::cursor::AGENT,
    &crate::aider::AGENT,
];

impl Agent {
    /// The agent of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        AGENTS.iter().copied().find(|agent| agent.name == name)
    }

    /// The names of those that are asked for, as a list for people.
    pub fn names(which: fn(&Self) -> bool) -> String {
        let names = AGENTS.iter().filter(|agent| which(agent)).map(|agent| agent.name);
        names.collect::<Vec<_>>().join(", ")
    }
}

impl PartialEq for Agent {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Agent {}
