//! Trust: set up with the hooks, taken back with them, and named where redgreen cannot do it.

use std::fs;

use crate::common::Project;
use crate::hooks::{hooks, hooks_json, program, project};
use insta::assert_snapshot;

/// A Codex that lists the hooks of a project it trusts, and says which of them it trusts.
const CODEX: &str = r#"
[ "$1" = app-server ] || { echo codex-cli 0.166.0; exit; }
config=$HOME/.codex/config.toml
read -r initialize; echo '{"id":1,"result":{}}'
read -r initialized
read -r list
root=${list##*'["'}; root=${root%%'"]'*}
hooks=
if [ -f "$root/.codex/hooks.json" ] && grep -q "^\[projects.\"$root\"\]" "$config" 2>/dev/null; then
  for event in session_start:session-start stop:stop; do
    key=$root/.codex/hooks.json:${event%%:*}:0:0
    status=untrusted
    grep -A1 -F "[hooks.state.\"$key\"]" "$config" | grep -q "sha256:${event%%:*}" && status=trusted
    hooks="$hooks${hooks:+,}{\"key\":\"$key\",\"command\":\"x gate --hook codex --event ${event##*:}\",\"enabled\":true,\"currentHash\":\"sha256:${event%%:*}\",\"trustStatus\":\"$status\"}"
  done
fi
echo '{"method":"noise"}'
echo "{\"id\":2,\"result\":{\"data\":[{\"cwd\":\"$root\",\"hooks\":[$hooks],\"warnings\":[],\"errors\":[]}]}}"
while read -r more; do :; done
"#;

fn codex() -> (Project, std::path::PathBuf) {
    let project = project();
    program(&project, "codex", CODEX);
    let config = project.home().join(".codex/config.toml");
    fs::create_dir_all(project.home().join(".codex")).expect("a folder");
    (project, config)
}

#[test]
fn codex_trusts_the_project_and_both_hooks_by_its_own_word() {
    let (project, config) = codex();
    fs::write(&config, "model = \"m\" # mine").expect("a file");
    let done = hooks_json(&project, &["install", "codex"], 0);
    let agent = &done["agents"][0];
    assert_eq!(agent["trust"].as_array().expect("two steps").len(), 2, "{agent}");
    assert_eq!(agent["step"], serde_json::Value::Null, "{agent}");
    let with = fs::read_to_string(&config).expect("it");
    assert_eq!(with.matches("trusted_hash").count(), 2, "{with}");
    let status = hooks_json(&project, &["status", "codex"], 0);
    assert_eq!(status["agents"][0]["trust"]["trusted"], true);
    assert_eq!(status["agents"][0]["version"], "codex-cli 0.166.0");
    assert!(
        hooks_json(&project, &["install", "codex"], 0)["agents"][0]["trust"]
            .as_array()
            .is_some_and(Vec::is_empty)
    );
    assert_eq!(fs::read_to_string(&config).expect("it"), with);
    hooks(&project, &["uninstall", "codex"], 0);
    assert_eq!(fs::read_to_string(&config).expect("it"), "model = \"m\" # mine");
}

#[test]
fn a_project_that_a_person_does_not_trust_stays_so() {
    let (project, config) = codex();
    let root = fs::canonicalize(project.root()).expect("a root");
    let text = format!("[projects.\"{}\"]\ntrust_level = \"untrusted\"\n", root.display());
    // The stand-in takes the table for trust, so it is one that it cannot find.
    let text = text.replace("[projects.", "[ projects.");
    fs::write(&config, &text).expect("a file");
    let done = hooks_json(&project, &["install", "codex"], 0);
    assert_snapshot!(project.plain(done["agents"][0]["step"].as_str().expect("a step")), @"start `codex` in this folder, trust the folder, open /hooks and trust the hooks of redgreen");
    assert_eq!(fs::read_to_string(&config).expect("it"), text);
}

#[test]
fn without_codex_or_without_leave_the_step_is_named() {
    let project = project();
    let said = hooks(&project, &["install", "codex"], 0).stderr;
    assert_snapshot!(project.plain(&said), @"
    hint: codex runs no hooks here yet: start `codex` in this folder, trust the folder, open /hooks and trust the hooks of redgreen
    next: `redgreen hooks verify` proves that the gate fires
    ");
    let (project, config) = codex();
    let done = hooks_json(&project, &["install", "codex", "gemini", "--no-trust"], 0);
    for agent in done["agents"].as_array().expect("agents") {
        assert!(agent["step"].is_string(), "{agent}");
    }
    assert!(!config.exists() && !project.home().join(".gemini").exists());
}

#[test]
fn folders_are_trusted_by_gemini_and_copilot() {
    let project = project();
    let root = fs::canonicalize(project.root()).expect("a root");
    let root = root.to_str().expect("UTF-8");
    let gemini = project.home().join(".gemini/trustedFolders.json");
    let copilot = project.home().join(".copilot/config.json");
    let before = "// This file is managed automatically.\n{\n  \"trustedFolders\": [\n    \"/else\"\n  ]\n}\n";
    fs::create_dir(project.home().join(".copilot")).expect("a folder");
    fs::write(&copilot, before).expect("a file");
    hooks(&project, &["install", "gemini", "copilot"], 0);
    for file in [&gemini, &copilot] {
        assert!(fs::read_to_string(file).expect("it").contains(&format!("\"{root}\"")));
    }
    let status = hooks_json(&project, &["status", "gemini", "copilot"], 0);
    for agent in status["agents"].as_array().expect("agents") {
        assert_eq!(agent["trust"]["trusted"], true, "{agent}");
    }
    hooks(&project, &["uninstall"], 0);
    assert!(!gemini.exists());
    assert_eq!(fs::read_to_string(&copilot).expect("it"), before);
}
