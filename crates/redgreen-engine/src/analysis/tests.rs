//! Each of these was wrong once.

use std::collections::BTreeSet;

use redgreen_model::analysis::Analysis;
use redgreen_model::config::JudgeBy;
use redgreen_model::coverage::{Coverage, FileCoverage, RanStatement};
use redgreen_model::error_class::ErrorClass;
use redgreen_model::execution::{ChangePart, CheckRun, Ended, Execution, Purpose, TestId, Turning};
use redgreen_model::framework::FrameworkId;
use redgreen_model::report::{Failure, FailureKind, Location, Report};
use redgreen_model::tree::{
    ChangeKind, CodeHash, FileChange, FileRole, LineRange, TreeHash, TreeState,
};
use redgreen_model::verdict::{TestClasses, Verdict};

use super::*;
use crate::classes::Judged;
use crate::judge::CheckFailure;

fn place(file: &str, line: u32) -> Option<Location> {
    Some(Location { file: file.to_owned(), line: Some(line), function: None })
}

/// Our analysis of one failure, of which nothing is known but itself.
fn alone(failure: &Failure) -> Analysis {
    let failures = [CheckFailure { check: "unit".to_owned(), failure: failure.clone() }];
    let evidence = Evidence {
        attempt: 1,
        failures: &failures,
        changes: &[],
        diff: "",
        judged: None,
        before: None,
        earlier: &[],
        same_as: None,
    };
    builtin(&evidence).unwrap()
}

#[test]
fn what_helps_tests_is_never_the_place_to_mend() {
    let mut failure = Failure::new(FailureKind::TestFailure, "panic", "left: 1, right: 2");
    failure.location = place("tests/testenv/mod.rs", 274);
    failure.test_location = place("tests/story.rs", 12);
    assert_eq!(alone(&failure).location, failure.location);
    failure.in_tests = true;
    let analysis = alone(&failure);
    assert_eq!(analysis.location, failure.test_location);
    assert!(analysis.fix_strategy.contains("the code that"), "{}", analysis.fix_strategy);
}

#[test]
fn what_is_not_known_is_said_to_be_not_known() {
    let mut failure = Failure::new(FailureKind::TestFailure, "FluxError", "no flux");
    failure.error_class = ErrorClass::Other;
    failure.test_location = place("tests/test_a.py", 12);
    failure.in_tests = true;
    let analysis = alone(&failure);
    assert!(analysis.root_cause.contains("Why is not known."), "{}", analysis.root_cause);
    assert!(!analysis.root_cause.contains("no flux"), "{}", analysis.root_cause);
    assert!(analysis.confidence <= 0.1);
}

const RED: &str = "tests/test_calc.py::test_add";

/// An execution in which these statements of a file ran: line, text, and the tests that ran it.
fn execution(purpose: Purpose, file: &str, ran: &[(u32, &str, &[&str])]) -> Execution {
    let mut seen = FileCoverage::default();
    for (line, text, tests) in ran {
        seen.saw(*line, 1);
        seen.tests.insert(*line, tests.iter().map(ToString::to_string).collect());
        seen.statements.push(RanStatement {
            first: *line,
            last: *line,
            column: 4,
            function: "add".to_owned(),
            text: (*text).to_owned(),
        });
    }
    let files = [(file.to_owned(), seen)].into();
    let tree = TreeState { tree: TreeHash("t".to_owned()), code: CodeHash("c".to_owned()) };
    let run = CheckRun {
        check: "unit".to_owned(),
        command: "pytest".to_owned(),
        framework: FrameworkId::named("pytest"),
        judge_by: JudgeBy::Tests,
        required: true,
        ended: Ended::Exited { code: 1 },
        duration_ms: 1,
        report: Report::default(),
        output_tail: String::new(),
        log: String::new(),
        leaks: Vec::new(),
        coverage: Some(Coverage { files, problems: Vec::new() }),
        reached: None,
        watched: None,
        reused_from: None,
    };
    Execution {
        number: 1,
        purpose,
        before: tree.clone(),
        after: tree,
        changed_while_running: Vec::new(),
        rewritten_while_running: Vec::new(),
        wrote: Vec::new(),
        checks: vec![run],
        started_at: String::new(),
        duration_ms: 1,
        excerpts: Vec::new(),
        turning: None,
    }
}

fn judged(execution: Execution, confirm: Option<Execution>) -> Judged {
    Judged {
        execution,
        confirm,
        verdict: Verdict::Failed,
        reasons: Vec::new(),
        failures: Vec::new(),
        green: BTreeSet::new(),
        red: BTreeSet::new(),
        classes: TestClasses::default(),
    }
}

fn changed(file: &str, start: u32, count: u32) -> FileChange {
    FileChange {
        path: file.to_owned(),
        kind: ChangeKind::Modified,
        role: FileRole::Code,
        added: count,
        removed: count,
        hunks: vec![LineRange { start, count }],
    }
}

fn add_is_wrong() -> Failure {
    let mut failure = Failure::new(FailureKind::TestFailure, "AssertionError", "assert 6 == 5");
    failure.test = Some(RED.to_owned());
    failure.location = place("tests/test_calc.py", 6);
    failure.test_location = place("tests/test_calc.py", 6);
    failure.in_tests = true;
    failure
}

