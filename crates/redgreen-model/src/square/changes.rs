//! What changed on the tests' side and in what says how they are run, and what somebody owned of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::execution::TestId;
use crate::tree::{ChangeKind, CodeHash};

/// A file of the tests' side that differs between the trees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SideChange {
    /// The path from the root of the work tree.
    pub path: String,
    /// What happened to it.
    pub kind: ChangeKind,
    /// Why it belongs to the tests' side.
    pub reason: String,
    /// Whether its name or its place alone says so, and it is nothing that a runner looks for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guessed: bool,
    /// Whether it is a program in a language that is not read, so that all its tests changed with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
}

/// Why an old test and a new one are the same.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum MatchReason {
    /// It has the same name in the same file.
    SamePlace,
    /// The same body under another name.
    Renamed,
    /// The same body in another file.
    Moved,
    /// The same body, with the imports of a module that moved.
    ImportsFollowed,
    /// One of several that became one test with their values.
    Parametrised,
    /// Its assertions went into a helper.
    HelperExtracted,
    /// Its assertions went to several tests.
    Split,
}

impl MatchReason {
    /// The reason in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SamePlace => "the same test",
            Self::Renamed => "renamed",
            Self::Moved => "moved",
            Self::ImportsFollowed => "moved, with its imports",
            Self::Parametrised => "became a case of",
            Self::HelperExtracted => "its assertions went into a helper",
            Self::Split => "its assertions went to several tests",
        }
    }
}

/// One way in which a test asserts less than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WeakerAssertion {
    /// What happened, in words: `assertions removed`.
    pub what: String,
    /// Nothing that could fail is left.
    pub emptied: bool,
    /// The line in the new file, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The assertion before.
    pub before: String,
    /// What stands there now.
    pub after: String,
}

/// An old test in a changed file, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestEdit {
    /// The test at the baseline.
    pub old: TestId,
    /// Its counterparts in the new tree; none where it is gone.
    pub new: Vec<TestId>,
    /// Why they are the same.
    pub why: MatchReason,
    /// Whether the body is the same but for its name, comments and layout.
    pub same: bool,
    /// Whether it is the same but for the names of code that got another name and is otherwise as it was.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub follows_rename: bool,
    /// Ways in which it asserts less.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weaker: Vec<WeakerAssertion>,
    /// Its file: in the new tree, else in the old.
    pub file: String,
    /// Its line there.
    pub line: u32,
    /// Its text before, bounded.
    pub before: String,
    /// Its text now, bounded; empty where it is gone.
    pub after: String,
    /// Identifies both texts: a declaration holds for exactly this change.
    pub change: String,
}

/// A test that is gone, and those that may ask what it asked in another way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Heirs {
    /// The test that is gone.
    pub of: TestId,
    /// Tests that are new or changed and call all the code that it called.
    pub tests: Vec<TestId>,
}

/// Code that looks for its judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// What it does, in words.
    pub what: String,
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The line's text.
    pub text: String,
    /// Whether no honest code has the like: then it is a finding.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub certain: bool,
}

/// A file in which a judge beside the tests (a linter, a type checker, CI) says less than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Silenced {
    /// The file.
    pub file: String,
    /// The first line, in the new file.
    pub line: u32,
    /// Who is silenced and how, in words.
    pub what: String,
    /// What stood there before, where that is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub before: String,
    /// What stands there now.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub after: String,
    /// Identifies what is silenced: a declaration holds for exactly this.
    pub change: String,
}

/// Behind the name of a file: what is owned is that a judge is silenced in it.
const SILENCED: &str = " (silenced)";

impl Silenced {
    /// How it is named when it is declared.
    pub fn name(&self) -> String {
        format!("{}{SILENCED}", self.file)
    }

    /// Whether a name that is declared means it: the file alone does, too.
    pub fn is_named(&self, name: &str) -> bool {
        name.strip_suffix(SILENCED).unwrap_or(name) == self.file
    }
}

/// Somebody owns a changed expectation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Declaration {
    /// The test's id.
    pub test: String,
    /// Which change of it: another edit of the test voids the declaration.
    pub change: String,
    /// Why the expectation changed.
    pub reason: String,
    /// Who said so.
    pub by: String,
    /// When, RFC 3339.
    pub at: String,
}

/// A person accepts a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Waiver {
    /// The finding's id.
    pub finding: String,
    /// The code it was accepted for: any other edit voids the waiver.
    pub code: CodeHash,
    /// Why.
    pub reason: String,
    /// Who.
    pub by: String,
    /// When, RFC 3339.
    pub at: String,
}

/// A file that says whether and how redgreen judges, and that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SettingsChange {
    /// The file.
    pub file: String,
    /// Its text before, bounded; empty where there was none.
    pub before: String,
    /// Its text now, bounded; empty where there is none.
    pub after: String,
    /// What keeps it from being read as it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}
