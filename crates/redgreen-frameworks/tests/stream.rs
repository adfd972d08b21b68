//! The reader of the report stream: what recorded and broken streams come to.

use std::collections::HashSet;
use std::path::Path;

use proptest::prelude::*;
use redgreen_frameworks::Places;
use redgreen_frameworks::stream::{StreamReader, read_stream};
use redgreen_model::report::{FailureKind, Report, TestOutcome};
use redgreen_model::text::{BLOCK_CHARS, LINE_CHARS, MESSAGE_CHARS, strip_controls};

fn read(stream: &str) -> Report {
    read_stream(stream.as_bytes(), places())
}

fn places() -> Places<'static> {
    Places { root: Path::new("/p"), folder: Path::new("") }
}

/// Lines in a short form: `hello`, `bye`, `collected T`, `start T`, `end T OUTCOME`.
fn lines(short: &[&str]) -> String {
    let line = |words: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        let (event, run) = words[0].split_once('@').unwrap_or((words[0], "r"));
        let test = words.get(1).map(|test| format!(",\"test\":\"{test}\"")).unwrap_or_default();
        let outcome =
            words.get(2).map(|word| format!(",\"outcome\":\"{word}\"")).unwrap_or_default();
        format!("{{\"event\":\"{event}\",\"run\":\"{run}\"{test}{outcome}}}\n")
    };
    short.iter().map(|words| line(words)).collect()
}

#[derive(Debug, Default, PartialEq)]
struct Summary<'case> {
    began: bool,
    complete: bool,
    tests: Vec<(&'case str, TestOutcome)>,
    unfinished: Vec<&'case str>,
    not_run: Vec<&'case str>,
    diagnostics: usize,
}

fn summary(report: &Report) -> Summary<'_> {
    Summary {
        began: report.began,
        complete: report.complete,
        tests: report.tests.iter().map(|test| (test.id.as_str(), test.outcome)).collect(),
        unfinished: report.unfinished.iter().map(String::as_str).collect(),
        not_run: report.not_run.iter().map(String::as_str).collect(),
        diagnostics: report.diagnostics.len(),
    }
}

#[test]
fn a_test_that_pauses_waits_or_is_its_parts() {
    let parts = |test: &str| {
        format!("{{\"event\":\"paused\",\"run\":\"r\",\"test\":\"{test}\",\"parts\":true}}\n")
    };
    let one = |rest: &str| read(&format!("{}{rest}", lines(&["hello", "start a"])));
    let waits = one(&lines(&["paused a", "bye"]));
    assert_eq!(summary(&waits).not_run, ["a"]);
    let went_on = one(&lines(&["paused a", "start a", "bye"]));
    assert_eq!(summary(&went_on).unfinished, ["a"]);
    let of_parts = one(&format!("{}{}", parts("a"), lines(&["end a/b passed", "bye"])));
    assert_eq!(summary(&of_parts).tests, [("a/b", TestOutcome::Passed)]);
    assert!(of_parts.unfinished.is_empty() && of_parts.not_run.is_empty(), "{of_parts:?}");
    let cut_in_itself = one(&format!("{}{}", parts("a"), lines(&["start a", "bye"])));
    assert_eq!(summary(&cut_in_itself).unfinished, ["a"]);
    let red = one(&format!("{}{}", parts("a"), lines(&["end a failed", "bye"])));
    assert_eq!(summary(&red).tests, [("a", TestOutcome::Failed)]);
}

#[test]
fn a_failure_at_a_time_limit_is_a_time_out() {
    let end = r#"{"event":"end","run":"r","test":"a","outcome":"errored","failure":{"type":"timeout","phase":"timeout"}}"#;
    let report = read(&format!("{}{end}\n", lines(&["hello", "start a"])));
    let failure = report.tests[0].failure.as_ref().expect("a failure");
    assert_eq!(failure.kind, FailureKind::Timeout);
}

