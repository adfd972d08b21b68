//! What `redgreen parse` says about a report or a log: one document for each run that is in it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::schema;
use crate::error_class::ErrorClass;
use crate::framework::FrameworkId;
use crate::report::{Counts, Failure, FailureKind, Report, TestOutcome};

/// Where the schema of a reading is known under.
pub const READING_SCHEMA_ID: &str = "urn:redgreen:schema:reading:v1";

/// How a run ended, by the word of its report or log alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadStatus {
    /// It came to its end, something was executed, and nothing is red.
    Passed,
    /// Something is red.
    Failed,
    /// Nothing is red, and it cannot be known that everything ran: a log that is cut, a run without
    /// tests, an input that holds no run at all.
    Inconclusive,
}

impl ReadStatus {
    /// The name in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// Where a run was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The file, or `-`.
    pub source: String,
    /// What the input is: `console`, `junit_xml`, `tap`.
    pub format: String,
    /// The program that ran, where it is known.
    pub program: Option<String>,
    /// What stood before each line of this run in a log that several programs share.
    pub lane: Option<String>,
    /// The framework.
    pub framework: FrameworkId,
    /// Whether the program runs tests; a compiler or linter passes without any.
    pub runs_tests: bool,
    /// How many passes a summary counts beyond the tests that are named.
    pub unnamed_passes: u64,
    /// How long it took, by its own word.
    pub duration_ms: u64,
}

/// One run, read from a report or a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// The file it was read from; `-` for standard input.
    pub source: String,
    /// What the input is: `console`, `junit_xml`, `tap` and so on; `unknown` where nothing was found.
    pub format: String,
    /// The program that ran, where it is known: `rspec`, `tsc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// What stood before each line of this run in a log that several programs share: `api-1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    /// The framework.
    pub framework: FrameworkId,
    /// How it ended.
    pub status: ReadStatus,
    /// How many tests ended how; counted from those that are named.
    pub test_results: ReadCounts,
    /// The tests.
    pub tests: Vec<ReadTest>,
    /// What is red, in tests and outside of them.
    pub failures: Vec<ReadFailure>,
    /// What could not be understood, and what the counts do not show.
    pub diagnostics: Vec<String>,
}

/// How many tests ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadCounts {
    /// All of them.
    #[serde(flatten)]
    pub counts: Counts,
    /// How long it took, in milliseconds; 0 where it is not known.
    pub duration_ms: u64,
}

/// A test and how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadTest {
    /// Its id.
    pub id: String,
    /// How it ended.
    pub status: TestOutcome,
}

/// Something that is red.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadFailure {
    /// The test; none for a failure outside of any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_name: Option<String>,
    /// The file that the test is in; of a failure outside of tests, the file that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_file: Option<String>,
    /// The line in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_number: Option<u32>,
    /// The language's own name of the error.
    pub error_type: String,
    /// The same in the words that all languages share.
    #[serde(default)]
    pub error_class: ErrorClass,
    /// What was said.
    pub error_message: String,
    /// Where it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack_trace: Option<String>,
    /// What the test wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What it got.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// What sort of thing it is.
    pub kind: FailureKind,
    /// The cause, the same for every failure that has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

impl Reading {
    /// The reading of a report.
    pub fn new(origin: Origin, report: Report) -> Self {
        let counts = report.counts();
        let executed = !origin.runs_tests
            || origin.unnamed_passes > 0
            || report.tests.iter().any(|test| test.outcome.executed());
        let (status, reason) = status(&report, executed);
        let mut diagnostics = report.diagnostics;
        diagnostics.extend(reason);
        let mut failures: Vec<ReadFailure> =
            report.errors.into_iter().map(ReadFailure::from).collect();
        let mut tests = Vec::with_capacity(report.tests.len());
        for test in report.tests {
            if test.outcome.is_red() {
                let mut failure = test.failure.map_or_else(without_reason, |failure| *failure);
                failure.test.get_or_insert_with(|| test.id.clone());
                failures.push(failure.into());
            }
            tests.push(ReadTest { id: test.id, status: test.outcome });
        }
        for id in report.unfinished {
            let mut failure =
                Failure::new(FailureKind::RuntimeError, "Unfinished", "it started and has no end");
            failure.test = Some(id.clone());
            failures.push(failure.into());
            tests.push(ReadTest { id, status: TestOutcome::Errored });
        }
        let Origin { source, format, program, lane, framework, duration_ms, .. } = origin;
        let test_results = ReadCounts { counts, duration_ms };
        Self {
            source,
            format,
            program,
            lane,
            framework,
            status,
            test_results,
            tests,
            failures,
            diagnostics,
        }
    }
}

/// The status, and why it is inconclusive.
fn status(report: &Report, executed: bool) -> (ReadStatus, Option<String>) {
    let red = report.tests.iter().any(|test| test.outcome.is_red());
    if red || !report.errors.is_empty() || !report.unfinished.is_empty() {
        return (ReadStatus::Failed, None);
    }
    let reason = if !report.complete {
        "nothing shows that the run was complete"
    } else if !report.not_run.is_empty() {
        "tests were collected and never ran"
    } else if !executed {
        "no test was executed"
    } else {
        return (ReadStatus::Passed, None);
    };
    (ReadStatus::Inconclusive, Some(reason.to_owned()))
}

fn without_reason() -> Failure {
    Failure::new(FailureKind::TestFailure, "Failure", "the report gives no reason")
}

impl From<Failure> for ReadFailure {
    fn from(failure: Failure) -> Self {
        let place = failure.test_location.or(failure.location);
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        Self {
            test_name: failure.test,
            line_number: place.as_ref().and_then(|place| place.line),
            test_file: place.map(|place| place.file),
            error_type: failure.error_type,
            error_class: failure.error_class,
            error_message: failure.message,
            stack_trace: some(failure.stack),
            expected: failure.expected,
            actual: failure.actual,
            kind: failure.kind,
            fingerprint: some(failure.fingerprint),
        }
    }
}

/// The JSON Schema (draft 2020-12) of a reading, generated from [`Reading`].
pub fn reading_schema() -> serde_json::Value {
    schema::generate::<Reading>(READING_SCHEMA_ID, "What redgreen parse reads")
}
