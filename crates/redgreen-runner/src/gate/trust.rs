//! Commands that a repository brings are run from a hook once a person has looked at them, and a redgreen.toml that a
//! person has looked at is no change of the rules.

use std::path::{Path, PathBuf};

use redgreen_model::execution::TestId;
use redgreen_model::known::{self, KNOWN_FILE};
use redgreen_workspace::Workspace;
use serde::{Deserialize, Serialize};

use super::record::digest;
use crate::layout::{STATE, home_state};
use crate::plan::PlannedCheck;
use crate::square::CONFIG_FILE;
use crate::{RunnerError, clock, lines};

/// The file of what is trusted, in redgreen's state.
const TRUSTED: &str = "trusted.jsonl";

/// A person's word for the commands of a repository, in all of its work trees.
#[derive(Serialize, Deserialize)]
struct Trusted {
    repository: PathBuf,
    commands: String,
    /// The digest of redgreen.toml as it was then, where there was one.
    #[serde(default)]
    rules: Option<String>,
    /// The digest of the list of known tests as it was then, where there was one.
    #[serde(default)]
    list: Option<String>,
    /// The tests that were taken off it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    gone: Vec<TestId>,
    by: String,
    at: String,
}

impl Trusted {
    /// A line that says nothing yet.
    fn by(workspace: &Workspace, by: &str) -> Self {
        Self {
            repository: workspace.repository(),
            commands: String::new(),
            rules: None,
            list: None,
            gone: Vec::new(),
            by: by.to_owned(),
            at: clock::now(),
        }
    }
}

/// Whether a person has trusted these checks in this repository. Another command asks again.
pub fn is_trusted(workspace: &Workspace, checks: &[PlannedCheck]) -> bool {
    let commands = digest_of(checks);
    any(workspace, |trusted| trusted.commands == commands)
}

/// Whether a person has trusted exactly this text of redgreen.toml in this repository.
pub fn are_rules_trusted(workspace: &Workspace, text: &str) -> bool {
    let rules = Some(digest(text));
    any(workspace, |trusted| trusted.rules == rules)
}

fn any(workspace: &Workspace, is_it: impl Fn(&Trusted) -> bool) -> bool {
    let Ok(path) = path() else { return false };
    let repository = workspace.repository();
    let known = lines::read::<Trusted>(&path);
    known.iter().any(|trusted| trusted.repository == repository && is_it(trusted))
}

/// The text of redgreen.toml in the work tree.
pub fn rules_of(workspace: &Workspace) -> Option<String> {
    text_of(workspace, CONFIG_FILE)
}

fn text_of(workspace: &Workspace, file: &str) -> Option<String> {
    std::fs::read_to_string(workspace.root().join(file)).ok()
}

/// Whether the list of known tests in the work tree is one that a person has vouched for, if there is one.
pub fn is_list_known(workspace: &Workspace) -> bool {
    text_of(workspace, KNOWN_FILE).is_none_or(|text| is_list_trusted(workspace, &text))
}

/// Whether a person has vouched for exactly this list of known tests in this repository, and nothing has been taken off
/// since that it has.
pub(crate) fn is_list_trusted(workspace: &Workspace, text: &str) -> bool {
    let (list, repository) = (Some(digest(text)), workspace.repository());
    let listed = known::parse(text).unwrap_or_default();
    let has = |gone: &TestId| listed.iter().any(|known| known.id() == *gone);
    let mut is_trusted = false;
    for trusted in path().map(|path| lines::read::<Trusted>(&path)).unwrap_or_default() {
        if trusted.repository != repository {
            continue;
        }
        is_trusted = (is_trusted && !trusted.gone.iter().any(has)) || trusted.list == list;
    }
    is_trusted
}

/// Keeps a person's word for a list of known tests, and for nothing else.
pub(crate) fn trust_list(workspace: &Workspace, text: &str, by: &str) -> Result<(), RunnerError> {
    lines::append(&path()?, &Trusted { list: Some(digest(text)), ..Trusted::by(workspace, by) })
}

/// Keeps that tests were taken off: no list that has them counts any more, unless a person vouches for it anew.
pub(crate) fn forget_known(workspace: &Workspace, gone: &[TestId]) -> Result<(), RunnerError> {
    let Ok(path) = path() else { return Ok(()) }; // No list was ever vouched for.
    lines::append(&path, &Trusted { gone: gone.to_vec(), ..Trusted::by(workspace, "redgreen") })
}

/// Keeps a person's trust in these checks, and in redgreen.toml as it is, in this repository.
pub fn trust(workspace: &Workspace, checks: &[PlannedCheck], by: &str) -> Result<(), RunnerError> {
    keep(workspace, checks, by, &path()?)
}

/// The same for whoever has the folder `state` in place of the person's own (`XDG_STATE_HOME`).
pub fn trust_in(
    state: &Path,
    workspace: &Workspace,
    checks: &[PlannedCheck],
) -> Result<(), RunnerError> {
    keep(workspace, checks, "redgreen", &state.join(STATE).join(TRUSTED))
}

fn keep(
    workspace: &Workspace,
    checks: &[PlannedCheck],
    by: &str,
    path: &Path,
) -> Result<(), RunnerError> {
    let trusted = Trusted {
        commands: digest_of(checks),
        rules: rules_of(workspace).map(|text| digest(&text)),
        list: text_of(workspace, KNOWN_FILE).map(|text| digest(&text)),
        ..Trusted::by(workspace, by)
    };
    lines::append(path, &trusted)
}

fn path() -> Result<PathBuf, RunnerError> {
    let folder = home_state().ok_or_else(|| {
        RunnerError::Session(
            "neither XDG_STATE_HOME nor HOME is set, so trust cannot be kept".to_owned(),
        )
    })?;
    Ok(folder.join(TRUSTED))
}

/// What is trusted: the commands, where they run, and what they are given.
fn digest_of(checks: &[PlannedCheck]) -> String {
    // Texts and lists of texts: they are always JSON.
    digest(&serde_json::to_string(checks).unwrap_or_default())
}
