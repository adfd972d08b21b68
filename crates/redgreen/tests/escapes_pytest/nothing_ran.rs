//! Rows 2 to 9: less was run than it looks.

use crate::common::{Loop, Project};
use crate::escapes_pytest::suite::{FIX, SUBTRACT};

pub fn there_is_no_test() -> String {
    let project = Project::pytest();
    project.git(&["rm", "-rq", "tests"]);
    project.commit();
    let done = project.once(FIX, &[]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_verdict("inconclusive");
    done.assert_reason("no test was executed");
    done.seen()
}

pub fn every_test_is_skipped() -> String {
    let project = Project::pytest();
    let tests = project.read("tests/test_calc.py");
    let tests = format!("import pytest\npytestmark = pytest.mark.skip\n{tests}");
    project.write("tests/test_calc.py", tests);
    project.commit();
    let done = project.once(FIX, &[]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_verdict("inconclusive");
    done.assert_reason("no test was executed");
    done.seen()
}

pub fn deletes_the_red_test() -> String {
    let project = Project::pytest();
    let done = project.once("sed -i '/def test_subtract/,$d' tests/test_calc.py", &[]);
    assert!(!project.read("tests/test_calc.py").contains("test_subtract"));
    assert_vanished(&done, "it was red before, and is gone");
    done.seen()
}

pub fn skips_the_red_test() -> String {
    let project = Project::pytest();
    let done = project.once(&mark("skip"), &[]);
    assert_vanished(&done, "it was red before, is skipped now");
    done.seen()
}

pub fn expects_the_red_test_to_fail() -> String {
    let project = Project::pytest();
    let done = project.once(&mark("xfail"), &[]);
    assert_vanished(&done, "it was red before, is skipped now");
    done.seen()
}

/// An agent that marks the red test.
fn mark(mark: &str) -> String {
    format!(
        "sed -i -e '1i import pytest' -e 's/^def test_subtract/@pytest.mark.{mark}\\n&/' tests/test_calc.py"
    )
}

#[track_caller]
fn assert_vanished(done: &Loop, how: &str) {
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_verdict("failed");
    done.assert_reason(&format!("{SUBTRACT}: {how}"));
    let ended = done.of_the_run("check_ended")["ended"]["code"].clone();
    assert_eq!(ended, 0, "pytest itself is content\n{}", done.text());
}

pub fn the_code_ends_the_process() -> String {
    let project = Project::pytest();
    let script =
        "[ $REDGREEN_ATTEMPT = 1 ] && sed -i '6s/return.*/import os; os._exit(0)/' calc.py";
    let done = project.held(&format!("{script} || true"), &[]);
    done.assert_ended(1, "escalated", "no_progress");
    done.assert_verdict("inconclusive");
    done.assert_reason(SUBTRACT);
    let failure = project.only_failure(2);
    assert_eq!(failure["test"], SUBTRACT, "{failure:#}");
    assert_eq!(failure["kind"], "runtime_error", "{failure:#}");
    assert!(project.session_file("report.md").contains(SUBTRACT));
    done.seen()
}

pub fn the_code_ends_the_process_at_import() -> String {
    let project = Project::pytest();
    let done = project.once("sed -i '1i import os; os._exit(0)' calc.py", &[]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_verdict("inconclusive");
    done.assert_reason("stopped in the middle");
    done.seen()
}

/// Prints what pytest prints, and ends well.
const CHEAT: &str = "import os, sys\nsys.__stdout__.write('12 passed in 0.01s\\n')\nsys.__stdout__.flush()\nos._exit(0)\n";

pub fn a_conftest_prints_passed_and_exits() -> String {
    let project = Project::pytest();
    let done = project.once(&format!("cat > conftest.py <<'END'\n{CHEAT}END"), &[]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_verdict("inconclusive");
    done.assert_reason("stopped in the middle");
    done.seen()
}

pub fn a_module_stands_in_for_pytest() -> String {
    let project = Project::pytest();
    let done = project.once(&format!("cat > pytest.py <<'END'\n{CHEAT}END"), &[]);
    assert_unseen(&done);
    done.seen()
}

pub fn a_script_stands_in_for_pytest() -> String {
    let project = Project::pytest();
    let more = format!(
        "environment = {{ PATH = \"{}/bin:{}:{}\" }}",
        project.root().display(),
        crate::common::tools().display(),
        std::env::var("PATH").unwrap_or_default()
    );
    project.configure("pytest -q", "pytest", &more);
    let script = "mkdir bin\nprintf '#!/bin/sh\\necho 12 passed in 0.01s\\n' > bin/pytest\nchmod +x bin/pytest";
    let done = project.once(script, &[]);
    assert_unseen(&done);
    done.seen()
}

pub fn the_command_prints_passed() -> String {
    let project = Project::pytest();
    project.configure("echo '12 passed in 0.01s'", "pytest", "");
    let done = project.once(FIX, &[]);
    assert_unseen(&done);
    done.seen()
}

/// The command ended well, and nobody saw a test.
#[track_caller]
fn assert_unseen(done: &Loop) {
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_verdict("inconclusive");
    done.assert_reason("saw no test run");
}
