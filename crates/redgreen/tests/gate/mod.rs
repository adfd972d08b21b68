//! The gate as an agent's hook: the real binary, real pytest, the events that agents send.

mod beginning;
mod escapes;
mod first;
mod glance;
mod places;
mod settings;
mod untouched;
mod visitor;
mod wording;

use crate::common::Project;
use serde_json::Value;
use visitor::{Visitor, reason};

const FIX: &str = "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a - b\n";
const WRONG: &str = "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return b - a\n";

#[test]
fn a_wrong_fix_is_held_with_what_failed_and_a_right_one_goes() {
    let visitor = Visitor::new();
    visitor.project.write("calc.py", WRONG);
    let answer = visitor.stop();
    let reason = reason(&answer);
    for part in [
        "attempt 1 of 3",
        "tests/test_calc.py::test_subtract",
        "calc.py",
        "give-up",
        "feedback.json",
    ] {
        assert!(reason.contains(part), "{part} is missing: {reason}");
    }
    visitor.project.write("calc.py", FIX);
    assert_eq!(visitor.stop(), Value::Null);
    let executions = visitor.project.executions();
    assert_eq!(visitor.stop(), Value::Null, "what was seen to pass is let through");
    assert_eq!(visitor.project.executions(), executions, "without running anything");
}

#[test]
fn one_that_never_gives_in_is_let_go_at_the_bound_and_not_verified() {
    let visitor = Visitor::new();
    for attempt in 1..=2 {
        visitor.project.write("calc.py", format!("{WRONG}# {attempt}\n"));
        assert!(reason(&visitor.stop()).contains(&format!("attempt {attempt} of 3")));
    }
    visitor.project.write("calc.py", format!("{WRONG}# 3\n"));
    let message = visitor.is_let_go_unverified();
    assert!(message.contains("bounded_attempts_exceeded"), "{message}");
    // Nothing has changed: it is not held again, and still not verified.
    let again = visitor.stop();
    assert!(
        again["systemMessage"].as_str().is_some_and(|it| it.contains("not verified")),
        "{again}"
    );
    visitor.project.redgreen(&["gate", "--no-execute"]).assert_code(1);
    visitor.project.redgreen(&["gate"]).assert_code(1);
    // A further edit is a new task, compared with the same tree as before.
    visitor.project.write("calc.py", FIX);
    assert_eq!(visitor.stop(), Value::Null);
}

#[test]
fn one_that_edits_nothing_is_not_asked_to_fix_what_nobody_asked_for() {
    let visitor = Visitor::new();
    for _ in 0..2 {
        let said = visitor.allowed_with();
        assert!(said.contains("nothing was edited"), "{said}");
    }
    // An edit that was taken back is none.
    visitor.project.write("calc.py", WRONG);
    reason(&visitor.stop());
    visitor.project.git(&["checkout", "-q", "calc.py"]);
    assert!(visitor.allowed_with().contains("nothing was edited"));
}

/// Tests that were red before, for the same reason, and that reach nothing of the change.
#[test]
fn unrelated_work_in_a_red_repository_is_informed_of_it_once() {
    let visitor = Visitor::new();
    visitor.project.write("other.py", "def double(a):\n    return a * 2\n");
    let answer = visitor.stop();
    let said = reason(&answer);
    assert!(
        said.contains("test_subtract") && said.contains("If it is your task to repair it, go on"),
        "{said}"
    );
    assert!(!said.contains("attempt 1 of 3"), "{said}");
    let said = visitor.allowed_with();
    assert!(said.contains("test_subtract") && said.contains("red before"), "{said}");
    assert!(!said.contains("PASSED"), "{said}");
    // What reaches the change may be the task.
    visitor.shell("sed -i 's/return a + b/return b + a/' calc.py");
    assert!(reason(&visitor.stop()).contains("attempt 1 of 3"));
    // It is a level of its own in what is signed, and no pass.
    let shown = visitor.project.redgreen(&["gate", "--no-execute"]);
    shown.assert_code(1);
}

