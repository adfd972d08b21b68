//! Rows 20 and 21: builds and suites that break.

use crate::common::{Loop, Project};
use crate::escapes_pytest::suite::{ADD, FIX, SUBTRACT};

/// The compile error is what the second agent was given, and its fix was not taken for anything else.
#[track_caller]
fn assert_repaired(project: &Project, done: &Loop, error_type: &str, place: (&str, u64)) {
    done.assert_ended(0, "passed", "");
    assert_eq!(done.last("finished")["attempts"], 2, "{}", done.text());
    let failure = project.only_failure(2);
    assert_eq!(failure["kind"], "compile_error", "{failure:#}");
    assert_eq!(failure["error_type"], error_type, "{failure:#}");
    let location = &failure["location"];
    assert_eq!((&location["file"], &location["line"]), (&place.0.into(), &place.1.into()));
    assert!(!done.ended.stdout.contains("regression_detected"), "{}", done.text());
}

pub fn a_syntax_error() -> String {
    let project = Project::pytest();
    let script = format!(
        "[ $REDGREEN_ATTEMPT = 1 ] && sed -i '5s/b)/b/' calc.py || {{ git checkout -q calc.py; {FIX}; }}"
    );
    let done = project.held(&script, &[]);
    assert_repaired(&project, &done, "SyntaxError", ("calc.py", 5));
    done.seen()
}

pub fn an_import_error_in_a_test() -> String {
    let project = Project::pytest();
    let script = format!(
        "[ $REDGREEN_ATTEMPT = 1 ] && sed -i '1i import nowhere' tests/test_calc.py || {{ git checkout -q tests; {FIX}; }}"
    );
    let done = project.held(&script, &[]);
    assert_repaired(&project, &done, "ModuleNotFoundError", ("tests/test_calc.py", 1));
    done.seen()
}

pub fn broken_before_the_agent_came() -> String {
    let project = Project::pytest();
    let code = project.read("calc.py");
    project.write("calc.py", code.replace("def subtract(a, b):", "def subtract(a, b:"));
    project.commit();
    let script = "[ $REDGREEN_ATTEMPT = 1 ] && echo '# hm' >> calc.py || sed -i -e '5s/b:/b):/' -e '6s/+/-/' calc.py";
    let done = project.held(script, &[]);
    assert_repaired(&project, &done, "SyntaxError", ("calc.py", 5));
    done.seen()
}

/// An agent that makes `subtract` do something else.
fn subtract_does(what: &str) -> String {
    format!("[ $REDGREEN_ATTEMPT = 1 ] && sed -i '6s/return.*/{what}/' calc.py || true")
}

#[track_caller]
fn assert_died(what: &str, signal: &str) -> Loop {
    let project = Project::pytest();
    let done = project.held(&subtract_does(what), &[]);
    done.assert_ended(1, "escalated", "no_progress");
    done.assert_verdict("failed");
    let failures = project.feedback(2)["failures"].to_string();
    assert!(failures.contains(SUBTRACT) && failures.contains(signal), "{failures}");
    let report = project.session_file("report.md");
    assert!(report.contains(SUBTRACT), "{report}");
    done
}

pub fn segmentation_fault() -> String {
    assert_died("import ctypes; ctypes.string_at(0)", "SIGSEGV").seen()
}

pub fn abort() -> String {
    assert_died("import os; os.abort()", "SIGABRT").seen()
}

/// A test that was green and takes the process with it has regressed.
pub fn segmentation_fault_in_a_green_test() -> String {
    let project = Project::pytest();
    let before = project.read("calc.py");
    let done =
        project.held("sed -i '2s/return.*/import ctypes; ctypes.string_at(0)/' calc.py", &[]);
    done.assert_ended(1, "escalated", "no_progress");
    assert_eq!(done.class("regressed"), [ADD], "{}", done.text());
    assert_eq!(project.read("calc.py"), before);
    done.seen()
}
