//! What the gate says to people: the action that fits, and whole sentences.

use insta::assert_snapshot;

use crate::common::Project;
use crate::gate::visitor::Visitor;
use crate::gate::{FIX, WRONG};

/// What `redgreen gate` says on a terminal when it blocks.
#[track_caller]
fn blocked(project: &Project, more: &[&str], code: i32) -> String {
    let ended = project.redgreen(&[&["gate"], more].concat());
    ended.assert_code(code);
    project.plain(&ended.stdout)
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
    assert_snapshot!(blocked(&project, &[], 1), @r#"
    square: HEAD against the work tree
      old code, old tests   1 passed, 1 failed in [time]
      new code, new tests   1 passed, 1 failed in [time]
      new code, old tests   the same as the new code with the new tests: the tests did not change
      old code, new tests   the same as the old code with the old tests: the tests did not change

      code                               old      new      old      new
      tests                              old      old      new      new
      tests/test_calc.py::test_subtract  red      red      red      red
      and 1 test that is green wherever it ran

    failed: unit: 1 of 2 red
    BLOCKED: failed
    ======================================

    Tree: [tree]

    - unit: 1 of 2 red

    Actions:
      1. Fix what is red
      2. redgreen gate

    Skip (with reason): redgreen skip "why"
    ======================================
    "#);
}

#[test]
fn what_is_not_red_has_an_action_of_its_own() {
    // Rules that changed, and cannot be read any more.
    let project = fixed();
    let rules = project.read("redgreen.toml");
    project.write("redgreen.toml", format!("{rules}\n[gate\n"));
    assert_snapshot!(blocked(&project, &[], 1), @r#"
    square: HEAD against the work tree
      old code, old tests   2 passed in [time]
      new code, new tests   2 passed in [time]
      new code, old tests   the same as the new code with the new tests: the tests did not change
      old code, new tests   the same as the old code with the old tests: the tests did not change
      2 tests, green wherever they ran
    finding F-[finding] (configuration_changed) redgreen.toml: redgreen.toml changed: only a person may change the rules (`redgreen trust` accepts them); it cannot be read as it is now: redgreen.toml:6:6: not valid TOML: unclosed table, expected `]`
        + [gate
    failed: 1 finding, 0 undeclared changed expectations
    BLOCKED: failed
    ======================================

    Tree: [tree]

    - redgreen.toml changed: only a person may change the rules (`redgreen trust` accepts them); it cannot be read as it is now: redgreen.toml:6:6: not valid TOML: unclosed table, expected `]`

    Actions:
      1. Undo the change of redgreen.toml, or a person accepts it: redgreen trust
      2. redgreen gate

    Skip (with reason): redgreen skip "why"
    ======================================
    "#);

    // An expectation that changed with the code.
    let project = fixed();
    let tests = project.read("tests/test_calc.py");
    project.write("tests/test_calc.py", tests.replace("== 4", "== 5"));
    project.write("calc.py", FIX.replace("a + b", "a + b + 1"));
    assert_snapshot!(blocked(&project, &[], 1), @r#"
    square: HEAD against the work tree
      old code, old tests   2 passed in [time]
      new code, new tests   2 passed in [time]
      new code, old tests   1 passed, 1 failed in [time]
      old code, new tests   0 passed, 1 failed in [time]
      the tests' side changed: tests/test_calc.py

      code                          old      new      old      new
      tests                         old      old      new      new
      tests/test_calc.py::test_add  green    red      red      green
      and 1 test that is green wherever it ran

    changed expectation (changed) tests/test_calc.py:4: tests/test_calc.py::test_add: its old version on the new code: AssertionError: assert 5 == 4
        -     assert add(2, 2) == 4
        +     assert add(2, 2) == 5
        if it is meant: redgreen declare 'tests/test_calc.py::test_add' --reason "…"
    proof: tests/test_calc.py::test_add was red on the old code: AssertionError: assert 4 == 5
    failed: 0 findings, 1 undeclared changed expectation
    BLOCKED: failed
    ======================================

    Tree: [tree]

    - tests/test_calc.py::test_add: changed expectation (changed): its old version on the new code: AssertionError: assert 5 == 4. If the task asks for it, declare it: redgreen declare 'tests/test_calc.py::test_add' --reason "…"

    Actions:
      1. If the task asks for what tests/test_calc.py::test_add expects now: redgreen declare 'tests/test_calc.py::test_add' --reason "…"
      2. redgreen gate

    Skip (with reason): redgreen skip "why"
    ======================================
    "#);
}

#[test]
fn a_missing_tool_and_missing_tests_are_no_red_tests() {
    let project = Project::pytest();
    project.configure("no-such-command", "pytest", "");
    assert_snapshot!(blocked(&project, &["--base", "HEAD"], 3), @r#"
    square: HEAD against the work tree
      old code, old tests   0 passed, 1 error in [time]
      new code, new tests   0 passed, 1 error in [time]
      new code, old tests   not run: the new code with the new tests already decides
      old code, new tests   not run: the new code with the new tests already decides
    tooling_error: unit: `no-such-command` cannot be run: exit code 127: /bin/sh: no-such-command: not found
    BLOCKED: tooling_error
    ======================================

    Tree: [tree]

    - unit: `no-such-command` cannot be run: exit code 127: /bin/sh: no-such-command: not found

    Actions:
      1. Make the command run: install what is missing, or correct the command in redgreen.toml (redgreen doctor names it)
      2. redgreen gate

    Skip (with reason): redgreen skip "why"
    ======================================
    "#);

    let project = fixed();
    project.git(&["rm", "-q", "-r", "tests"]);
    project.commit();
    assert_snapshot!(blocked(&project, &["--base", "HEAD"], 1), @r#"
    square: HEAD against the work tree
      old code, old tests   0 passed in [time]
      new code, new tests   0 passed in [time]
      new code, old tests   not run: the new code with the new tests already decides
      old code, new tests   not run: the new code with the new tests already decides
    inconclusive: unit: no test was executed (exit code 5), so nothing was shown to work
    BLOCKED: inconclusive
    ======================================

    Tree: [tree]

    - unit: no test was executed (exit code 5), so nothing was shown to work

    Actions:
      1. Have a test run: write one, or name the command that runs the tests in redgreen.toml
      2. redgreen gate

    Skip (with reason): redgreen skip "why"
    ======================================
    "#);
}

#[test]
fn a_tree_that_was_seen_alone_is_distinguished_from_one_that_nobody_saw() {
    let project = fixed();
    project.write("calc.py", format!("{FIX}\n\nTWO = 2\n"));
    assert_snapshot!(blocked(&project, &["--no-execute"], 1), @r#"
    BLOCKED: Execution Evidence Required
    ======================================

    Tree: [tree]

    redgreen has not seen this tree pass.

    Actions:
      1. Run the checks: redgreen gate (it runs python -m pytest -q)

    Skip (with reason): redgreen skip "why"
    ======================================
    "#);
    project.redgreen(&["test"]).assert_code(0);
    assert_snapshot!(blocked(&project, &["--no-execute"], 1), @r#"
    BLOCKED: Execution Evidence Required
    ======================================

    Tree: [tree]

    This tree was seen to pass, but not compared with HEAD.

    Actions:
      1. Run the checks: redgreen gate (it runs python -m pytest -q)

    Skip (with reason): redgreen skip "why"
    ======================================
    "#);
    let json = project.redgreen(&["gate", "--no-execute", "--json"]).stdout;
    assert_snapshot!(project.plain(&json), @r#"{"result":"gate","decision":"block","tree":"[hash]","verdict":null,"reasons":["seen to pass, but not compared with HEAD: run `redgreen gate`"]}"#);
}

#[test]
fn a_question_ends_its_sentence() {
    let visitor = Visitor::new();
    visitor.project.write("calc.py", WRONG);
    visitor.stop();
    visitor.project.redgreen(&["give-up", "two specifications: which one?"]).assert_code(0);
    assert_snapshot!(visitor.project.plain(&visitor.is_let_go_unverified()), @"redgreen: NOT VERIFIED (agent_gave_up): two specifications: which one? A person has to look at it; the report is .redgreen/sessions/[id]/report.md");
}
