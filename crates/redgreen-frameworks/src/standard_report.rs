//! What is written into standard reports: every test of every check, and whatever else stands in
//! the way of green, each as a case of its own. A report of a run that is not green is never green.

use redgreen_model::config::JudgeBy;
use redgreen_model::execution::{CheckRun, Ended, Execution};
use redgreen_model::report::{Failure, TestOutcome};
use redgreen_model::verdict::Verdict;

/// How much of a failure outside of tests is in the name of its case.
const NAME_CHARS: usize = 120;

/// An execution, and what it showed.
#[derive(Clone, Copy)]
pub struct WholeRun<'run> {
    /// What was executed.
    pub execution: &'run Execution,
    /// What it showed.
    pub verdict: Verdict,
    /// Why, where it is not `passed`.
    pub reasons: &'run [String],
}

/// The cases of one check.
pub(crate) struct WrittenCheck<'run> {
    pub(crate) name: &'run str,
    pub(crate) duration_ms: u64,
    pub(crate) cases: Vec<WrittenCase<'run>>,
}

/// One case.
pub(crate) struct WrittenCase<'run> {
    pub(crate) name: String,
    pub(crate) outcome: TestOutcome,
    pub(crate) duration_ms: u64,
    pub(crate) error_type: &'run str,
    pub(crate) message: String,
    pub(crate) stack: &'run str,
    pub(crate) failure: Option<&'run Failure>,
}

impl<'run> WholeRun<'run> {
    /// The checks with their cases.
    pub(crate) fn checks(&self) -> Vec<WrittenCheck<'run>> {
        let mut checks: Vec<WrittenCheck<'run>> = self.execution.checks.iter().map(check).collect();
        let red = checks.iter().flat_map(|check| &check.cases).any(|case| case.outcome.is_red());
        if self.verdict != Verdict::Passed && !red {
            let message = self.reasons.join("\n");
            let case = plain("verdict", TestOutcome::Errored, self.verdict.as_str(), message);
            checks.push(WrittenCheck { name: "redgreen", duration_ms: 0, cases: vec![case] });
        }
        checks
    }
}

fn check(run: &CheckRun) -> WrittenCheck<'_> {
    let report = &run.report;
    let mut cases: Vec<WrittenCase<'_>> = Vec::with_capacity(report.tests.len());
    for test in &report.tests {
        let failure = test.failure.as_deref();
        cases.push(WrittenCase {
            name: test.id.clone(),
            outcome: test.outcome,
            duration_ms: test.duration_ms,
            error_type: failure.map_or("", |failure| failure.error_type.as_str()),
            message: failure.map_or(String::new(), |failure| failure.message.clone()),
            stack: failure.map_or("", |failure| failure.stack.as_str()),
            failure,
        });
    }
    for id in &report.unfinished {
        let message = format!("it began and did not end ({})", run.ended);
        cases.push(plain(id, TestOutcome::Errored, "Unfinished", message));
    }
    for id in &report.not_run {
        let message = "it was collected and never began".to_owned();
        cases.push(plain(id, TestOutcome::Skipped, "NotRun", message));
    }
    for (index, failure) in report.errors.iter().enumerate() {
        let summary: String = failure.summary().chars().take(NAME_CHARS).collect();
        cases.push(WrittenCase {
            stack: &failure.stack,
            failure: Some(failure),
            ..plain(
                &format!("outside of tests, {}: {summary}", index + 1),
                TestOutcome::Errored,
                &failure.error_type,
                failure.message.clone(),
            )
        });
    }
    if run.judge_by == JudgeBy::ExitCode && cases.is_empty() {
        let passed = matches!(run.ended, Ended::Exited { code: 0 });
        let outcome = if passed { TestOutcome::Passed } else { TestOutcome::Errored };
        let message = if passed { String::new() } else { run.ended.to_string() };
        cases.push(plain("exit code", outcome, "ExitCode", message));
    }
    WrittenCheck { name: &run.check, duration_ms: run.duration_ms, cases }
}

fn plain<'run>(
    name: &str,
    outcome: TestOutcome,
    error_type: &'run str,
    message: String,
) -> WrittenCase<'run> {
    WrittenCase {
        name: name.to_owned(),
        outcome,
        duration_ms: 0,
        error_type,
        message,
        stack: "",
        failure: None,
    }
}

/// The name of an outcome in documents.
pub(crate) fn outcome_name(outcome: TestOutcome) -> &'static str {
    match outcome {
        TestOutcome::Passed => "passed",
        TestOutcome::Failed => "failed",
        TestOutcome::Errored => "errored",
        TestOutcome::Skipped => "skipped",
        TestOutcome::ExpectedFailure => "expected_failure",
        TestOutcome::UnexpectedPass => "unexpected_pass",
    }
}
