//! Where each agent keeps its hooks, and how redgreen's own are put there and taken away again.
//!
//! Settings belong to people: an edit changes nothing but its own place, and taking it back leaves
//! the file as it was, byte for byte. That needs no record of what was: an edit is written so that its
//! place shows what was there before (see [`json::append`]), and before a removal is believed, it is
//! checked that adding again what was removed gives the text that is there.

pub mod entries;
mod error;
mod file;
mod heed;
pub mod json;
mod place;
mod plugin;
mod servers;
mod setup;
mod shared;
mod switch;
mod trust;

use serde_json::{Value, json};

use crate::contract::EventKind;

pub(crate) use entries::is_own as is_own_command;
pub use error::SettingsError;
pub(crate) use file::{read_any as read_file, write as write_file};
pub use heed::{HookFacts, HookState, facts_in_project, project_files};
pub use place::{Scope, Surroundings};
pub(crate) use plugin::{FIRST_LINE, PROGRAM_LINE};
pub(crate) use servers::server_entry;
pub use servers::{SERVER_WORD, Servers};
pub use setup::{Change, State, commands_in, has_own_hooks, install, state, uninstall};
pub use switch::{Off, Switch, SwitchFile, SwitchedOff, switched_off};
pub(crate) use trust::{Folders, MARK};
pub use trust::{Standing, Trust};

/// How long a stop hook may take, in seconds. The gate's own limit must be below it: an agent whose
/// hook takes too long goes on without an answer.
pub const STOP_SECONDS: u64 = 600;
/// How long the hook at the start of a session, or of a task, may take, in seconds.
pub const START_SECONDS: u64 = 60;

/// Where an agent keeps its hooks.
#[derive(Debug)]
pub struct Settings {
    /// The file in a project, from its root.
    pub project: &'static str,
    /// The file of a user.
    pub user: UserFile,
    /// What is in it.
    pub form: Form,
    /// What turns the hooks off although they are there.
    pub switches: &'static [Switch],
}

/// A file in an agent's own folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserFile {
    /// The variable that names the folder, if it is elsewhere.
    pub variable: Option<&'static str>,
    /// The folder below the user's home.
    pub folder: &'static str,
    /// The file in the folder.
    pub file: &'static str,
}

/// What a settings file is.
#[derive(Debug)]
pub enum Form {
    /// A JSON document with entries of many.
    Entries(Entries),
    /// A file of redgreen's own: its text, for the text of the program's path.
    Plugin(fn(&str) -> String),
}

/// Entries under `hooks`, in a list for each event.
#[derive(Debug)]
pub struct Entries {
    /// The hooks to be there.
    pub hooks: &'static [Hook],
    /// The entry for a hook with its command.
    pub entry: fn(&Hook, &str) -> Value,
    /// The version that a new document says it has: the name and the number.
    pub version: Option<(&'static str, u64)>,
    /// Whether a document without a version is none.
    pub versioned: bool,
    /// Whether it may have comments.
    pub comments: json::Comments,
}

/// One hook to be installed.
#[derive(Debug)]
pub struct Hook {
    /// The agent's name for the event.
    pub event: &'static str,
    /// What it is to redgreen.
    pub kind: EventKind,
    /// How long it may take.
    pub seconds: u64,
}

/// The entry of those agents that count a time limit in seconds.
pub(crate) fn entry_in_seconds(hook: &Hook, command: &str) -> Value {
    json!({"hooks": [{"type": "command", "command": command, "timeout": hook.seconds}]})
}

/// What an entry with a name is called.
pub(crate) const ENTRY_NAME: &str = "redgreen";

/// The entry of those that count it in milliseconds.
pub(crate) fn entry_in_milliseconds(hook: &Hook, command: &str) -> Value {
    const MILLISECONDS: u64 = 1_000;
    json!({"matcher": "*", "hooks": [{
        "type": "command",
        "name": ENTRY_NAME,
        "command": command,
        "timeout": hook.seconds * MILLISECONDS,
    }]})
}

/// redgreen's program in settings that a team shares: whatever is on the search path of whoever uses them.
pub const SHARED_PROGRAM: &str = "redgreen";

/// The command of a hook, for a shell.
pub fn command(program: &str, agent: &str, kind: &EventKind) -> String {
    if program == SHARED_PROGRAM {
        return shared::command(agent, kind);
    }
    let mut quoted = String::with_capacity(program.len() + 2);
    for character in program.chars() {
        if matches!(character, '"' | '\\' | '$' | '`') {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    format!("\"{quoted}\"{}{agent} --event {}", entries::MARK, kind.name())
}

#[cfg(test)]
mod tests;
