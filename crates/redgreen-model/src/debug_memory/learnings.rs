//! What a loop taught.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::workflow::words::wire_enum;

/// What a loop taught.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Learnings {
    /// What keeps coming back, and what helps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patterns_identified: Vec<IdentifiedPattern>,
    /// Tests that failed in more than one session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recurring_failures: Vec<RecurringFailure>,
    /// What is wrong with the code beyond the failures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub code_quality_issues: Vec<QualityIssue>,
    /// What to do next time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recommendations: Vec<String>,
}

impl Learnings {
    /// Whether nothing was learned.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Something that keeps coming back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IdentifiedPattern {
    /// What it is.
    pub pattern: String,
    /// The sort of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// How often it was seen.
    #[schemars(range(min = 1))]
    pub frequency: u32,
    /// What helps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix_template: Option<String>,
    /// How often that helped, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub effectiveness: Option<f64>,
}

/// A test that failed in more than one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecurringFailure {
    /// The test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// In how many sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrences: Option<u32>,
    /// What became of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<Resolution>,
    /// Anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

wire_enum! {
    /// What became of a recurring failure.
    pub enum Resolution: "resolution" {
        /// It passes.
        Resolved = "resolved",
        /// It was still there when it was seen last.
        Pending = "pending",
        /// It stays.
        WontFix = "wont_fix",
        /// Somebody else looks at it.
        Escalated = "escalated",
    }
}

/// Something wrong with the code beyond the failures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QualityIssue {
    /// What is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// How bad it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// Whether it was put right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub addressed: Option<bool>,
}

wire_enum! {
    /// How bad something is.
    pub enum Severity: "severity" {
        /// It must not stay.
        Critical = "critical",
        /// It should not stay.
        Major = "major",
        /// It may stay.
        Minor = "minor",
    }
}
