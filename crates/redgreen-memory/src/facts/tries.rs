//! What was tried against causes, and what came of it.

use std::collections::{BTreeMap, BTreeSet};

use redgreen_model::debug_memory::{
    Execution, Failure, FixApplied, Record, RecordStatus, Verification,
};
use redgreen_model::diff::{Focus, Side};
use redgreen_model::text::{clean_line, one_line};

use super::causing_edits::Others;
use super::{Outcome, Try};
use crate::cause::{digest, fingerprint};
use crate::changes::{changed_lines, changes, excerpt};
use crate::habits::Habit;
use crate::moment::milliseconds;

/// So much of what others say about a fix is in the index.
const DESCRIPTION_CHARS: usize = 240;
/// So many of its changed lines: of one that helped, and of others.
const WORKED_LINES: usize = 6;
const OTHER_LINES: usize = 3;

/// The fixes of a session, for each cause that was red before them.
pub(crate) fn tries(record: &Record, seen: bool) -> Vec<Try> {
    let mut tries = Vec::new();
    for (index, run) in record.executions.iter().enumerate() {
        let Some(fix) = &run.fix_applied else { continue };
        // Others may not say what they changed; redgreen saw that nothing was.
        if seen && fix.files_changed.is_empty() && fix.diff.is_none() {
            continue;
        }
        // What was warned of is not taught, neither as a success nor as something that was tried.
        if !fix.warnings.is_empty() {
            continue;
        }
        let next = record.executions.get(index + 1);
        let mut of_causes: BTreeMap<String, Vec<&Failure>> = BTreeMap::new();
        for failure in &run.failures {
            of_causes.entry(fingerprint(failure)).or_default().push(failure);
        }
        let causes: BTreeSet<String> = of_causes.keys().cloned().collect();
        let left: Option<BTreeSet<String>> =
            next.map(|next| next.failures.iter().map(fingerprint).collect());
        let others = next.and_then(|next| Others::among(next, &causes));
        // An edit is judged by the tests that it turned: what else was red says nothing about it.
        let is_gone = |cause: &String| left.as_ref().is_some_and(|left| !left.contains(cause));
        let is_about_others = seen && !fix.helped.is_empty() || causes.iter().any(is_gone);
        for (cause, failures) in &of_causes {
            let helped = seen && failures.iter().all(|it| fix.helped.contains(&it.test_name));
            let brought = others.as_ref().is_some_and(|others| others.brought);
            let in_vain = match (is_gone(cause), &others) {
                (false, _) if is_about_others => Some(Outcome::Elsewhere),
                (false, _) => Some(Outcome::Failed),
                (true, _) if helped && !brought && fix.broke.is_empty() => {
                    may_teach(record, fix).then_some(Outcome::Worked)
                }
                (true, Some(others)) if others.brought || !seen => Some(Outcome::Broke),
                (true, Some(_)) => Some(Outcome::Uncovered),
                // The run was red for what had been red before, and may not have come so far.
                (true, None) => None,
            };
            let outcome =
                if seen { seen_outcome(fix, next, in_vain) } else { outcome(fix, next, in_vain) };
            let (Some(outcome), Some(first)) = (outcome, failures.first()) else { continue };
            let others = match outcome {
                Outcome::Elsewhere => helped_words(fix),
                _ => others.as_ref().filter(|_| outcome.has_others()).map(Others::words),
            };
            let is_told = matches!(outcome, Outcome::Worked | Outcome::Failed);
            tries.push(Try {
                fingerprint: cause.clone(),
                run: u32::try_from(index).unwrap_or(u32::MAX),
                outcome,
                at: milliseconds(&next.unwrap_or(run).timestamp).unwrap_or(i64::MAX),
                description: description(fix, seen),
                diff_lines: fix.diff.as_deref().map_or(i64::MAX, changed_lines),
                fix: identity(fix),
                lines: telling_lines(failures.iter().copied(), fix, outcome),
                others: others.filter(|_| seen),
                habit: Habit::of(first, fix).filter(|_| seen && is_told),
                place: place(first, cause),
            });
        }
    }
    tries
}

