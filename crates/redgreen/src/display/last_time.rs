//! How a pass compares with the last time, in half a line.

use std::collections::BTreeSet;

use redgreen_engine::classes::Judged;
use redgreen_model::execution::TestId;
use redgreen_model::verdict::Verdict;

use super::wording::{names, seconds, some};

/// What follows the words on a pass.
pub fn compared(now: &Judged, before: Option<&Judged>) -> String {
    let Some(before) = before.filter(|_| now.verdict == Verdict::Passed) else {
        return String::new();
    };
    let took = seconds(before.execution.duration_ms);
    let counts = match (before.counts() == now.counts(), before.verdict) {
        (true, Verdict::Passed) => "the same".to_owned(),
        (_, Verdict::Passed) => before.counts().to_string(),
        (_, verdict) => format!("{verdict}, {}", before.counts()),
    };
    let (all_now, all_before) = (tests(now), tests(before));
    let rows = [
        ("fixed", before.red.intersection(&now.green).cloned().collect()),
        ("new", all_now.difference(&all_before).cloned().collect()),
        ("gone", all_before.difference(&all_now).cloned().collect::<Vec<_>>()),
    ];
    let named = rows.iter().filter(|(_, tests)| !tests.is_empty());
    let named: Vec<String> =
        named.map(|(word, tests)| format!("{word}: {}", some(&names(tests)))).collect();
    let named = if named.is_empty() { String::new() } else { format!(" ({})", named.join("; ")) };
    format!("; the last time {counts} in {took}{named}")
}

fn tests(run: &Judged) -> BTreeSet<TestId> {
    let checks = run.execution.checks.iter();
    checks
        .flat_map(|check| check.report.tests.iter().map(|test| TestId::new(&check.check, &test.id)))
        .collect()
}
