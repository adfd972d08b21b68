//! What one execution shows. A verdict is made from facts that redgreen saw itself: exit status,
//! the framework's own report, the tree. Text on the console is never evidence.

use std::collections::BTreeSet;

use crate::classes::TREE_CHANGED;
use redgreen_model::config::JudgeBy;
use redgreen_model::execution::{CheckRun, Ended, Execution, SHELL_CANNOT_RUN, TestId};
use redgreen_model::framework::FrameworkId;
use redgreen_model::report::{Failure, FailureKind, Location, Report, TestOutcome};
use redgreen_model::verdict::Verdict;

/// The most names in one sentence; lists of all of them are elsewhere.
const NAMED_MAX: usize = 20;

/// A failure and the check that showed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckFailure {
    /// The check's name.
    pub check: String,
    /// The failure.
    pub failure: Failure,
}

impl CheckFailure {
    /// The test's id, or the check's name for a failure outside any test.
    pub fn name(&self) -> &str {
        self.failure.test.as_deref().unwrap_or(&self.check)
    }

    /// The test, where it is one.
    pub fn test_id(&self) -> Option<TestId> {
        let test = self.failure.test.clone()?;
        Some(TestId { check: self.check.clone(), test })
    }
}

/// What an execution shows, before it is compared with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Why, where it is not `passed`.
    pub reasons: Vec<String>,
    /// Everything that went wrong.
    pub failures: Vec<CheckFailure>,
    /// Tests that passed.
    pub green: BTreeSet<TestId>,
    /// Tests that ended badly.
    pub red: BTreeSet<TestId>,
    /// Tests that started and never ended, where the command was not ended by its limit.
    pub cut: BTreeSet<TestId>,
    /// Tests that did not run, on purpose.
    pub skipped: BTreeSet<TestId>,
    /// Checks whose runner came to its end, so that an absent test is a lost one.
    pub inventoried: BTreeSet<String>,
}

impl Judgement {
    /// Before anything was looked at.
    pub(crate) fn of_nothing() -> Self {
        Self {
            verdict: Verdict::Passed,
            reasons: Vec::new(),
            failures: Vec::new(),
            green: BTreeSet::new(),
            red: BTreeSet::new(),
            cut: BTreeSet::new(),
            skipped: BTreeSet::new(),
            inventoried: BTreeSet::new(),
        }
    }
}

/// Judges an execution. `ran_before` names the checks whose runner was seen to start at the
/// baseline: if it does not start any more, the change broke it; otherwise the tools are at fault.
pub fn judge(execution: &Execution, ran_before: &BTreeSet<String>) -> Judgement {
    let mut judgement = Judgement::of_nothing();
    // A check that green does not need decides nothing: its tests are in its own report only.
    for run in execution.checks.iter().filter(|run| run.required) {
        let (verdict, reasons) = judge_check(run, ran_before.contains(&run.check));
        sort_tests(run, verdict, &mut judgement);
        judgement.verdict = judgement.verdict.max(verdict);
        judgement
            .reasons
            .extend(reasons.into_iter().map(|reason| format!("{}: {reason}", run.check)));
        if verdict != Verdict::Passed {
            judgement.failures.extend(failures_of(run));
        }
    }
    // The same id twice in one report: the bad end counts.
    judgement.green.retain(|test| !judgement.red.contains(test));
    if !execution.checks.iter().any(|run| run.required) {
        lower(&mut judgement, Verdict::Inconclusive, "no required check is configured".to_owned());
    }
    weigh_disturbance(execution, &mut judgement);
    judgement
}

/// What ran has to be what was there before and after.
fn weigh_disturbance(execution: &Execution, judgement: &mut Judgement) {
    if !execution.is_disturbed() {
        return;
    }
    let changed: Vec<&str> =
        execution.changed_while_running.iter().map(|change| change.path.as_str()).collect();
    let rewritten = &execution.rewritten_while_running;
    let (reason, first) = if rewritten.is_empty() {
        let reason = format!(
            "code or tests changed while the checks ran ({}): the tests did that, or somebody was editing",
            some_of(&changed)
        );
        (reason, changed.first().map(ToString::to_string))
    } else {
        let reason = format!(
            "{} was written while the checks ran, so what ran may not be what is there now; \
             if the checks write it, add it to .gitignore or to `generated` under [loop]",
            some_of(rewritten)
        );
        (reason, rewritten.first().cloned())
    };
    judgement.failures.extend(tree_changed(execution, &reason, first));
    lower(judgement, Verdict::Inconclusive, reason);
}

