//! `redgreen hooks status`

use std::path::Path;

use redgreen_agents::settings::entries::Condition;
use redgreen_agents::settings::{self, Scope, Settings, Standing, Surroundings};
use redgreen_agents::{AGENTS, Agent};
use redgreen_exec::capture;
use redgreen_model::text::{LINE_CHARS, clean_line};
use serde::Serialize;
use serde_json::json;

use super::{Chosen, ending, program, shown, worse};
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
}

/// redgreen's hooks in one settings file.
#[derive(Serialize)]
struct Entry {
    scope: &'static str,
    file: String,
    /// `absent`, `current`, `outdated`, `changed`, or `unreadable`.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip)]
    ending: Ending,
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
    let scope_name = match scope {
        Scope::Project => "project",
        Scope::User => "user",
    };
    match settings::state(agent, settings, around, scope, program) {
        Ok(state) => Entry {
            scope: scope_name,
            file: shown(&state.path, around),
            state: match state.condition {
                Condition::Absent => "absent",
                Condition::Current => "current",
                Condition::Outdated => "outdated",
                Condition::Changed => "changed",
            },
            error: None,
            ending: Ending::Green,
        },
        Err(error) => Entry {
            scope: scope_name,
            file: shown(&around.file(settings, scope), around),
            state: "unreadable",
            ending: ending(&error),
            error: Some(error.to_string()),
        },
    }
}

impl Entry {
    fn is_there(&self) -> bool {
        matches!(self.state, "current" | "outdated" | "changed")
    }

    fn hint(&self) -> Option<&'static str> {
        match self.state {
            "outdated" => Some("`redgreen hooks install` brings it up to date"),
            "changed" => Some("somebody changed it: `redgreen hooks install` puts it right"),
            _ => None,
        }
    }
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
        (None, _) => "not installed".to_owned(),
    };
    display::result(&format!("{:<9} {program}", status.agent));
    for entry in
        status.entries.iter().filter(|entry| entry.scope == "project" || entry.state != "absent")
    {
        display::result(&format!("{:<9} {:<9} {}", "", entry.state, entry.file));
        if let Some(error) = &entry.error {
            display::note(&format!("error: {error}"));
        }
        if let Some(hint) = entry.hint() {
            display::note(&format!("hint: {hint}"));
        }
    }
    if let Some(trust) = &status.trust {
        let word = if trust.trusted { "trusted" } else { "UNTRUSTED" };
        display::result(&format!("{:<9} {word:<9} {}", "", trust.detail));
    }
}
