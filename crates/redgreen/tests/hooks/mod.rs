//! `redgreen hooks`: into the settings of every agent and out of them again, and the proof that the
//! gate fires.
mod once;
mod settings;
mod shared;
mod switches;
mod trust;
mod verify;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::common::{Ended, Project};
use serde_json::Value;

/// The agents with hooks, and where a project has them.
pub const AGENTS: [(&str, &str); 8] = [
    ("claude", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("qwen", ".qwen/settings.json"),
    ("copilot", ".github/hooks/redgreen.json"),
    ("opencode", ".opencode/plugins/redgreen.js"),
    ("kilo", ".kilo/plugins/redgreen.js"),
    ("cursor", ".cursor/hooks.json"),
];

/// An empty repository, and a Codex that does not answer, whatever this machine has.
pub fn project() -> Project {
    let project = Project::empty();
    program(&project, "codex", "exit 1");
    project
}

/// A program on the search path.
pub fn program(project: &Project, name: &str, script: &str) -> String {
    let path = project.programs().join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a program");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
    path.to_str().expect("UTF-8").to_owned()
}

/// `redgreen hooks …`, which ends with this code.
#[track_caller]
pub fn hooks(project: &Project, args: &[&str], code: i32) -> Ended {
    let ended = project.redgreen(&[&["hooks"], args].concat());
    assert_eq!(ended.code, Some(code), "{args:?}\n{}\n{}", ended.stdout, ended.stderr);
    ended
}

/// The same, for its JSON.
#[track_caller]
pub fn hooks_json(project: &Project, args: &[&str], code: i32) -> Value {
    let ended = hooks(project, &[args, &["--json"]].concat(), code);
    serde_json::from_str(&ended.stdout).expect("JSON")
}
