//! How far a loop got, and what was seen on the way.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::wire_enum;
use crate::escalation::FailureHistory;

/// How far a loop got.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoopState {
    /// What the loop is doing.
    pub phase: Phase,
    /// The number of the attempt it is at; the first is 1.
    #[schemars(range(min = 1))]
    pub attempt_number: u32,
    /// What became of it so far.
    pub status: LoopStatus,
    /// The results of the last execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_results: Option<TestResults>,
    /// Every execution so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<ExecutionAttempt>,
    /// Which commands failed, and how.
    #[serde(rename = "failureHistory", default, skip_serializing_if = "Option::is_none")]
    pub failure_history: Option<FailureHistory>,
}

wire_enum! {
    /// What the loop is doing.
    pub enum Phase: "phase" {
        /// The agent writes the code.
        GenerateCode = "generate_code",
        /// The agent writes tests for it.
        GenerateTests = "generate_tests",
        /// The tests run.
        ExecuteTests = "execute_tests",
        /// The causes of the failures are looked for.
        AnalyzeFailures = "analyze_failures",
        /// The agent repairs what was found.
        ApplyFix = "apply_fix",
        /// The tests run again.
        VerifyFix = "verify_fix",
        /// The end: everything passes.
        Complete = "complete",
        /// The end: somebody else has to look.
        Escalated = "escalated",
        /// The end: stopped by a regression or an error.
        Aborted = "aborted",
    }
}

impl Phase {
    /// Whether the loop has ended.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Complete | Self::Escalated | Self::Aborted)
    }
}

wire_enum! {
    /// What became of a loop.
    pub enum LoopStatus: "status" {
        /// It is still running.
        InProgress = "in_progress",
        /// The tests pass.
        Passed = "passed",
        /// The tests fail.
        Failed = "failed",
        /// It was handed to somebody else.
        Escalated = "escalated",
        /// It was stopped.
        Aborted = "aborted",
    }
}

/// What an execution of the tests came to. A number that is not known is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestResults {
    /// How many tests there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// How many passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<u64>,
    /// How many failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<u64>,
    /// How many could not be judged because of an error outside the test itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<u64>,
    /// How many were left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<u64>,
    /// How long it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub duration_ms: Option<f64>,
    /// How much was covered, in per cent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 100))]
    pub coverage_percent: Option<f64>,
}

/// One execution of the tests, and what was made of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionAttempt {
    /// The number of the attempt; the first is 1.
    #[schemars(range(min = 1))]
    pub attempt_number: u32,
    /// When the tests ran.
    #[schemars(extend("format" = "date-time"))]
    pub timestamp: String,
    /// The phase they ran in: one of the loop's as a rule, but the format allows any text.
    pub phase: String,
    /// SHA-256 of the code that was tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_hash: Option<String>,
    /// What it came to.
    pub test_results: TestResults,
    /// The tests that failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// Why they failed, as far as anybody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analysis: Option<Analysis>,
    /// What was changed because of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix_applied: Option<FixApplied>,
}

/// One test that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// The name of the test.
    pub test_name: String,
    /// The file it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_file: Option<String>,
    /// The class of the error, in the words of its language.
    pub error_type: String,
    /// What the error says.
    pub error_message: String,
    /// Where it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack_trace: Option<String>,
    /// The line it was raised at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_number: Option<i64>,
}

/// Why tests failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Analysis {
    /// The cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<String>,
    /// What is to be done about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix_strategy: Option<String>,
    /// How sure the author is: 0 is a guess, 1 is certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub confidence: Option<f64>,
    /// The patterns of debug memory that fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patterns_matched: Vec<String>,
}

/// A change that was meant to repair something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FixApplied {
    /// What was changed, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its size, such as `+5/-2 lines`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_summary: Option<String>,
    /// The files that were changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_modified: Vec<String>,
}