/// Whether what passed after an edit of a red run teaches something. One that changed tests may have made them
/// pass by that: it counts once all of it was looked at, and nothing was wrong with it.
fn may_teach(record: &Record, fix: &FixApplied) -> bool {
    let mut fixes = record.executions.iter().filter_map(|run| run.fix_applied.as_ref());
    let passed = record.status == Some(RecordStatus::Passed);
    (passed || !fix.tests_changed) && fixes.all(|fix| fix.warnings.is_empty())
}

/// So much of the name of a test that was helped is shown.
const NAME_CHARS: usize = 90;

/// Which tests an edit helped.
fn helped_words(fix: &FixApplied) -> Option<String> {
    let first = clean_line(fix.helped.first()?, NAME_CHARS);
    Some(match fix.helped.len() - 1 {
        0 => format!("it made {first} pass"),
        more => format!("it made {first} and {more} more pass"),
    })
}

/// Where a failure came from: its function; by its cause where nobody knows.
fn place(failure: &Failure, cause: &str) -> String {
    let place = failure.source_location.as_ref();
    let file = place.and_then(|place| place.file.as_deref());
    let function = place.and_then(|place| place.function.as_deref()).unwrap_or_default();
    file.map_or_else(|| cause.to_owned(), |file| format!("{file}\u{1f}{function}"))
}

/// A fix in words. What redgreen saw is described by what was changed, and the agent's words are marked; all that others
/// tell is marked as theirs where it is shown.
fn description(fix: &FixApplied, seen: bool) -> String {
    if seen { fix.in_words() } else { one_line(&fix.description, DESCRIPTION_CHARS) }
}

/// The lines that tell a fix of a cause: more of one that helped.
fn telling_lines<'a>(
    failures: impl Iterator<Item = &'a Failure>,
    fix: &FixApplied,
    outcome: Outcome,
) -> Option<String> {
    let focus = Focus::default().and(Side::Old, failures);
    let lines_max = if outcome == Outcome::Worked { WORKED_LINES } else { OTHER_LINES };
    let lines = excerpt(fix.diff.as_deref()?, &focus, lines_max);
    Some(lines).filter(|lines| !lines.is_empty())
}

/// Whether redgreen saw a fix help against a cause: it says so, and the run that showed it is there and green.
/// A run that passed and is not said to have verified anything is still to be looked at.
fn seen_outcome(
    fix: &FixApplied,
    next: Option<&Execution>,
    in_vain: Option<Outcome>,
) -> Option<Outcome> {
    let is_green = next.is_some_and(|next| next.test_results.is_green());
    match fix.verification {
        Some(Verification::Passed) if is_green => Some(Outcome::Worked),
        Some(Verification::Failed) => in_vain,
        _ => Some(Outcome::Pending),
    }
}

/// Whether a fix is said to have helped against a cause.
fn outcome(
    fix: &FixApplied,
    next: Option<&Execution>,
    in_vain: Option<Outcome>,
) -> Option<Outcome> {
    let shown = || match next {
        Some(next) if next.test_results.is_green() => Verification::Passed,
        Some(_) => Verification::Failed,
        None => Verification::Pending,
    };
    let said = fix.verification.filter(|said| *said != Verification::Pending);
    match said.unwrap_or_else(shown) {
        Verification::Pending => Some(Outcome::Pending),
        Verification::Passed => Some(Outcome::Worked),
        Verification::Failed => in_vain,
    }
}

fn identity(fix: &FixApplied) -> String {
    let text = match &fix.diff {
        Some(diff) => changes(diff).map(str::trim_end).collect::<Vec<&str>>().join("\n"),
        None => fix.description.clone(),
    };
    digest(text.as_bytes())
}