#[test]
fn the_honest_way_out() {
    let visitor = Visitor::new();
    visitor.project.write("calc.py", WRONG);
    reason(&visitor.stop());
    visitor.project.redgreen(&["give-up", "I do not understand subtraction"]).assert_code(0);
    let message = visitor.is_let_go_unverified();
    assert!(message.contains("agent_gave_up") && message.contains("subtraction"), "{message}");
    visitor.project.redgreen(&["give-up", "again"]).assert_code(2);
}

#[test]
fn tests_that_were_bent_are_held_by_name_and_a_declared_expectation_goes() {
    let visitor = Visitor::new();
    let tests = visitor.project.read("tests/test_calc.py");
    visitor.project.write("tests/test_calc.py", tests.replace("== 2", "== 8"));
    let answer = visitor.stop();
    assert!(reason(&answer).contains("passes only because the tests were changed"), "{answer}");
    visitor.project.write("tests/test_calc.py", tests.replace("== 4", "== 5"));
    visitor.project.write("calc.py", FIX.replace("a + b", "a + b + 1"));
    let answer = visitor.stop();
    assert!(
        reason(&answer).contains("redgreen declare 'tests/test_calc.py::test_add'"),
        "{answer}"
    );
    let declare = ["declare", "tests/test_calc.py::test_add", "--reason", "asked for"];
    visitor.project.redgreen(&declare).assert_code(0);
    assert!(visitor.allowed_with().contains("asked for"));
}

/// An agent can own a change of what others expected, not a red test that it wrote and took away.
#[test]
fn a_declaration_that_can_have_no_effect_is_refused() {
    let visitor = Visitor::new();
    visitor.project.write("calc.py", FIX);
    visitor.project.write("tests/test_new.py", "def test_new():\n    assert False\n");
    assert!(reason(&visitor.stop()).contains("test_new"));
    visitor.shell("rm tests/test_new.py");
    let (new, old) = ("tests/test_new.py::test_new", "tests/test_calc.py::test_add");
    let refused = visitor.project.redgreen(&["declare", new, old, "--reason", "not needed"]);
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    let why = format!("not declared: {new}: it was not there when the session began");
    assert!(refused.stderr.contains(&why), "{}", refused.stderr);
    let why = format!("not declared: {old}: nothing on the tests' side has changed");
    assert!(refused.stderr.contains(&why), "{}", refused.stderr);
    let tests = visitor.project.read("tests/test_calc.py");
    visitor.project.write("tests/test_calc.py", tests.replace("== 2", "== 8"));
    let owned = visitor.project.redgreen(&["declare", new, old, "--reason", "not needed"]);
    assert_eq!(owned.code, Some(1), "{}", owned.stderr);
    assert_eq!(owned.stdout.trim(), format!("declared: {old}"));
}

/// What an agent commits, or a file that it adds, does not become the tree that it is compared with.
#[test]
fn a_commit_changes_nothing_about_what_is_compared() {
    let visitor = Visitor::new();
    let tests = visitor.project.read("tests/test_calc.py");
    visitor.project.write("tests/test_calc.py", tests.replace("== 2", "== 8"));
    visitor.project.commit();
    assert!(reason(&visitor.stop()).contains("test_subtract"));
}

#[test]
fn documents_alone_are_let_through_and_logged_as_a_skip() {
    let visitor = Visitor::new();
    visitor.project.write("README.md", "# Calc\n");
    assert!(visitor.allowed_with().contains("nothing that runs was changed"));
    assert!(visitor.project.read(".redgreen/gate.jsonl").contains("\"what\":\"skipped\""));
    // What a test reads is no document, by its name or by its kind.
    for test in ["open('docs/greeting.md').read()", "sorted(glob.glob('docs/*.rst'))"] {
        let next = Visitor::new();
        next.project.write("docs/greeting.md", "hello\n");
        next.project.write("docs/more.rst", "hello\n");
        next.project.write(
            "tests/test_docs.py",
            format!("import glob\n\n\ndef test_docs():\n    assert {test}\n"),
        );
        next.project.commit();
        let next = Visitor { session: "s-2", ..next };
        next.event("SessionStart");
        let file = if test.contains("rst") { "docs/more.rst" } else { "docs/greeting.md" };
        next.project.write(file, "");
        reason(&next.stop());
    }
    // What can change a test's outcome is no document.
    visitor.project.write("conftest.py", "collect_ignore = ['tests']\n");
    reason(&visitor.stop());
}

