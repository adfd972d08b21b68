//! The proof that the gate fires, and what is no proof.

use std::fs;

use insta::assert_snapshot;
use serde_json::Value;

use crate::common::Project;
use crate::hooks::{AGENTS, hooks, hooks_json, program, project};

/// A gate that runs the canary's own tests.
pub const HONEST: &str = r#"
cat > /dev/null
case "$*" in *"--event stop"*) ;; *) exit 0 ;; esac
sh tests/run.sh > /dev/null && exit 0
case "$*" in
  *cursor*) echo '{"followup_message":"3 tests fail"}' ;;
  *) echo '{"decision":"block","reason":"3 tests fail"}' ;;
esac"#;

/// Lets another program stand where redgreen was installed.
pub fn replace(project: &Project, with: &str) {
    let redgreen = fs::canonicalize(env!("CARGO_BIN_EXE_redgreen")).expect("redgreen");
    let redgreen = redgreen.to_str().expect("UTF-8");
    for (name, file) in AGENTS {
        let path = project.root().join(file);
        let Ok(text) = fs::read_to_string(&path) else { continue };
        assert!(text.contains(redgreen), "{name}: {text}");
        fs::write(path, text.replace(redgreen, with)).expect("written");
    }
}

pub fn seen(agent: &Value, what: &str) -> (bool, String) {
    let seen = agent["seen"].as_array().expect("a list").iter().find(|seen| seen["what"] == what);
    let seen = seen.unwrap_or_else(|| panic!("{what} in {agent}"));
    (seen["good"] == true, seen["detail"].as_str().expect("a text").to_owned())
}

#[test]
fn a_gate_that_fires_is_proven_for_every_agent() {
    let project = project();
    let names: Vec<&str> =
        AGENTS.iter().map(|(name, _)| *name).filter(|name| *name != "codex").collect();
    hooks(&project, &[&["install"], names.as_slice()].concat(), 0);
    replace(&project, &program(&project, "stand in", HONEST));
    let verified = hooks_json(&project, &["verify"], 0);
    let agents = verified["agents"].as_array().expect("agents");
    assert_eq!(agents.len(), names.len());
    for agent in agents {
        assert_eq!(agent["proven"], true, "{agent}");
        assert_eq!(seen(agent, "red canary"), (true, "held: 3 tests fail".to_owned()));
        assert!(seen(agent, "green canary").0);
    }
    let said = hooks(&project, &["verify", "claude"], 0).stdout;
    assert!(said.starts_with("claude    the gate fires: .claude/settings.json"), "{said}");
}

#[test]
fn a_gate_that_does_not_is_not() {
    let project = project();
    hooks(&project, &["install", "claude"], 0);
    let original = project.read(".claude/settings.json");
    for (script, red, green) in [
        ("exit 0", false, true),
        ("echo '{\"decision\":\"block\",\"reason\":\"no\"}'", true, false),
        ("echo '{\"decision\":\"block\",\"reason\":\"no\"}'; exit 1", false, false),
        ("echo red >&2; exit 1", false, false),
        ("echo red", false, true),
        (
            "cat > /dev/null; sh tests/run.sh > /dev/null || echo '{\"decision\":\"block\",\"reason\":\"\"}'",
            false,
            true,
        ),
    ] {
        project.write(".claude/settings.json", &original);
        replace(&project, &program(&project, "stand in", script));
        let verified = hooks_json(&project, &["verify"], 1);
        let agent = &verified["agents"][0];
        assert_eq!(agent["proven"], false, "{script}");
        assert_eq!(
            (seen(agent, "red canary").0, seen(agent, "green canary").0),
            (red, green),
            "{script}"
        );
    }
    project
        .write(".claude/settings.json", original.replace("gate --hook claude --event stop", "x"));
    let verified = hooks_json(&project, &["verify", "claude"], 1);
    assert_snapshot!(project.plain(&seen(&verified["agents"][0], "settings").1), @"no stop hook of redgreen is in it: `redgreen hooks install claude`");
}

#[test]
fn a_canary_leaves_nothing_behind() {
    let project = project();
    hooks(&project, &["install", "qwen"], 0);
    replace(&project, &program(&project, "stand in", HONEST));
    let mut verify = project.redgreen_command(&["hooks", "verify"]);
    assert!(verify.env("TMPDIR", project.outside()).status().expect("redgreen").success());
    assert_eq!(fs::read_dir(project.outside()).expect("a folder").count(), 0);
    let state = project.home().join(".local/state/redgreen/trusted.jsonl");
    assert!(!state.exists(), "nobody has to trust canaries");
}

#[test]
fn a_gate_that_the_agent_would_not_run_is_not_proven() {
    let project = project();
    hooks(&project, &["install", "gemini", "--no-trust"], 0);
    replace(&project, &program(&project, "stand in", HONEST));
    let verified = hooks_json(&project, &["verify"], 1);
    let agent = &verified["agents"][0];
    assert_eq!((seen(agent, "red canary").0, seen(agent, "green canary").0), (true, true));
    assert!(!seen(agent, "trust").0);
    hooks(&project, &["uninstall"], 0);
    let said = hooks(&project, &["verify"], 2).stderr;
    assert_snapshot!(project.plain(&said), @"
    error: no hooks of redgreen are installed here
    hint: install them: `redgreen hooks install`
    ");
}
