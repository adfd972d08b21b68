//! Copilot also runs the hooks in Claude Code's settings: one stop is judged once.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::common::{Ended, Project};
use crate::hooks::{hooks, program, project};

/// What a hook of the real gate answers to this.
fn answer_to(project: &Project, agent: &str, event: &str, payload: &Value) -> String {
    let mut command = project.redgreen_command(&["gate", "--hook", agent, "--event", event]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut gate = command.spawn().expect("redgreen");
    let mut stdin = gate.stdin.take().expect("a pipe");
    stdin.write_all(payload.to_string().as_bytes()).expect("stdin");
    drop(stdin);
    let ended = Ended::from(gate.wait_with_output().expect("an end"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended.stdout
}

#[test]
fn what_copilot_tells_claudes_hook_is_left_to_copilots_own() {
    let project = project();
    program(&project, "copilot", "exit 1");
    project.write(
        "redgreen.toml",
        "[[checks]]\ncommand = \"sh check.sh\"\njudge_by = \"exit_code\"\n",
    );
    project.write("check.sh", "exit 0\n");
    project.commit();
    project.trust();
    let root = project.root();
    let root = root.to_str().expect("UTF-8");
    let stop = |event: &str| {
        json!({
            "hook_event_name": event, "session_id": "s", "timestamp": "2026-11-15T08:11:39.412Z",
            "cwd": root, "transcript_path": "/home/me/.copilot/session-state/s/events.jsonl",
            "stop_reason": "end_turn", "stop_hook_active": false,
        })
    };
    answer_to(&project, "claude", "session-start", &stop("SessionStart"));
    project.write("check.sh", "echo red\nexit 1\n");
    hooks(&project, &["install", "claude", "copilot"], 0);
    assert_eq!(answer_to(&project, "claude", "stop", &stop("Stop")), "");
    // Hooks that somebody changed judge nothing, and neither do those that are not there.
    let file = ".github/hooks/redgreen.json";
    project.write(file, project.read(file).replace("--event stop", "--event stop || true"));
    assert!(answer_to(&project, "claude", "stop", &stop("Stop")).contains("\"block\""));
    hooks(&project, &["uninstall", "copilot"], 0);
    assert!(answer_to(&project, "claude", "stop", &stop("Stop")).contains("\"block\""));
}
