use std::path::Path;

use redgreen_model::report::{FailureKind, TestOutcome};

use super::read_json;
use crate::place::Places;

const MOCHA: &[u8] = include_bytes!("mocha.json");

fn places() -> Places<'static> {
    Places { root: Path::new("/home/me/shop"), folder: Path::new("") }
}

#[test]
fn every_test_is_in_its_list_and_hooks_are_errors() {
    use TestOutcome::{Failed, Passed, Skipped};
    let report = read_json(MOCHA, places());
    assert!(report.began && report.complete && report.diagnostics.is_empty(), "{report:#?}");
    let cases = [
        ("tests/ends.test.js > pass", Passed),
        ("tests/ends.test.js > fail with diff", Failed),
        ("tests/ends.test.js > skip", Skipped),
        ("tests/ends.test.js > skip itself", Skipped),
        ("tests/ends.test.js > to do", Skipped),
        ("tests/ends.test.js > error in teardown > of all", Passed),
        ("tests/names.test.js > in a group > twice", Failed),
        ("tests/names.test.js > in a group > twice #2", Passed),
    ];
    for (id, wanted) in cases {
        let found = report.tests.iter().find(|test| test.id == id).map(|test| test.outcome);
        assert_eq!(found, Some(wanted), "{id} {report:#?}");
    }
    // One failed hook each: before each, before all, after each, after all.
    assert_eq!(report.errors.len(), 4, "{:#?}", report.errors);
    assert!(report.errors.iter().all(|error| error.kind == FailureKind::RuntimeError));
    let first = &report.errors[0];
    assert_eq!(first.error_type, "TypeError");
    assert!(first.message.ends_with("in the \"before each\" hook for \"of each\""), "{first:#?}");
    assert_eq!(first.location.as_ref().map(ToString::to_string).as_deref(), Some("shop.js:6"));
}

#[test]
fn failures_have_type_values_and_places() {
    let report = read_json(MOCHA, places());
    let failure = |id: &str| {
        let test = report.tests.iter().find(|test| test.id == id);
        test.and_then(|test| test.failure.clone()).unwrap_or_else(|| panic!("{id}"))
    };
    let compared = failure("tests/names.test.js > in a group > twice");
    assert_eq!(compared.error_type, "AssertionError", "{compared:#?}");
    assert_eq!((compared.expected.as_deref(), compared.actual.as_deref()), (Some("1"), Some("2")));
    let place = compared.location.map(|place| place.to_string());
    assert_eq!(place.as_deref(), Some("tests/names.test.js:18"));
}

#[test]
fn what_is_cut_or_garbage_is_read_as_far_as_it_goes() {
    let half = read_json(&MOCHA[..MOCHA.len() / 4], places());
    assert!(!half.complete && !half.tests.is_empty());
    // The list of passes is at the end: without it, nothing has passed.
    assert!(half.tests.iter().all(|test| test.outcome != TestOutcome::Passed), "{half:#?}");
    for garbage in [&b""[..], b"{", b"[]", b"null", b"{\"tests\": 3}", b"\xff\xfe", b"{}"] {
        let report = read_json(garbage, places());
        assert!(!report.began && report.tests.is_empty(), "{report:?}");
    }
    let deep = format!("{{\"tests\": {}", "[".repeat(100_000));
    assert!(!read_json(deep.as_bytes(), places()).began);
}
