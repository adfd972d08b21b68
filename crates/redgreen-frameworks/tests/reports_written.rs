//! What redgreen writes, its own readers read back: the same tests with the same outcomes.

use std::path::Path;

use proptest::prelude::*;
use redgreen_frameworks::{Places, ReportFormat, WholeRun, ctrf, junit, report_format};
use redgreen_model::config::JudgeBy;
use redgreen_model::execution::{CheckRun, Ended, Execution, Purpose};
use redgreen_model::framework::FrameworkId;
use redgreen_model::report::{Failure, FailureKind, Report, TestCase, TestOutcome};
use redgreen_model::tree::{CodeHash, TreeHash, TreeState};
use redgreen_model::verdict::Verdict;
use serde_json::Value;

fn places() -> Places<'static> {
    Places { root: Path::new("/home/me/project"), folder: Path::new("") }
}

fn outcome() -> impl Strategy<Value = TestOutcome> {
    prop::sample::select(vec![
        TestOutcome::Passed,
        TestOutcome::Failed,
        TestOutcome::Errored,
        TestOutcome::Skipped,
        TestOutcome::ExpectedFailure,
        TestOutcome::UnexpectedPass,
    ])
}

/// Text with everything that XML has a meaning for, and what it cannot hold.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ \\]>&<\"'\n\r\t\u{1}\u{b}\u{fffe}日ü]{0,12}",
        Just("]]>".to_owned()),
        Just("&amp;<![CDATA[x]]>".to_owned()),
    ]
}

prop_compose! {
    fn case()(
        name in text(), outcome in outcome(), duration_ms in 0_u64..10_000_000,
        message in text(), stack in text(),
    ) -> TestCase {
        // XML has no way to hold these two; a name would lose them.
        let name = name.replace(['\u{fffe}', '\u{ffff}'], "-");
        let id = redgreen_frameworks::clean_id(&name);
        let failure = outcome.is_red().then(|| {
            let mut failure = Failure::new(FailureKind::TestFailure, "x.AssertionError", message);
            failure.stack = stack;
            Box::new(failure)
        });
        TestCase { id, outcome, duration_ms, failure }
    }
}

fn execution(checks: Vec<(&str, Report)>) -> Execution {
    let tree = || TreeState { tree: TreeHash(String::new()), code: CodeHash(String::new()) };
    let check = |(name, report): (&str, Report)| CheckRun {
        check: name.to_owned(),
        command: "make test".to_owned(),
        framework: FrameworkId::OTHER,
        judge_by: JudgeBy::Tests,
        required: true,
        ended: Ended::Exited { code: 0 },
        duration_ms: 1_234,
        report,
        output_tail: String::new(),
        log: String::new(),
        leaks: Vec::new(),
        coverage: None,
        reached: None,
        watched: None,
        reused_from: None,
    };
    Execution {
        number: 1,
        purpose: Purpose::Judge,
        before: tree(),
        after: tree(),
        changed_while_running: Vec::new(),
        rewritten_while_running: Vec::new(),
        wrote: Vec::new(),
        checks: checks.into_iter().map(check).collect(),
        started_at: "2026-11-15T13:59:57Z".to_owned(),
        duration_ms: 5_000,
        excerpts: Vec::new(),
        turning: None,
    }
}

fn both(execution: &Execution, verdict: Verdict) -> [Report; 2] {
    let reasons = ["unit: nothing was seen".to_owned()];
    let run = WholeRun { execution, verdict, reasons: &reasons };
    let (xml, json) = (junit::write(&run), ctrf::write(&run, "1.2.3"));
    assert_eq!(report_format(xml.as_bytes()), Some(ReportFormat::Junit));
    assert_eq!(report_format(json.as_bytes()), Some(ReportFormat::Ctrf));
    [junit::read_xml(xml.as_bytes(), places()), ctrf::read(json.as_bytes(), places())]
}

fn seen(report: &Report) -> Vec<(String, TestOutcome, u64)> {
    report.tests.iter().map(|test| (test.id.clone(), test.outcome, test.duration_ms)).collect()
}

