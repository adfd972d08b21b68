//! Tests that were red before the change and have nothing to do with it: said, and not charged to anybody.

use std::collections::BTreeMap;

use redgreen_model::execution::TestId;
use redgreen_model::verdict::Verdict;

use crate::classes::Judged;
use crate::first::is_plain;
use crate::judge::{CheckFailure, some_of};
use crate::known;

/// Whether all that is red in a run was red before, for the same reason. Whether it has anything to do with the
/// change is still to be seen.
pub(crate) fn may_be(run: &Judged, baseline: &Judged) -> bool {
    let before: BTreeMap<TestId, &CheckFailure> =
        baseline.failures.iter().filter_map(|it| Some((it.test_id()?, it))).collect();
    let as_before = |failure: &CheckFailure| {
        let Some(test) = failure.test_id() else { return false };
        let same = before.get(&test).is_some_and(|then| same_reason(then, failure));
        same && baseline.red.contains(&test) && run.red.contains(&test)
    };
    run.verdict == Verdict::Failed
        && !run.red.is_empty()
        && run.classes.flaky.is_empty()
        && run.execution.checks.iter().filter(|run| run.required).all(is_plain)
        && run.failures.iter().all(as_before)
}

/// The cause, where it has one; else what was said.
fn same_reason(before: &CheckFailure, after: &CheckFailure) -> bool {
    let (before, after) = (&before.failure, &after.failure);
    match before.fingerprint.is_empty() || after.fingerprint.is_empty() {
        true => before.summary() == after.summary(),
        false => before.fingerprint == after.fingerprint,
    }
}

/// Makes of a red run one that passes but for what was red before, where none of its red tests reaches the
/// change: `beyond` are those that do not.
pub(crate) fn weigh(run: &mut Judged, baseline: &Judged, beyond: &[TestId]) {
    if !may_be(run, baseline) || !run.other_red().all(|test| beyond.contains(test)) {
        return;
    }
    run.verdict = Verdict::PassedBut;
    run.reasons = vec![in_words(run)];
}

/// What is red as it was, in a sentence.
pub(crate) fn in_words(run: &Judged) -> String {
    let names: Vec<&str> = run.other_red().map(|test| test.test.as_str()).collect();
    let before = (!names.is_empty()).then(|| {
        format!(
            "{} that {} already red before, for the same reason, and {} nothing that was changed: {}",
            names.len(),
            if names.len() == 1 { "was" } else { "were" },
            if names.len() == 1 { "reaches" } else { "reach" },
            some_of(&names)
        )
    });
    let known = (!run.classes.known.is_empty()).then(|| known::listed(run));
    let parts: Vec<String> = before.into_iter().chain(known).collect();
    format!("passed, except for {}", parts.join("; and "))
}
