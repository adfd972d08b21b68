//! Installing, looking and taking away, on disk.

use std::fs;
use std::path::{Path, PathBuf};

use super::entries::{self, Condition, Left};
use super::file::{self, Found};
use super::json::Wrong;
use super::{
    Form, SHARED_PROGRAM, Scope, Settings, SettingsError, Surroundings, command, plugin,
    switched_off,
};
use crate::agent::Agent;
use crate::contract::EventKind;

/// What became of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is new.
    Created,
    /// It was changed.
    Updated,
    /// It was right already, or had nothing to take away.
    Unchanged,
    /// It was redgreen's alone, and is gone.
    Removed,
}

/// What is in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The file, behind all links.
    pub path: PathBuf,
    /// redgreen's entries in it.
    pub condition: Condition,
}

/// Puts an agent's hooks into its settings.
pub fn install(
    agent: &Agent,
    settings: &Settings,
    around: &Surroundings,
    scope: Scope,
    program: &str,
) -> Result<(PathBuf, Change), SettingsError> {
    let found = read(settings, around, scope)?;
    let program = program_for(around, scope, program);
    let wanted = match &settings.form {
        Form::Entries(form) => entries::installed(found.text.as_deref(), agent.name, form, program)
            .map_err(wrong_in(&found))?,
        Form::Plugin(_) if found.text.as_ref().is_some_and(|text| !plugin::is_own(text)) => {
            let what = "has the name of redgreen's file, but redgreen did not write it".to_owned();
            return Err(SettingsError::Odd { path: found.path, what });
        }
        Form::Plugin(text) => text(program),
    };
    let change = match &found.text {
        Some(text) if *text == wanted => Change::Unchanged,
        Some(_) => Change::Updated,
        None => Change::Created,
    };
    if change != Change::Unchanged {
        file::write(&found, &wanted)?;
    }
    Ok((found.path, change))
}

/// Takes an agent's hooks out of its settings.
pub fn uninstall(
    agent: &Agent,
    settings: &Settings,
    around: &Surroundings,
    scope: Scope,
) -> Result<(PathBuf, Change), SettingsError> {
    let found = read(settings, around, scope)?;
    let left = match (&settings.form, &found.text) {
        (_, None) => Left::Same,
        (Form::Entries(form), Some(text)) => {
            entries::uninstalled(text, agent.name, form).map_err(wrong_in(&found))?
        }
        (Form::Plugin(_), Some(text)) => plugin::uninstalled(text),
    };
    let change = match left {
        Left::Same => Change::Unchanged,
        Left::Text(text) => {
            file::write(&found, &text)?;
            Change::Updated
        }
        Left::Nothing => {
            file::remove(&found, around.bound(scope))?;
            Change::Removed
        }
    };
    Ok((found.path, change))
}

/// Says what is in an agent's settings.
pub fn state(
    agent: &Agent,
    settings: &Settings,
    around: &Surroundings,
    scope: Scope,
    program: &str,
) -> Result<State, SettingsError> {
    let found = read(settings, around, scope)?;
    let program = program_for(around, scope, program);
    let condition = match (&settings.form, &found.text) {
        (_, None) => Condition::Absent,
        (Form::Entries(form), Some(text)) => {
            entries::condition(text, agent.name, form, program).map_err(wrong_in(&found))?
        }
        (Form::Plugin(wanted), Some(text)) => plugin::condition(text, *wanted, program),
    };
    Ok(State { path: found.path, condition })
}

/// The commands that an agent would run for redgreen, as its settings say them, each with its event.
pub fn commands_in(
    agent: &Agent,
    settings: &Settings,
    around: &Surroundings,
    scope: Scope,
) -> Result<Vec<(EventKind, String)>, SettingsError> {
    let found = read(settings, around, scope)?;
    let Some(text) = &found.text else { return Ok(Vec::new()) };
    match &settings.form {
        Form::Entries(form) => {
            let commands = entries::commands(text, agent.name, form).map_err(wrong_in(&found))?;
            let kind = |event: &str| form.hooks.iter().find(|hook| hook.event == event);
            Ok(commands
                .into_iter()
                .filter_map(|(event, command)| Some((kind(&event)?.kind.clone(), command)))
                .collect())
        }
        Form::Plugin(_) => {
            let program = plugin::program(text).filter(|_| plugin::is_own(text));
            let kinds = [EventKind::SessionStart, EventKind::Stop];
            let command = |kind: EventKind| {
                let command = command(program.as_ref()?, agent.name, &kind);
                Some((kind, command))
            };
            Ok(kinds.into_iter().filter_map(command).collect())
        }
    }
}

/// Whether an agent has this redgreen's hooks in its own settings, here or for the user, as they
/// should be. A stop that it tells another agent's hook, too, is judged by its own then; hooks that
/// somebody changed or switched off judge nothing.
pub fn has_own_hooks(agent: &Agent, around: &Surroundings, program: &str) -> bool {
    let Some(settings) = agent.settings else { return false };
    [Scope::Project, Scope::User].into_iter().any(|scope| {
        state(agent, settings, around, scope, program)
            .is_ok_and(|state| state.condition == Condition::Current)
            && switched_off(settings, around, scope).is_none()
    })
}

/// redgreen's program as it stands in settings. Those of a project are shared with people who have it somewhere
/// else: where it is the one that is found on the search path, its name alone.
pub(super) fn program_for<'program>(
    around: &Surroundings,
    scope: Scope,
    program: &'program str,
) -> &'program str {
    let is_it = |found: PathBuf| {
        let real = |path: &Path| fs::canonicalize(path).ok();
        real(&found).is_some_and(|found| Some(found) == real(Path::new(program)))
    };
    let is_shared = scope == Scope::Project && around.on_path(SHARED_PROGRAM).is_some_and(is_it);
    if is_shared { SHARED_PROGRAM } else { program }
}

fn read(settings: &Settings, around: &Surroundings, scope: Scope) -> Result<Found, SettingsError> {
    let path = around.file(settings, scope);
    // A user's settings may well be kept elsewhere; a project's must not lead out of it.
    file::read(&path, (scope == Scope::Project).then_some(around.root.as_path()))
}

pub(super) fn wrong_in(found: &Found) -> impl FnOnce(Wrong) -> SettingsError + use<> {
    let path = found.path.clone();
    move |wrong| SettingsError::Form { path, wrong }
}
