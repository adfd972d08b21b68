//! The state's form in the debug memory: what a loop tried, what failed, why, and what helped.
//!
//! An execution stands with the attempt that it judged. The baseline is one of the first, if something
//! was red, or the first edit brought what was not: what it repaired is worth remembering, and what it broke. Runs that the tools kept from
//! being judged teach nothing, and are left out; so is an edit that changed nothing.

mod category;
mod edits;

use std::collections::BTreeSet;

use redgreen_model::analysis::{ANALYSIS_CHARS_MIN, Analysis as OwnAnalysis, AnalysisSource};
use redgreen_model::debug_memory::{
    Analysis, CoverageSeen, Environment, Execution, Failure, FixApplied, Metadata, Recalled,
    Record, RecordStatus, SimilarIssue, SourceLocation, TestResults, Verification, edit_words,
};
use redgreen_model::execution::TestId;
use redgreen_model::report::{Counts, Location};
use redgreen_model::square::{ExpectationKind, Square};
use redgreen_model::text::{LINE_CHARS, bound_middle, clean_line};
use redgreen_model::tree::{FileRole, diff_summary};
use redgreen_model::verdict::Verdict;
use redgreen_model::workflow::LoopStatus;

use crate::analysis::from_agent;
use crate::classes::Judged;
use crate::document::most_changed;
use crate::escalation::history;
use crate::feedback::code_of;
use crate::judge::CheckFailure;
use crate::record::category::category;
use crate::state::{Attempt, State};

/// The most failures of one execution, and the most characters of each: a record is for people, and
/// for the history of a project. The counts are of all.
const FAILURES_MAX: usize = 50;
const MESSAGE_CHARS_MAX: usize = 1_000;
const STACK_CHARS_MAX: usize = 2_000;
/// The most characters of a message or a value where the same cause stands above it: it says the same.
const REPEATED_CHARS_MAX: usize = 200;
/// The most warnings of one edit.
const WARNINGS_MAX: usize = 5;
/// The most characters of the task.
const TASK_CHARS_MAX: usize = 200;

/// Says why an execution was made where it did not run everything to judge an attempt.
const PURPOSE: &str = "purpose";
const BASELINE: &str = "baseline";
const FIRST: &str = "failed_first";
/// Says how many failures of an execution are not in the record.
const LEFT_OUT: &str = "failures_left_out";

/// What the record says and the engine has no use for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordFacts {
    /// The agent's name.
    pub agent: String,
    /// The program that saw the executions, with its version: `redgreen 0.1.0`.
    pub recorded_by: String,
    /// What the checks ran with. The framework is that of the first required check, if none is said.
    pub environment: Environment,
    /// The task by its id in another system; without one, its first line.
    pub task_id: Option<String>,
}

/// The debug-memory record of a loop, at any moment of it.
pub fn record(state: &State, facts: &RecordFacts) -> Record {
    let settings = state.settings.as_ref();
    let time = |at: &String| Some(at.clone()).filter(|at| !at.is_empty());
    Record {
        session_id: settings.map(|settings| settings.session.clone()).unwrap_or_default(),
        file_path: most_changed(state),
        created_at: time(&state.started_at),
        updated_at: time(&state.updated_at),
        status: Some(status(state.status)),
        executions: executions(state, facts),
        learnings: None,
        metadata: Some(Metadata {
            agent: Some(facts.agent.clone()).filter(|agent| !agent.is_empty()),
            task_id: facts.task_id.clone().or_else(|| settings.and_then(|it| task(&it.task))),
            ralph_iteration: None,
            recorded_by: Some(facts.recorded_by.clone()),
            code_type: settings.and_then(|settings| settings.code_type),
            stop_reason: state.stop.as_ref().map(|stop| stop.reason.to_string()),
            failure_history: history(state),
            coverage: coverage(state),
            recalled: recalled(state),
            imported_from: None,
            seal: None,
        }),
    }
}

