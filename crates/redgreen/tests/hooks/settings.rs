//! Settings files: what is written, what stays, what is refused.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::hooks::{AGENTS, hooks, hooks_json, program, project};

fn redgreen() -> String {
    let program = fs::canonicalize(env!("CARGO_BIN_EXE_redgreen")).expect("redgreen");
    program.to_str().expect("UTF-8").to_owned()
}

#[test]
fn every_agent_gets_its_hooks_in_its_own_form() {
    let project = project();
    let names: Vec<&str> = AGENTS.iter().map(|(name, _)| *name).collect();
    hooks(&project, &[&["install"], names.as_slice()].concat(), 0);
    let command = |agent: &str, event: &str| {
        json!(format!("\"{}\" gate --hook {agent} --event {event}", redgreen()))
    };
    let read = |path: &str| serde_json::from_str::<Value>(&project.read(path)).expect("JSON");
    for (agent, file, stop, seconds) in [
        ("claude", ".claude/settings.json", "Stop", 600),
        ("codex", ".codex/hooks.json", "Stop", 600),
        ("gemini", ".gemini/settings.json", "AfterAgent", 600_000),
        ("qwen", ".qwen/settings.json", "Stop", 600_000),
    ] {
        let hook = &read(file)["hooks"][stop][0]["hooks"][0];
        assert_eq!(hook["command"], command(agent, "stop"));
        assert_eq!((&hook["type"], &hook["timeout"]), (&json!("command"), &json!(seconds)));
        let (start, event) = match agent {
            "qwen" => ("UserPromptSubmit", "prompt"),
            _ => ("SessionStart", "session-start"),
        };
        let start = &read(file)["hooks"][start][0]["hooks"][0];
        assert_eq!(start["command"], command(agent, event));
    }
    let copilot = read(".github/hooks/redgreen.json");
    let stop = json!({"type": "command", "bash": command("copilot", "stop"), "timeoutSec": 600});
    assert_eq!(copilot["hooks"]["agentStop"], json!([stop]));
    assert_eq!(copilot["version"], 1);
    let cursor = read(".cursor/hooks.json");
    let stop = json!({"command": command("cursor", "stop"), "timeout": 600, "loop_limit": null});
    assert_eq!(cursor["hooks"]["stop"], json!([stop]));
    assert_eq!(cursor["hooks"]["beforeSubmitPrompt"][0]["command"], command("cursor", "prompt"));
    for agent in ["opencode", "kilo"] {
        let plugin = project.read(&format!(".{agent}/plugins/redgreen.js"));
        let top = format!("const REDGREEN = \"{}\"\nconst AGENT = \"{agent}\"\n", redgreen());
        assert!(plugin.contains(&top), "{plugin}");
    }

    let status = hooks_json(&project, &[&["status"], names.as_slice()].concat(), 0);
    for (agent, (name, file)) in status["agents"].as_array().expect("agents").iter().zip(AGENTS) {
        let entry = &agent["entries"][0];
        assert_eq!([&entry["state"], &entry["file"]], ["current", file], "{name}");
        assert_eq!(agent["entries"][1]["state"], "absent");
    }
    hooks(&project, &[&["uninstall"], names.as_slice()].concat(), 0);
    let left = fs::read_dir(project.root()).expect("a folder").flatten();
    let mut left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    left.sort();
    assert_eq!(left, [".git", ".redgreen"], "no folder of an agent");
}

