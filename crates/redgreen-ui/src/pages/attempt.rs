//! One attempt: what was edited, what that turned, and what was seen.

use minijinja::Value;
use redgreen_engine::classes::Judged;
use redgreen_engine::state::{Attempt, State};
use redgreen_model::analysis::AnalysisSource;
use redgreen_model::execution::{CheckRun, TestId};
use redgreen_model::report::TestOutcome;
use redgreen_model::text::bound_middle;
use redgreen_model::tree::diff_summary;
use redgreen_model::verdict::Verdict;
use serde::Serialize;

use super::square::{self, SquareView};
use crate::diff::{self, DiffFile};
use crate::picture;
use crate::words::{counts, many, millis, spaced};

/// The most failures that are shown with their text; all are counted.
const FAILURES_SHOWN: usize = 20;
/// The most characters of one failure's text.
const FAILURE_CHARS: usize = 4_000;
/// The most tests that are named of one kind.
const NAMED_MAX: usize = 50;

/// An attempt as it is shown.
#[derive(Serialize)]
pub(super) struct AttemptView {
    pub(super) number: u32,
    senior: bool,
    is_last: bool,
    charged: bool,
    pub(super) class: &'static str,
    pub(super) in_short: String,
    edit: String,
    said: String,
    green: Named,
    red: Named,
    run: Option<RunView>,
    analysis: Option<AnalysisView>,
    diff: Vec<DiffFile>,
    counted: bool,
    square: Option<SquareView>,
    review: Option<ReviewView>,
}

/// Some tests by name, and how many more there are.
#[derive(Default, Serialize)]
pub(super) struct Named {
    tests: Vec<String>,
    more: usize,
}

#[derive(Serialize)]
struct AnalysisView {
    cause: String,
    strategy: String,
    by: &'static str,
    percent: u32,
}

#[derive(Serialize)]
struct ReviewView {
    findings: Vec<(String, String, String)>,
    problem: Option<String>,
}

