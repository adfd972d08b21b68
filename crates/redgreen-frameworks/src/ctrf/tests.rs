use std::path::Path;

use super::*;
use crate::place::Places;
use redgreen_model::report::{Report, TestOutcome};

fn read_text(text: &str) -> Report {
    let root = Path::new("/home/me/project");
    read(text.as_bytes(), Places { root, folder: Path::new("") })
}

const DOCUMENT: &str = r#"{"reportFormat":"CTRF","specVersion":"0.0.0","results":{
  "tool":{"name":"jest"},
  "summary":{"tests":7,"passed":2,"failed":1,"pending":1,"skipped":1,"other":1,"start":1,"stop":2},
  "tests":[
    {"name":"adds","status":"passed","duration":12,"suite":"sum","filePath":"/home/me/project/src/a.test.js"},
    {"name":"adds","status":"passed","duration":1.6,"suite":["sum","deep"],"filePath":"src/b.test.js","flaky":true,"retries":1},
    {"name":"fails","status":"failed","duration":3,"message":"Error: no\nExpected: 3\nReceived: 4","trace":"Error: no\n    at f (/home/me/project/src/a.js:3:1)","filePath":"src/a.test.js","line":9},
    {"name":"later","status":"pending","duration":0},
    {"name":"never","status":"skipped","duration":0},
    {"name":"odd","status":"other","rawStatus":"interrupted","duration":0},
    {"name":"odd","status":"somehow"},
    17
  ]}}"#;

#[test]
fn a_document_is_read() {
    use TestOutcome::{Errored, Failed, Passed, Skipped};
    let report = read_text(DOCUMENT);
    let found: Vec<_> = report
        .tests
        .iter()
        .map(|test| (test.id.as_str(), test.outcome, test.duration_ms))
        .collect();
    assert_eq!(
        found,
        [
            ("src/a.test.js::sum > adds", Passed, 12),
            ("src/b.test.js::sum > deep > adds", Passed, 2),
            ("src/a.test.js::fails", Failed, 3),
            ("later", Skipped, 0),
            ("never", Skipped, 0),
            ("odd", Errored, 0),
            ("odd#2", Errored, 0),
        ]
    );
    assert!(report.began && report.complete);
    let failure = report.tests[2].failure.as_deref().unwrap();
    assert_eq!(failure.location.as_ref().unwrap().to_string(), "src/a.js:3");
    assert_eq!(failure.test_location.as_ref().unwrap().to_string(), "src/a.test.js:9");
    assert_eq!((failure.expected.as_deref(), failure.actual.as_deref()), (Some("3"), Some("4")));
    assert_eq!(failure.error_type, "Error");
    let odd = report.tests[5].failure.as_deref().unwrap();
    assert!(odd.message.contains("interrupted"), "{}", odd.message);
    let said = report.diagnostics.join("\n");
    assert!(said.contains("sum > deep > adds failed, and passed"), "{said}");
    assert!(said.contains("says 2 red, 3 are there"), "{said}");
}

#[test]
fn a_cut_document_keeps_its_whole_tests() {
    let whole = read_text(DOCUMENT);
    for at in (0..DOCUMENT.trim_end().len()).filter(|at| DOCUMENT.is_char_boundary(*at)) {
        let report = read_text(&DOCUMENT[..at]);
        assert!(!report.complete && !report.diagnostics.is_empty(), "cut at {at}");
        for (index, test) in report.tests.iter().enumerate() {
            assert_eq!(test, &whole.tests[index], "cut at {at}");
        }
    }
    let at = DOCUMENT.find("{\"name\":\"later\"").unwrap();
    assert_eq!(read_text(&DOCUMENT[..at + 9]).tests.len(), 3);
}

#[test]
fn what_is_no_report_has_not_begun() {
    for text in
        ["", "{}", "[]", "null", "{\"results\":{\"tests\":3}}", "{\"tests\":[1,2", "\u{feff}"]
    {
        let report = read_text(text);
        assert!(!report.began && !report.complete && report.tests.is_empty(), "{text}");
    }
}
