//! `[coverage]`: what of a change tests have to run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::workflow::CodeType;

/// `[coverage]`: how much of a change tests have to run, by its kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CoverageSettings {
    /// Whether it is counted which lines of the changed files the tests run.
    pub mode: CoverageMode,
    /// The kind of every change, where nothing else is said; without it, it is told from the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<CodeType>,
    /// Globs of files that no test has to run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exempt: Vec<String>,
    /// A command that writes `reports`, run once the checks have passed; without it, the checks write them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub command: Option<String>,
    /// Globs of coverage reports that count beside what redgreen counts itself: lcov, Cobertura, JaCoCo, Clover, Istanbul,
    /// coverage.py, Go's and LLVM's. Only files that the run itself wrote count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
    /// Whether, and how many, small edits of what changed are tried, to see whether a test notices.
    pub mutants: Mutants,
    /// What of a new function has to run, in percent.
    #[schemars(range(max = 100))]
    pub new_function: u32,
    /// What of the repair of a bug has to run, in percent.
    #[schemars(range(max = 100))]
    pub bug_fix: u32,
    /// What of a new endpoint has to run, in percent.
    #[schemars(range(max = 100))]
    pub api_endpoint: u32,
    /// What of a connection to another system has to run, in percent.
    #[schemars(range(max = 100))]
    pub integration: u32,
}

/// Whether coverage of a change is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CoverageMode {
    /// In the changed files, wherever that is possible.
    #[default]
    Auto,
    /// Never.
    Off,
}

/// Whether it is tried what tests notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(extend("type" = ["string", "integer"]))]
pub enum Mutants {
    /// As is usual, or not at all.
    Word(MutantsWord),
    /// So many of them, however long that takes.
    AtMost(u32),
}

/// Whether it is tried what tests notice, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MutantsWord {
    /// Until it is known which functions no test looks at; for as long as the suite took, and a minute at most.
    Auto,
    /// Never.
    Off,
}

impl Mutants {
    /// As is usual.
    pub const AUTO: Self = Self::Word(MutantsWord::Auto);
    /// Never.
    pub const OFF: Self = Self::Word(MutantsWord::Off);
}

impl Default for CoverageSettings {
    fn default() -> Self {
        Self {
            mode: CoverageMode::Auto,
            kind: None,
            exempt: Vec::new(),
            command: None,
            reports: Vec::new(),
            mutants: Mutants::AUTO,
            new_function: 80,
            bug_fix: 100,
            api_endpoint: 90,
            integration: 80,
        }
    }
}

impl CoverageSettings {
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The least of a change of this kind that tests have to run, in percent. Of a refactoring, what is left once all
    /// that moved is taken away is new.
    pub fn threshold(&self, kind: CodeType) -> u32 {
        match kind {
            CodeType::NewFunction | CodeType::Refactor => self.new_function,
            CodeType::BugFix => self.bug_fix,
            CodeType::ApiEndpoint => self.api_endpoint,
            CodeType::Integration => self.integration,
        }
    }
}