#[test]
fn what_was_there_stays_byte_for_byte_with_its_mode() {
    let before = "\u{feff}{\r\n\t// mine\r\n\t\"env\": {},\r\n\t\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}], \"SessionStart\": []}, \"model\": \"x\"}";
    let project = project();
    project.write(".claude/settings.json", before);
    let file = project.root().join(".claude/settings.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("a mode");
    assert_eq!(hooks_json(&project, &["install", "claude"], 0)["agents"][0]["change"], "updated");
    let with = project.read(".claude/settings.json");
    assert!(with.contains("\"say done\"}]}, {\"hooks\""), "behind the other: {with}");
    assert_eq!(hooks_json(&project, &["install", "claude"], 0)["agents"][0]["change"], "unchanged");
    assert_eq!(project.read(".claude/settings.json"), with);
    assert_eq!(fs::metadata(&file).expect("it").permissions().mode() & 0o777, 0o640);
    assert_eq!(hooks_json(&project, &["uninstall"], 0)["agents"][0]["change"], "updated");
    assert_eq!(project.read(".claude/settings.json"), before);
    assert_eq!(fs::metadata(&file).expect("it").permissions().mode() & 0o777, 0o640);
    let beside: Vec<_> = fs::read_dir(project.root().join(".claude")).expect("a folder").collect();
    assert_eq!(beside.len(), 1, "{beside:?}");
    hooks(&project, &["uninstall"], 0);
}

#[test]
fn what_cannot_be_read_is_left_alone_and_named_and_the_others_are_installed() {
    let project = project();
    for (path, content) in [
        (".claude/settings.json", &b"{\"hooks\": {\"Stop\": [}}"[..]),
        (".gemini/settings.json", b"{\"hooks\": {\"AfterAgent\": {}}}"),
        (".qwen/settings.json", b"\xff\xfe{}"),
        (".cursor/hooks.json", b"{}"),
        (".opencode/plugins/redgreen.js", b"export const Mine = 1\n"),
    ] {
        project.write(path, content);
        project.git(&["add", "-A"]);
    }
    let done = hooks_json(
        &project,
        &["install", "claude", "gemini", "qwen", "cursor", "opencode", "codex"],
        2,
    );
    let agents = done["agents"].as_array().expect("agents");
    for agent in &agents[..5] {
        assert_eq!(agent["change"], "left_alone", "{agent}");
        let error = agent["error"].as_str().expect("an error");
        assert!(error.contains(agent["file"].as_str().expect("a file")), "{error}");
    }
    assert_eq!(agents[5]["change"], "created");
    assert_eq!(project.git(&["diff", "--name-only"]), "");
    let said = hooks(&project, &["install", "claude"], 2);
    assert_snapshot!(project.shown(&said), @"
    exit 2
    --- stdout
    claude    left alone  .claude/settings.json
    --- stderr
    error: [folder]/project/.claude/settings.json, line 1: Unexpected close brace
    hint: repair the file, or move it away, and try again
    ");
    hooks(&project, &["status", "claude"], 2);
    hooks(&project, &["uninstall", "claude"], 2);
    hooks(&project, &["verify", "claude"], 2);
}

#[test]
fn links_are_followed_inside_of_the_project_only() {
    let project = project();
    project.write("shared/claude.json", "{\"a\": 1}\n");
    fs::create_dir(project.root().join(".claude")).expect("a folder");
    symlink("../shared/claude.json", project.root().join(".claude/settings.json")).expect("a link");
    hooks(&project, &["install", "claude"], 0);
    assert!(project.root().join(".claude/settings.json").is_symlink());
    assert!(project.read("shared/claude.json").contains("gate --hook claude"));
    hooks(&project, &["uninstall", "claude"], 0);
    assert_eq!(project.read("shared/claude.json"), "{\"a\": 1}\n");

    let elsewhere = project.outside().join("settings.json");
    fs::write(&elsewhere, "{}").expect("a file");
    fs::create_dir(project.root().join(".qwen")).expect("a folder");
    symlink(&elsewhere, project.root().join(".qwen/settings.json")).expect("a link");
    symlink(project.outside(), project.root().join(".cursor")).expect("a link");
    symlink("nowhere", project.root().join(".gemini")).expect("a link");
    let done = hooks_json(&project, &["install", "qwen", "cursor", "gemini"], 2);
    for agent in done["agents"].as_array().expect("agents") {
        assert_eq!(agent["change"], "left_alone", "{agent}");
    }
    assert_snapshot!(project.plain(done["agents"][0]["error"].as_str().expect("an error")), @"[folder]/project/.qwen/settings.json leads out of the project, to [folder]/agent/settings.json");
    assert_eq!(fs::read_to_string(&elsewhere).expect("it"), "{}");
    assert!(!project.outside().join("hooks.json").exists());
}

#[test]
fn a_user_has_settings_of_their_own() {
    let project = project();
    let names: Vec<&str> = AGENTS.iter().map(|(name, _)| *name).collect();
    hooks(&project, &[&["install", "--user"], names.as_slice()].concat(), 0);
    let home = project.home();
    let files = [
        ".claude/settings.json",
        ".codex/hooks.json",
        ".gemini/settings.json",
        ".qwen/settings.json",
        ".copilot/hooks/redgreen.json",
        ".config/opencode/plugins/redgreen.js",
        ".config/kilo/plugins/redgreen.js",
        ".cursor/hooks.json",
    ];
    for file in files {
        assert!(home.join(file).is_file(), "{file}");
    }
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    let status = hooks_json(&project, &["status", "claude"], 0);
    assert_eq!(status["agents"][0]["entries"][0]["state"], "absent");
    assert_eq!(status["agents"][0]["entries"][1]["state"], "current");
    hooks(&project, &["uninstall", "--user"], 0);
    for file in files {
        assert!(!home.join(file).exists(), "{file}");
    }
    let mut elsewhere =
        project.redgreen_command(&["hooks", "install", "--user", "claude", "codex"]);
    let folder = project.outside().join("claude home");
    elsewhere.env("CLAUDE_CONFIG_DIR", &folder).env("CODEX_HOME", project.outside().join("codex"));
    assert!(elsewhere.status().expect("redgreen").success());
    assert!(folder.join("settings.json").is_file());
    assert!(project.outside().join("codex/hooks.json").is_file());
}

#[test]
fn agents_in_use_are_found_and_unknown_ones_are_named() {
    let project = project();
    // Nothing but what is put there: whatever this machine has is out of sight.
    let git = std::env::split_paths(&std::env::var_os("PATH").expect("a path"))
        .map(|folder| folder.join("git"))
        .find(|git| git.is_file())
        .expect("git");
    symlink(git, project.programs().join("git")).expect("a link");
    fs::remove_file(project.programs().join("codex")).expect("removed");
    let found = |args: &[&str]| {
        let mut command =
            project.redgreen_command(&[&["hooks", "install", "--json"], args].concat());
        command.env("PATH", project.programs());
        let output = command.output().expect("redgreen");
        let done: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let names = done["agents"].as_array().cloned().unwrap_or_default();
        let names =
            names.iter().map(|agent| agent["agent"].as_str().unwrap_or_default().to_owned());
        (
            output.status.code(),
            names.collect::<Vec<_>>(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (code, _, said) = found(&[]);
    assert_eq!(code, Some(2));
    assert_snapshot!(project.plain(&said), @"
    error: no coding agent is found here
    hint: name one: claude, codex, gemini, qwen, copilot, opencode, kilo, cursor
    ");
    program(&project, "qwen", "echo 0.15.10");
    fs::write(project.programs().join("gemini"), "not executable").expect("a file");
    fs::create_dir(project.root().join(".cursor")).expect("a folder");
    fs::create_dir(project.root().join(".github")).expect("a folder");
    fs::create_dir(project.home().join(".claude")).expect("a folder");
    assert_eq!(found(&[]).1, ["claude", "qwen", "cursor"]);
    let (code, _, said) = found(&["emacs"]);
    assert_eq!(code, Some(2));
    assert_snapshot!(project.plain(&said), @"
    error: redgreen knows no agent emacs
    hint: known are: claude, codex, gemini, qwen, copilot, opencode, kilo, cursor, aider
    ");
    let (code, _, said) = found(&["aider"]);
    assert_eq!(code, Some(2));
    assert_snapshot!(project.plain(&said), @r#"
    error: aider has no hooks
    hint: give it the gate as its test command: `aider --test-cmd "redgreen gate" --auto-test`
    hint: run `redgreen gate` once more after aider: it ends with exit code 0 even when it gives up
    "#);

    let status = hooks_json(&project, &["status", "qwen"], 0);
    assert_eq!(status["agents"][0]["version"], "0.15.10");
}

#[test]
fn an_older_entry_is_brought_up_to_date_and_a_changed_one_is_seen() {
    let project = project();
    let state = || {
        hooks_json(&project, &["status", "claude"], 0)["agents"][0]["entries"][0]["state"].clone()
    };
    hooks(&project, &["install", "claude", "opencode"], 0);
    let current = project.read(".claude/settings.json");
    project.write(".claude/settings.json", current.replace(&redgreen(), "/old/redgreen"));
    assert_eq!(state(), "outdated");
    hooks(&project, &["install", "claude"], 0);
    assert_eq!(project.read(".claude/settings.json"), current);
    project.write(".claude/settings.json", current.replace("--event stop", "--event stop || true"));
    assert_eq!(state(), "changed");
    hooks(&project, &["install", "claude"], 0);
    assert_eq!(project.read(".claude/settings.json"), current);

    let plugin = project.read(".opencode/plugins/redgreen.js");
    for (changed, expected) in [
        (plugin.replace(&redgreen(), "/old/redgreen"), "outdated"),
        (plugin.replace("=== \"block\"", "=== \"never\""), "changed"),
    ] {
        project.write(".opencode/plugins/redgreen.js", &changed);
        let status = hooks_json(&project, &["status", "opencode"], 0);
        assert_eq!(status["agents"][0]["entries"][0]["state"], expected);
        hooks(&project, &["install", "opencode"], 0);
        assert_eq!(project.read(".opencode/plugins/redgreen.js"), plugin);
    }
}