#[test]
fn commands_that_a_repository_brings_are_trusted_by_a_person_first() {
    for recognised in [false, true] {
        let project = Project::pytest();
        if recognised {
            project.git(&["rm", "-q", "redgreen.toml"]);
            project.commit();
        }
        let visitor = Visitor { project, session: "s-1" };
        visitor.event("SessionStart");
        visitor.project.write("calc.py", FIX);
        for _ in 0..2 {
            let answer = visitor.stop();
            let said = reason(&answer);
            assert!(said.contains("pytest") && said.contains("redgreen trust"), "{said}");
        }
        visitor.is_let_go_unverified();
        assert_eq!(visitor.project.executions(), 0, "nothing was run");
        // A person who types a command has looked at the project.
        visitor.project.redgreen(&["test"]).assert_code(0);
        visitor.project.redgreen(&["trust"]).assert_code(0);
        assert_eq!(visitor.stop(), Value::Null);
    }
}

#[test]
fn a_missing_runner_is_said_and_not_charged_for_ever() {
    let project = Project::pytest();
    project.write("redgreen.toml", "[[checks]]\ncommand = \"no-such-runner-at-all\"\n");
    project.commit();
    let visitor = Visitor::of(project);
    visitor.project.write("calc.py", FIX);
    for _ in 0..2 {
        assert!(reason(&visitor.stop()).contains("no-such-runner-at-all"));
    }
    visitor.is_let_go_unverified();
}

#[test]
fn odd_input_is_still_a_stop() {
    let visitor = Visitor::new();
    visitor.project.write("calc.py", WRONG);
    let huge = format!("{{\"session_id\": \"s-1\", \"prompt\": \"{}\"}}", "x".repeat(20 << 20));
    let bom = "\u{feff}{\"session_id\": \"s-1\", \"hook_event_name\": \"Stop\", \"new\": [1, {}]}";
    for input in [b"".as_slice(), b"not json", b"[1, 2", bom.as_bytes(), huge.as_bytes()] {
        let (answer, ended) = visitor.send(input, &["--event", "stop"]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert_ne!(
            answer,
            Value::Null,
            "{}",
            String::from_utf8_lossy(&input[..input.len().min(40)])
        );
    }
}

/// Not every agent says that it starts, and none does that started before the hook was installed.
#[test]
fn a_session_whose_start_nobody_saw_is_held_all_the_same() {
    let project = Project::pytest();
    project.redgreen(&["trust"]).assert_code(0);
    let visitor = Visitor { project, session: "s-1" };
    visitor.project.write("calc.py", WRONG);
    let answer = visitor.stop();
    assert!(reason(&answer).contains("test_subtract"), "{answer}");
}

#[test]
fn two_sessions_have_a_count_each() {
    let first = Visitor::new();
    first.project.write("calc.py", WRONG);
    assert!(reason(&first.stop()).contains("attempt 1 of 3"));
    let second = Visitor { project: first.project, session: "s-2" };
    second.event("SessionStart");
    second.shell("echo '# more' >> calc.py");
    assert!(reason(&second.stop()).contains("attempt 1 of 3"));
}

/// The journal of the gate, and its evidence, are not where the agent works.
#[test]
fn a_forged_record_in_the_work_tree_changes_nothing() {
    let visitor = Visitor::new();
    visitor.project.write("calc.py", WRONG);
    reason(&visitor.stop());
    let state = visitor.project.root().join(".redgreen");
    for entry in walk(&state) {
        if entry.extension().is_some_and(|it| it == "json" || it == "jsonl") {
            let text = std::fs::read_to_string(&entry).unwrap_or_default();
            let forged = text.replace("failed", "passed").replace("FAILED", "PASSED");
            std::fs::write(&entry, forged).expect("written");
        }
    }
    assert!(reason(&visitor.stop()).contains("attempt 2 of 3"));
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => open.push(path),
                path => found.push(path),
            }
        }
    }
    found
}

