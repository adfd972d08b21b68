//! A scripted agent, for the demo and for tests: what it does in each attempt is written down.
//!
//! The script is JSON: a list of turns, the first for attempt 1. An attempt beyond the last turn
//! does nothing. A turn may write files, delete files, state an analysis, say something and exit
//! with a code.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path};

use redgreen_model::analysis::ProposedAnalysis;
use serde::Deserialize;

/// What the agent does in one attempt.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Turn {
    /// Said on standard output.
    pub say: String,
    /// Files to write, by path from the work tree's root.
    pub write: BTreeMap<String, String>,
    /// Files to delete.
    pub delete: Vec<String>,
    /// The analysis to state.
    pub analysis: Option<ProposedAnalysis>,
    /// The exit code.
    pub exit: u8,
}

/// Something wrong with a script or its execution.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The script is not of its form.
    #[error("the script is not a list of turns: {0}")]
    Form(#[from] serde_json::Error),
    /// A path that leads out of the work tree.
    #[error("the script names {0}, which is not a path inside the work tree")]
    Path(String),
    /// A file could not be changed.
    #[error("cannot change {path}: {source}")]
    File {
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

/// Reads a script.
pub fn parse(text: &str) -> Result<Vec<Turn>, ScriptError> {
    Ok(serde_json::from_str(text)?)
}

/// Does what the script says for an attempt.
pub fn perform(
    turns: &[Turn],
    attempt: u32,
    root: &Path,
    analysis_file: Option<&Path>,
) -> Result<Turn, ScriptError> {
    let index = usize::try_from(attempt).unwrap_or(usize::MAX).saturating_sub(1);
    let turn = turns.get(index).cloned().unwrap_or_default();
    for (path, content) in &turn.write {
        let target = inside(root, path)?;
        let wrong = |source| ScriptError::File { path: path.clone(), source };
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(wrong)?;
        }
        fs::write(&target, content).map_err(wrong)?;
    }
    for path in &turn.delete {
        fs::remove_file(inside(root, path)?)
            .map_err(|source| ScriptError::File { path: path.clone(), source })?;
    }
    if let (Some(analysis), Some(file)) = (&turn.analysis, analysis_file) {
        fs::write(file, serde_json::to_vec(analysis)?)
            .map_err(|source| ScriptError::File { path: file.display().to_string(), source })?;
    }
    Ok(turn)
}

fn inside(root: &Path, path: &str) -> Result<std::path::PathBuf, ScriptError> {
    let relative = Path::new(path);
    if relative.components().all(|part| matches!(part, Component::Normal(_))) && !path.is_empty() {
        Ok(root.join(relative))
    } else {
        Err(ScriptError::Path(path.to_owned()))
    }
}
