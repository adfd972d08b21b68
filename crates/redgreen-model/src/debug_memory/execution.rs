//! One execution of the tests, and what was made of it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analysis::AnalysisSource;
use crate::error_class::ErrorClass;
use crate::report;
use crate::workflow::words::wire_enum;

/// One execution of the tests, and what was made of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Execution {
    /// The number of the attempt that it judged; the first is 1.
    #[schemars(range(min = 1))]
    pub attempt: u32,
    /// When the tests ran.
    #[schemars(extend("format" = "date-time"))]
    pub timestamp: String,
    /// SHA-256 of the code that was tested.
    pub code_hash: String,
    /// The code itself, where it is short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_snapshot: Option<String>,
    /// What it ran with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
    /// What it came to.
    pub test_results: TestResults,
    /// The tests that failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// Why they failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analysis: Option<Analysis>,
    /// What was changed because of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix_applied: Option<FixApplied>,
}

/// What an execution ran with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// What runs the code: `python`, `node`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_version: Option<String>,
    /// The test framework.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_framework: Option<String>,
    /// The operating system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub os: Option<String>,
    /// Anything else.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub additional: BTreeMap<String, String>,
}

/// What an execution came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestResults {
    /// How many tests there are.
    pub total: u64,
    /// How many passed.
    pub passed: u64,
    /// How many failed.
    pub failed: u64,
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

impl TestResults {
    /// Whether something ran, and nothing was red.
    pub fn is_green(&self) -> bool {
        self.passed > 0 && self.failed == 0 && self.errors.unwrap_or(0) == 0
    }
}

/// One test that failed, or one thing that failed outside any test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// The test.
    pub test_name: String,
    /// The file it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_file: Option<String>,
    /// The line in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub test_line: Option<u32>,
    /// What sort of error, in the words that all languages share.
    pub error_type: ErrorClass,
    /// What was said.
    pub error_message: String,
    /// Where it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack_trace: Option<String>,
    /// What the test wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What the test got.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// The place in the project's own code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_location: Option<SourceLocation>,
    /// The language's own name of the error: `KeyError`, `panic`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_name: Option<String>,
    /// The cause, as redgreen tells causes apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Whether it was seen not to be there on the tree before the edit that this execution judged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub brought_by_edit: bool,
}

/// What the name of a test is where something failed outside of any.
const NO_TEST: &str = "(outside of any test)";

impl From<&report::Failure> for Failure {
    /// A failure as it was seen.
    fn from(seen: &report::Failure) -> Self {
        let place = |location: &report::Location| SourceLocation {
            file: Some(location.file.clone()),
            line: location.line,
            function: location.function.clone(),
        };
        Self {
            test_name: seen.test.clone().unwrap_or_else(|| NO_TEST.to_owned()),
            test_file: seen.test_location.as_ref().map(|location| location.file.clone()),
            test_line: seen.test_location.as_ref().and_then(|location| location.line),
            error_type: seen.error_class,
            error_message: seen.message.clone(),
            stack_trace: Some(seen.stack.clone()).filter(|stack| !stack.is_empty()),
            expected: seen.expected.clone(),
            actual: seen.actual.clone(),
            source_location: seen.location.as_ref().map(place),
            error_name: Some(seen.error_type.clone()),
            fingerprint: Some(seen.fingerprint.clone()).filter(|cause| !cause.is_empty()),
            brought_by_edit: false,
        }
    }
}

/// A place in the code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceLocation {
    /// The path from the root of the work tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

/// Why tests failed, and what is to be done about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Analysis {
    /// The cause.
    #[schemars(length(min = 20))]
    pub root_cause: String,
    /// The sort of cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_cause_category: Option<RootCauseCategory>,
    /// What is to be done about it.
    #[schemars(length(min = 20))]
    pub fix_strategy: String,
    /// How sure: 0 is a guess, 1 is certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub confidence: Option<f64>,
    /// Other failures with the same cause.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related_failures: Vec<String>,
    /// What memory knew of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub similar_past_issues: Vec<SimilarIssue>,
    /// Who made it: redgreen from what it saw, or the agent, whose word it is then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<AnalysisSource>,
}

wire_enum! {
    /// The sort of a root cause.
    pub enum RootCauseCategory: "root-cause category" {
        /// Something that is not there is used.
        NullUndefinedAccess = "null_undefined_access",
        /// A value of another type than was thought.
        TypeMismatch = "type_mismatch",
        /// A value that nobody checked.
        MissingValidation = "missing_validation",
        /// The code does something else than was meant.
        LogicError = "logic_error",
        /// One too many or too few.
        OffByOne = "off_by_one",
        /// The order of things that run at the same time.
        RaceCondition = "race_condition",
        /// Something that is never given back.
        ResourceLeak = "resource_leak",
        /// An error that nobody handles.
        MissingErrorHandling = "missing_error_handling",
        /// A library that is used in another way than it wants.
        ApiMisuse = "api_misuse",
        /// A setting.
        ConfigurationError = "configuration_error",
        /// A library that is missing or of the wrong version.
        DependencyIssue = "dependency_issue",
        /// None of these.
        Other = "other",
    }
}

/// A session of the past with the same trouble.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SimilarIssue {
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
}

/// A change that was meant to repair something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FixApplied {
    /// What was changed, in words.
    pub description: String,
    /// How much: `+5/-2 lines`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_summary: Option<String>,
    /// The files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_changed: Vec<String>,
    /// The change itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// What the next execution showed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
    /// Tests that failed before it and passed after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub helped: Vec<String>,
    /// Tests that passed before it and failed after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broke: Vec<String>,
    /// Whether it changed tests, too: what passed after it may have passed because of that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tests_changed: bool,
    /// What was wrong with it although it passed, in words: it is no example to others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

wire_enum! {
    /// What the execution after a fix showed.
    pub enum Verification: "verification" {
        /// Nothing ran yet.
        Pending = "pending",
        /// It passed.
        Passed = "passed",
        /// It did not.
        Failed = "failed",
    }
}