/// The rules of the tree before name the commands, whatever became of the file since.
#[test]
fn a_configuration_that_was_deleted_still_has_to_be_trusted() {
    let visitor = Visitor { project: Project::pytest(), session: "s-1" };
    visitor.event("SessionStart");
    visitor.shell("rm redgreen.toml");
    assert!(reason(&visitor.stop()).contains("redgreen trust"));
    assert_eq!(visitor.project.executions(), 0, "nothing was run");
}

#[test]
fn an_agent_skips_only_where_the_rules_before_it_allow_that() {
    let visitor = Visitor::new();
    visitor.project.redgreen(&["skip", "no need"]).assert_code(2);
    let rules = visitor.project.read("redgreen.toml");
    visitor.project.write("redgreen.toml", format!("{rules}\n[gate]\nagent_may_skip = true\n"));
    visitor.project.commit();
    visitor.project.redgreen(&["skip", "no need"]).assert_code(0);
    assert!(reason(&visitor.stop()).contains("test_subtract"));
    // For the next session it is the rule.
    let next = Visitor { session: "s-2", ..visitor };
    next.event("SessionStart");
    next.project.write("calc.py", WRONG);
    next.project.redgreen(&["skip", "no need"]).assert_code(0);
    assert!(next.allowed_with().contains("no need"));
}

#[test]
fn ci_believes_signed_evidence_of_this_tree_and_base_or_runs() {
    let visitor = Visitor::new();
    visitor.project.write("calc.py", FIX);
    assert_eq!(visitor.stop(), Value::Null);
    let export = ["evidence", "export", "-o", "../agent/e.jsonl", "--public-key", "../agent/pub"];
    visitor.project.redgreen(&export).assert_code(0);
    // Elsewhere nothing is remembered.
    visitor.shell("rm -r .redgreen/evidence");
    let ci =
        ["gate", "--ci", "--evidence", "../agent/e.jsonl", "--key", "../agent/pub", "--no-execute"];
    let allowed = visitor.project.redgreen(&ci);
    allowed.assert_code(0);
    assert!(allowed.stdout.contains("signed"), "{}", allowed.stdout);
    visitor.project.write("calc.py", WRONG);
    let refused = visitor.project.redgreen(&ci);
    refused.assert_code(1);
    assert!(refused.stderr.contains("another tree"), "{}", refused.stderr);
    let runs = visitor.project.redgreen(&ci[..6]);
    runs.assert_code(1);
    assert!(runs.stdout.contains("test_subtract"), "{}", runs.stdout);
}

/// What is signed is a tree that was run: what the tests write then is a by-product.
#[test]
fn tests_that_write_a_log_pass_and_the_tree_that_ran_is_signed() {
    let project = Project::pytest();
    let test = "def test_log():\n    open('run.log', 'a').write('ran\\n')\n";
    project.write("tests/test_log.py", test);
    project.commit();
    let visitor = Visitor::of(project);
    visitor.project.write("calc.py", FIX);
    assert_eq!(visitor.stop(), Value::Null);
    assert_eq!(visitor.project.read("run.log"), "ran\nran\n");
    let shown = visitor.project.redgreen(&["evidence", "show", "--json"]);
    shown.assert_code(0);
    let shown: Value = serde_json::from_str(shown.stdout.trim()).expect("JSON");
    let verdict = &shown["verdicts"][0];
    let tree = verdict["subject"]["tree"].as_str().expect("a tree");
    assert_eq!(visitor.project.git(&["show", &format!("{tree}:run.log")]), "ran\n");
    assert_eq!(verdict["evidence"]["executions"][0]["tree"]["tree"], tree);
    assert_eq!(visitor.stop(), Value::Null, "a log is no reason to run it all again");
    assert_eq!(visitor.project.read("run.log"), "ran\nran\n");
}

