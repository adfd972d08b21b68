//! Row 29: what is not the agent's fault is not charged to it.

use crate::common::Project;
use crate::escapes_pytest::suite::FIX;

/// The agent is never asked, and the words say what is missing.
#[track_caller]
fn assert_not_charged(command: &str, more: &str, words: &[&str]) -> String {
    let project = Project::pytest();
    project.configure(command, "pytest", more);
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
    assert_not_charged("pytestt -q", "", &["pytestt", "not found"])
}

pub fn there_is_no_such_interpreter() -> String {
    assert_not_charged("python4 -m pytest", "", &["python4", "not found"])
}

pub fn there_is_no_such_script() -> String {
    assert_not_charged("./nope.sh", "", &["./nope.sh", "not found"])
}

/// `-S`: without the folder that pytest is installed in.
pub fn pytest_is_not_installed() -> String {
    assert_not_charged("python -S -m pytest", "", &["No module named pytest"])
}

pub fn there_is_no_such_folder() -> String {
    assert_not_charged("python -m pytest", "folder = \"nowhere\"", &["nowhere"])
}
