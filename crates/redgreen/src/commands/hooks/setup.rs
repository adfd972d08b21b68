//! `redgreen hooks install` and `uninstall`

use clap::Args;
use redgreen_agents::Agent;
use redgreen_agents::settings::entries::Condition;
use redgreen_agents::settings::{
    self, Change, Scope, Settings, SettingsError, Standing, Surroundings,
};
use serde::Serialize;
use serde_json::json;

use super::super::trust;
use super::{Chosen, ending, program, shown, turned_off, worse};
use crate::failure::{Ending, Failure};
use crate::{context, display};

#[derive(Args)]
pub struct Install {
    #[command(flatten)]
    chosen: Chosen,
    /// Do not tell the agent to trust the folder and its hooks: a person does that
    #[arg(long)]
    no_trust: bool,
    /// Also let the agent ask redgreen for tests, failures and the rest: its server of tools (`redgreen mcp`) is put where
    /// the agent reads it
    #[arg(long)]
    mcp: bool,
}

/// What became of one agent's settings.
#[derive(Serialize)]
struct Done {
    agent: &'static str,
    file: String,
    /// `created`, `updated`, `unchanged`, `removed`, or `left_alone`.
    change: &'static str,
    /// What was done so that the hooks may run, or taken back.
    trust: Vec<String>,
    /// What a person still has to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<String>,
    /// What became of redgreen's server of tools, where it is or was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    mcp: Option<Served>,
    /// Why the settings were left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip)]
    ending: Ending,
}

/// What became of the entry of redgreen's server.
#[derive(Serialize)]
struct Served {
    file: String,
    change: &'static str,
}

pub fn install(arguments: &Install) -> Result<Ending, Failure> {
    let chosen = &arguments.chosen;
    let around = chosen.surroundings()?;
    let program = program()?;
    let agents = chosen.agents(|agent| around.uses(agent))?;
    if agents.is_empty() {
        return Err(Failure::usage("no coding agent is found here")
            .hint(format!("name one: {}", Agent::names(|agent| agent.settings.is_some()))));
    }
    let scope = chosen.scope();
    let may_ask = agents.iter().any(|(agent, _)| agent.servers.is_some());
    let done: Vec<Done> = agents
        .into_iter()
        .map(|(agent, settings)| {
            let outcome = settings::install(agent, settings, &around, scope, &program);
            let mut done = Done::new(agent, settings, &around, scope, outcome);
            if done.error.is_none() {
                done.set_up_trust(agent, &around, scope, !arguments.no_trust);
                done.see_switch(settings, &around, scope);
            }
            if arguments.mcp {
                done.offer_server(agent, &around, scope, &program);
            }
            done
        })
        .collect();
    show("hooks_install", chosen, &done);
    if !chosen.json && done.iter().any(|done| done.error.is_none()) {
        if scope == Scope::Project {
            trust::offer()?;
        }
        if may_ask && !arguments.mcp {
            display::note(
                "also: `redgreen hooks install --mcp` lets the agent ask redgreen for tests, failures and what is known",
            );
        }
        display::note("next: `redgreen hooks verify` proves that the gate fires");
    }
    Ok(done.iter().fold(Ending::Green, |all, done| worse(all, done.ending)))
}

pub fn uninstall(chosen: &Chosen) -> Result<Ending, Failure> {
    if let Some(mark) = context::mark_of_an_agent() {
        return Err(Failure::usage(format!(
            "only a person may remove hooks, and {mark} says that an agent runs this"
        )));
    }
    let around = chosen.surroundings()?;
    let scope = chosen.scope();
    let program = program()?;
    let has_server = |agent: &Agent| {
        agent.servers.is_some_and(|servers| match servers.state(&around, scope, &program) {
            Ok(state) => state.is_some_and(|state| is_own(state.condition)),
            Err(_) => true,
        })
    };
    let has_some = |agent: &'static Agent| {
        has_server(agent)
            || agent.settings.is_some_and(|settings| {
                let commands = settings::commands_in(agent, settings, &around, scope);
                commands.map_or(true, |commands| !commands.is_empty())
            })
    };
    let done: Vec<Done> = chosen
        .agents(has_some)?
        .into_iter()
        .map(|(agent, settings)| {
            // What was put there last is taken away first.
            let served = agent.servers.map(|servers| servers.withdraw(&around, scope));
            let outcome = settings::uninstall(agent, settings, &around, scope);
            let mut done = Done::new(agent, settings, &around, scope, outcome);
            let was_there = |done: &(_, Change)| done.1 != Change::Unchanged;
            let served = served.unwrap_or(Ok(None)).map(|done| done.filter(was_there));
            done.took_server(served, &around);
            if let Some(trust) = agent.trust.filter(|_| done.error.is_none()) {
                done.took_trust((trust.revoke)(&around, scope));
            }
            done
        })
        .collect();
    show("hooks_uninstall", chosen, &done);
    if done.is_empty() && !chosen.json {
        display::result("no hooks of redgreen are installed here");
    }
    Ok(done.iter().fold(Ending::Green, |all, done| worse(all, done.ending)))
}