/// How much of the change its tests had to run in the end, and did.
fn coverage(state: &State) -> Option<CoverageSeen> {
    let attempt = state.attempts.iter().rev().find(|attempt| attempt.square.is_some())?;
    let figures = attempt.square.as_ref()?.square.coverage.as_ref()?;
    Some(CoverageSeen {
        required_percent: Some(f64::from(figures.threshold)),
        measured_percent: attempt.coverage_percent(),
        met: (figures.measured > 0).then_some(figures.met),
    })
}

/// What memory had to say, and whether what it warned of appeared after that.
fn recalled(state: &State) -> Option<Recalled> {
    let shown = &state.remembered.recalled;
    if *shown == Recalled::default() {
        return None;
    }
    let judged = state.attempts.iter().filter_map(|attempt| attempt.judged.as_ref());
    let seen: BTreeSet<&str> = judged
        .flat_map(|judged| &judged.failures)
        .map(|failure| failure.failure.fingerprint.as_str())
        .collect();
    let warned_of = shown.warned_of.iter();
    let appeared = warned_of.filter(|warned| seen.contains(warned.as_str())).cloned().collect();
    Some(Recalled { appeared, ..shown.clone() })
}

/// The record has no word for a loop that was stopped: its stop reason says it.
fn status(status: LoopStatus) -> RecordStatus {
    match status {
        LoopStatus::InProgress => RecordStatus::InProgress,
        LoopStatus::Passed => RecordStatus::Passed,
        LoopStatus::Escalated => RecordStatus::Escalated,
        LoopStatus::Failed | LoopStatus::Aborted => RecordStatus::Failed,
    }
}

fn task(task: &str) -> Option<String> {
    let first = task.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(clean_line(first, TASK_CHARS_MAX))
}

fn executions(state: &State, facts: &RecordFacts) -> Vec<Execution> {
    let is_seen = |judged: &&Judged| judged.verdict != Verdict::ToolingError;
    let edit = |number: u32| {
        state.attempts.iter().find(|next| next.number == number && next.agent.is_some())
    };
    let mut all = Vec::new();
    let first = state.attempts.first().filter(|attempt| brought(state, attempt));
    if let Some(judged) = state.baseline.as_ref().filter(is_seen)
        && (!judged.failures.is_empty() || first.is_some())
    {
        let mut execution = execution(1, judged, None, facts);
        let environment = execution.environment.get_or_insert_default();
        environment.additional.insert(PURPOSE.to_owned(), BASELINE.to_owned());
        let said = edit(1).and_then(|next| said_before(next, judged));
        execution.analysis = said.as_ref().map(|said| own_analysis(said, judged));
        execution.fix_applied = edit(1).and_then(|next| fix_applied(state, said.as_ref(), next));
        all.push(execution);
    }
    for attempt in &state.attempts {
        let Some(judged) = attempt.judged.as_ref().filter(is_seen) else { continue };
        let analysis = attempt.analysis.as_deref();
        let before = state.seen_before(attempt).filter(is_seen);
        let mut execution = execution(attempt.number, judged, before, facts);
        if judged.is_first() {
            let environment = execution.environment.get_or_insert_default();
            environment.additional.insert(PURPOSE.to_owned(), FIRST.to_owned());
        }
        execution.test_results.coverage_percent = attempt.coverage_percent();
        execution.analysis = analysis.map(|analysis| Analysis {
            similar_past_issues: similar(state, attempt.number),
            ..own_analysis(analysis, judged)
        });
        execution.fix_applied =
            edit(attempt.number + 1).and_then(|next| fix_applied(state, analysis, next));
        all.push(execution);
    }
    edits::bound_diffs(&mut all);
    all
}

/// Whether something failed after an attempt's edit that did not before.
fn brought(state: &State, attempt: &Attempt) -> bool {
    let failures = attempt.judged.iter().flat_map(|judged| &judged.failures);
    let before = state.seen_before(attempt);
    before.is_some_and(|before| failures.into_iter().any(|failure| edits::is_new(before, failure)))
}

