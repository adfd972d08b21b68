//! `redgreen hooks status`

use std::path::Path;

use redgreen_agents::settings::entries::Condition;
use redgreen_agents::settings::{self, Scope, Settings, Standing, Surroundings};
use redgreen_agents::{AGENTS, Agent};
use redgreen_exec::capture;
use redgreen_model::text::{LINE_CHARS, clean_line};
use serde::Serialize;
use serde_json::json;

use super::{Chosen, ending, program, shown, turned_off, worse};
use crate::display;
use crate::failure::{Ending, Failure};

/// What is known of one agent.
#[derive(Serialize)]
struct Status {
    agent: &'static str,
    title: &'static str,
    /// Its program, and what it says of its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    entries: Vec<Entry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trust: Option<Trusted>,
    /// Where redgreen's server of tools is set up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mcp: Vec<Served>,
}

/// redgreen's server in one file.
#[derive(Serialize)]
struct Served {
    scope: &'static str,
    file: String,
    /// `current`, `outdated`, or `changed`.
    state: &'static str,
}

/// redgreen's hooks in one settings file.
#[derive(Serialize)]
struct Entry {
    scope: &'static str,
    file: String,
    /// `absent`, `current`, `outdated`, `changed`, or `unreadable`.
    state: &'static str,
    /// What turns these hooks off although they are there.
    #[serde(skip_serializing_if = "Option::is_none")]
    off: Option<Switched>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip)]
    ending: Ending,
}

#[derive(Serialize)]
struct Switched {
    file: String,
    key: String,
    detail: String,
}

#[derive(Serialize)]
struct Trusted {
    trusted: bool,
    detail: String,
}

pub fn run(chosen: &Chosen) -> Result<Ending, Failure> {
    let around = chosen.surroundings()?;
    let program = program()?;
    let agents = chosen.agents(|agent| around.uses(agent))?;
    let scopes: &[Scope] =
        if chosen.user { &[Scope::User] } else { &[Scope::Project, Scope::User] };
    let statuses: Vec<Status> = agents
        .iter()
        .map(|(agent, settings)| status(agent, settings, &around, scopes, &program))
        .collect();
    if chosen.json {
        display::json_line(&json!({"result": "hooks_status", "agents": statuses}));
    } else {
        statuses.iter().for_each(show);
        let others: Vec<&str> = AGENTS
            .iter()
            .filter(|agent| agent.settings.is_some() && chosen.agents.is_empty())
            .filter(|agent| !agents.iter().any(|(used, _)| used == *agent))
            .map(|agent| agent.name)
            .collect();
        if !others.is_empty() {
            display::note(&format!("not in use here: {}", others.join(", ")));
        }
    }
    let entries = statuses.iter().flat_map(|status| &status.entries);
    Ok(entries.fold(Ending::Green, |all, entry| worse(all, entry.ending)))
}

/// What is installed of one agent's hooks.
pub struct Hooked {
    /// The hooks in words, with what to do about them.
    pub description: String,
    /// Whether the agent would run them as they are meant.
    pub works: bool,
}

/// The hooks that are installed in a project, or for the user, with what keeps them from running.
pub fn hooked_here(root: &Path) -> Result<Vec<Hooked>, Failure> {
    let around = super::around(root.to_owned())?;
    let program = program()?;
    let mut hooked = Vec::new();
    for agent in AGENTS {
        let Some(settings) = agent.settings else { continue };
        for scope in [Scope::Project, Scope::User] {
            let entry = entry(agent, settings, &around, scope, &program);
            if entry.is_there() {
                let off = entry.off.as_ref().map(|off| format!("; {}", off.detail));
                hooked.push(Hooked {
                    description: format!(
                        "{}: {}{}",
                        agent.name,
                        entry.description(agent.name),
                        off.unwrap_or_default()
                    ),
                    works: entry.state != "changed" && entry.off.is_none(),
                });
            }
        }
    }
    Ok(hooked)
}

fn status(
    agent: &'static Agent,
    settings: &Settings,
    around: &Surroundings,
    scopes: &[Scope],
    program: &str,
) -> Status {
    let entries: Vec<Entry> =
        scopes.iter().map(|scope| entry(agent, settings, around, *scope, program)).collect();
    let installed = scopes.iter().zip(&entries).find(|(_, entry)| entry.is_there());
    let found = around.program(agent);
    Status {
        agent: agent.name,
        title: agent.title,
        version: found.as_deref().and_then(version),
        program: found.map(|program| program.display().to_string()),
        trust: installed.and_then(|(scope, _)| trusted(agent, around, *scope)),
        mcp: scopes.iter().filter_map(|scope| served(agent, around, *scope, program)).collect(),
        entries,
    }
}

