//! The table of the pre-return gate, as it is told there: what each of its four agents meets when it wants to return.

use serde_json::{Value, json};

use super::visitor::{Visitor, reason};
use super::{FIX, WRONG};
use crate::common::Project;

const AGENTS: [&str; 4] = ["software-implementer", "debugger", "test-engineer", "code-reviewer"];

/// The end of one of them, with these programs at hand where they are not the usual ones.
fn returns(visitor: &Visitor, agent: &str, path: Option<&str>) -> Value {
    let event = json!({"session_id": visitor.session, "hook_event_name": "SubagentStop",
        "cwd": visitor.project.root(), "agent_type": agent});
    visitor.send_with(event.to_string().as_bytes(), &[], path).0
}

fn said(answer: &Value) -> &str {
    answer["systemMessage"].as_str().unwrap_or_default()
}

#[test]
fn each_of_the_four_returns_only_what_was_seen_to_pass_or_need_not_run() {
    let project = Project::pytest();
    project.write("calc.py", FIX);
    let config = project.read("redgreen.toml");
    let roles = format!("{config}\n[gate]\nroles = {AGENTS:?}\nagent_may_skip = true\n");
    project.write("redgreen.toml", roles);
    project.commit();
    let visitor = Visitor::of(project);
    let project = &visitor.project;
    for agent in AGENTS {
        // No execution record: redgreen makes one, and it is red.
        project.write("calc.py", format!("{WRONG}# {agent}\n"));
        let held = returns(&visitor, agent, None);
        assert!(reason(&held).contains("test_subtract"), "{agent}: {held}");
        assert!(reason(&held).contains("redgreen ran `python -m pytest -q` itself"), "{held}");
        assert_eq!(returns(&visitor, "explorer", None), Value::Null, "it is none of the four");
        // A record that passes.
        project.write("calc.py", format!("{FIX}\n\ndef twice(a):\n    return add(a, a)\n"));
        let test = "\n\ndef test_twice():\n    from calc import twice\n\n    assert twice(2) == 4\n    assert twice(3) == 6\n";
        let tests = project.read("tests/test_calc.py");
        project.write("tests/test_calc.py", format!("{tests}{test}"));
        assert_eq!(returns(&visitor, agent, None), Value::Null, "{agent}");
        project.git(&["checkout", "-q", "."]);
        // Documents, and settings of no program that runs.
        project.write("README.md", format!("# {agent}\n"));
        assert_eq!(returns(&visitor, agent, None)["decision"], Value::Null, "{agent}");
        project.write(".editorconfig", format!("# {agent}\n[*]\nindent_style = space\n"));
        assert_eq!(returns(&visitor, agent, None)["decision"], Value::Null, "{agent}");
        // Skipped, with a reason.
        project.write("calc.py", format!("{WRONG}# skipped by {agent}\n"));
        project.redgreen(&["skip", "the server is down"]).assert_code(0);
        let skipped = returns(&visitor, agent, None);
        assert!(said(&skipped).contains("the server is down"), "{agent}: {skipped}");
        // Nothing to test with: held, and never called a pass.
        project.write("calc.py", format!("{FIX}\n# {agent}\nNAME = {agent:?}\n"));
        let broken = returns(&visitor, agent, Some("/usr/bin:/bin"));
        assert!(reason(&broken).contains("could not run the checks"), "{agent}: {broken}");
        project.git(&["checkout", "-q", "."]);
    }
    let log = project.read(".redgreen/gate.jsonl");
    assert_eq!(log.matches("the server is down").count(), AGENTS.len(), "{log}");
}