fn execution(
    attempt: u32,
    judged: &Judged,
    before: Option<&Judged>,
    facts: &RecordFacts,
) -> Execution {
    let mut environment = facts.environment.clone();
    if environment.test_framework.is_none() {
        let checks = &judged.execution.checks;
        let check = checks.iter().find(|check| check.required).or(checks.first());
        environment.test_framework = check.map(|check| check.framework.to_string());
    }
    let left_out = judged.failures.len().saturating_sub(FAILURES_MAX);
    if left_out > 0 {
        environment.additional.insert(LEFT_OUT.to_owned(), left_out.to_string());
    }
    Execution {
        attempt,
        timestamp: judged.execution.started_at.clone(),
        code_hash: judged.tree().code.0.clone(),
        code_snapshot: snapshot(judged),
        environment: Some(environment),
        test_results: results(judged),
        failures: failures(judged, before),
        analysis: None,
        fix_applied: None,
    }
}

/// The code where it failed, as far as it was looked at.
fn snapshot(judged: &Judged) -> Option<String> {
    let excerpts = code_of(judged);
    let excerpts = excerpts.iter();
    let text: String = excerpts.map(redgreen_model::execution::Excerpt::shown).collect();
    (!text.is_empty()).then_some(text)
}

fn results(judged: &Judged) -> TestResults {
    let Counts { total, passed, failed, errors, skipped } = judged.counts();
    TestResults {
        total,
        passed,
        failed,
        errors: Some(errors),
        skipped: Some(skipped),
        #[expect(clippy::cast_precision_loss, reason = "a run of 2^53 ms does not happen")]
        duration_ms: Some(judged.execution.duration_ms as f64),
        coverage_percent: None,
    }
}

/// What failed. Where one cause shows in many tests, its trace and its words are there once.
fn failures(judged: &Judged, before: Option<&Judged>) -> Vec<Failure> {
    let mut causes: BTreeSet<&str> = BTreeSet::new();
    let mut all = Vec::new();
    for check in judged.failures.iter().take(FAILURES_MAX) {
        let cause = check.failure.fingerprint.as_str();
        let is_repeated = !cause.is_empty() && !causes.insert(cause);
        let brought_by_edit = before.is_some_and(|before| edits::is_new(before, check));
        let failure = Failure { brought_by_edit, ..failure(check) };
        all.push(if is_repeated { repeated(failure) } else { failure });
    }
    all
}

fn repeated(failure: Failure) -> Failure {
    let value = |value: Option<String>| value.map(|value| bound_middle(&value, REPEATED_CHARS_MAX));
    Failure {
        error_message: bound_middle(&failure.error_message, REPEATED_CHARS_MAX),
        stack_trace: None,
        expected: value(failure.expected),
        actual: value(failure.actual),
        ..failure
    }
}

fn failure(check: &CheckFailure) -> Failure {
    let failure = &check.failure;
    let text = |text: &str, chars_max: usize| {
        Some(bound_middle(text, chars_max)).filter(|text| !text.is_empty())
    };
    let value =
        |value: &Option<String>| value.as_deref().and_then(|it| text(it, MESSAGE_CHARS_MAX));
    let test = failure.test_location.as_ref();
    Failure {
        test_name: check.name().to_owned(),
        test_file: test.map(|place| place.file.clone()),
        test_line: test.and_then(|place| place.line).filter(|line| *line > 0),
        error_type: failure.error_class,
        error_message: bound_middle(&failure.message, MESSAGE_CHARS_MAX),
        stack_trace: text(&failure.stack, STACK_CHARS_MAX),
        expected: value(&failure.expected),
        actual: value(&failure.actual),
        source_location: failure.location.as_ref().map(place),
        error_name: text(&failure.error_type, MESSAGE_CHARS_MAX),
        fingerprint: text(&failure.fingerprint, MESSAGE_CHARS_MAX),
        brought_by_edit: false,
    }
}

fn place(location: &Location) -> SourceLocation {
    SourceLocation {
        file: Some(location.file.clone()),
        line: location.line,
        function: location.function.clone(),
    }
}

/// What the agent says of failures that were there before it came: nobody else said anything of them.
fn said_before(first: &Attempt, baseline: &Judged) -> Option<OwnAnalysis> {
    let mut said = from_agent(first.proposed.as_ref().filter(|_| !baseline.failures.is_empty())?);
    said.confidence = said.confidence.clamp(0.0, 1.0);
    let is_said = |text: &str| text.trim().chars().count() >= ANALYSIS_CHARS_MIN;
    (is_said(&said.root_cause) && is_said(&said.fix_strategy)).then_some(said)
}

