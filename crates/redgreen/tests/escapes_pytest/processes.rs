//! Rows 10 and 16: tests that are waited for, and processes that they leave.

use std::fs;

use crate::common::{Project, is_alive};
use crate::escapes_pytest::suite::{COMMAND, FIX, SUBTRACT, with_test};

/// The test waits while somebody else edits; the second time it does not.
const WAITS: &str = "import os\n\n\ndef test_waits():\n    code = open('calc.py').read()\n    if 'a - b' in code and 'EDITED' not in code:\n        open('../agent/here', 'w').close()\n        open('../agent/go-on').close()\n";

pub fn somebody_edits_while_the_tests_run() -> String {
    let project = with_test("waits", WAITS);
    let done = project.meet(FIX, |_| {
        project.write("calc.py", format!("{}\n\nEDITED = 1\n", project.read("calc.py")));
    });
    done.assert_ended(0, "passed", "");
    let notice = done.last("notice")["text"].to_string();
    assert!(notice.contains("calc.py") && notice.contains("run again"), "{notice}");
    let judged = done.last("finished")["tree"].as_str().expect("a tree").to_owned();
    let shown = project.git(&["show", &format!("{judged}:calc.py")]);
    assert!(shown.contains("EDITED"), "the verdict is about the edited tree: {shown}");
    done.seen()
}

/// Tells somebody when the wrong code is to be tested, and when it was; waits for that one each time.
const MEETS: &str = "WRONG = 'a * b' in open('calc.py').read()\n\n\ndef meet(name):\n    if WRONG:\n        open(f'../agent/{name}', 'w').close()\n        open(f'../agent/{name}-done').close()\n\n\ndef pytest_sessionstart():\n    meet('begin')\n\n\ndef pytest_sessionfinish():\n    meet('end')\n";
/// Puts the right code in place while the tests run, and the wrong code back.
const SWAPS: &str = "wrong = open('calc.py').read().replace('a + b', 'a * b')\nright = wrong[::-1].replace('b * a', 'b - a', 1)[::-1]\nwhile True:\n  for name, code in ('begin', right), ('end', wrong):\n    open(f'../agent/{name}').read()\n    open('calc.py', 'w').write(code)\n    open(f'../agent/{name}-done', 'w').close()\n";

pub fn somebody_swaps_the_code_while_the_tests_run() -> String {
    let project = Project::pytest();
    project.write("conftest.py", MEETS);
    project.commit();
    let fifos = ["begin", "begin-done", "end", "end-done"].map(|name| project.outside().join(name));
    assert!(project.command("mkfifo").args(&fifos).status().expect("mkfifo").success());
    let mut other = project.command("python").args(["-c", SWAPS]).spawn().expect("python");
    let done = project.run("sed -i 's/a + b/a * b/' calc.py", &["--max-attempts", "1"]);
    other.kill().and_then(|()| other.wait()).expect("ended");
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_verdict("inconclusive");
    done.assert_reason("calc.py was written while the checks ran");
    done.seen()
}

pub fn the_tests_use_a_file_up() -> String {
    let project = with_test(
        "state",
        "def test_state():\n    assert open('state.txt').read() == 'ok'\n    open('state.txt', 'w').write('used')\n",
    );
    project.write("state.txt", "ok");
    project.commit();
    let done = project.once(&format!("{FIX}; printf ok > state.txt"), &[]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_reason("they write state.txt");
    done.seen()
}

pub fn a_test_never_ends() -> String {
    let project = Project::pytest();
    project.configure(COMMAND, "pytest", "[limits]\ngrace_seconds = 1");
    // It ignores the request to end, and has a child in a session of its own.
    let script = "[ $REDGREEN_ATTEMPT = 1 ] && sed -i '6s/return.*/import signal, subprocess; signal.signal(15, signal.SIG_IGN); subprocess.Popen([\"setsid\", \"sleep\", \"1000\"]).wait()/' calc.py || true";
    let done = project.held(script, &["--test-timeout", "5"]);
    done.assert_ended(1, "escalated", "no_progress");
    done.assert_verdict("failed");
    done.assert_reason(&format!("limit of 5 s (timeout_seconds) while {SUBTRACT} ran"));
    let failures = project.feedback(2)["failures"].clone();
    let of_test =
        failures.as_array().and_then(|all| all.iter().find(|one| one["test"] == SUBTRACT));
    assert_eq!(of_test.expect("the test")["kind"], "timeout", "{failures:#}");
    done.seen()
}

pub fn a_test_leaves_a_daemon() -> String {
    let project = Project::pytest();
    project.write(
        "tests/test_daemon.py",
        "import subprocess\n\n\ndef test_daemon():\n    daemon = subprocess.Popen(['setsid', 'sleep', '1000'])\n    open('../agent/pid', 'w').write(str(daemon.pid))\n",
    );
    project.commit();
    let done = project.held(FIX, &[]);
    done.assert_ended(0, "passed", "");
    let pid = fs::read_to_string(project.outside().join("pid")).expect("the daemon's id");
    assert!(!is_alive(&pid), "{}", done.text());
    let leaks: Vec<_> = done.events.iter().filter(|event| !event["leaks"].is_null()).collect();
    assert!(leaks.last().expect("a leak")["leaks"].to_string().contains("sleep 1000"));
    let report = project.session_file("report.md");
    assert!(report.contains("left running") && report.contains("sleep 1000"), "{report}");
    done.seen()
}
