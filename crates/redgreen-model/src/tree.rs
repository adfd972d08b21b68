//! Content identities of a work tree, and what changed between two of them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The git tree id of everything in the work tree: tracked and untracked files, not ignored ones,
/// never redgreen's own folders.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct TreeHash(pub String);

/// The SHA-256 of the part of a tree that can change a test's outcome: code, tests and
/// configuration, without reports, caches and other by-products.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct CodeHash(pub String);

/// A work tree at one moment: its exact content, and the identity of its code.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct TreeState {
    /// The exact content.
    pub tree: TreeHash,
    /// The code in it.
    pub code: CodeHash,
}

impl TreeHash {
    /// The first characters, enough for people.
    pub fn short(&self) -> &str {
        self.0.get(..10).unwrap_or(&self.0)
    }
}

impl fmt::Display for TreeHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Display for CodeHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What happened to a file between two trees.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Its content, mode or type changed.
    Modified,
    /// It is gone.
    Deleted,
}

/// What a file is to the verdict.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FileRole {
    /// Source, build and configuration files: they can change a test's outcome.
    Code,
    /// Test files and the configuration of the test framework.
    Tests,
    /// Documents, reports, caches and other by-products.
    Inert,
}

/// A run of lines in a file, counted from 1.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct LineRange {
    /// The first line.
    pub start: u32,
    /// How many lines; 0 for a pure deletion at `start`.
    pub count: u32,
}

impl LineRange {
    /// Whether the line lies in the range.
    pub fn contains(&self, line: u32) -> bool {
        line >= self.start && line < self.start.saturating_add(self.count)
    }

    /// Whether it touches some lines: a deletion does at what stands around it.
    pub fn touches(&self, first: u32, last: u32) -> bool {
        match self.count {
            0 => (first.saturating_sub(1)..=last).contains(&self.start),
            count => self.start <= last && self.start.saturating_add(count) > first,
        }
    }
}

/// One file that differs between two trees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileChange {
    /// The path from the root of the work tree; bytes that are not UTF-8 are replaced.
    pub path: String,
    /// What happened to it.
    pub kind: ChangeKind,
    /// What the file is to the verdict.
    pub role: FileRole,
    /// Lines added; 0 for binary files.
    pub added: u32,
    /// Lines removed; 0 for binary files.
    pub removed: u32,
    /// The changed lines in the new file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<LineRange>,
}

/// The change in one line: `+5/-2 lines`.
pub fn diff_summary(changes: &[FileChange]) -> String {
    let added: u64 = changes.iter().map(|change| u64::from(change.added)).sum();
    let removed: u64 = changes.iter().map(|change| u64::from(change.removed)).sum();
    format!("+{added}/-{removed} lines")
}
