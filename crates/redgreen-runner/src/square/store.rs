//! Declarations and waivers, one JSON document a line.
//!
//! A declaration is a word of whoever made the change, and lies in the work tree's `.redgreen`. A
//! waiver is a person's, and lies outside of any work tree, where an edit of the project does not
//! come to.

use std::path::{Path, PathBuf};

use redgreen_model::square::{Declaration, Waiver};
use redgreen_model::text::{LINE_CHARS, clean_line};

use crate::RunnerError;
use crate::layout::home_state;
use crate::lines::{append, read};

/// What is declared in a work tree.
pub fn declared(state_dir: &Path) -> Vec<Declaration> {
    let mut declared: Vec<Declaration> = read(&declarations(state_dir));
    for declaration in &mut declared {
        // Whoever works here can write the file.
        declaration.reason = clean_line(&declaration.reason, LINE_CHARS);
        declaration.by = clean_line(&declaration.by, LINE_CHARS);
    }
    declared
}

/// Adds a declaration.
pub fn declare(state_dir: &Path, declaration: &Declaration) -> Result<(), RunnerError> {
    append(&declarations(state_dir), declaration)
}

/// What this person has waived.
pub fn waived() -> Vec<Waiver> {
    waivers().map(|path| read(&path)).unwrap_or_default()
}

/// Adds a waiver; returns where it was written.
pub fn waive(waiver: &Waiver) -> Result<PathBuf, RunnerError> {
    let path = waivers().ok_or_else(|| {
        RunnerError::Session(
            "neither XDG_STATE_HOME nor HOME is set, so the waiver cannot be kept".to_owned(),
        )
    })?;
    append(&path, waiver)?;
    Ok(path)
}

fn declarations(state_dir: &Path) -> PathBuf {
    state_dir.join("declarations.jsonl")
}

fn waivers() -> Option<PathBuf> {
    Some(home_state()?.join("waivers.jsonl"))
}
