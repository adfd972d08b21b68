//! Which failures an edit brought, and the lines of it that a record keeps.

use redgreen_model::debug_memory::Execution;
use redgreen_model::diff::{Focus, Side, bounded};

use crate::classes::{FLAKY, Judged, TEST_VANISHED};
use crate::judge::CheckFailure;

/// The most characters of a diff: the smaller it is, the better it shows what helped.
const DIFF_CHARS_MAX: usize = 8_000;

/// Whether a failure was seen not to be there before: its test passed, or nothing of it was there in a run that came
/// to its end. One that was red for another reason may only have been hidden, and nothing is said of flaky ones.
pub(super) fn is_new(before: &Judged, failure: &CheckFailure) -> bool {
    if [FLAKY, TEST_VANISHED].contains(&failure.failure.error_type.as_str()) {
        return false;
    }
    let is_outside = |known: &CheckFailure| known.failure.test.is_none();
    let whole = || {
        !before.is_first()
            && before.ran_to_the_end()
            && !before
                .failures
                .iter()
                .any(|known| known.check == failure.check && is_outside(known))
    };
    match failure.test_id() {
        Some(test) => {
            let runs = before.execution.checks.iter().filter(|run| run.check == test.check);
            let mut known = runs.flat_map(|run| &run.report.tests);
            before.green.contains(&test) || whole() && !known.any(|known| known.id == test.test)
        }
        None => whole(),
    }
}

/// Bounds the diffs of edits. What was red before one, and what is after it, says which of its lines matter.
pub(super) fn bound_diffs(executions: &mut [Execution]) {
    for index in 0..executions.len() {
        let (here, after) = executions.split_at_mut(index + 1);
        let Some(run) = here.last_mut() else { continue };
        let Some(diff) = run.fix_applied.as_mut().and_then(|fix| fix.diff.as_mut()) else {
            continue;
        };
        let next = after.first().into_iter().flat_map(|next| &next.failures);
        let focus = Focus::default().and(Side::New, next).and(Side::Old, &run.failures);
        *diff = bounded(diff, &focus, DIFF_CHARS_MAX);
    }
}
