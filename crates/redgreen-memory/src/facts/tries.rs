//! What was tried against causes, and what came of it.

use std::collections::BTreeSet;

use redgreen_model::debug_memory::{Execution, FixApplied, Record, Verification};
use redgreen_model::diff::{Focus, Side};
use redgreen_model::text::one_line;

use super::causing_edits::Others;
use super::{Outcome, Try};
use crate::cause::{digest, fingerprint};
use crate::changes::{changed_lines, changes, excerpt};
use crate::moment::milliseconds;

/// So much of what others say about a fix is in the index.
const DESCRIPTION_CHARS: usize = 240;
/// So many of its changed lines: of one that helped, and of others.
const WORKED_LINES: usize = 6;
const OTHER_LINES: usize = 3;

/// The fixes of a session, for each cause that was red before them.
pub(super) fn tries(record: &Record, seen: bool) -> Vec<Try> {
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
        // Whether a fix worked is the same for all causes that it was tried against.
        let mut lines: Option<Option<String>> = None;
        let causes: BTreeSet<String> = run.failures.iter().map(fingerprint).collect();
        let left: Option<BTreeSet<String>> =
            next.map(|next| next.failures.iter().map(fingerprint).collect());
        let others = next.and_then(|next| Others::among(next, &causes));
        for cause in causes {
            let still_there = left.as_ref().is_none_or(|left| left.contains(&cause));
            let in_vain = match (still_there, &others) {
                (true, _) => Some(Outcome::Failed),
                (false, Some(others)) if others.brought || !seen => Some(Outcome::Broke),
                (false, Some(_)) => Some(Outcome::Uncovered),
                // The run was red for what had been red before, and may not have come so far.
                (false, None) => None,
            };
            let outcome =
                if seen { seen_outcome(fix, next, in_vain) } else { outcome(fix, next, in_vain) };
            let Some(outcome) = outcome else { continue };
            tries.push(Try {
                fingerprint: cause,
                run: u32::try_from(index).unwrap_or(u32::MAX),
                outcome,
                at: milliseconds(&next.unwrap_or(run).timestamp).unwrap_or(i64::MAX),
                description: description(fix, seen),
                diff_lines: fix.diff.as_deref().map_or(i64::MAX, changed_lines),
                fix: identity(fix),
                lines: lines.get_or_insert_with(|| telling_lines(run, fix, outcome)).clone(),
                others: others.as_ref().filter(|_| seen && outcome.has_others()).map(Others::words),
            });
        }
    }
    tries
}

/// A fix in words. What redgreen saw is described by what was changed, and the agent's words are marked; all that others
/// tell is marked as theirs where it is shown.
fn description(fix: &FixApplied, seen: bool) -> String {
    if seen { fix.in_words() } else { one_line(&fix.description, DESCRIPTION_CHARS) }
}

/// The lines that tell a fix: more of one that helped.
fn telling_lines(run: &Execution, fix: &FixApplied, outcome: Outcome) -> Option<String> {
    let focus = Focus::default().and(Side::Old, &run.failures);
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