impl Done {
    fn new(
        agent: &Agent,
        settings: &Settings,
        around: &Surroundings,
        scope: Scope,
        outcome: Result<(std::path::PathBuf, Change), SettingsError>,
    ) -> Self {
        let mut done = Self {
            agent: agent.name,
            file: shown(&around.file(settings, scope), around),
            change: "left_alone",
            trust: Vec::new(),
            step: None,
            mcp: None,
            error: None,
            ending: Ending::Green,
        };
        match outcome {
            Ok((path, change)) => {
                done.file = shown(&path, around);
                done.change = word(change);
            }
            Err(error) => done.fail(&error),
        }
        done
    }

    fn fail(&mut self, error: &SettingsError) {
        self.error = Some(error.to_string());
        self.ending = ending(error);
    }

    fn took_trust(&mut self, outcome: Result<Vec<String>, SettingsError>) {
        match outcome {
            Ok(trust) => self.trust = trust,
            Err(error) => self.fail(&error),
        }
    }

    fn offer_server(&mut self, agent: &Agent, around: &Surroundings, scope: Scope, program: &str) {
        let Some(servers) = agent.servers else { return };
        self.took_server(servers.offer(around, scope, program), around);
    }

    fn took_server(
        &mut self,
        outcome: Result<Option<(std::path::PathBuf, Change)>, SettingsError>,
        around: &Surroundings,
    ) {
        match outcome {
            Ok(done) => {
                self.mcp = done.map(|(path, change)| Served {
                    file: shown(&path, around),
                    change: word(change),
                });
            }
            Err(error) => self.fail(&error),
        }
    }

    fn set_up_trust(&mut self, agent: &Agent, around: &Surroundings, scope: Scope, grant: bool) {
        let Some(trust) = agent.trust else { return };
        if grant {
            self.took_trust((trust.grant)(around, scope));
        }
        match (trust.look)(around, scope) {
            Ok(Standing::Untrusted(step)) => self.step = Some(step),
            Ok(_) => {}
            Err(error) => self.fail(&error),
        }
    }

    /// Hooks that are switched off do not run, however well they are installed.
    fn see_switch(&mut self, settings: &Settings, around: &Surroundings, scope: Scope) {
        if let Some(off) = settings::switched_off(settings, around, scope) {
            let step = format!("{}: remove that", turned_off(&off, around));
            self.step = Some(match self.step.take() {
                Some(first) => format!("{first}; and {step}"),
                None => step,
            });
        }
    }
}

fn word(change: Change) -> &'static str {
    match change {
        Change::Created => "created",
        Change::Updated => "updated",
        Change::Unchanged => "unchanged",
        Change::Removed => "removed",
    }
}

/// Whether it is an entry that redgreen may take away.
fn is_own(condition: Condition) -> bool {
    matches!(condition, Condition::Current | Condition::Outdated)
}

fn show(result: &str, chosen: &Chosen, done: &[Done]) {
    if chosen.json {
        let scope = if chosen.user { "user" } else { "project" };
        display::json_line(&json!({"result": result, "scope": scope, "agents": done}));
        return;
    }
    for done in done {
        let change = done.change.replace('_', " ");
        display::result(&format!("{:<9} {change:<11} {}", done.agent, done.file));
        if let Some(Served { file, change }) = &done.mcp {
            display::result(&format!("{:<9} {change:<11} {file} (its tools)", ""));
        }
        for trust in &done.trust {
            display::result(&format!("{:<9} {trust}", ""));
        }
        if let Some(error) = &done.error {
            display::note(&format!("error: {error}"));
            display::note("hint: repair the file, or move it away, and try again");
        }
        if let Some(step) = &done.step {
            display::note(&format!("hint: {} runs no hooks here yet: {step}", done.agent));
        }
    }
}