/// Our analysis of `a + b` that became `a * b`.
fn of_add(changes: &[FileChange]) -> Analysis {
    let lines: &[(u32, &str, &[&str])] = &[
        (2, "total = a * b", &[RED]),
        (3, "return total", &[RED, "tests/test_calc.py::test_none"]),
    ];
    let alone = execution(Purpose::Confirm, "src/calc.py", lines);
    let judged = judged(execution(Purpose::Judge, "src/calc.py", lines), Some(alone));
    let failures = [CheckFailure { check: "unit".to_owned(), failure: add_is_wrong() }];
    let evidence = Evidence {
        attempt: 1,
        failures: &failures,
        changes,
        diff: "",
        judged: Some(&judged),
        before: None,
        earlier: &[],
        same_as: None,
    };
    builtin(&evidence).unwrap()
}

#[test]
fn a_wrong_operator_is_found_in_the_change() {
    let analysis = of_add(&[changed("src/calc.py", 2, 1)]);
    assert_eq!(analysis.location.as_ref().unwrap().to_string(), "src/calc.py:2");
    assert_eq!(analysis.changed_hunk.as_deref(), Some("src/calc.py:2-2"));
    assert!(analysis.root_cause.contains("attempt 1 changed it"), "{}", analysis.root_cause);
    assert!(!analysis.root_cause.contains("outside"), "{}", analysis.root_cause);
    assert!(analysis.root_cause.contains("operator or an operand"), "{}", analysis.root_cause);
}

#[test]
fn a_wrong_operator_is_found_where_nothing_changed() {
    let analysis = of_add(&[]);
    assert_eq!(analysis.location.as_ref().unwrap().to_string(), "src/calc.py:2");
    assert_eq!(analysis.suspects[1].place.to_string(), "src/calc.py:3");
    assert_eq!(analysis.suspects[1].reasons, ["the failing test runs it, and 1 passing one"]);
}

#[test]
fn the_words_of_the_error_are_no_cause() {
    let analysis = of_add(&[changed("src/calc.py", 2, 1)]);
    assert!(!analysis.root_cause.contains("6 == 5"), "{}", analysis.root_cause);
}

#[test]
fn an_import_is_not_where_a_syntax_error_is() {
    let mut failure =
        Failure::new(FailureKind::CompileError, "SyntaxError", "Failed to parse source");
    failure.location =
        Some(Location { file: "test/format.test.js".to_owned(), line: None, function: None });
    failure.in_tests = true;
    let mut seen = execution(Purpose::Judge, "src/duration.js", &[]);
    let coverage = seen.checks[0].coverage.as_mut().unwrap();
    coverage.files.get_mut("src/duration.js").unwrap().broken = Some(3);
    let judged = judged(seen, None);
    let failures = [CheckFailure { check: "unit".to_owned(), failure }];
    let changes = [changed("src/duration.js", 3, 1)];
    let evidence = Evidence {
        attempt: 1,
        failures: &failures,
        changes: &changes,
        diff: "",
        judged: Some(&judged),
        before: None,
        earlier: &[],
        same_as: None,
    };
    let analysis = builtin(&evidence).unwrap();
    assert_eq!(analysis.location.as_ref().unwrap().to_string(), "src/duration.js:3");
    assert!(!analysis.root_cause.contains("format.test.js"), "{}", analysis.root_cause);
    assert!(!analysis.fix_strategy.contains("format.test.js"), "{}", analysis.fix_strategy);
}

/// Two lines changed, and both ran in the failing test alone: which of them it was is known from trying.
#[test]
fn the_part_of_the_change_that_turns_the_test_red_comes_first() {
    let lines: &[(u32, &str, &[&str])] =
        &[(2, "total = a * b", &[RED]), (9, "limit = a + b", &[RED])];
    let changes = [changed("src/calc.py", 2, 1), changed("src/calc.py", 9, 1)];
    for tried in [None, Some(9), Some(30)] {
        let mut alone = execution(Purpose::Confirm, "src/calc.py", lines);
        alone.turning = tried.map(|start| Turning {
            tests: vec![TestId::new("unit", RED)],
            parts: vec![ChangePart {
                file: "src/calc.py".to_owned(),
                lines: LineRange { start, count: 1 },
            }],
            of: 2,
        });
        let judged = judged(execution(Purpose::Judge, "src/calc.py", lines), Some(alone));
        let failures = [CheckFailure { check: "unit".to_owned(), failure: add_is_wrong() }];
        let evidence = Evidence {
            attempt: 1,
            failures: &failures,
            changes: &changes,
            diff: "",
            judged: Some(&judged),
            before: None,
            earlier: &[],
            same_as: None,
        };
        let analysis = builtin(&evidence).unwrap();
        let place = analysis.location.unwrap().to_string();
        assert_eq!(place, format!("src/calc.py:{}", tried.unwrap_or(2)));
        let said = "of the 2 parts of the change this one alone turns the test red";
        assert_eq!(analysis.root_cause.contains(said), tried.is_some(), "{}", analysis.root_cause);
    }
}
