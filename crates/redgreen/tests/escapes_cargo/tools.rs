//! Row 29: what is not the agent's fault is not charged to it.

use crate::escapes_cargo::suite::{COMMAND, FIX, FRAMEWORK, project};

/// The agent is never asked, and the words say what is missing.
#[track_caller]
fn assert_not_charged(command: &str, more: &str, words: &[&str]) -> String {
    let project = project();
    project.configure(command, FRAMEWORK, more);
    let done = project.held(&format!("echo . > \"$OUTSIDE/asked\"; {FIX}"), &[]);
    done.assert_ended(3, "aborted", "tooling_error");
    done.assert_verdict("tooling_error");
    assert_eq!(done.last("finished")["attempts"], 0, "{}", done.text());
    assert!(!project.outside().join("asked").exists(), "{}", done.text());
    let detail = done.last("finished")["detail"].as_str().unwrap_or("").to_owned();
    for word in words {
        assert!(detail.contains(word), "{word:?} is not in: {detail}");
    }
    assert!(project.session_file("report.md").contains("redgreen doctor"));
    done.seen()
}

pub fn there_is_no_such_command() -> String {
    assert_not_charged("carg0 test", "", &["carg0", "not found"])
}

pub fn there_is_no_such_script() -> String {
    assert_not_charged("./nope.sh", "", &["./nope.sh", "not found"])
}

pub fn there_is_no_such_folder() -> String {
    assert_not_charged(COMMAND, "folder = \"nowhere\"", &["nowhere"])
}

pub fn there_is_no_cargo() -> String {
    let more = "environment = { PATH = \"/usr/bin:/bin\" }";
    assert_not_charged(COMMAND, more, &["cargo"])
}
