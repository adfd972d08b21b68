//! Rows 10 and 16: tests that are waited for, and processes that they leave.

use std::fs;

use crate::common::is_alive;
use crate::escapes_cargo::suite::{COMMAND, FILE, FIX, FRAMEWORK, SUBTRACT, project, with_test};

/// The test waits while somebody else edits; the second time it does not.
const WAITS: &str = "use std::fs::{read_to_string, File, OpenOptions};\n\n#[test]\nfn waits() {\n    let code = read_to_string(\"src/lib.rs\").unwrap();\n    if code.contains(\"a - b\") && !code.contains(\"EDITED\") {\n        OpenOptions::new().write(true).open(\"../agent/here\").unwrap();\n        File::open(\"../agent/go-on\").unwrap();\n    }\n}\n";

pub fn somebody_edits_while_the_tests_run() -> String {
    let project = with_test("waits", WAITS);
    let done = project.meet(FIX, |_| {
        project.write(FILE, format!("{}\npub const EDITED: i32 = 1;\n", project.read(FILE)));
    });
    done.assert_ended(0, "passed", "");
    let notice = done.last("notice")["text"].to_string();
    assert!(notice.contains(FILE) && notice.contains("run again"), "{notice}");
    let judged = done.last("finished")["tree"].as_str().expect("a tree").to_owned();
    let shown = project.git(&["show", &format!("{judged}:{FILE}")]);
    assert!(shown.contains("EDITED"), "the verdict is about the edited tree: {shown}");
    done.seen()
}

pub fn a_test_never_ends() -> String {
    let project = project();
    project.configure(COMMAND, FRAMEWORK, "[limits]\ngrace_seconds = 1");
    // It has a child in a session of its own that ignores the request to end.
    let script = "[ $REDGREEN_ATTEMPT = 1 ] && sed -i '6s/a + b/std::process::Command::new(\"setsid\").args([\"sh\", \"-c\", \"trap : TERM; sleep 1000; sleep 1000\"]).status().unwrap(); loop {}/' src/lib.rs || true";
    let done = project.held(script, &["--test-timeout", "20"]);
    done.assert_ended(1, "escalated", "no_progress");
    done.assert_verdict("failed");
    done.assert_reason(&format!("limit of 20 s (timeout_seconds) while {SUBTRACT} ran"));
    let failures = project.feedback(2)["failures"].clone();
    let of_test =
        failures.as_array().and_then(|all| all.iter().find(|one| one["test"] == SUBTRACT));
    assert_eq!(of_test.expect("the test")["kind"], "timeout", "{failures:#}");
    done.seen()
}

/// The daemon has the harness's standard output: it holds the pipe open.
pub fn a_test_leaves_a_daemon() -> String {
    let project = with_test(
        "daemon",
        "use std::process::Command;\n\n#[test]\nfn daemon() {\n    let daemon = Command::new(\"setsid\").args([\"sleep\", \"1000\"]).spawn().unwrap();\n    std::fs::write(\"../agent/pid\", daemon.id().to_string()).unwrap();\n}\n",
    );
    let done = project.held(FIX, &["--test-timeout", "60"]);
    done.assert_ended(0, "passed", "");
    let pid = fs::read_to_string(project.outside().join("pid")).expect("the daemon's id");
    assert!(!is_alive(&pid), "{}", done.text());
    let leaks: Vec<_> = done.events.iter().filter(|event| !event["leaks"].is_null()).collect();
    assert!(leaks.last().expect("a leak")["leaks"].to_string().contains("sleep 1000"));
    let report = project.session_file("report.md");
    assert!(report.contains("left running") && report.contains("sleep 1000"), "{report}");
    done.seen()
}
