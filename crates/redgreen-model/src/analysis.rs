//! Why a failure happened and what to do about it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::report::Location;

/// The least characters of a root cause and of a strategy: less says nothing.
pub const ANALYSIS_CHARS_MIN: usize = 20;

/// Who made an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnalysisSource {
    /// redgreen's own, from what it saw.
    Builtin,
    /// The agent's, through `$REDGREEN_ANALYSIS_FILE`.
    Agent,
}

/// An analysis as an agent may write it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedAnalysis {
    /// Why it fails, in at least 20 characters.
    pub root_cause: String,
    /// What to do about it, in at least 20 characters.
    pub fix_strategy: String,
    /// How sure, from 0 to 1.
    #[serde(default = "half")]
    pub confidence: f64,
    /// Failing tests of this run that it is about.
    #[serde(default)]
    pub tests: Vec<String>,
    /// The place to mend, as `src/a.py:12`; without it, the first file that the cause or the strategy names.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The same, as redgreen found it in the tree; whatever the agent writes there does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Location>,
}

fn half() -> f64 {
    0.5
}

/// An analysis of the failures of one execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Analysis {
    /// Why it fails.
    pub root_cause: String,
    /// What to do about it.
    pub fix_strategy: String,
    /// How sure, from 0 to 1.
    pub confidence: f64,
    /// The failing tests that it is about.
    pub tests: Vec<String>,
    /// Who made it.
    pub source: AnalysisSource,
    /// The place in the project's own code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The changed lines that the place lies in, as `src/a.py:10-14`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_hunk: Option<String>,
    /// The places that may be the ones to mend, the most suspicious first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<Suspect>,
}

/// A place that may be the one to mend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Suspect {
    /// Where.
    pub place: Location,
    /// How suspicious it is beside the others, from 0 to 1.
    pub score: f64,
    /// Why it is suspected, each reason in a few words.
    pub reasons: Vec<String>,
}

impl Analysis {
    /// What makes two analyses the same: their words, without case and spacing.
    pub fn key(&self) -> String {
        let words =
            |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        format!("{} → {}", words(&self.root_cause), words(&self.fix_strategy))
    }
}
