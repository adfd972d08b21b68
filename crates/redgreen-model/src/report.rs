//! What a test framework said: every test by name, what failed, where and why.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error_class::ErrorClass;
use crate::text::{LINE_CHARS, bound_end};

/// How a test ended.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// It ran and passed.
    Passed,
    /// Its own check failed.
    Failed,
    /// Something around it failed: set-up, tear-down, the process.
    Errored,
    /// It did not run, on purpose.
    Skipped,
    /// It failed as it was declared to.
    ExpectedFailure,
    /// It passed although it was declared to fail, and the framework does not mind.
    UnexpectedPass,
}

impl TestOutcome {
    /// Whether the test's body ran to a result that counts as an execution.
    pub fn executed(self) -> bool {
        !matches!(self, Self::Skipped)
    }

    /// Whether the test stands in the way of green.
    pub fn is_red(self) -> bool {
        matches!(self, Self::Failed | Self::Errored)
    }

    /// Whether the test counts as passing, for regressions.
    pub fn is_green(self) -> bool {
        matches!(self, Self::Passed | Self::UnexpectedPass)
    }
}

/// What sort of thing went wrong, decided by what happened, text last.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// A test's own check failed.
    TestFailure,
    /// The build or the collection of tests failed.
    CompileError,
    /// A linter or type checker complained.
    LintFailure,
    /// The program died: an exception outside a test, a signal.
    RuntimeError,
    /// A time limit was reached.
    Timeout,
    /// The tools themselves: a missing runner, a full disk.
    ToolingError,
    /// None of these could be determined.
    Unknown,
}

impl FailureKind {
    /// The name in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TestFailure => "test_failure",
            Self::CompileError => "compile_error",
            Self::LintFailure => "lint_failure",
            Self::RuntimeError => "runtime_error",
            Self::Timeout => "timeout",
            Self::ToolingError => "tooling_error",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A place in the project's own code.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Location {
    /// The path from the root of the work tree.
    pub file: String,
    /// The line, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The function, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(formatter, ":{line}")?;
        }
        Ok(())
    }
}

/// One thing that went wrong. All texts are clean and bounded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// The test, by its id in the framework; none for a failure outside any test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// What sort of thing it is.
    pub kind: FailureKind,
    /// The language's own name of the error: `AssertionError`, `panic`, `E0308`.
    pub error_type: String,
    /// The same in the words that all languages share.
    #[serde(default)]
    pub error_class: ErrorClass,
    /// The cause, the same for every failure that has it: in any folder, order and run. Empty where
    /// it was not computed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fingerprint: String,
    /// What was said.
    pub message: String,
    /// What the test wanted, where the framework knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What the test got, where the framework knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// The stack trace or the lines around the error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stack: String,
    /// The innermost place in the project's own code that is not the test itself, else in the test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Whether that place is in a file of the tests, so that it is not the one to mend.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_tests: bool,
    /// Where the test is, or where in the test the failure showed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_location: Option<Location>,
    /// The frames in the project's own code, innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<Location>,
}

impl Failure {
    /// A failure that has only a kind, a type and a message.
    pub fn new(
        kind: FailureKind,
        error_type: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            test: None,
            kind,
            error_type: error_type.into(),
            error_class: ErrorClass::of_kind(kind),
            fingerprint: String::new(),
            message: message.into(),
            expected: None,
            actual: None,
            stack: String::new(),
            location: None,
            in_tests: false,
            test_location: None,
            frames: Vec::new(),
        }
    }

    /// The failure in one line: its type and what was said, with the values where the first line
    /// says only that two differ.
    pub fn summary(&self) -> String {
        let mut lines = self.message.lines().map(str::trim).filter(|line| !line.is_empty());
        let Some(first) = lines.next() else { return self.error_type.clone() };
        let mut said = first.to_owned();
        if says_little(first) {
            for (index, line) in lines.take(VALUE_LINES).enumerate() {
                said.push_str(if index > 0 || !first.ends_with(':') { ", " } else { " " });
                said.push_str(line);
            }
        }
        let said = bound_end(&said, LINE_CHARS);
        if said.starts_with(self.error_type.as_str()) {
            return said;
        }
        format!("{}: {said}", self.error_type)
    }
}

/// How many lines below a first line that says little belong to it.
const VALUE_LINES: usize = 2;

/// Whether a line only says that something differs, and the values come below it.
fn says_little(line: &str) -> bool {
    let openings =
        ["assertion `left", "assertion failed: `(left", "expect(", "Failed asserting that two"];
    line.ends_with(':') || openings.iter().any(|opening| line.starts_with(opening))
}

