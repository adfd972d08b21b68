//! What kind of change somebody says this is. It lies beside what the gate remembers of the sessions of a work tree, and
//! holds until a tree passes: what comes next is another change.

use std::fs;
use std::path::{Path, PathBuf};

use redgreen_model::workflow::CodeType;
use redgreen_workspace::Workspace;
use serde::{Deserialize, Serialize};

use super::record::folder;
use crate::RunnerError;
use crate::layout::{forget, write_whole};

const FILE: &str = "kind.json";

/// Somebody's word on the kind of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaidKind {
    /// The kind.
    pub kind: CodeType,
    /// Who.
    pub by: String,
    /// Whether a person said so, at a terminal.
    pub by_person: bool,
    /// When, RFC 3339.
    pub at: String,
}

/// Keeps what somebody says; says why it does not count, if it does not: an agent takes back nothing that a person said.
pub fn say_kind(workspace: &Workspace, said: &SaidKind) -> Result<Result<(), String>, RunnerError> {
    let known = said_kind(workspace).filter(|known| known.by_person && !said.by_person);
    if let Some(known) = known.filter(|known| known.kind != said.kind) {
        return Ok(Err(format!("{} said that it is {}", known.by, known.kind)));
    }
    let path = path(workspace.root());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(RunnerError::file("make the folder", folder))?;
    }
    let text = serde_json::to_vec(said)
        .map_err(|error| RunnerError::Session(format!("cannot write the kind: {error}")))?;
    write_whole(&path, &text).map(Ok)
}

/// What somebody said of the change that is in the work tree.
pub fn said_kind(workspace: &Workspace) -> Option<SaidKind> {
    serde_json::from_slice(&fs::read(path(workspace.root())).ok()?).ok()
}

/// The change has passed.
pub fn forget_kind(root: &Path) -> Result<(), RunnerError> {
    forget(&path(root))
}

fn path(root: &Path) -> PathBuf {
    folder(root).join(FILE)
}