/// The checks had passed, and do not on the tree as they had left it: what they wrote is why, as far as
/// one can tell.
pub(crate) fn weigh_what_was_left(
    execution: &Execution,
    wrote: &[String],
    judgement: &mut Judgement,
) {
    let reason = format!(
        "the checks passed first, and then not on the tree that they left: they write {}. \
         Have the tests clean up after themselves, or add it to .gitignore or to `generated` under [loop]",
        some_of(wrote)
    );
    judgement.failures.extend(tree_changed(execution, &reason, wrote.first().cloned()));
    lower(judgement, Verdict::Inconclusive, reason);
}

/// Whether a required check was ended from outside, so that nothing is known of how it would have
/// ended: neither green nor the fault of whoever changed the code.
pub(crate) fn cut_off(execution: &Execution) -> bool {
    execution
        .checks
        .iter()
        .any(|run| run.required && matches!(run.ended, Ended::Stopped | Ended::Lost))
}

/// A failure in one line, with its place.
fn with_place(failure: &Failure) -> String {
    match &failure.location {
        Some(place) => format!("{} ({place})", failure.summary()),
        None => failure.summary(),
    }
}

/// Some names for a sentence, and how many more there are.
pub(crate) fn some_of(names: &[impl AsRef<str>]) -> String {
    let shown: Vec<&str> = names.iter().take(NAMED_MAX).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(NAMED_MAX) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// A run that changes code or tests is a finding, also where every test passed.
fn tree_changed(
    execution: &Execution,
    reason: &str,
    first: Option<String>,
) -> Option<CheckFailure> {
    let run = execution.checks.iter().find(|run| run.required)?;
    let mut failure = Failure::new(FailureKind::Unknown, TREE_CHANGED, reason);
    failure.location = first.map(|file| Location { file, line: None, function: None });
    Some(CheckFailure { check: run.check.clone(), failure })
}

fn lower(judgement: &mut Judgement, verdict: Verdict, reason: String) {
    judgement.verdict = judgement.verdict.max(verdict);
    judgement.reasons.push(reason);
}

/// A check that passed by its exit code alone has no red tests, whatever its console says.
fn sort_tests(run: &CheckRun, verdict: Verdict, judgement: &mut Judgement) {
    let id = |test: &str| TestId { check: run.check.clone(), test: test.to_owned() };
    for test in &run.report.tests {
        match test.outcome {
            TestOutcome::Passed | TestOutcome::UnexpectedPass => {
                judgement.green.insert(id(&test.id))
            }
            TestOutcome::Failed | TestOutcome::Errored => {
                verdict != Verdict::Passed && judgement.red.insert(id(&test.id))
            }
            TestOutcome::Skipped | TestOutcome::ExpectedFailure => {
                judgement.skipped.insert(id(&test.id))
            }
        };
    }
    if !matches!(run.ended, Ended::TimedOut { .. }) {
        judgement.cut.extend(run.report.unfinished.iter().map(|test| id(test)));
    }
    if run.report.is_whole() {
        judgement.inventoried.insert(run.check.clone());
    }
}

/// One check by itself: the verdict and the reasons for anything but a pass.
fn judge_check(run: &CheckRun, ran_before: bool) -> (Verdict, Vec<String>) {
    let code = match &run.ended {
        Ended::Exited { code } => *code,
        Ended::NotStarted { .. } => return (Verdict::ToolingError, vec![run.ended.to_string()]),
        Ended::Stopped | Ended::Lost => {
            return (Verdict::Inconclusive, vec![run.ended.to_string()]);
        }
        Ended::TimedOut { .. } | Ended::OutOfMemory { .. } | Ended::Signalled { .. } => {
            let in_flight = match run.report.unfinished.as_slice() {
                [] => String::new(),
                tests => format!(" while {} ran", some_of(tests)),
            };
            return (Verdict::Failed, vec![format!("{}{in_flight}", run.ended)]);
        }
    };
    if SHELL_CANNOT_RUN.contains(&code) && !run.report.began {
        return (
            Verdict::ToolingError,
            vec![format!("`{}` cannot be run: exit code {code}: {}", run.command, last_line(run))],
        );
    }
    match run.judge_by {
        JudgeBy::ExitCode if code == 0 => (Verdict::Passed, Vec::new()),
        JudgeBy::ExitCode => (Verdict::Failed, vec![format!("exit code {code}")]),
        JudgeBy::Tests => judge_tests(run, code, ran_before),
    }
}

fn judge_tests(run: &CheckRun, code: i32, ran_before: bool) -> (Verdict, Vec<String>) {
    let report = &run.report;
    if !report.began || only_the_tools_failed(report) {
        return judge_silence(run, code, ran_before);
    }
    if let Some(reason) = redness(report) {
        let mut reasons = vec![reason];
        if code == 0 {
            reasons.push("the exit code is 0, but the report says otherwise".to_owned());
        }
        return (Verdict::Failed, reasons);
    }
    let verdict_of_loss = if code == 0 { Verdict::Inconclusive } else { Verdict::Failed };
    if !report.unfinished.is_empty() {
        let tests = some_of(&report.unfinished);
        return (
            verdict_of_loss,
            vec![format!(
                "the process ended with exit code {code} before these tests did: {tests}"
            )],
        );
    }
    if !report.complete {
        return (
            verdict_of_loss,
            vec![format!("the test runner stopped in the middle, with exit code {code}")],
        );
    }
    if !report.not_run.is_empty() {
        let tests = match report.not_run.len() {
            1 => "1 collected test never ran:".to_owned(),
            count => format!("{count} collected tests never ran, the first is"),
        };
        return (verdict_of_loss, vec![format!("{tests} {}", report.not_run[0])]);
    }
    if !report.tests.iter().any(|test| test.outcome.executed()) {
        return (
            Verdict::Inconclusive,
            vec![format!("no test was executed (exit code {code}), so nothing was shown to work")],
        );
    }
    if code != 0 {
        return (
            Verdict::Failed,
            vec![format!("exit code {code} although no test failed: {}", last_line(run))],
        );
    }
    (Verdict::Passed, Vec::new())
}

/// What is red, in one line; none where nothing is.
fn redness(report: &Report) -> Option<String> {
    let red = report.tests.iter().filter(|test| test.outcome.is_red()).count();
    if let Some(error) = report.errors.iter().find(|error| error.kind == FailureKind::CompileError)
    {
        return Some(format!("does not build: {}", with_place(error)));
    }
    let outside = match report.errors.len() {
        1 => "a failure outside of tests".to_owned(),
        count => format!("{count} failures outside of tests"),
    };
    match (red, report.errors.first()) {
        (0, None) => None,
        (0, Some(error)) => Some(format!("no test failed, but {outside}: {}", with_place(error))),
        (_, None) => Some(format!("{red} of {} red", report.counts().total)),
        (_, Some(_)) => Some(format!("{red} of {} red, and {outside}", report.counts().total)),
    }
}

/// The runner started and could do nothing: an option it does not know, a configuration that it
/// cannot read.
fn only_the_tools_failed(report: &Report) -> bool {
    let tools = |error: &Failure| error.kind == FailureKind::ToolingError;
    report.tests.is_empty() && !report.errors.is_empty() && report.errors.iter().all(tools)
}

/// The runner never spoke through our channel, or only to say that it cannot work.
fn judge_silence(run: &CheckRun, code: i32, ran_before: bool) -> (Verdict, Vec<String>) {
    let said = last_line(run);
    match (code, ran_before) {
        (0, _) => {
            let saw =
                format!("`{}` ended with exit code 0, but redgreen saw no test run", run.command);
            let why = run.report.diagnostics.first().cloned();
            (Verdict::Inconclusive, [Some(saw), why].into_iter().flatten().collect())
        }
        (_, true) => {
            (Verdict::Failed, vec![format!("the tests no longer start (exit code {code}): {said}")])
        }
        // Of a command that redgreen does not know, an exit code is all that can be expected.
        (_, false)
            if run.framework == FrameworkId::OTHER || run.report.errors.iter().any(blames_code) =>
        {
            (Verdict::Failed, vec![format!("exit code {code}: {said}")])
        }
        (_, false) => (
            Verdict::ToolingError,
            vec![format!("`{}` did not start any test (exit code {code}): {said}", run.command)],
        ),
    }
}

/// Whether a failure outside of tests is one of the project's code: somebody who knows said so, with
/// a place. A stack that stands somewhere in a log which nobody understood is no such word.
fn blames_code(error: &Failure) -> bool {
    use FailureKind::{CompileError, LintFailure, RuntimeError, TestFailure};
    let is_of_code = matches!(error.kind, CompileError | LintFailure | RuntimeError | TestFailure);
    is_of_code && error.location.is_some()
}

/// What was said last. A failure that is only made from the way the command ended says less than
/// the console.
fn last_line(run: &CheckRun) -> String {
    let last = |text: &str| {
        text.lines().rev().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
    };
    let printed = last(&run.output_tail);
    let Some(error) = run.report.errors.first() else {
        return printed.unwrap_or_else(|| "no output".to_owned());
    };
    let vague = [FailureKind::ToolingError, FailureKind::Unknown].contains(&error.kind);
    match last(&error.message).filter(|line| *line != run.ended.to_string()) {
        Some(line) if vague => line,
        None if vague && printed.is_some() => printed.unwrap_or_default(),
        _ => error.summary(),
    }
}

/// Everything of a check that is not green, each as a failure; never nothing.
fn failures_of(run: &CheckRun) -> Vec<CheckFailure> {
    let mut failures: Vec<Failure> = run.report.errors.clone();
    for test in run.report.tests.iter().filter(|test| test.outcome.is_red()) {
        let mut failure = test.failure.as_deref().cloned().unwrap_or_else(|| {
            Failure::new(FailureKind::TestFailure, "unknown", "the framework gave no reason")
        });
        failure.test = Some(test.id.clone());
        failures.push(failure);
    }
    for test in &run.report.unfinished {
        failures.push(unfinished(run, test));
    }
    if failures.is_empty() {
        let (kind, error_type) = match run.ended {
            Ended::TimedOut { .. } => (FailureKind::Timeout, "Timeout"),
            Ended::OutOfMemory { .. } => (FailureKind::RuntimeError, "OutOfMemory"),
            Ended::Signalled { .. } => (FailureKind::RuntimeError, "Signal"),
            Ended::NotStarted { .. } => (FailureKind::ToolingError, "NotStarted"),
            _ => (FailureKind::Unknown, "Unknown"),
        };
        let mut failure = Failure::new(kind, error_type, judge_check(run, true).1.join("; "));
        failure.stack.clone_from(&run.output_tail);
        failures.push(failure);
    }
    failures.into_iter().map(|failure| CheckFailure { check: run.check.clone(), failure }).collect()
}

fn unfinished(run: &CheckRun, test: &str) -> Failure {
    let (kind, error_type, message) = match &run.ended {
        Ended::TimedOut { limit_seconds } => (
            FailureKind::Timeout,
            "Timeout",
            format!(
                "still running when the limit of {limit_seconds} s was reached (timeout_seconds)"
            ),
        ),
        Ended::OutOfMemory { .. } => {
            (FailureKind::RuntimeError, "OutOfMemory", format!("{} while this test ran", run.ended))
        }
        Ended::Signalled { signal } => (
            FailureKind::RuntimeError,
            "Signal",
            format!("the process was killed by signal {signal} while this test ran"),
        ),
        ended => (
            FailureKind::RuntimeError,
            "ProcessEnded",
            format!("the process ended ({ended}) while this test ran"),
        ),
    };
    let mut failure = Failure::new(kind, error_type, message);
    failure.test = Some(test.to_owned());
    failure.stack.clone_from(&run.output_tail);
    failure
}

/// Whether an earlier run of a check still holds: it passed, and what it watches is the same.
pub fn reusable(earlier: &CheckRun, watched: &str) -> bool {
    earlier.watched.as_deref() == Some(watched) && judge_check(earlier, true).0 == Verdict::Passed
}