fn own_analysis(analysis: &OwnAnalysis, judged: &Judged) -> Analysis {
    let about =
        judged.failures.iter().find(|it| analysis.tests.iter().any(|test| test == it.name()));
    let about = about.or(judged.failures.first());
    Analysis {
        root_cause: analysis.root_cause.clone(),
        root_cause_category: about.and_then(|it| category(&it.failure)),
        fix_strategy: analysis.fix_strategy.clone(),
        confidence: Some(analysis.confidence),
        related_failures: analysis.tests.clone(),
        similar_past_issues: Vec::new(),
        source: Some(analysis.source),
    }
}

/// What memory knew of the failures of an attempt.
fn similar(state: &State, attempt: u32) -> Vec<SimilarIssue> {
    let known = state.remembered.similar.iter().find(|known| known.attempt == attempt);
    known.map(|known| known.issues.clone()).unwrap_or_default()
}

/// What the next attempt did about the failures of an execution, and whether that was seen to help; none if it
/// changed nothing: that is no fix.
fn fix_applied(
    state: &State,
    analysis: Option<&OwnAnalysis>,
    next: &Attempt,
) -> Option<FixApplied> {
    if next.changes.is_empty() && next.diff.is_empty() {
        return None;
    }
    let verification = verification(next);
    let turned = state.turned(next);
    let names = |tests: Vec<TestId>| {
        tests.into_iter().map(|test| test.test).take(FAILURES_MAX).collect::<Vec<String>>()
    };
    let passed = next.square.as_ref().filter(|_| verification == Verification::Passed);
    Some(FixApplied {
        description: description(analysis, next),
        diff_summary: Some(diff_summary(&next.changes)),
        files_changed: next.changes.iter().map(|change| change.path.clone()).collect(),
        diff: Some(next.diff.clone()).filter(|diff| !diff.is_empty()),
        verification: Some(verification),
        helped: names(turned.green),
        broke: names(turned.red),
        tests_changed: next.changes.iter().any(|change| change.role == FileRole::Tests),
        warnings: passed.map(|seen| warnings(&seen.square)).unwrap_or_default(),
    })
}

/// Why a change that passed is nothing to be repeated: it looks for its judge, a person had to accept something
/// of it, or its tests ask less than those before.
fn warnings(square: &Square) -> Vec<String> {
    let sought = square.warnings.iter();
    let sought = sought.map(|it| format!("{}:{}: {}", it.file, it.line, it.what));
    let waived = square.findings.iter().filter(|finding| finding.waived.is_some());
    let waived = waived.map(|finding| format!("waived: {}", finding.message));
    let weaker = square.expectations.iter().filter(|it| it.kind != ExpectationKind::Changed);
    let weaker = weaker.map(|it| format!("{}: {}", it.test, it.kind.as_str()));
    let all = sought.chain(waived).chain(weaker);
    all.take(WARNINGS_MAX).map(|warning| clean_line(&warning, LINE_CHARS)).collect()
}

/// An edit in words: what was changed, and what the agent said about it: its plan, if it wrote one down, else its
/// last words.
fn description(analysis: Option<&OwnAnalysis>, next: &Attempt) -> String {
    let plan = analysis.filter(|it| it.source == AnalysisSource::Agent);
    let said = plan.map_or(next.said.as_str(), |plan| plan.fix_strategy.as_str());
    let files: Vec<String> = next.changes.iter().map(|change| change.path.clone()).collect();
    edit_words(&files, said)
}

/// What redgreen saw of an edit. A run that passed counts when the square has been looked at: until
/// then it may have been the tests that gave way.
fn verification(next: &Attempt) -> Verification {
    match next.judged.as_ref().map(|judged| judged.verdict) {
        Some(Verdict::Passed) if next.square.is_some() => Verification::Passed,
        Some(Verdict::Passed | Verdict::ToolingError) | None => Verification::Pending,
        Some(Verdict::PassedBut | Verdict::Failed | Verdict::Inconclusive) => Verification::Failed,
    }
}
