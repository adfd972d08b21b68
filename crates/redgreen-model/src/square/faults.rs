//! What is wrong with a change: findings, and expectations that changed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes::{Declaration, Waiver};
use super::corners::Corner;
use crate::execution::TestId;

/// What kind of fake a finding is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Red before, green only with the edit of the tests' side.
    GreenByEdit,
    /// Red before, gone now, and never seen to pass.
    RedRemoved,
    /// Not seen to pass on the new code, and skipped now.
    Hidden,
    /// The test asserts less than before.
    Weakened,
    /// No test was red on the old code and is green now.
    NoProof,
    /// `redgreen.toml` or the hooks that call redgreen changed.
    ConfigurationChanged,
    /// The referee's run changed code or tests while it ran.
    TreeChanged,
    /// No test runs enough of a change whose kind somebody named.
    Untested,
    /// New code is made for its tests: it looks for them, pleases them, or answers what they expect.
    MadeForTests,
}

impl FindingKind {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::GreenByEdit,
        Self::RedRemoved,
        Self::Hidden,
        Self::Weakened,
        Self::NoProof,
        Self::ConfigurationChanged,
        Self::TreeChanged,
        Self::Untested,
        Self::MadeForTests,
    ];

    /// The name in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::GreenByEdit => "green_by_edit",
            Self::RedRemoved => "red_removed",
            Self::Hidden => "hidden",
            Self::Weakened => "weakened",
            Self::NoProof => "no_proof",
            Self::ConfigurationChanged => "configuration_changed",
            Self::TreeChanged => "tree_changed",
            Self::Untested => "untested",
            Self::MadeForTests => "made_for_tests",
        }
    }
}

/// Something that blocks until a person waives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Its name for `redgreen waive`.
    pub id: String,
    /// What kind it is.
    pub kind: FindingKind,
    /// The test, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<TestId>,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What stood there before.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub before: String,
    /// What stands there now.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub after: String,
    /// The corner that shows it.
    pub corner: Corner,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The person who accepted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waived: Option<Waiver>,
}

/// How an expectation changed.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ExpectationKind {
    /// The old form of the test does not pass on the new code, the new form does.
    Changed,
    /// A test that was green is gone.
    Removed,
    /// A test that passes on the new code is skipped.
    Skipped,
    /// The old form passes on the new code, and the new form asserts less.
    Loosened,
    /// A linter, a type checker or CI says less than before.
    Silenced,
}

impl ExpectationKind {
    /// The name in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Skipped => "skipped",
            Self::Loosened => "loosened",
            Self::Silenced => "silenced",
        }
    }
}

/// A test that was green and whose expectation changed with the code: allowed once it is declared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedExpectation {
    /// The test at the baseline.
    pub test: TestId,
    /// How it changed.
    pub kind: ExpectationKind,
    /// Its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Its text before.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub before: String,
    /// Its text now.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub after: String,
    /// What the old form says on the new code.
    pub message: String,
    /// Which change a declaration must name.
    pub change: String,
    /// Who owns it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<Declaration>,
}