/// A run as it is shown.
#[derive(Serialize)]
pub(super) struct RunView {
    verdict: String,
    pub(super) class: &'static str,
    pub(super) counts: String,
    reasons: Vec<String>,
    strip: Value,
    checks: Vec<CheckView>,
    classes: Vec<(&'static str, Named)>,
    failures: Vec<FailureView>,
    more: usize,
}

#[derive(Serialize)]
struct CheckView {
    name: String,
    command: String,
    ended: String,
    tests: String,
    took: String,
    log: Option<String>,
    tail: String,
}

#[derive(Serialize)]
struct FailureView {
    test: String,
    place: String,
    error: String,
    message: String,
    expected: Option<String>,
    actual: Option<String>,
    stack: String,
}

/// An attempt of a loop. Logs are reached by the session; not from a file of its own.
pub(super) fn view(state: &State, attempt: &Attempt, session: Option<&str>) -> AttemptView {
    let judged = attempt.judged.as_ref();
    let turned = state.turned(attempt);
    let coverage = judged.into_iter().flat_map(|it| &it.execution.checks);
    let ran = diff::ran(coverage.filter_map(|check| check.coverage.as_ref()));
    let run = judged.map(|judged| run(judged, session));
    let in_short = match &run {
        Some(run) => run.counts.clone(),
        None => "not judged".to_owned(),
    };
    AttemptView {
        number: attempt.number,
        senior: attempt.senior,
        is_last: state.attempts.last().is_some_and(|last| last.number == attempt.number),
        charged: attempt.charged,
        class: run.as_ref().map_or("idle", |run| run.class),
        in_short,
        edit: edit(attempt),
        said: attempt.said.clone(),
        green: named(&turned.green),
        red: named(&turned.red),
        run,
        analysis: attempt.analysis.as_deref().map(|analysis| AnalysisView {
            cause: analysis.root_cause.clone(),
            strategy: analysis.fix_strategy.clone(),
            by: match analysis.source {
                AnalysisSource::Builtin => "redgreen",
                AnalysisSource::Agent => "the agent",
            },
            percent: percent(analysis.confidence),
        }),
        counted: !ran.is_empty(),
        diff: diff::read(&attempt.diff, &ran),
        square: attempt.square.as_ref().map(|read| square::view(&read.square, &read.facts)),
        review: attempt.review.as_ref().map(|review| ReviewView {
            findings: review
                .findings
                .iter()
                .map(|it| (it.severity.to_string(), it.place(), it.text.clone()))
                .collect(),
            problem: review.problem.clone(),
        }),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is between 0 and 100"
)]
fn percent(share: f64) -> u32 {
    (share.clamp(0.0, 1.0) * 100.0).round() as u32
}

fn edit(attempt: &Attempt) -> String {
    match attempt.changes.len() {
        0 => "nothing was edited".to_owned(),
        files => format!("{} in {}", diff_summary(&attempt.changes), many(files, "file")),
    }
}

/// Tests by name.
pub(super) fn named(tests: &[TestId]) -> Named {
    let shown = tests.iter().take(NAMED_MAX);
    let more = tests.len().saturating_sub(NAMED_MAX);
    Named { tests: shown.map(|test| test.test.clone()).collect(), more }
}

/// A run that was judged.
pub(super) fn run(judged: &Judged, session: Option<&str>) -> RunView {
    let execution = &judged.execution;
    let words = counts(judged.counts());
    let outcomes = execution.checks.iter().flat_map(|check| &check.report.tests);
    let letters = letters(outcomes.map(|test| test.outcome));
    let classes = &judged.classes;
    let classes = [
        ("Known to be red", &classes.known),
        ("Green before, red now", &classes.regressed),
        ("Red before, too", &classes.pre_existing),
        ("New and red", &classes.new_failures),
        ("Red before, green now", &classes.fixed),
        ("Now so, now so", &classes.flaky),
        ("Gone", &classes.lost),
        ("Skipped now", &classes.newly_skipped),
    ];
    let number = execution.number;
    let check = |(place, run): (usize, &CheckRun)| CheckView {
        name: run.check.clone(),
        command: run.command.clone(),
        ended: run.ended.to_string(),
        tests: counts(run.report.counts()),
        took: millis(run.duration_ms),
        log: session
            .filter(|_| !run.log.is_empty())
            .map(|session| format!("{session}/log/{number}/{place}")),
        tail: run.output_tail.clone(),
    };
    RunView {
        verdict: spaced(judged.verdict.as_str()),
        class: class(judged.verdict),
        strip: picture::strip(&letters, &words, 0, 0),
        counts: words,
        reasons: judged.reasons.clone(),
        checks: execution.checks.iter().enumerate().map(check).collect(),
        classes: classes
            .into_iter()
            .filter(|(_, tests)| !tests.is_empty())
            .map(|(title, tests)| (title, named(tests)))
            .collect(),
        failures: judged.failures.iter().take(FAILURES_SHOWN).map(failure).collect(),
        more: judged.failures.len().saturating_sub(FAILURES_SHOWN),
    }
}

fn failure(check: &redgreen_engine::judge::CheckFailure) -> FailureView {
    let failure = &check.failure;
    let bounded = |text: &str| bound_middle(text.trim(), FAILURE_CHARS);
    FailureView {
        test: check.name().to_owned(),
        place: failure.location.as_ref().map(ToString::to_string).unwrap_or_default(),
        error: failure.error_type.clone(),
        message: bounded(&failure.message),
        expected: failure.expected.as_deref().map(bounded),
        actual: failure.actual.as_deref().map(bounded),
        stack: bounded(&failure.stack),
    }
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::PassedBut | Verdict::Inconclusive => "held",
        Verdict::Failed => "ended",
        Verdict::ToolingError => "idle",
    }
}

fn letters(outcomes: impl Iterator<Item = TestOutcome>) -> String {
    redgreen_runner::overview::strip(outcomes)
}
