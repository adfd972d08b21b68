//! An agent session as the gate sees it.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::common::{Ended, Project};

/// An agent session at the gate of a project.
pub struct Visitor {
    pub project: Project,
    pub session: &'static str,
}

impl Visitor {
    /// A session that has begun in a project whose commands are trusted.
    pub fn new() -> Self {
        Self::of(Project::pytest())
    }

    pub fn of(project: Project) -> Self {
        project.trust();
        let visitor = Self { project, session: "s-1" };
        assert_eq!(visitor.event("SessionStart").0, Value::Null);
        visitor
    }

    /// The agent edits.
    #[track_caller]
    pub fn shell(&self, script: &str) {
        let done = self.project.command("sh").args(["-c", script]).output().expect("sh");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    /// Has git run redgreen.
    pub fn git_hook(&self, name: &str, arguments: &str) {
        let redgreen = env!("CARGO_BIN_EXE_redgreen");
        self.shell(&format!(
            "printf '#!/bin/sh\\nexec {redgreen} {arguments}\\n' > .git/hooks/{name}; chmod +x .git/hooks/{name}"
        ));
    }

    /// Sends an event to a hook with more arguments.
    pub fn event_with(&self, name: &str, more: &[&str]) -> (Value, Ended) {
        let event = json!({"session_id": self.session, "hook_event_name": name,
            "cwd": self.project.root()});
        self.send(event.to_string().as_bytes(), more)
    }

    /// The agent says that it is done, and once somebody opens this fifo, hook and worker are killed.
    pub fn killed_when(&self, here: &std::path::Path) {
        let mut command = self.project.redgreen_command(&["gate", "--hook", "claude"]);
        let mut hook = command.stdin(Stdio::piped()).spawn().expect("redgreen");
        let event = json!({"session_id": self.session, "hook_event_name": "Stop"});
        let mut stdin = hook.stdin.take().expect("a pipe");
        stdin.write_all(event.to_string().as_bytes()).expect("written");
        drop(stdin);
        std::fs::read(here).expect("a sign");
        for process in self.project.processes() {
            let (pid, command) = process.split_once(": ").expect("a process");
            if command.contains("gate") {
                self.shell(&format!("kill -9 {pid}"));
            }
        }
        hook.wait().expect("ended");
    }

    /// Sends an event; what came back on standard output, and how the hook ended.
    pub fn event(&self, name: &str) -> (Value, Ended) {
        self.event_with(name, &[])
    }

    pub fn send(&self, input: &[u8], more: &[&str]) -> (Value, Ended) {
        self.send_with(input, more, None)
    }

    /// The same, with these programs at hand.
    pub fn send_with(&self, input: &[u8], more: &[&str], path: Option<&str>) -> (Value, Ended) {
        let mut command = self.project.redgreen_command(&["gate", "--hook", "claude"]);
        command.envs(path.map(|path| ("PATH", path)));
        command.args(more).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("redgreen");
        let mut stdin = child.stdin.take().expect("a pipe");
        // A hook that has read enough may close it.
        let _ = stdin.write_all(input);
        drop(stdin);
        let ended: Ended = child.wait_with_output().expect("redgreen").into();
        let answer = match ended.stdout.trim() {
            "" => Value::Null,
            text => serde_json::from_str(text).expect("JSON"),
        };
        (answer, ended)
    }

    /// The agent says that it is done.
    pub fn stop(&self) -> Value {
        let (answer, ended) = self.event("Stop");
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        answer
    }

    /// The agent has edited without saying why it was red: it is held for that alone, and no attempt is charged.
    #[track_caller]
    pub fn is_asked_why(&self) {
        let answer = self.stop();
        assert!(reason(&answer).contains("without saying why"), "{answer}");
    }

    /// The agent is let go as verified, and this is said.
    pub fn allowed_with(&self) -> String {
        let answer = self.stop();
        let message = answer["systemMessage"].as_str().unwrap_or_default().to_owned();
        assert!(!message.is_empty() && !message.contains("NOT VERIFIED"), "{answer}");
        message
    }

    /// The agent is held twice with the same words, but for their count; the first of the two.
    #[track_caller]
    pub fn held_twice(&self) -> String {
        let [first, second] = [(); 2].map(|()| self.project.plain(reason(&self.stop())));
        assert_eq!(second, first.replace("(1 of 2)", "(2 of 2)"));
        first
    }

    pub fn is_let_go_unverified(&self) -> String {
        let answer = self.stop();
        let message = answer["systemMessage"].as_str().unwrap_or_default().to_owned();
        assert!(message.contains("NOT VERIFIED"), "{answer}");
        message
    }
}

/// The reason of a block.
#[track_caller]
pub fn reason(answer: &Value) -> &str {
    assert_eq!(answer["decision"], "block", "{answer}");
    answer["reason"].as_str().expect("a reason")
}
