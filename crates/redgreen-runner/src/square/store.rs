//! Declarations and waivers, one JSON document a line.
//!
//! A declaration is a word of whoever made the change, and lies in the work tree's `.redgreen`. A
//! waiver is a person's, and lies outside of any work tree, where an edit of the project does not
//! come to.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use redgreen_model::square::{Declaration, Waiver};
use redgreen_model::text::{LINE_CHARS, clean_line};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::home_state;
use crate::RunnerError;

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
        RunnerError::Session("neither XDG_STATE_HOME nor HOME says where to keep it".to_owned())
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

/// A line that cannot be read says nothing.
fn read<T: DeserializeOwned>(path: &Path) -> Vec<T> {
    let text = if path.is_file() { fs::read_to_string(path) } else { Ok(String::new()) };
    let text = text.unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn append(path: &Path, entry: &impl Serialize) -> Result<(), RunnerError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(RunnerError::file("make the folder", folder))?;
    }
    let mut line = serde_json::to_vec(entry)
        .map_err(|error| RunnerError::Session(format!("cannot write it down: {error}")))?;
    line.push(b'\n');
    let file = fs::File::options().create(true).append(true).open(path);
    let written = file.and_then(|mut file| file.write_all(&line).and_then(|()| file.sync_all()));
    written.map_err(RunnerError::file("write", path))
}
