//! What lies outside of a tree and can decide its tests: files that git does not keep, installed packages, settings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::execution::TestId;
use crate::square::CornerSeen;

/// What of that appeared or changed since the tree before the change, and what was seen without it: the clean corner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outside {
    /// Since when, RFC 3339.
    pub since: String,
    /// What appeared or changed, the first of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<OutsideChange>,
    /// How much there is of it.
    pub count: u64,
    /// The tree without it; needless where there is nothing.
    pub clean: CornerSeen,
    /// Tests that pass beside it and do not pass without it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<TestId>,
    /// What of it they need, as far as that was found out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisive: Vec<OutsideChange>,
}

/// One thing outside of the tree that appeared or changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct OutsideChange {
    /// What it is.
    pub kind: OutsideKind,
    /// Its path, from the root of the work tree if it lies there; the name of a package.
    pub name: String,
    /// When it changed, in words.
    pub at: String,
}

/// What kind of thing it is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum OutsideKind {
    /// A file in the work tree that git ignores.
    Ignored,
    /// A compiled file that came with the change and lies beside its source.
    Compiled,
    /// A package that is installed.
    Package,
    /// A file of an installed package that was edited, or that no package brought.
    Edited,
    /// Settings in the home folder or above the work tree.
    Settings,
    /// The home folder.
    Home,
    /// The network.
    Network,
}

/// What is seen of the tree without what lies outside of it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum CleanSeen {
    /// Nothing had changed there.
    NothingChanged,
    /// It passes without what had changed.
    Passed,
    /// It does not.
    Failed,
    /// It could not be looked at.
    NotLookedAt,
}

impl Outside {
    /// What was seen of the clean corner.
    pub fn seen(&self) -> CleanSeen {
        match &self.clean {
            CornerSeen::Unseen { .. } => CleanSeen::NotLookedAt,
            _ if !self.lost.is_empty() => CleanSeen::Failed,
            CornerSeen::Ran { .. } => CleanSeen::Passed,
            CornerSeen::Same | CornerSeen::Needless => CleanSeen::NothingChanged,
        }
    }
}

impl OutsideKind {
    /// Whether it is a file in the work tree.
    pub fn is_a_file_here(self) -> bool {
        matches!(self, Self::Ignored | Self::Compiled)
    }
}
