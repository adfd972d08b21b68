//! People and the gate: an answer to an agent that is gone, and subagents that end.

use serde_json::{Value, json};

use super::visitor::{Visitor, reason};
use super::{FIX, WRONG};
use crate::common::Project;

#[test]
fn a_comment_is_no_new_round_and_a_hint_comes_with_the_next_end() {
    let project = Project::pytest();
    let config = project.read("redgreen.toml");
    project.write("redgreen.toml", format!("{config}\n[loop]\nmax_attempts = 1\n"));
    project.commit();
    let visitor = Visitor::of(project);
    visitor.project.write("calc.py", WRONG);
    visitor.is_let_go_unverified();
    visitor.project.write("calc.py", format!("{WRONG}# I think it is right now\n"));
    let said = visitor.is_let_go_unverified();
    assert!(said.contains("still NOT VERIFIED"), "a comment is no attempt: {said}");
    let mut script = visitor.project.command("script");
    let line = format!("'{}' answer --hint 'turn it round'", env!("CARGO_BIN_EXE_redgreen"));
    let ended = script.args(["-qec", &line, "/dev/null"]).output().expect("a terminal");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
    assert!(reason(&visitor.stop()).contains("turn it round"));
    visitor.project.write("calc.py", FIX);
    assert_eq!(visitor.stop(), Value::Null, "it was said once");
}

#[test]
fn what_was_let_go_unverified_waits_until_it_was_seen_to_pass() {
    let project = Project::pytest();
    let config = project.read("redgreen.toml");
    project.write("redgreen.toml", format!("{config}\n[loop]\nmax_attempts = 1\n"));
    project.commit();
    let visitor = Visitor::of(project);
    visitor.project.write("calc.py", WRONG);
    visitor.is_let_go_unverified();
    let inbox = visitor.project.redgreen(&["inbox"]).stdout;
    assert!(
        inbox.contains("what an agent worked on") && inbox.contains("test_subtract"),
        "{inbox}"
    );
    let accept = format!("'{}' answer --accept 'it may be red'", env!("CARGO_BIN_EXE_redgreen"));
    let mut script = visitor.project.command("script");
    let ended = script.args(["-qec", &accept, "/dev/null"]).output().expect("a terminal");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
    let accepted = visitor.stop();
    let said = accepted["systemMessage"].as_str().unwrap_or_default();
    assert!(said.contains("it may be red"), "{accepted}");
    visitor.project.write("calc.py", format!("{WRONG}\n\nwrong = 1\n"));
    visitor.is_let_go_unverified();
    visitor.project.write("calc.py", FIX);
    assert_eq!(visitor.stop(), Value::Null);
    assert_eq!(visitor.project.redgreen(&["inbox"]).stdout.trim(), "nothing waits for you");
    let all = visitor.project.redgreen(&["inbox", "--all"]).stdout;
    assert!(all.contains("settled: what an agent made of it was seen to pass"), "{all}");
}

#[test]
fn a_subagent_is_judged_where_the_project_says_so() {
    let ends = |visitor: &Visitor, name: &str| {
        let event = json!({"session_id": visitor.session, "hook_event_name": "SubagentStop",
            "cwd": visitor.project.root(), "agent_type": name});
        visitor.send(event.to_string().as_bytes(), &[]).0
    };
    let visitor = Visitor::new();
    visitor.project.write("calc.py", WRONG);
    assert_eq!(ends(&visitor, "coder"), Value::Null, "not unless the project says so");
    let project = Project::pytest();
    let config = project.read("redgreen.toml");
    project.write("redgreen.toml", format!("{config}\n[gate]\nroles = [\"coder\"]\n"));
    project.commit();
    let visitor = Visitor::of(project);
    visitor.project.write("calc.py", WRONG);
    assert_eq!(ends(&visitor, "explorer"), Value::Null);
    assert!(reason(&ends(&visitor, "coder")).contains("test_subtract"));
    visitor.project.write("calc.py", FIX);
    assert_eq!(ends(&visitor, "coder"), Value::Null);
    assert_eq!(visitor.stop(), Value::Null);
}
