use std::path::Path;

use super::*;
use crate::place::Places;
use redgreen_model::report::{Report, TestOutcome};

fn read_text(text: &str) -> Report {
    let root = Path::new("/home/me/project");
    read(text.as_bytes(), Places { root, folder: Path::new("") })
}

fn outcomes(report: &Report) -> Vec<(&str, TestOutcome)> {
    report.tests.iter().map(|test| (test.id.as_str(), test.outcome)).collect()
}

#[test]
fn points_plans_and_directives_are_read() {
    use TestOutcome::{ExpectedFailure, Failed, Passed, Skipped, UnexpectedPass};
    let report = read_text(
        "TAP version 13\n1..9\nok 1 - adds\nnot ok 2 - fails\nok 3 # SKIP no network\n\
         not ok 4 - later # TODO not done\nok 5 - soon # todo\nok\n\
         ok 7 - a \\# b # c # skip: why\nok 8 - adds\n# comment\nnoise\nokay then\n\
         not ok 9 prüft 日本\n",
    );
    assert_eq!(
        outcomes(&report),
        [
            ("adds", Passed),
            ("fails", Failed),
            ("test 3", Skipped),
            ("later", ExpectedFailure),
            ("soon", UnexpectedPass),
            ("test 6", Passed),
            ("a # b # c", Skipped),
            ("adds#2", Passed),
            ("prüft 日本", Failed),
        ]
    );
    assert!(report.began && report.complete, "{:?}", report.diagnostics);
}

#[test]
fn a_time_behind_a_name_is_no_part_of_it() {
    use TestOutcome::{Failed, Passed, Skipped};
    let report = read_text(
        "TAP version 13\n# Subtest: test/map.js\n    # Subtest: matches\n        ok 1 - a file\n        1..1\n    \
         ok 1 - matches # time=1.159ms\n    1..1\n    # time=2.9ms\nok 1 - test/map.js # time=1.5s\n\
         ok 2 - bats # in 15 ms\nnot ok 3 - at # in the end\nok 4 - later # SKIP # time=0.3ms\n\
         ok 5 - x # time=soon\nok 6 - at 5 # time=12.9ms\n1..6\n",
    );
    assert_eq!(
        outcomes(&report),
        [
            ("test/map.js > matches > a file", Passed),
            ("bats", Passed),
            ("at # in the end", Failed),
            ("later", Skipped),
            ("x # time=soon", Passed),
            ("at 5", Passed),
        ]
    );
    let times: Vec<u64> = report.tests.iter().map(|test| test.duration_ms).collect();
    assert_eq!(times, [0, 15, 0, 0, 0, 12]);
}

#[test]
fn blocks_say_why_and_where() {
    let report = read_text(
        "not ok 1 - adds\n  ---\n  message: 'it''s wrong'\n  duration_ms: 12.7\n  severity: fail\n  \
         data:\n    got: 4\n    expect: 3\n  at:\n    file: src/a.js\n    line: 7\n  ...\n\
         not ok 2 - node\n  ---\n  location: '/home/me/project/test/a.test.js:3:1'\n  \
         failureType: 'testCodeFailure'\n  error: |-\n    Expected values\n    4 !== 3\n  \
         name: 'AssertionError'\n  expected: 3\n  actual: 4\n  stack: |-\n    \
         f (file:///home/me/project/test/a.test.js:5:1)\n  ...\n1..2\n",
    );
    let failure = |index: usize| report.tests[index].failure.as_deref().unwrap();
    let adds = failure(0);
    assert_eq!(adds.message, "it's wrong");
    assert_eq!((adds.expected.as_deref(), adds.actual.as_deref()), (Some("3"), Some("4")));
    assert_eq!(adds.location.as_ref().unwrap().to_string(), "src/a.js:7");
    assert_eq!(report.tests[0].duration_ms, 12);
    let node = failure(1);
    assert_eq!(
        (node.error_type.as_str(), node.message.as_str()),
        ("AssertionError", "Expected values\n4 !== 3")
    );
    assert_eq!(node.test_location.as_ref().unwrap().to_string(), "test/a.test.js:3");
    assert!(report.complete, "{:?}", report.diagnostics);
}

#[test]
fn of_a_test_with_subtests_only_these_count() {
    use TestOutcome::{Failed, Passed};
    let report = read_text(
        "TAP version 14\n# Subtest: outer\n    # Subtest: inner\n        ok 1 - a\n        \
         not ok 2 - b\n        1..2\n    not ok 1 - inner\n    ok 2 - c\n    1..2\n\
         not ok 1 - outer\nok 2 - alone\n    ok 1 - d\n    1..1\nnot ok 3 - after hook\n1..3\n",
    );
    assert_eq!(
        outcomes(&report),
        [
            ("outer > inner > a", Passed),
            ("outer > inner > b", Failed),
            ("outer > c", Passed),
            ("alone", Passed),
            ("after hook > d", Passed),
            ("after hook", Failed),
        ]
    );
    assert!(report.complete, "{:?}", report.diagnostics);
}

#[test]
fn what_does_not_come_to_its_end_is_said() {
    let cases: [(&str, bool, usize, usize, &str); 8] = [
        ("1..3\nok 1\n", true, 1, 2, "3 tests planned, 1 are there"),
        ("1..1\nok 1\nok 2\n", true, 2, 0, "1 tests planned, 2 are there"),
        ("ok 1\nok 2\n", true, 2, 0, "no plan"),
        ("1..2\nok 1\nBail out! no database\nok 2\n", true, 1, 1, "2 tests planned"),
        ("1..1\n    ok 1\n    1..2\nok 1 - x\n", true, 1, 0, "subtests: 2 planned, 1 are there"),
        ("1..0\n    ok 1 - lost\n", true, 1, 0, "subtests without the test"),
        ("12 passed in 0.01s\n", false, 0, 0, "no test in it"),
        ("", false, 0, 0, "no test in it"),
    ];
    for (text, began, tests, not_run, said) in cases {
        let report = read_text(text);
        assert_eq!((report.began, report.complete), (began, false), "{text}");
        assert_eq!((report.tests.len(), report.not_run.len()), (tests, not_run), "{text}");
        let diagnostics = report.diagnostics.join("\n");
        assert!(diagnostics.contains(said), "{text}: {diagnostics}");
    }
    let bailed = read_text("1..2\nok 1\nBail out! no database\n");
    assert_eq!(bailed.errors[0].message, "Bail out! no database");
    let skipped = read_text("1..0 # skip no database\n");
    assert!(skipped.began && skipped.complete && skipped.tests.is_empty());
    assert!(skipped.diagnostics[0].contains("no database"));
}

#[test]
fn tap_is_recognised_by_its_beginning() {
    for text in
        ["TAP version 13\n", "1..3\n", "# hello\n\nok 1 - a\n", "ok - a\n1..1\n", "not ok 1\n"]
    {
        assert!(is_tap(text), "{text}");
    }
    for text in ["", "ok\n", "okay 1", "1..x", "PASS\nok 1\n", "<testsuite/>", "{}"] {
        assert!(!is_tap(text), "{text}");
    }
}

#[test]
fn deep_and_long_input_is_no_danger() {
    let deep: String =
        (0..2_000).map(|depth| format!("{}ok 1 - a\n", " ".repeat(depth * 4))).collect();
    assert!(!read_text(&deep).complete);
    let open = "ok 1\n  ---\n".to_owned() + &"  a: b\n".repeat(50_000);
    assert!(!read_text(&open).complete);
    assert_eq!(read_text("1..18446744073709551615\n").not_run.len(), 100);
}