proptest! {
    #[test]
    fn tests_and_outcomes_come_back(cases in prop::collection::vec(case(), 1..12)) {
        let mut known = std::collections::HashSet::new();
        let mut cases = cases;
        cases.retain(|case| !case.id.is_empty() && known.insert(case.id.clone()));
        let report = Report { began: true, complete: true, tests: cases.clone(), ..Report::default() };
        let execution = execution(vec![("unit", report)]);
        for read in both(&execution, Verdict::Passed) {
            prop_assert!(read.began && read.complete, "{:?}", read.diagnostics);
            prop_assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
            prop_assert_eq!(read.tests.len(), cases.len());
            for (case, test) in cases.iter().zip(&read.tests) {
                let id = redgreen_frameworks::clean_id(&format!("unit.{}", case.id));
                prop_assert_eq!(&test.id, &id);
                prop_assert_eq!((test.outcome, test.duration_ms), (case.outcome, case.duration_ms));
                prop_assert_eq!(test.failure.is_some(), case.failure.is_some());
            }
        }
    }
}

#[test]
fn what_is_no_test_is_a_case_of_its_own() {
    let mut failure = Failure::new(FailureKind::CompileError, "E0308", "mismatched types\nmore");
    failure.stack = "error[E0308] ]]> <x>".to_owned();
    let report = Report {
        began: true,
        unfinished: vec!["hangs".to_owned()],
        not_run: vec!["later".to_owned()],
        errors: vec![failure],
        ..Report::default()
    };
    let execution = execution(vec![("unit", report), ("other", Report::default())]);
    for read in both(&execution, Verdict::Failed) {
        assert_eq!(
            seen(&read),
            [
                ("unit.hangs".to_owned(), TestOutcome::Errored, 0),
                ("unit.later".to_owned(), TestOutcome::Skipped, 0),
                (
                    "unit.outside of tests, 1: E0308: mismatched types".to_owned(),
                    TestOutcome::Errored,
                    0
                ),
            ]
        );
        let failure = read.tests[2].failure.as_deref().unwrap();
        assert_eq!(failure.error_type, "E0308");
        assert_eq!(failure.message, "mismatched types\nmore");
        assert_eq!(failure.stack, "error[E0308] ]]> <x>");
    }
}

/// Nothing ran, and nothing is red: a consumer that counts failures must still see one.
#[test]
fn a_run_that_is_not_green_has_no_green_report() {
    let execution = execution(vec![("unit", Report::default())]);
    for read in both(&execution, Verdict::Inconclusive) {
        assert_eq!(seen(&read), [("redgreen.verdict".to_owned(), TestOutcome::Errored, 0)]);
        let failure = read.tests[0].failure.as_deref().unwrap();
        assert_eq!(failure.error_type, "inconclusive");
        assert_eq!(failure.message, "unit: nothing was seen");
    }
}

/// The shape that CTRF publishes: what it requires is there, with its types.
#[test]
fn ctrf_has_what_its_schema_requires() {
    let tests = [TestOutcome::Passed, TestOutcome::Failed, TestOutcome::Skipped]
        .map(|outcome| TestCase { id: "a".to_owned(), outcome, duration_ms: 7, failure: None });
    let report = Report { began: true, complete: true, tests: tests.to_vec(), ..Report::default() };
    let execution = execution(vec![("unit", report)]);
    let run = WholeRun { execution: &execution, verdict: Verdict::Failed, reasons: &[] };
    let document: Value = serde_json::from_str(&ctrf::write(&run, "1.2.3")).unwrap();
    assert_eq!(document["reportFormat"], "CTRF");
    assert!(document["specVersion"].is_string());
    let results = &document["results"];
    assert_eq!(results["tool"]["name"], "redgreen");
    let summary = &results["summary"];
    let counts = ["tests", "passed", "failed", "pending", "skipped", "other"]
        .map(|key| summary[key].as_u64().unwrap());
    assert_eq!(counts, [3, 1, 1, 0, 1, 0]);
    assert_eq!(summary["start"], 1_794_751_197_000_u64);
    assert_eq!(summary["stop"], 1_794_751_202_000_u64);
    for test in results["tests"].as_array().unwrap() {
        assert!(test["name"].is_string() && test["duration"].is_u64(), "{test}");
        let status = test["status"].as_str().unwrap();
        assert!(["passed", "failed", "skipped", "pending", "other"].contains(&status), "{test}");
    }
}
