//! Declarations and waivers, one JSON document a line.
//!
//! A declaration is a word of whoever made the change, and lies in the work tree's `.redgreen`. A
//! waiver is a person's, and lies outside of any work tree, where an edit of the project does not
//! come to; so does a declaration where agents may make none.

use std::path::{Path, PathBuf};

use redgreen_model::config::Config;
use redgreen_model::square::{Declaration, Waiver};
use redgreen_model::text::{LINE_CHARS, clean_line};

use crate::RunnerError;
use crate::layout::home_state;
use crate::lines::{append, read};

/// Where declarations are kept.
#[derive(Clone, Copy, Debug)]
pub enum Declarations<'place> {
    /// In the state of the work tree: whoever works there may declare.
    Here(&'place Path),
    /// Outside of any work tree: only persons may.
    OfPersons,
}

impl<'place> Declarations<'place> {
    /// Those that count by a configuration.
    pub fn by(config: &Config, state_dir: &'place Path) -> Self {
        if config.square.agent_may_declare { Self::Here(state_dir) } else { Self::OfPersons }
    }

    fn path(self) -> Result<PathBuf, RunnerError> {
        let folder = match self {
            Self::Here(state_dir) => Some(state_dir.to_owned()),
            Self::OfPersons => home_state(),
        };
        Ok(folder.ok_or_else(|| nowhere("declaration"))?.join("declarations.jsonl"))
    }
}

/// What is declared.
pub fn declared(place: Declarations<'_>) -> Vec<Declaration> {
    let mut declared: Vec<Declaration> = place.path().map(|path| read(&path)).unwrap_or_default();
    for declaration in &mut declared {
        // Whoever works here can write the file.
        declaration.reason = clean_line(&declaration.reason, LINE_CHARS);
        declaration.by = clean_line(&declaration.by, LINE_CHARS);
    }
    declared
}

/// Adds a declaration.
pub fn declare(place: Declarations<'_>, declaration: &Declaration) -> Result<(), RunnerError> {
    append(&place.path()?, declaration)
}

/// What this person has waived.
pub fn waived() -> Vec<Waiver> {
    waivers().map(|path| read(&path)).unwrap_or_default()
}

/// Adds a waiver; returns where it was written.
pub fn waive(waiver: &Waiver) -> Result<PathBuf, RunnerError> {
    let path = waivers().ok_or_else(|| nowhere("waiver"))?;
    append(&path, waiver)?;
    Ok(path)
}

fn nowhere(what: &str) -> RunnerError {
    RunnerError::Session(format!(
        "neither XDG_STATE_HOME nor HOME is set, so the {what} cannot be kept"
    ))
}

fn waivers() -> Option<PathBuf> {
    Some(home_state()?.join("waivers.jsonl"))
}
