//! Rows 1, 10, 15 and 25: agents that do nothing, do too much, or do not come to their end.

use std::fs;

use super::suite::{
    COMMAND, FILE, FIX, FRAMEWORK, HALF_EDIT, SUBTRACT, TELLS_THE_DAEMON, project, with_test,
};
use crate::common::{Loop, Project, is_alive};

pub fn says_done_and_edits_nothing() -> String {
    let project = project();
    let done = project.held("echo 'All done: 12 passed in 0.01s'", &[]);
    done.assert_ended(1, "escalated", "no_progress");
    done.assert_verdict("failed");
    assert_eq!(done.count("agent_started"), 1, "{}", done.text());
    assert!(project.session_file("report.md").contains(SUBTRACT));
    done.seen()
}

pub fn says_done_and_edits_only_a_note() -> String {
    let project = project();
    let done = project.held("echo 'I fixed it.' > README.md", &[]);
    done.assert_ended(1, "escalated", "no_progress");
    done.assert_verdict("failed");
    done.seen()
}

/// A test tells the daemon to go ahead, if it is still there.
pub fn the_agents_daemon_would_edit_later() -> String {
    let project = with_test("tells", TELLS_THE_DAEMON);
    // The agent does not end before the daemon is there.
    let script = format!(
        "{FIX}\nmkfifo \"$OUTSIDE/fifo\" \"$OUTSIDE/ready\"\nexport OUTSIDE\nsetsid sh -c 'echo $$ > \"$OUTSIDE/pid\"; echo > \"$OUTSIDE/ready\"; read line < \"$OUTSIDE/fifo\"; echo broken >> {FILE}; sleep 1000' &\nread line < \"$OUTSIDE/ready\""
    );
    let done = project.held(&script, &[]);
    done.assert_ended(0, "passed", "");
    let pid = fs::read_to_string(project.outside().join("pid")).expect("the daemon's id");
    assert!(!is_alive(&pid), "{}", done.text());
    assert!(!project.read(FILE).contains("broken"), "{}", project.read(FILE));
    let said = done.last("notice")["text"].to_string();
    assert!(said.contains(pid.trim()) && said.contains("broken"), "{said}\n{}", done.text());
    done.seen()
}

pub fn never_ends() -> String {
    let project = project();
    project.configure(COMMAND, FRAMEWORK, "[limits]\ngrace_seconds = 1");
    let before = project.read(FILE);
    let script = format!(
        "trap '' TERM INT HUP\nexport OUTSIDE\n{FIX}\nsh -c 'trap \"\" TERM; echo $$ > \"$OUTSIDE/child\"; sleep 1000; sleep 1000' &\nsetsid sh -c 'trap \"\" TERM; echo $$ > \"$OUTSIDE/daemon\"; sleep 1000; sleep 1000' &\necho $$ > \"$OUTSIDE/agent\"\nwhile :; do sleep 1000; done"
    );
    let done = project.held(&script, &["--agent-timeout", "3"]);
    done.assert_ended(1, "escalated", "timeout_exceeded");
    for name in ["agent", "child", "daemon"] {
        let pid = fs::read_to_string(project.outside().join(name)).expect("an id");
        assert!(!is_alive(&pid), "{name} is alive\n{}", done.text());
    }
    assert_eq!(project.read(FILE), before);
    assert!(project.kept_versions(FILE).iter().any(|text| text.contains("a - b")));
    assert!(done.last("finished")["detail"].as_str().unwrap_or("").contains("limit of 3 s"));
    done.seen()
}

pub fn dies_half_way() -> String {
    let project = project();
    let before = project.read(FILE);
    let done = project.held(&format!("{HALF_EDIT}; kill -9 $$"), &[]);
    assert_put_back(&project, &done, &before);
    done.seen()
}

pub fn fails_half_way() -> String {
    let project = project();
    let before = project.read(FILE);
    let done = project.held(&format!("{HALF_EDIT}; exit 1"), &[]);
    assert_put_back(&project, &done, &before);
    assert_eq!(done.last("finished")["detail"], "exit code 1", "{}", done.text());
    done.seen()
}

#[track_caller]
fn assert_put_back(project: &Project, done: &Loop, before: &str) {
    done.assert_ended(1, "escalated", "agent_failed");
    assert_eq!(project.read(FILE), before);
    assert!(!project.root().join("extra.cfg").exists(), "{}", done.text());
    let saved = done.last("restored")["saved"].as_str().expect("a ref").to_owned();
    assert!(project.git(&["show", &format!("{saved}:{FILE}")]).ends_with("retu"));
    assert_eq!(project.git(&["show", &format!("{saved}:extra.cfg")]), "new\n");
    assert_eq!(done.count("judged"), 1, "only the baseline\n{}", done.text());
}

pub fn dies_half_way_and_keeps_it() -> String {
    let project = project();
    project.configure(COMMAND, FRAMEWORK, "[loop]\nhalf_edit = \"keep\"");
    let done = project.held(&format!("{HALF_EDIT}; kill -9 $$"), &[]);
    done.assert_ended(1, "escalated", "agent_failed");
    assert!(project.read(FILE).ends_with("retu"));
    assert_eq!(project.read("extra.cfg"), "new\n");
    assert_eq!(done.count("restored"), 0, "{}", done.text());
    done.seen()
}
