//! Hooks that are installed and would not run, or nobody would wait for: status names it, verify fails.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::common::Project;
use crate::hooks::verify::{HONEST, replace, seen};
use crate::hooks::{hooks, hooks_json, program, project};

/// A project with the hooks of an agent that hold what is red.
fn installed(agent: &str) -> Project {
    let project = project();
    hooks(&project, &["install", agent], 0);
    replace(&project, &program(&project, "stand in", HONEST));
    project
}

fn write(project: &Project, file: &str, text: &str) {
    let path = match file.strip_prefix("~/") {
        Some(below) => project.home().join(below),
        None => project.root().join(file),
    };
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

/// Adds a setting to the file that has the hooks.
fn add(project: &Project, file: &str, name: &str, value: &Value) {
    let mut settings: Value = serde_json::from_str(&project.read(file)).expect("JSON");
    settings[name] = value.clone();
    project.write(file, settings.to_string());
}

#[track_caller]
fn is_off(project: &Project, agent: &str, file: &str, key: &str) {
    let status = hooks_json(project, &["status", agent], 0);
    let off = &status["agents"][0]["entries"][0]["off"];
    assert_eq!([&off["file"], &off["key"]], [file, key], "{status}");
    let said = hooks(project, &["status", agent], 0).stdout;
    assert!(said.lines().any(|line| line.contains("OFF") && line.contains(file)), "{said}");
    let verified = hooks_json(project, &["verify", agent], 1);
    let (good, detail) = seen(&verified["agents"][0], "switch");
    assert!(!good && detail.contains(key) && detail.contains(file), "{detail}");
    let said = hooks(project, &["verify", agent], 1).stdout;
    assert!(said.contains("NOT PROVEN") && !said.contains("the gate fires"), "{said}");
    let said = hooks(project, &["install", agent], 0).stderr;
    assert!(said.contains(key) && said.contains(file), "{said}");
}

#[test]
fn a_switch_in_any_settings_of_the_agent_is_named() {
    let all = "{\n  // not now\n  \"disableAllHooks\": true\n}\n";
    for (agent, file) in [
        ("claude", ".claude/settings.local.json"),
        ("claude", "~/.claude/settings.json"),
        ("qwen", "~/.qwen/settings.json"),
        ("copilot", "~/.copilot/settings.json"),
    ] {
        let project = installed(agent);
        write(&project, file, all);
        is_off(&project, agent, file, "disableAllHooks");
    }
    for (agent, file) in [
        ("claude", ".claude/settings.json"),
        ("qwen", ".qwen/settings.json"),
        ("copilot", ".github/hooks/redgreen.json"),
    ] {
        let project = installed(agent);
        add(&project, file, "disableAllHooks", &json!(true));
        is_off(&project, agent, file, "disableAllHooks");
    }
    let project = installed("codex");
    write(&project, ".codex/config.toml", "[features]\nhooks = false\n");
    is_off(&project, "codex", ".codex/config.toml", "features.hooks");
    let gemini = ".gemini/settings.json";
    for (value, key) in [
        (json!({"enabled": false}), "hooksConfig.enabled"),
        (json!({"disabled": ["redgreen"]}), "hooksConfig.disabled"),
    ] {
        let project = installed("gemini");
        add(&project, gemini, "hooksConfig", &value);
        is_off(&project, "gemini", gemini, key);
    }
}

#[test]
fn a_switch_that_a_stronger_file_takes_back_turns_nothing_off() {
    let project = installed("claude");
    write(&project, "~/.claude/settings.json", "{\"disableAllHooks\": true}");
    add(&project, ".claude/settings.json", "disableAllHooks", &json!(false));
    let status = hooks_json(&project, &["status", "claude"], 0);
    assert_eq!(status["agents"][0]["entries"][0]["off"], Value::Null, "{status}");
    assert_eq!(hooks_json(&project, &["verify"], 0)["agents"][0]["proven"], true);
}

#[test]
fn an_entry_that_nobody_would_wait_for_is_not_as_it_was_written() {
    for (agent, file, from, to) in [
        (
            "claude",
            ".claude/settings.json",
            "\"timeout\": 600",
            "\"timeout\": 600, \"async\": true",
        ),
        ("claude", ".claude/settings.json", "\"timeout\": 600", "\"timeout\": 1"),
        ("claude", ".claude/settings.json", "\"type\": \"command\"", "\"type\": \"prompt\""),
        ("opencode", ".opencode/plugins/redgreen.js", "export const", "const"),
    ] {
        let project = project();
        hooks(&project, &["install", agent], 0);
        let original = project.read(file);
        let last = original.rfind(from).expect(from);
        let changed = format!("{}{to}{}", &original[..last], &original[last + from.len()..]);
        project.write(file, &changed);
        let said = hooks(&project, &["status", agent], 0).stdout;
        assert!(
            said.contains(&format!("CHANGED in {file}, no longer as redgreen wrote it")),
            "{said}"
        );
        replace(&project, &program(&project, "stand in", HONEST));
        let verified = hooks_json(&project, &["verify", agent], 1);
        assert!(seen(&verified["agents"][0], "red canary").0, "the command itself is right");
        let (good, detail) = seen(&verified["agents"][0], "entry");
        assert!(!good && detail.contains(&format!("`redgreen hooks install {agent}`")), "{detail}");
        hooks(&project, &["install", agent], 0);
        assert_eq!(project.read(file), original, "{to}");
    }
}

#[test]
fn a_program_that_is_not_found_is_not_a_hook_that_is_not_installed() {
    let project = project();
    hooks(&project, &["install", "cursor"], 0);
    let said = hooks(&project, &["status", "cursor", "qwen"], 0).stdout;
    assert_snapshot!(project.plain(&said), @"
    cursor    program: not found on PATH
              hook: current in .cursor/hooks.json
    qwen      program: not found on PATH
              hook: not installed in .qwen/settings.json
    ");
    let said = hooks(&project, &["status", "--user", "cursor"], 0).stdout;
    assert_snapshot!(project.plain(&said), @"
    cursor    program: not found on PATH
              hook for the user: not installed in ~/.cursor/hooks.json
    ");
}

#[test]
fn only_install_is_asked_about_trust() {
    let project = project();
    hooks(&project, &["install", "--no-trust", "claude"], 0);
    for command in ["status", "verify", "uninstall"] {
        let said = hooks(&project, &[command, "--no-trust", "claude"], 2).stderr;
        let said = said.replace(command, "[command]");
        insta::allow_duplicates! {
            assert_snapshot!(said, @"
            error: unexpected argument '--no-trust' found

              tip: to pass '--no-trust' as a value, use '-- --no-trust'

            Usage: redgreen hooks [command] [OPTIONS] [AGENT]...

            For more information, try '--help'.
            ");
        }
    }
}

#[test]
fn a_new_file_for_qwen_has_the_version_that_qwen_would_add() {
    let project = project();
    hooks(&project, &["install", "qwen"], 0);
    let settings: Value = serde_json::from_str(&project.read(".qwen/settings.json")).expect("JSON");
    assert_eq!(settings["$version"], 4);
    hooks(&project, &["uninstall", "qwen"], 0);
    assert!(!project.root().join(".qwen").exists());
    // What is there is Qwen's to bring up to date.
    project.write(".qwen/settings.json", "{\"model\": {}}\n");
    hooks(&project, &["install", "qwen"], 0);
    assert!(!project.read(".qwen/settings.json").contains("$version"));
}
