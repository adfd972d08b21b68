//! Commands that a repository brings are run from a hook once a person has looked at them.

use std::path::PathBuf;

use redgreen_workspace::Workspace;
use serde::{Deserialize, Serialize};

use super::record::digest;
use crate::layout::home_state;
use crate::plan::PlannedCheck;
use crate::{RunnerError, clock, lines};

/// A person's word for the commands of a repository, in all of its work trees.
#[derive(Serialize, Deserialize)]
struct Trusted {
    repository: PathBuf,
    commands: String,
    by: String,
    at: String,
}

/// Whether a person has trusted these checks in this repository. Another command asks again.
pub fn is_trusted(workspace: &Workspace, checks: &[PlannedCheck]) -> bool {
    let Ok(path) = path() else { return false };
    let commands = digest_of(checks);
    let repository = workspace.repository();
    let is_it =
        |trusted: &Trusted| trusted.repository == repository && trusted.commands == commands;
    lines::read::<Trusted>(&path).iter().any(is_it)
}

/// Keeps a person's trust in these checks in this repository.
pub fn trust(workspace: &Workspace, checks: &[PlannedCheck], by: &str) -> Result<(), RunnerError> {
    let trusted = Trusted {
        repository: workspace.repository(),
        commands: digest_of(checks),
        by: by.to_owned(),
        at: clock::now(),
    };
    lines::append(&path()?, &trusted)
}

fn path() -> Result<PathBuf, RunnerError> {
    let folder = home_state().ok_or_else(|| {
        RunnerError::Session(
            "neither XDG_STATE_HOME nor HOME is set, so trust cannot be kept".to_owned(),
        )
    })?;
    Ok(folder.join("trusted.jsonl"))
}

/// What is trusted: the commands, where they run, and what they are given.
fn digest_of(checks: &[PlannedCheck]) -> String {
    // Texts and lists of texts: they are always JSON.
    digest(&serde_json::to_string(checks).unwrap_or_default())
}
