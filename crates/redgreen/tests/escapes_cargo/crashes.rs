//! Rows 20 and 21: builds and suites that break.

use crate::common::{Loop, Project};
use crate::escapes_cargo::suite::{ADD, FIX, FRAMEWORK, SUBTRACT, project};

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

pub fn a_type_error() -> String {
    let project = project();
    let script = format!(
        "[ $REDGREEN_ATTEMPT = 1 ] && sed -i '6s/a + b/\"a - b\"/' src/lib.rs || {{ git checkout -q src; {FIX}; }}"
    );
    let done = project.held(&script, &[]);
    assert_repaired(&project, &done, "E0308", ("src/lib.rs", 6));
    done.seen()
}

pub fn a_syntax_error() -> String {
    let project = project();
    let script = format!(
        "[ $REDGREEN_ATTEMPT = 1 ] && sed -i '6s/a + b/let = a;/' src/lib.rs || {{ git checkout -q src; {FIX}; }}"
    );
    let done = project.held(&script, &[]);
    done.assert_ended(0, "passed", "");
    let failure = &project.feedback(2)["failures"][0];
    assert_eq!(failure["kind"], "compile_error", "{failure:#}");
    let location = &failure["location"];
    assert_eq!((&location["file"], &location["line"]), (&"src/lib.rs".into(), &6.into()));
    done.seen()
}

pub fn an_import_error_in_a_test() -> String {
    let project = project();
    let script = format!(
        "[ $REDGREEN_ATTEMPT = 1 ] && sed -i '1i use calc::nowhere;' tests/calc.rs || {{ git checkout -q tests; {FIX}; }}"
    );
    let done = project.held(&script, &[]);
    assert_repaired(&project, &done, "E0432", ("tests/calc.rs", 1));
    done.seen()
}

pub fn broken_before_the_agent_came() -> String {
    let project = project();
    let code = project.read("src/lib.rs").replace("subtract(a: i32", "subtract(a: &str");
    project.write("src/lib.rs", code);
    project.commit();
    let script = "[ $REDGREEN_ATTEMPT = 1 ] && echo '// hm' >> src/lib.rs || sed -i -e '5s/&str/i32/' -e '6s/+/-/' src/lib.rs";
    let done = project.held(script, &[]);
    assert_repaired(&project, &done, "E0369", ("src/lib.rs", 6));
    done.seen()
}

const SEGFAULT: &str = "unsafe { std::ptr::null_mut::<i32>().write_volatile(1) }; a";

#[track_caller]
fn assert_died(what: &str, signal: &str) -> Loop {
    let project = project();
    let script =
        format!("[ $REDGREEN_ATTEMPT = 1 ] && sed -i '6s/a + b/{what}/' src/lib.rs || true");
    let done = project.held(&script, &["--max-attempts", "2"]);
    assert_eq!(done.ended.code, Some(1), "{}", done.text());
    done.assert_verdict("failed");
    let report = project.session_file("report.md");
    assert!(report.contains(SUBTRACT) && report.contains(signal), "{report}");
    done
}

pub fn segmentation_fault() -> String {
    assert_died(SEGFAULT, "signal 11").seen()
}

pub fn abort() -> String {
    assert_died("std::process::abort()", "signal 6").seen()
}

/// A test that was green and takes the process with it has regressed.
pub fn segmentation_fault_in_a_green_test() -> String {
    let project = project();
    let before = project.read("src/lib.rs");
    let done = project.held(&format!("sed -i '2s/a + b/{SEGFAULT}/' src/lib.rs"), &[]);
    done.assert_ended(1, "escalated", "no_progress");
    assert_eq!(done.class("regressed"), [ADD], "{}", done.text());
    assert_eq!(project.read("src/lib.rs"), before);
    done.seen()
}

/// A test that only ran beside the one that died has not regressed: alone it passes.
pub fn segmentation_fault_beside_a_green_test() -> String {
    let project = project();
    let slow = "std::thread::sleep(std::time::Duration::from_millis(400));\n    assert_eq!(add";
    project.write("tests/calc.rs", project.read("tests/calc.rs").replace("assert_eq!(add", slow));
    project.configure("cargo test --offline -- --test-threads 2", FRAMEWORK, "");
    let done = project.once(&format!("sed -i '6s/a + b/{SEGFAULT}/' src/lib.rs"), &[]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_verdict("failed");
    assert_eq!(done.class("pre_existing"), [SUBTRACT], "{}", done.text());
    assert_eq!(done.class("regressed"), [""; 0], "{}", done.text());
    done.seen()
}