/// One test and how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestCase {
    /// The framework's own id: unique in its check, stable between runs.
    pub id: String,
    /// How it ended.
    pub outcome: TestOutcome,
    /// How long it took.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub duration_ms: u64,
    /// Why, for a test that is red. Boxed: most tests are not, and there may be hundreds of thousands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Box<Failure>>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Everything that one check's framework reported.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// The runner was there: it said so through our own channel, not on the console.
    pub began: bool,
    /// The runner said that it had come to its end.
    pub complete: bool,
    /// The tests that ended.
    pub tests: Vec<TestCase>,
    /// Tests that started and never ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<String>,
    /// Tests that were collected and never started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<String>,
    /// What went wrong outside any test: build, collection, a crash.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Failure>,
    /// What the reader could not make sense of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<String>,
}

/// How many tests ended how; counted from cases, never read from a header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// All tests.
    pub total: u64,
    /// Passed, unexpected passes included.
    pub passed: u64,
    /// Failed.
    pub failed: u64,
    /// Errored, and failures outside any test.
    pub errors: u64,
    /// Skipped, expected failures included.
    pub skipped: u64,
}

impl Counts {
    /// The sum of two.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            total: self.total + other.total,
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            errors: self.errors + other.errors,
            skipped: self.skipped + other.skipped,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = vec![format!("{} passed", self.passed)];
        for (count, word) in [
            (self.failed, "failed"),
            (self.errors, if self.errors == 1 { "error" } else { "errors" }),
            (self.skipped, "skipped"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {word}"));
            }
        }
        formatter.write_str(&parts.join(", "))
    }
}

impl Report {
    /// The counts of this report.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts { errors: self.errors.len() as u64, ..Counts::default() };
        for test in &self.tests {
            counts.total += 1;
            match test.outcome {
                TestOutcome::Passed | TestOutcome::UnexpectedPass => counts.passed += 1,
                TestOutcome::Failed => counts.failed += 1,
                TestOutcome::Errored => counts.errors += 1,
                TestOutcome::Skipped | TestOutcome::ExpectedFailure => counts.skipped += 1,
            }
        }
        counts.total += self.unfinished.len() as u64;
        counts.errors += self.unfinished.len() as u64;
        counts
    }

    /// Whether the runner came to its end and ran all that it had.
    pub fn is_whole(&self) -> bool {
        let broken = self.errors.iter().any(|error| error.kind == FailureKind::CompileError);
        self.complete && self.unfinished.is_empty() && self.not_run.is_empty() && !broken
    }

    /// Whether nothing came out: no test, and nothing that went wrong.
    pub fn is_empty(&self) -> bool {
        let tests = self.tests.len() + self.unfinished.len() + self.not_run.len();
        tests == 0 && self.errors.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_older_records_are_read() {
        let old = r#"{"kind":"test_failure","error_type":"KeyError","message":"'a'"}"#;
        let failure: Failure = serde_json::from_str(old).unwrap();
        assert_eq!(failure.error_class, ErrorClass::Other);
        let now = Failure::new(FailureKind::TestFailure, "KeyError", "'a'");
        assert_eq!(Failure { error_class: now.error_class, ..failure }, now);
        let text = serde_json::to_string(&now).unwrap();
        assert!(
            !text.contains("fingerprint") && text.contains(r#""error_class":"AssertionError""#)
        );
    }

    #[test]
    fn a_failure_is_described_in_one_line() {
        let cases = [
            ("KeyError", "'a'", "KeyError: 'a'"),
            ("KeyError", "KeyError: 'a'\nmore", "KeyError: 'a'"),
            ("KeyError", "", "KeyError"),
            (
                "AssertionError",
                "\n  assert 3 == 4\n +  where 3 = f()",
                "AssertionError: assert 3 == 4",
            ),
            (
                "panic",
                "assertion `left == right` failed: the total\n  left: 1\n right: 2",
                "panic: assertion `left == right` failed: the total, left: 1, right: 2",
            ),
            (
                "Error",
                "expect(received).toBe(expected) // Object.is equality\n\nExpected: 4\nReceived: 3\n\nmore",
                "Error: expect(received).toBe(expected) // Object.is equality, Expected: 4, Received: 3",
            ),
            ("Error", "these are wrong:\n  a\n  b\n  c", "Error: these are wrong: a, b"),
        ];
        for (error_type, message, wanted) in cases {
            let failure = Failure::new(FailureKind::TestFailure, error_type, message);
            assert_eq!(failure.summary(), wanted);
        }
        let long = Failure::new(FailureKind::TestFailure, "Error", "x".repeat(5_000));
        assert!(long.summary().chars().count() <= LINE_CHARS + "Error: ".len());
    }
}
