//! What failed, one after the other: since when, how it stands to what was before, and what was said.

use std::collections::BTreeMap;

use redgreen_model::error_class::ErrorClass;
use redgreen_model::execution::{Purpose, TestId};
use redgreen_model::report::{FailureKind, Location};
use redgreen_model::text::{LINE_CHARS, bound_end};
use serde::Serialize;

use crate::classes::Judged;
use crate::judge::CheckFailure;
use crate::state::State;

/// The most failures that the feedback document holds in full; of the others it has a line each.
const FULL_MAX: usize = 100;
/// The class of what failed before anybody changed anything.
pub(super) const PRE_EXISTING: &str = "pre_existing";

/// One failure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FailureItem {
    /// The check.
    pub check: String,
    /// The test, or the check for a failure outside any test.
    pub test: String,
    /// How it stands to what was before: `pre_existing`, `new`, `regressed`, `flaky`.
    pub class: &'static str,
    /// The attempt since which it fails; 0 for before the first. None where it is no test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_attempt: Option<u32>,
    /// Whether that was before the attempt that was judged last.
    #[serde(skip)]
    pub is_earlier: bool,
    /// What sort of thing it is.
    pub kind: FailureKind,
    /// The language's own name of the error.
    pub error_type: String,
    /// The same in the words that all languages share.
    pub error_class: ErrorClass,
    /// The cause: failures with the same one have the same cause.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fingerprint: String,
    /// What was said.
    pub message: String,
    /// What the test wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What the test got.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// The place in the project's own code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The place in the test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_location: Option<Location>,
    /// The stack trace.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stack: String,
}

impl FailureItem {
    /// Whether a file is one that the failure shows, or the test's own.
    pub(super) fn is_in(&self, file: &str) -> bool {
        let places = self.location.iter().chain(&self.test_location);
        self.test.starts_with(file) || places.into_iter().any(|place| place.file == file)
    }
}

/// The failures of what was judged last.
pub(super) fn items(state: &State, judged: &Judged) -> Vec<FailureItem> {
    let since = red_since(state);
    let last = state.attempts.iter().rev().find(|attempt| attempt.judged.is_some());
    let last = last.map_or(0, |attempt| attempt.number);
    let classes = class_names(judged);
    let at_baseline = judged.execution.purpose == Purpose::Baseline;
    let otherwise = if at_baseline { PRE_EXISTING } else { "new" };
    judged
        .failures
        .iter()
        .enumerate()
        .map(|(index, failure)| {
            let class = failure.test_id().and_then(|test| classes.get(&test).copied());
            let since = failure.test_id().and_then(|test| since.get(&test).copied());
            let item = FailureItem {
                since_attempt: since,
                is_earlier: since.is_some_and(|since| since > 0 && since < last),
                ..item(failure, class.unwrap_or(otherwise))
            };
            if index < FULL_MAX { item } else { in_short(item) }
        })
        .collect()
}

/// Since which attempt each test fails that fails now.
fn red_since(state: &State) -> BTreeMap<TestId, u32> {
    let mut since: BTreeMap<TestId, u32> = BTreeMap::new();
    let attempts = state.attempts.iter().filter_map(|it| Some((it.number, it.judged.as_ref()?)));
    for (number, judged) in state.baseline.iter().map(|baseline| (0, baseline)).chain(attempts) {
        since.retain(|test, _| !judged.green.contains(test));
        for test in judged.failures.iter().filter_map(CheckFailure::test_id) {
            since.entry(test).or_insert(number);
        }
    }
    since
}

/// The class of every test that has one; what is said later counts more.
fn class_names(judged: &Judged) -> BTreeMap<&TestId, &'static str> {
    let classes = &judged.classes;
    [
        (&classes.pre_existing, PRE_EXISTING),
        (&classes.regressed, "regressed"),
        (&classes.flaky, "flaky"),
    ]
    .into_iter()
    .flat_map(|(tests, name)| tests.iter().map(move |test| (test, name)))
    .collect()
}

fn in_short(item: FailureItem) -> FailureItem {
    FailureItem {
        message: bound_end(&item.message, LINE_CHARS),
        expected: None,
        actual: None,
        stack: String::new(),
        ..item
    }
}

fn item(failed: &CheckFailure, class: &'static str) -> FailureItem {
    let failure = &failed.failure;
    FailureItem {
        check: failed.check.clone(),
        test: failed.name().to_owned(),
        class,
        since_attempt: None,
        is_earlier: false,
        kind: failure.kind,
        error_type: failure.error_type.clone(),
        error_class: failure.error_class,
        fingerprint: failure.fingerprint.clone(),
        message: failure.message.clone(),
        expected: failure.expected.clone(),
        actual: failure.actual.clone(),
        location: failure.location.clone(),
        test_location: failure.test_location.clone(),
        stack: failure.stack.clone(),
    }
}
