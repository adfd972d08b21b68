//! `redgreen hooks verify`

use redgreen_agents::Agent;
use redgreen_agents::contract::{EventKind, Heard};
use redgreen_agents::settings::entries::Condition;
use redgreen_agents::settings::{self, Scope, Settings, Standing, Surroundings};
use redgreen_model::text::{LINE_CHARS, clean_line};
use serde::Serialize;
use serde_json::json;

use super::canary::Canary;
use super::{Chosen, ending, program, shown, turned_off, worse};
use crate::display;
use crate::failure::{Ending, Failure};

/// What was seen of one agent's hooks.
#[derive(Serialize)]
struct Verified {
    agent: &'static str,
    file: String,
    /// Whether the gate fires: it held the red canary, let the green one go, and would be run.
    proven: bool,
    /// What was seen, in the order in which it was.
    seen: Vec<Observation>,
    #[serde(skip)]
    ending: Ending,
}

#[derive(Serialize)]
struct Observation {
    what: &'static str,
    good: bool,
    detail: String,
}

pub fn run(chosen: &Chosen) -> Result<Ending, Failure> {
    let around = chosen.surroundings()?;
    let scope = chosen.scope();
    let has_some = |agent: &'static Agent| {
        agent.settings.is_some_and(|settings| {
            let commands = settings::commands_in(agent, settings, &around, scope);
            commands.map_or(true, |commands| !commands.is_empty())
        })
    };
    let agents = chosen.agents(has_some)?;
    if agents.is_empty() {
        return Err(Failure::usage("no hooks of redgreen are installed here")
            .hint("install them: `redgreen hooks install`"));
    }
    let mut all = Vec::new();
    for (agent, settings) in agents {
        let verified = verify(agent, settings, &around, scope)?;
        if !chosen.json {
            show(&verified);
        }
        all.push(verified);
    }
    if chosen.json {
        display::json_line(&json!({"result": "hooks_verify", "agents": all}));
    }
    Ok(all.iter().fold(Ending::Green, |ending, verified| worse(ending, verified.ending)))
}

fn verify(
    agent: &'static Agent,
    settings: &Settings,
    around: &Surroundings,
    scope: Scope,
) -> Result<Verified, Failure> {
    let mut verified = Verified {
        agent: agent.name,
        file: shown(&around.file(settings, scope), around),
        proven: false,
        seen: Vec::new(),
        ending: Ending::Red,
    };
    let commands = match settings::commands_in(agent, settings, around, scope) {
        Ok(commands) => commands,
        Err(error) => {
            verified.ending = ending(&error);
            verified.see("settings", false, error.to_string());
            return Ok(verified);
        }
    };
    let stop = commands.iter().find(|(kind, _)| *kind == EventKind::Stop);
    let Some((_, stop)) = stop else {
        let step =
            format!("no stop hook of redgreen is in it: `redgreen hooks install {}`", agent.name);
        verified.see("settings", false, step);
        return Ok(verified);
    };
    verified.see("settings", true, stop.clone());
    verified.read_entries(agent, settings, around, scope)?;
    let start = commands.iter().find(|(kind, _)| *kind != EventKind::Stop);
    fly(agent, start, stop, &mut verified)?;
    verified.hear_own_word(agent, around, scope);
    verified.proven = verified.seen.iter().all(|seen| seen.good);
    if verified.proven {
        verified.ending = Ending::Green;
    }
    Ok(verified)
}

/// Lets an agent of a canary begin, end on red, and end on green.
fn fly(
    agent: &Agent,
    start: Option<&(EventKind, String)>,
    stop: &str,
    verified: &mut Verified,
) -> Result<(), Failure> {
    let canary = Canary::new()?;
    if let Some((kind, command)) = start {
        canary.fire(agent, kind, command)?;
    }
    canary.edit(0)?;
    let red = canary.fire(agent, &EventKind::Stop, stop)?;
    match red.heard {
        Heard::Held(reason) => {
            let first = reason.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            verified.see("red canary", true, format!("held: {}", clean_line(first, LINE_CHARS)));
        }
        Heard::Free => {
            verified.see(
                "red canary",
                false,
                format!("LET GO ({})", clean_line(&red.remark, LINE_CHARS)),
            );
        }
    }
    canary.edit(1)?;
    let green = canary.fire(agent, &EventKind::Stop, stop)?;
    match green.heard {
        Heard::Free if green.remark.starts_with("exit status: 0") => {
            verified.see("green canary", true, "let go".to_owned());
        }
        Heard::Free => verified.see("green canary", false, clean_line(&green.remark, LINE_CHARS)),
        Heard::Held(reason) => {
            verified.see(
                "green canary",
                false,
                format!("HELD: {}", clean_line(&reason, LINE_CHARS)),
            );
        }
    }
    Ok(())
}

impl Verified {
    fn see(&mut self, what: &'static str, good: bool, detail: String) {
        self.seen.push(Observation { what, good, detail });
    }

    /// Whether the agent would run the command as it is meant: what stands around it can make it a
    /// hook that nobody waits for, and another setting can turn all hooks off.
    fn read_entries(
        &mut self,
        agent: &Agent,
        settings: &Settings,
        around: &Surroundings,
        scope: Scope,
    ) -> Result<(), Failure> {
        match settings::state(agent, settings, around, scope, &program()?) {
            Ok(state) if state.condition == Condition::Changed => {
                let mend = format!("`redgreen hooks install {}` repairs it", agent.name);
                self.see("entry", false, format!("not as redgreen wrote it: {mend}"));
            }
            Ok(_) => {}
            Err(error) => self.see("entry", false, error.to_string()),
        }
        if let Some(off) = settings::switched_off(settings, around, scope) {
            self.see("switch", false, turned_off(&off, around));
        }
        Ok(())
    }

    /// Whether the agent itself would run the hooks.
    fn hear_own_word(&mut self, agent: &Agent, around: &Surroundings, scope: Scope) {
        let Some(trust) = agent.trust else { return };
        match (trust.look)(around, scope) {
            Ok(Standing::Trusted(detail)) => self.see("trust", true, detail),
            Ok(Standing::Untrusted(step)) => self.see("trust", false, step),
            Ok(Standing::NotAsked) => {}
            Err(error) => self.see("trust", false, error.to_string()),
        }
    }
}

fn show(verified: &Verified) {
    let word = if verified.proven { "the gate fires" } else { "NOT PROVEN" };
    display::result(&format!("{:<9} {word}: {}", verified.agent, verified.file));
    for seen in &verified.seen {
        let sign = if seen.good { "ok" } else { "NO" };
        display::result(&format!("          {sign} {}: {}", seen.what, seen.detail));
    }
}
