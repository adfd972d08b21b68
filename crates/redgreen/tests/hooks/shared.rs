//! Settings of a project go to other machines: the command in them is right on each.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::process::Stdio;

use serde_json::Value;

use crate::common::{Ended, Project};
use crate::hooks::{AGENTS, hooks, hooks_json, project};

fn on_path(project: &Project) {
    let redgreen = env!("CARGO_BIN_EXE_redgreen");
    symlink(redgreen, project.programs().join("redgreen")).expect("a link");
}

fn names() -> Vec<&'static str> {
    AGENTS.iter().map(|(name, _)| *name).filter(|name| *name != "codex").collect()
}

/// Runs the stop hook in an agent's settings as somebody does who has no redgreen.
fn stop_without_redgreen(project: &Project, payload: &str) -> Ended {
    let settings: Value =
        serde_json::from_str(&project.read(".claude/settings.json")).expect("JSON");
    let command = settings["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().expect("a command");
    let mut hook = project
        .command("/bin/sh")
        .args(["-c", command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell");
    hook.stdin.take().expect("a pipe").write_all(payload.as_bytes()).expect("written");
    hook.wait_with_output().expect("ended").into()
}

#[test]
fn settings_of_a_project_name_no_place_of_this_machine() {
    let project = project();
    on_path(&project);
    hooks(&project, &[&["install"], names().as_slice()].concat(), 0);
    let own = fs::canonicalize(env!("CARGO_BIN_EXE_redgreen")).expect("redgreen");
    let folder = own.parent().and_then(|folder| folder.to_str()).expect("a folder");
    for (name, file) in AGENTS.iter().filter(|(name, _)| *name != "codex") {
        let text = project.read(file);
        assert!(text.contains("redgreen") && !text.contains(folder), "{name}: {text}");
    }
    let status = hooks_json(&project, &[&["status"], names().as_slice()].concat(), 0);
    for agent in status["agents"].as_array().expect("agents") {
        assert_eq!(agent["entries"][0]["state"], "current", "{agent}");
    }
    let verified = hooks_json(&project, &["verify", "claude", "cursor"], 0);
    for agent in verified["agents"].as_array().expect("agents") {
        assert_eq!(agent["proven"], true, "{agent}");
    }
    hooks(&project, &[&["uninstall"], names().as_slice()].concat(), 0);
    assert!(AGENTS.iter().all(|(_, file)| !project.root().join(file).exists()));
}

#[test]
fn an_entry_with_a_place_of_somebodys_machine_is_recognised_and_replaced() {
    let project = project();
    hooks(&project, &["install", "claude"], 0);
    let before = project.read(".claude/settings.json");
    on_path(&project);
    let state = |project: &Project| {
        let status = hooks_json(project, &["status", "claude"], 0);
        status["agents"][0]["entries"][0]["state"].as_str().map(str::to_owned)
    };
    assert_eq!(state(&project).as_deref(), Some("outdated"));
    hooks(&project, &["install", "claude"], 0);
    assert_eq!(state(&project).as_deref(), Some("current"));
    assert_ne!(project.read(".claude/settings.json"), before);
    fs::remove_file(project.programs().join("redgreen")).expect("removed");
    assert_eq!(state(&project).as_deref(), Some("outdated"));
    hooks(&project, &["uninstall", "claude"], 0);
    assert!(!project.root().join(".claude/settings.json").exists());
}

/// An agent takes a hook that cannot be found for one that has nothing to say.
#[test]
fn where_redgreen_is_not_installed_an_agent_is_held_once() {
    let project = project();
    on_path(&project);
    hooks(&project, &["install", "claude"], 0);
    fs::remove_file(project.programs().join("redgreen")).expect("removed");
    let held = stop_without_redgreen(&project, "{\"stop_hook_active\": false}");
    let answer: Value = serde_json::from_str(&held.stdout).expect("JSON");
    assert_eq!((held.code, &answer["decision"]), (Some(0), &"block".into()), "{}", held.stderr);
    let reason = answer["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("redgreen is not installed here, so nothing is verified"), "{reason}");
    let again = stop_without_redgreen(&project, "{\"stop_hook_active\":true}");
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), ""), "{}", again.stderr);
}

#[test]
fn a_proof_leaves_nothing_behind_and_takes_away_what_a_dead_one_left() {
    let project = project();
    hooks(&project, &["install", "claude"], 0);
    let place = project.outside().join("temporary");
    let left = place.join("redgreen-canary-4194305-0");
    fs::create_dir_all(left.join("project")).expect("a folder");
    let ended: Ended = project
        .redgreen_command(&["hooks", "verify", "claude"])
        .env("TMPDIR", &place)
        .output()
        .expect("redgreen")
        .into();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let names: Vec<_> = fs::read_dir(&place).expect("a folder").flatten().collect();
    assert!(names.is_empty(), "{names:?}");
}
