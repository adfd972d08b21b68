//! What the gate decided, one line each, for people.

use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::tree::TreeHash;
use redgreen_workspace::Workspace;
use serde::{Deserialize, Serialize};

use super::record::Record;
use crate::{RunnerError, clock, lines};

/// The log's name.
const FILE: &str = "gate.jsonl";

/// One decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// When, RFC 3339.
    pub at: String,
    /// The agent.
    pub agent: String,
    /// Its session.
    pub agent_session: String,
    /// `allowed`, `skipped`, `let_go`, or `refused`: evidence that is there and not believed.
    pub what: String,
    /// Why.
    pub why: String,
    /// The tree.
    pub tree: TreeHash,
}

impl Entry {
    pub(super) fn new(record: &Record, what: &str, why: &str, tree: &TreeHash) -> Self {
        Self {
            at: clock::now(),
            agent: record.agent().to_owned(),
            agent_session: record.agent_session().to_owned(),
            what: what.to_owned(),
            why: clean_line(why, LINE_CHARS),
            tree: tree.clone(),
        }
    }
}

/// Adds an entry.
pub(super) fn append(workspace: &Workspace, entry: &Entry) -> Result<(), RunnerError> {
    lines::append(&workspace.state_dir()?.join(FILE), entry)
}

/// All entries, in order.
pub fn entries(workspace: &Workspace) -> Vec<Entry> {
    lines::read(&workspace.state_path().join(FILE))
}