#[test]
fn a_whole_run_and_every_way_to_break_it() {
    use TestOutcome::{Failed, Passed, Skipped};
    let open = || Summary { began: true, ..Summary::default() };
    let cases: Vec<(&str, &[&str], Summary<'_>)> = vec![
        ("nothing", &[], Summary::default()),
        (
            "no test",
            &["hello", "bye"],
            Summary { began: true, complete: true, ..Summary::default() },
        ),
        (
            "a pass",
            &["hello", "collected a", "start a", "end a passed", "bye"],
            Summary {
                tests: vec![("a", Passed)],
                began: true,
                complete: true,
                ..Summary::default()
            },
        ),
        (
            "an end without a start, from a runner that is there",
            &["hello", "end a passed", "bye"],
            Summary {
                tests: vec![("a", Passed)],
                began: true,
                complete: true,
                ..Summary::default()
            },
        ),
        ("a pass from nobody", &["end a passed"], Summary { diagnostics: 1, ..Summary::default() }),
        (
            "a pass after the bye",
            &["hello", "bye", "end a passed"],
            Summary { began: true, complete: true, diagnostics: 1, ..Summary::default() },
        ),
        (
            "a pass before the hello",
            &["end a passed", "hello", "bye"],
            Summary { began: true, complete: true, diagnostics: 1, ..Summary::default() },
        ),
        (
            "a failure from nobody is still one",
            &["end a failed"],
            Summary { tests: vec![("a", Failed)], ..Summary::default() },
        ),
        (
            "no bye",
            &["hello", "start a", "end a passed"],
            Summary { tests: vec![("a", Passed)], ..open() },
        ),
        ("one of two runners never ended", &["hello@x", "hello@y", "bye@x"], open()),
        ("in flight", &["hello", "start a"], Summary { unfinished: vec!["a"], ..open() }),
        (
            "collected and never run",
            &["hello", "collected a", "collected b", "start b", "end b skipped", "bye"],
            Summary {
                tests: vec![("b", Skipped)],
                not_run: vec!["a"],
                began: true,
                complete: true,
                ..Summary::default()
            },
        ),
    ];
    check(cases);
}

#[test]
fn a_test_that_is_reported_twice_is_counted_once_and_at_its_worst() {
    use TestOutcome::{Errored, Failed};
    let whole = Summary { began: true, complete: true, ..Summary::default() };
    let open = || Summary { began: true, ..Summary::default() };
    let cases: Vec<(&str, &[&str], Summary<'_>)> = vec![
        (
            "two ends: the worse one, whatever the order",
            &["hello", "end a failed", "end a passed", "end b passed", "end b errored", "bye"],
            Summary {
                tests: vec![("a", Failed), ("b", Errored)],
                diagnostics: 2,
                began: true,
                complete: true,
                ..Summary::default()
            },
        ),
        (
            "passed in one runner, in flight in the other",
            &["hello@x", "start@x a", "end@x a passed", "bye@x", "hello@y", "start@y a"],
            Summary { unfinished: vec!["a"], ..open() },
        ),
        (
            "red in one runner, in flight in the other: counted once, red",
            &["hello@x", "start@x a", "end@x a failed", "bye@x", "hello@y", "start@y a"],
            Summary { tests: vec![("a", Failed)], ..open() },
        ),
        (
            "an outcome that does not exist",
            &["hello", "start a", "end a great", "bye"],
            Summary { unfinished: vec!["a"], diagnostics: 1, ..whole },
        ),
    ];
    check(cases);
}