/// A variable that deselects the red test is no part of the tree, and is named with it.
#[test]
fn ci_does_not_believe_evidence_that_was_made_with_other_variables() {
    let visitor = Visitor::new();
    visitor.project.write("other.py", "x = 1\n");
    let gate = |more: &[&str], options: Option<&str>| {
        let mut command = visitor.project.redgreen_command(&["gate", "--base", "HEAD"]);
        command.args(more).envs(options.map(|options| ("PYTEST_ADDOPTS", options)));
        crate::common::Ended::from(command.output().expect("redgreen"))
    };
    gate(&[], Some("-k add")).assert_code(0);
    let export = ["evidence", "export", "-o", "../agent/e.jsonl", "--public-key", "../agent/pub"];
    visitor.project.redgreen(&export).assert_code(0);
    let shown = visitor.project.redgreen(&["evidence", "show"]);
    assert!(shown.stdout.contains("with PYTEST_ADDOPTS=-k add"), "{}", shown.stdout);
    visitor.shell("rm -r .redgreen/evidence");
    let ci = ["--ci", "--evidence", "../agent/e.jsonl", "--key", "../agent/pub", "--no-execute"];
    let refused = gate(&ci, None);
    refused.assert_code(1);
    let why = "made with other values of these variables: PYTEST_ADDOPTS";
    assert!(refused.stderr.contains(why), "{}", refused.stderr);
    gate(&ci, Some("-k sub")).assert_code(1);
    gate(&ci, Some("-k add")).assert_code(0);
}

/// What git itself runs before a commit, with its own variables set: what is judged is what would be
/// committed, whatever else is in the work tree.
#[test]
fn before_a_commit_what_is_staged_is_judged() {
    let project = Project::pytest();
    let visitor = Visitor::of(project);
    visitor.git_hook("pre-commit", "gate --staged");
    let commit = "git -c user.name=t -c user.email=t@example.org commit -q -m more";
    visitor.project.write("calc.py", WRONG);
    visitor.shell(&format!("! {commit} -a"));
    visitor.shell("git add calc.py");
    visitor.project.write("calc.py", FIX);
    visitor.shell(&format!("! {commit}"));
    assert_eq!(visitor.project.read("calc.py"), FIX, "the work tree is left alone");
    visitor.shell("git add calc.py");
    let index = std::fs::read(visitor.project.root().join(".git/index")).expect("an index");
    visitor.project.redgreen(&["gate", "--staged"]).assert_code(0);
    let after = std::fs::read(visitor.project.root().join(".git/index")).expect("an index");
    assert!(index == after, "the user's index is not written");
    let executions = visitor.project.executions();
    visitor.project.write("calc.py", WRONG);
    visitor.shell(commit);
    assert_eq!(visitor.project.executions(), executions, "it was seen to pass already");
    visitor.shell("git show HEAD:calc.py | grep -q 'a - b'");
}

/// What git runs before a push: the commits that go, not the work tree.
#[test]
fn before_a_push_the_commit_is_judged() {
    let visitor = Visitor::new();
    visitor.shell("git init -q --bare ../agent/remote && git remote add origin ../agent/remote");
    visitor.shell("git push -q -u origin main");
    visitor.git_hook("pre-push", "gate --pushed");
    visitor.project.write("calc.py", WRONG);
    visitor.project.commit();
    visitor.project.write("calc.py", FIX);
    visitor.shell("! git push -q");
    // Another branch than the one that is checked out, with a harmless commit on top.
    visitor.shell("git branch -q side && git checkout -q -b aside side");
    visitor.project.write("notes.py", "");
    visitor.project.git(&["add", "notes.py"]);
    visitor.project.git(&["commit", "-q", "-m", "harmless"]);
    visitor.shell("git checkout -q main && ! git push -q origin aside");
    visitor.project.commit();
    visitor.project.write("calc.py", WRONG);
    visitor.shell("git push -q && git push -q origin main:gone && git push -q origin :gone");
    visitor.shell("test $(git rev-parse HEAD) = $(git rev-parse @{upstream})");
    visitor.project.redgreen(&["gate", "--commit", "HEAD"]).assert_code(0);
    visitor.project.redgreen(&["gate", "--commit", "nowhere"]).assert_code(2);
    visitor.project.redgreen(&["gate", "--no-execute"]).assert_code(1);
}