fn entry(
    agent: &Agent,
    settings: &Settings,
    around: &Surroundings,
    scope: Scope,
    program: &str,
) -> Entry {
    let scope_name = name_of(scope);
    match settings::state(agent, settings, around, scope, program) {
        Ok(state) => Entry {
            scope: scope_name,
            file: shown(&state.path, around),
            state: word(state.condition),
            off: switched(settings, around, scope).filter(|_| state.condition != Condition::Absent),
            error: None,
            ending: Ending::Green,
        },
        Err(error) => Entry {
            scope: scope_name,
            file: shown(&around.file(settings, scope), around),
            state: "unreadable",
            off: None,
            ending: ending(&error),
            error: Some(error.to_string()),
        },
    }
}

/// redgreen's server of tools, where it is set up; a file that cannot be read has none.
fn served(agent: &Agent, around: &Surroundings, scope: Scope, program: &str) -> Option<Served> {
    let state = agent.servers?.state(around, scope, program).ok()??;
    let is_there = state.condition != Condition::Absent;
    is_there.then(|| Served {
        scope: name_of(scope),
        file: shown(&state.path, around),
        state: word(state.condition),
    })
}

fn name_of(scope: Scope) -> &'static str {
    match scope {
        Scope::Project => "project",
        Scope::User => "user",
    }
}

fn word(condition: Condition) -> &'static str {
    match condition {
        Condition::Absent => "absent",
        Condition::Current => "current",
        Condition::Outdated => "outdated",
        Condition::Changed => "changed",
    }
}

impl Entry {
    fn is_there(&self) -> bool {
        matches!(self.state, "current" | "outdated" | "changed")
    }

    /// The hook in words, with what to do about it.
    fn description(&self, agent: &str) -> String {
        let file = &self.file;
        let install = format!("`redgreen hooks install {agent}`");
        match self.state {
            "absent" => format!("not installed in {file}"),
            "current" => format!("current in {file}"),
            "outdated" => {
                format!("outdated in {file}, written by another redgreen: {install} updates it")
            }
            "changed" => {
                format!("CHANGED in {file}, no longer as redgreen wrote it: {install} repairs it")
            }
            _ => format!("UNREADABLE in {file}: {}", self.error.as_deref().unwrap_or_default()),
        }
    }
}

fn switched(settings: &Settings, around: &Surroundings, scope: Scope) -> Option<Switched> {
    let off = settings::switched_off(settings, around, scope)?;
    let detail = turned_off(&off, around);
    Some(Switched { file: shown(&off.path, around), key: off.key, detail })
}

fn trusted(agent: &Agent, around: &Surroundings, scope: Scope) -> Option<Trusted> {
    match (agent.trust?.look)(around, scope) {
        Ok(Standing::Trusted(detail)) => Some(Trusted { trusted: true, detail }),
        Ok(Standing::Untrusted(step)) => Some(Trusted { trusted: false, detail: step }),
        Ok(Standing::NotAsked) => None,
        Err(error) => Some(Trusted { trusted: false, detail: error.to_string() }),
    }
}

/// The first line with a digit that a program says to `--version`.
fn version(program: &Path) -> Option<String> {
    let output = capture(program, &["--version"], Path::new("/"), &[], b"").ok()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = said.lines().find(|line| line.contains(|letter: char| letter.is_ascii_digit()))?;
    Some(clean_line(line.trim(), LINE_CHARS))
}

fn show(status: &Status) {
    let program = match (&status.program, &status.version) {
        (Some(program), Some(version)) => format!("{version} ({program})"),
        (Some(program), None) => program.clone(),
        (None, _) => "not found on PATH".to_owned(),
    };
    display::result(&format!("{:<9} program: {program}", status.agent));
    let line = |word: &str, text: &str| display::result(&format!("{:<9} {word}: {text}", ""));
    let mut said = std::collections::BTreeSet::new();
    let is_shown = |entry: &&Entry| {
        entry.scope == "project" || entry.state != "absent" || status.entries.len() == 1
    };
    for entry in status.entries.iter().filter(is_shown) {
        line(
            if entry.scope == "user" { "hook for the user" } else { "hook" },
            &entry.description(status.agent),
        );
        // One switch may turn off the hooks of both.
        if let Some(off) = entry.off.as_ref().filter(|off| said.insert(off.detail.as_str())) {
            line("OFF", &off.detail);
        }
    }
    for served in &status.mcp {
        line("its tools", &format!("{} in {}", served.state, served.file));
    }
    if let Some(trust) = &status.trust {
        line(if trust.trusted { "trusted" } else { "UNTRUSTED" }, &trust.detail);
    }
}
