//! What the gate says to people: the action that fits, and whole sentences.

use crate::common::Project;
use crate::gate::visitor::Visitor;
use crate::gate::{FIX, WRONG};

/// What `redgreen gate` says on a terminal when it blocks.
#[track_caller]
fn blocked(project: &Project, more: &[&str], code: i32) -> String {
    let ended = project.redgreen(&[&["gate"], more].concat());
    ended.assert_code(code);
    assert!(ended.stdout.contains("BLOCKED"), "{}", ended.stdout);
    ended.stdout
}

/// The actions that it names.
fn actions(said: &str) -> Vec<&str> {
    let rest = said.split_once("Actions:\n").map(|(_, rest)| rest).unwrap_or_default();
    rest.lines().take_while(|line| !line.is_empty()).map(|line| &line["  1. ".len()..]).collect()
}

fn fixed() -> Project {
    let project = Project::pytest();
    project.write("calc.py", FIX);
    project.commit();
    project
}

#[test]
fn what_is_red_is_fixed() {
    let project = Project::pytest();
    project.write("calc.py", WRONG);
    assert_eq!(actions(&blocked(&project, &[], 1)), ["Fix what is red", "redgreen gate"]);
}

#[test]
fn what_is_not_red_has_an_action_of_its_own() {
    // Rules that changed, and cannot be read any more.
    let project = fixed();
    let rules = project.read("redgreen.toml");
    project.write("redgreen.toml", format!("{rules}\n[gate\n"));
    let said = blocked(&project, &[], 1);
    let [undo, again] = actions(&said)[..] else { panic!("{said}") };
    assert!(
        undo.starts_with(
            "Undo the change of redgreen.toml, or a person accepts it: redgreen waive F-"
        ),
        "{said}"
    );
    assert!(undo.ends_with("--reason \"…\""), "{said}");
    assert_eq!(again, "redgreen gate");
    let line = rules.lines().count() + 2;
    assert!(
        said.contains(&format!("it cannot be read as it is now: redgreen.toml:{line}:")),
        "{said}"
    );

    // An expectation that changed with the code.
    let project = fixed();
    let tests = project.read("tests/test_calc.py");
    project.write("tests/test_calc.py", tests.replace("== 4", "== 5"));
    project.write("calc.py", FIX.replace("a + b", "a + b + 1"));
    let said = blocked(&project, &[], 1);
    assert!(
        actions(&said)[0].contains("redgreen declare 'tests/test_calc.py::test_add' --reason"),
        "{said}"
    );
    assert!(!said.contains("Fix what is red"), "{said}");
}

#[test]
fn a_missing_tool_and_missing_tests_are_no_red_tests() {
    let project = Project::pytest();
    project.configure("no-such-command", "pytest", "");
    let said = blocked(&project, &["--base", "HEAD"], 3);
    assert!(actions(&said)[0].starts_with("Make the command run"), "{said}");

    let project = fixed();
    project.git(&["rm", "-q", "-r", "tests"]);
    project.commit();
    let said = blocked(&project, &["--base", "HEAD"], 1);
    assert!(actions(&said)[0].starts_with("Have a test run"), "{said}");
}

#[test]
fn a_tree_that_was_seen_alone_is_distinguished_from_one_that_nobody_saw() {
    let project = fixed();
    project.write("calc.py", format!("{FIX}\n\nTWO = 2\n"));
    let said = blocked(&project, &["--no-execute"], 1);
    assert!(said.contains("redgreen has not seen this tree pass."), "{said}");
    project.redgreen(&["test"]).assert_code(0);
    let said = blocked(&project, &["--no-execute"], 1);
    assert!(said.contains("This tree was seen to pass, but not compared with HEAD."), "{said}");
    assert!(actions(&said)[0].starts_with("Run the checks: redgreen gate"), "{said}");
    let json = project.redgreen(&["gate", "--no-execute", "--json"]).stdout;
    assert!(json.contains("seen to pass, but not compared with HEAD"), "{json}");
}

#[test]
fn a_question_ends_its_sentence() {
    let visitor = Visitor::new();
    visitor.project.write("calc.py", WRONG);
    visitor.stop();
    visitor.project.redgreen(&["give-up", "two specifications: which one?"]).assert_code(0);
    let message = visitor.is_let_go_unverified();
    assert!(message.contains("which one? A person has to look at it"), "{message}");
}