fn check(cases: Vec<(&str, &[&str], Summary<'_>)>) {
    for (name, short, wanted) in cases {
        let stream = lines(short);
        assert_eq!(summary(&read(&stream)), wanted, "{name}");
    }
}

#[test]
fn garbage_and_torn_lines_are_said_and_the_rest_is_read() {
    let stream =
        format!("nonsense\n\n[1,2]\n{}{{\"event\":\"bye\",\"ru", lines(&["hello", "end a passed"]));
    let report = read(&stream);
    assert_eq!(report.tests.len(), 1);
    assert!(!report.complete);
    assert_eq!(report.diagnostics.len(), 3, "{:?}", report.diagnostics);
    assert!(report.diagnostics[0].starts_with("report stream, line 1: "));
    assert!(report.diagnostics[2].contains("torn"));
    let flood = read(&"x\n".repeat(10_000));
    assert!(flood.diagnostics.len() < 30, "{}", flood.diagnostics.len());
    let long = format!("{}\n{}", "y".repeat(3 << 20), lines(&["hello", "bye"]));
    assert!(read(&long).complete);
}

#[test]
fn failures_have_their_place_and_clean_bounded_texts() {
    let frames = r#"[{"file":"/p/tests/test_a.py","line":3,"function":"test_a"},{"file":"/p/src/code.py","line":9,"function":"add"},{"file":"/usr/lib/python3/json.py","line":1}]"#;
    let end = format!(
        r#"{{"event":"end","run":"r","test":"a","outcome":"failed","ms":7,"file":"/p/tests/test_a.py","line":2,"failure":{{"type":"KeyError","message":"\u001b[31mbad\u0007","expected":"4","actual":"{}","stack":"{}","frames":{frames}}}}}"#,
        "9".repeat(100_000),
        "z".repeat(100_000),
    );
    let report = read(&format!("{}{end}\n", lines(&["hello"])));
    let case = &report.tests[0];
    let failure = case.failure.as_ref().unwrap();
    assert_eq!(case.duration_ms, 7);
    assert_eq!(failure.test.as_deref(), Some("a"));
    assert_eq!(failure.message, "bad");
    assert_eq!(failure.location.as_ref().unwrap().to_string(), "src/code.py:9");
    assert_eq!(failure.location.as_ref().unwrap().function.as_deref(), Some("add"));
    assert_eq!(failure.test_location.as_ref().unwrap().to_string(), "tests/test_a.py:3");
    assert!(failure.actual.as_ref().unwrap().chars().count() < MESSAGE_CHARS + 100);
    assert!(failure.stack.chars().count() < BLOCK_CHARS + 100);
}

#[test]
fn details_may_come_late_and_never_turn_a_test() {
    let late = |test: &str| {
        format!(
            r#"{{"event":"failure","run":"r","test":"{test}","failure":{{"type":"panic","message":"why"}}}}"#
        )
    };
    let stream =
        lines(&["hello", "end a failed", "end b passed"]) + &late("a") + "\n" + &late("b") + "\n";
    let report = read(&stream);
    assert_eq!(report.tests[0].failure.as_ref().unwrap().message, "why");
    assert_eq!(report.tests[1].outcome, TestOutcome::Passed);
    assert_eq!(report.tests[1].failure, None);
    assert_eq!(report.diagnostics.len(), 1);
}

#[test]
fn errors_outside_of_tests_are_kept_whatever_their_kind_is_called() {
    let stream = r#"{"event":"error","run":"r","kind":"compile_error","type":"SyntaxError","message":"m","file":"/p/a.py","line":4}
{"event":"error","run":"r","kind":"compile_error","type":"SyntaxError","message":"m","file":"/p/a.py","line":4}
{"event":"error","run":"r","kind":"novel","type":"X","message":"n","frames":[{"file":"/p/b.py","line":1},{"file":"<frozen x>","line":2}]}
{"event":"note","run":"r","message":"by the way"}
"#;
    let report = read(stream);
    let errors: Vec<_> = report
        .errors
        .iter()
        .map(|error| (error.kind, error.location.as_ref().unwrap().to_string()))
        .collect();
    assert_eq!(
        errors,
        [
            (FailureKind::CompileError, "a.py:4".to_owned()),
            (FailureKind::Unknown, "b.py:1".to_owned())
        ]
    );
    assert_eq!(report.diagnostics, ["report stream: r: by the way"]);
}

fn word() -> impl Strategy<Value = String> {
    let test =
        prop_oneof![Just("a".to_owned()), Just("b".to_owned()), "\\PC{0,4}", "[\u{0}-\u{20}]{1,3}"];
    let outcome = prop_oneof![
        Just("passed"),
        Just("failed"),
        Just("errored"),
        Just("skipped"),
        Just("expected_failure"),
        Just("unexpected_pass"),
        Just("nonsense")
    ];
    let event = prop_oneof![
        Just("hello"),
        Just("collected"),
        Just("start"),
        Just("end"),
        Just("failure"),
        Just("error"),
        Just("bye")
    ];
    (event, test, outcome, 0..3_u8).prop_map(|(event, test, outcome, run)| {
        let failure = format!("{{\"type\":\"T\",\"message\":{}}}", json(&test));
        format!(
            "{{\"event\":\"{event}\",\"run\":\"r{run}\",\"test\":{},\"outcome\":\"{outcome}\",\"kind\":\"unknown\",\"failure\":{failure}}}\n",
            json(&test)
        )
    })
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn is_sound(report: &Report) {
    let ids: Vec<&str> = report
        .tests
        .iter()
        .map(|test| test.id.as_str())
        .chain(report.unfinished.iter().map(String::as_str))
        .chain(report.not_run.iter().map(String::as_str))
        .collect();
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len(), "an id is in two places");
    let counts = report.counts();
    assert_eq!(counts.total as usize, report.tests.len() + report.unfinished.len());
    assert_eq!(
        counts.passed + counts.failed + counts.skipped + counts.errors,
        counts.total + report.errors.len() as u64
    );
    for id in ids {
        assert_eq!(strip_controls(id), id);
        assert!(!id.contains('\n') && id.chars().count() <= LINE_CHARS);
    }
    for test in &report.tests {
        assert_eq!(test.failure.is_some(), test.outcome.is_red());
    }
    assert!(report.began || report.tests.iter().all(|test| test.outcome.is_red()));
    assert!(!report.complete || report.began);
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        is_sound(&read_stream(&bytes, places()));
    }

    #[test]
    fn any_events_make_a_sound_report(words in prop::collection::vec(word(), 0..60), cut in any::<prop::sample::Index>()) {
        let stream = words.concat();
        is_sound(&read(&stream));
        is_sound(&read_stream(&stream.as_bytes()[..cut.index(stream.len() + 1)], places()));
    }

    #[test]
    fn pieces_make_the_same_events(words in prop::collection::vec(word(), 0..20), size in 1..50_usize) {
        let stream = words.concat();
        let whole = StreamReader::new().feed(stream.as_bytes());
        let mut reader = StreamReader::new();
        let pieces: Vec<_> = stream.as_bytes().chunks(size).flat_map(|piece| reader.feed(piece)).collect();
        prop_assert_eq!(pieces, whole);
    }
}
