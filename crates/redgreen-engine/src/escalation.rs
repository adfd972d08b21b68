//! What a person gets when a loop ends without green: the short form of the report, for messages.

use std::fmt::Write as _;

use redgreen_model::escalation::{
    ESCALATION_FORMAT, EscalatedAttempt, EscalatedFailure, Escalation, FailureEntry, FailureHistory,
};
use redgreen_model::execution::{CheckRun, Ended};
use redgreen_model::text::{LINE_CHARS, MESSAGE_CHARS, clean_block, clean_line};
use redgreen_model::tree::diff_summary;

use crate::classes::Judged;
use crate::document::most_changed;
use crate::judge::CheckFailure;
use crate::state::{Attempt, State};

/// The most failures that a message has; the report has all.
const FAILURES_MAX: usize = 20;
/// The most entries of the history.
const ENTRIES_MAX: usize = 50;
/// The most entries of the history in a section of `.sdd/issues.md`.
const SECTION_ENTRIES_MAX: usize = 5;
/// The most files of an attempt that are named.
const FILES_MAX: usize = 20;
/// The most characters of an attempt's diff.
const DIFF_CHARS: usize = 4_000;

/// What a person gets of a loop that ended; `report` is where all of it is.
pub fn escalation(state: &State, report: String) -> Escalation {
    let settings = state.settings.as_ref();
    let stop = state.stop.as_ref();
    let failures = state.last_judged().map_or(&[][..], |judged| &judged.failures);
    Escalation {
        format: ESCALATION_FORMAT.to_owned(),
        session: settings.map(|it| it.session.clone()).unwrap_or_default(),
        at: state.updated_at.clone(),
        task: task(state),
        status: state.status,
        reason: stop.map(|stop| stop.reason),
        detail: stop.map(|stop| clean_line(&stop.detail, MESSAGE_CHARS)).unwrap_or_default(),
        file_path: most_changed(state),
        attempt_count: state.attempts_charged(),
        max_attempts: state.bound_of_all_rounds(),
        failures: failures.iter().take(FAILURES_MAX).map(failure).collect(),
        failures_left_out: failures.len().saturating_sub(FAILURES_MAX) as u64,
        attempts: state.attempts.iter().map(attempt).collect(),
        failure_history: history(state).unwrap_or_default(),
        follow_up: follow_up(state),
        reproduce: reproduce(state),
        report,
    }
}

/// What was to be done; an agent at the gate does not say.
fn task(state: &State) -> String {
    let said = state.settings.as_ref().map(|it| clean_line(&it.task, MESSAGE_CHARS));
    said.filter(|task| !task.is_empty()).unwrap_or_else(|| "what an agent worked on".to_owned())
}

/// The same as a section of `.sdd/issues.md`; the first line is its own for each end of a session.
pub fn issue_section(escalation: &Escalation) -> (String, String) {
    let Escalation { session, at, failure_history: history, .. } = escalation;
    let heading = format!("## redgreen session {session}, {at}");
    let mut text = format!("{heading}\n\n- Goal: {}\n", escalation.task);
    let reason = escalation.reason.map(|reason| reason.to_string()).unwrap_or_default();
    let _ = writeln!(text, "- Ended: {} {reason}: {}", escalation.status, escalation.detail);
    let _ =
        writeln!(text, "- Attempts: {} of {}", escalation.attempt_count, escalation.max_attempts);
    for entry in history.entries.iter().rev().take(SECTION_ENTRIES_MAX).rev() {
        let code = entry.exit_code.map(|code| format!(", exit code {code}")).unwrap_or_default();
        let _ = writeln!(
            text,
            "- Failed: `{}` ({}{code}): {}",
            entry.command, entry.kind, entry.summary
        );
    }
    let _ = writeln!(text, "- Follow-up: {}", escalation.follow_up);
    (heading, text)
}

fn failure(failed: &CheckFailure) -> EscalatedFailure {
    EscalatedFailure {
        test: failed.name().to_owned(),
        error_type: failed.failure.error_type.clone(),
        message: clean_line(&failed.failure.message, LINE_CHARS),
        location: failed.failure.location.clone(),
    }
}

fn attempt(attempt: &Attempt) -> EscalatedAttempt {
    let files = attempt.changes.iter().take(FILES_MAX).map(|change| change.path.clone());
    let outcome = |judged: &Judged| format!("{} ({})", judged.verdict, judged.counts());
    let analysis = attempt.analysis.as_ref();
    EscalatedAttempt {
        attempt: attempt.number,
        edit: diff_summary(&attempt.changes),
        files: files.collect(),
        diff: clean_block(attempt.diff.as_bytes(), DIFF_CHARS),
        outcome: attempt.judged.as_ref().map_or_else(|| "not executed".to_owned(), outcome),
        root_cause: analysis.map(|it| clean_line(&it.root_cause, MESSAGE_CHARS)),
        fix_strategy: analysis.map(|it| clean_line(&it.fix_strategy, MESSAGE_CHARS)),
    }
}

/// Which commands failed after which edit; nothing where none did.
pub(crate) fn history(state: &State) -> Option<FailureHistory> {
    let judged = state.attempts.iter().filter_map(|attempt| attempt.judged.as_ref());
    let mut entries: Vec<FailureEntry> = judged.flat_map(failed_commands).collect();
    entries.drain(..entries.len().saturating_sub(ENTRIES_MAX));
    (!entries.is_empty()).then(|| FailureHistory { attempts: state.attempts_charged(), entries })
}

fn failed_commands(judged: &Judged) -> impl Iterator<Item = FailureEntry> {
    judged.execution.checks.iter().filter_map(|run| {
        let failed = judged.failures.iter().find(|failure| failure.check == run.check)?;
        Some(FailureEntry {
            command: clean_line(&run.command, LINE_CHARS),
            exit_code: exit_code(run),
            kind: failed.failure.kind,
            summary: clean_line(
                &format!("{}: {}", failed.name(), failed.failure.summary()),
                LINE_CHARS,
            ),
        })
    })
}

fn exit_code(run: &CheckRun) -> Option<i32> {
    match run.ended {
        Ended::Exited { code } => Some(code),
        _ => None,
    }
}

/// Names the test and the error.
pub(crate) fn follow_up(state: &State) -> String {
    let first = state.last_judged().and_then(|judged| judged.failures.first());
    let Some(first) = first else {
        let detail = state.stop.as_ref().map_or("it ended without green", |stop| &stop.detail);
        return clean_line(&format!("Look at the report: {detail}"), MESSAGE_CHARS);
    };
    let place = first.failure.location.as_ref().map(|place| format!(" at {place}"));
    let (name, error) = (first.name(), &first.failure.error_type);
    clean_line(&format!("Look at {name}: {error}{}", place.unwrap_or_default()), MESSAGE_CHARS)
}

pub(crate) fn reproduce(state: &State) -> Vec<String> {
    let Some(judged) = state.last_judged() else { return Vec::new() };
    let failed = |run: &&CheckRun| judged.failures.iter().any(|failure| failure.check == run.check);
    let runs = judged.execution.checks.iter().filter(failed);
    runs.map(|run| clean_line(&run.command, LINE_CHARS)).collect()
}
