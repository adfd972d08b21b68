use std::path::Path;

use redgreen_model::report::{FailureKind, Report, TestOutcome};

use super::read_json;
use crate::place::Places;

const JEST: &[u8] = include_bytes!("jest.json");
const VITEST: &[u8] = include_bytes!("vitest.json");

fn places() -> Places<'static> {
    Places { root: Path::new("/home/me/shop"), folder: Path::new("") }
}

fn outcome(report: &Report, id: &str) -> Option<TestOutcome> {
    report.tests.iter().find(|test| test.id == id).map(|test| test.outcome)
}

#[test]
fn reports_of_jest_and_vitest_say_every_test() {
    use TestOutcome::{ExpectedFailure, Failed, Passed, Skipped};
    for (bytes, jest) in [(JEST, true), (VITEST, false)] {
        let report = read_json(bytes, places());
        assert!(report.began && report.complete && report.diagnostics.is_empty(), "{report:#?}");
        let cases = [
            ("tests/ends.test.js > pass", Passed),
            ("tests/ends.test.js > fail with diff", Failed),
            ("tests/ends.test.js > skip", Skipped),
            ("tests/ends.test.js > to do", Skipped),
            ("tests/names.test.js > größe 日本", Passed),
            ("tests/names.test.js > in a group > twice", Failed),
            ("tests/names.test.js > in a group > twice #2", Passed),
            ("tests/fine.test.js > fine", Passed),
        ];
        for (id, wanted) in cases {
            assert_eq!(outcome(&report, id), Some(wanted), "{id} {report:#?}");
        }
        // vitest does not write down that a failure was expected.
        let expected = if jest { ExpectedFailure } else { Passed };
        assert_eq!(outcome(&report, "tests/ends.test.js > expected failure"), Some(expected));
    }
}

#[test]
fn failures_have_type_values_and_places() {
    for bytes in [JEST, VITEST] {
        let report = read_json(bytes, places());
        let failure = |id: &str| {
            let test = report.tests.iter().find(|test| test.id == id);
            test.and_then(|test| test.failure.clone()).unwrap_or_else(|| panic!("{id}"))
        };
        let compared = failure("tests/names.test.js > in a group > twice");
        assert_eq!(compared.error_type, "AssertionError", "{compared:#?}");
        let place = compared.location.map(|place| place.to_string());
        assert_eq!(place.as_deref(), Some("tests/names.test.js:18"));
        let inside = failure("tests/ends.test.js > fail in the code");
        assert_eq!(inside.error_type, "TypeError");
        assert_eq!(inside.message, "Cannot read properties of undefined (reading 'name')");
        assert_eq!(inside.location.map(|place| place.to_string()).as_deref(), Some("shop.js:6"));
        let place = inside.test_location.map(|place| place.to_string());
        assert_eq!(place.as_deref(), Some("tests/ends.test.js:13"));
    }
    let report = read_json(JEST, places());
    let compared = report.tests.iter().find(|test| test.id.ends_with("in a group > twice"));
    let compared = compared.and_then(|test| test.failure.as_ref()).map(|failure| {
        (failure.expected.as_deref().unwrap_or(""), failure.actual.as_deref().unwrap_or(""))
    });
    assert_eq!(compared, Some(("1", "2")));
}

/// No assertion failed in such a file, and `numFailedTests` does not count it.
#[test]
fn a_file_that_did_not_run_is_an_error() {
    for bytes in [JEST, VITEST] {
        let report = read_json(bytes, places());
        let broken = report.errors.iter().find(|error| error.kind == FailureKind::CompileError);
        let broken = broken.unwrap_or_else(|| panic!("{:#?}", report.errors));
        let file = broken.location.as_ref().map(|place| place.file.as_str());
        assert_eq!(file, Some("tests/broken.test.js"), "{broken:#?}");
    }
}

#[test]
fn what_is_cut_or_garbage_is_read_as_far_as_it_goes() {
    let whole = read_json(JEST, places());
    let cut = &JEST[..JEST.len() * 9 / 10];
    let half = read_json(cut, places());
    assert!(!half.complete && !half.tests.is_empty() && half.tests.len() < whole.tests.len());
    assert!(half.diagnostics[0].contains("not valid JSON"), "{:?}", half.diagnostics);
    for garbage in [&b""[..], b"{", b"[]", b"null", b"{\"testResults\": 3}", b"\xff\xfe", b"{}"] {
        let report = read_json(garbage, places());
        assert!(!report.began && report.tests.is_empty(), "{report:?}");
        assert_eq!(report.diagnostics.len(), 1);
    }
    let odd = br#"{"testResults": [1, {"assertionResults": [7, {}, {"status": "new"}]}]}"#;
    let report = read_json(odd, places());
    assert_eq!(report.tests.len(), 3);
    assert!(report.tests.iter().all(|test| test.outcome == TestOutcome::Errored), "{report:#?}");
    let deep = format!("{{\"testResults\": {}", "[".repeat(100_000));
    assert!(!read_json(deep.as_bytes(), places()).began);
}

#[test]
fn interrupted_is_not_complete() {
    let report = read_json(br#"{"testResults": [], "wasInterrupted": true}"#, places());
    assert!(report.began && !report.complete);
}
