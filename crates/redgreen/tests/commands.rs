//! The command line: every command, what it prints where, and its exit code.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use crate::common::{Ended, Project, events};
use serde_json::Value;

/// Repairs `subtract` in the pytest project.
const FIX: &str = "sed -i '6s/a + b/a - b/' calc.py";
/// Makes the tests of the shell project pass.
const FIX_SHELL: &str = "printf 'first=ok\\nsecond=ok\\n' >value.sh";

#[track_caller]
fn assert_code(ended: &Ended, code: i32, words: &[&str]) {
    let text = format!("{}{}", ended.stdout, ended.stderr);
    assert_eq!(ended.code, Some(code), "{text}");
    for word in words {
        assert!(text.contains(word), "no `{word}` in:\n{text}");
    }
    assert!(!text.contains("panicked"), "{text}");
}

/// A shell project without a configuration.
fn unconfigured(project: Project) -> Project {
    fs::remove_file(project.root().join("redgreen.toml")).expect("a file");
    project
}

#[test]
fn init_recognises_pytest_and_cargo() {
    for (project, framework) in [(Project::pytest(), "pytest"), (Project::cargo(), "cargo_test")] {
        let project = unconfigured(project);
        // Without a terminal nothing is asked, with and without --yes.
        for arguments in [&["init", "--yes"][..], &["init", "--force"]] {
            assert_code(&project.redgreen(arguments), 0, &["wrote redgreen.toml"]);
        }
        let config = project.read("redgreen.toml");
        assert!(config.contains(&format!("framework = \"{framework}\"")), "{config}");
        assert_code(&project.redgreen(&["validate", "redgreen.toml"]), 0, &["valid"]);
        assert_code(&project.redgreen(&["test"]), 1, &["failed: 1 passed, 1 failed"]);
    }
}

/// What is taken and why, what is not and why not, and what came of a first run.
#[test]
fn init_says_what_it_takes_and_what_it_leaves_out() {
    let project = unconfigured(Project::pytest());
    let licence = "# Licensed under the Apache License, Version 2.0.\n";
    for path in ["calc.py", "tests/test_calc.py"] {
        project.write(path, format!("{licence}\n{}", project.read(path)));
    }
    let jest = "{\"scripts\":{\"test\":\"jest\"}}";
    project.write("testdata/site/package.json", jest);
    project.write("web/package.json", jest);
    insta::assert_snapshot!(project.shown(&project.redgreen(&["init"])), @r#"
    exit 0
    --- stdout
    wrote redgreen.toml; next: commit it, then `redgreen test`
    --- stderr
    check: `python -m pytest` in . (pytest): at the root
    left out: `npm test` in web: a sub-folder beside the root's own suite, and no CI file runs it; if it counts, give it a [[checks]] of its own
    left out: `npm test` in testdata/site: data of tests; if it counts, give it a [[checks]] of its own
    running it once (`--no-run` leaves that out):
      FAIL tests/test_calc.py::test_subtract  AssertionError: assert 8 == 2
      pytest: 1 passed, 1 failed, exit code 1 in [time]
      running 1 test again, to see whether the result is the same
    1 test is red. If nobody is to repair that now, a person can say so: `redgreen known add --all --reason "…"`
    "#);
    assert!(project.read("redgreen.toml").starts_with(licence));
    assert_code(&project.redgreen(&["validate", "redgreen.toml"]), 0, &["valid"]);
}

/// A first file is no change of the tests, and one that a person has trusted none of the rules.
#[test]
fn a_person_accepts_a_changed_configuration_with_trust() {
    let project = Project::pytest();
    project.write("calc.py", crate::gate::FIX);
    project.commit();
    let rules = project.read("redgreen.toml");
    project.write("redgreen.toml", format!("{rules}\n[loop]\nmax_attempts = 5\n"));
    project.write("calc.py", format!("{}# more\n", crate::gate::FIX));
    let held = ["(`redgreen trust` accepts them)", "a person accepts it: redgreen trust"];
    assert_code(&project.redgreen(&["gate"]), 1, &held);
    let mut agents = project.redgreen_command(&["trust"]);
    let refused: Ended = agents.env("CLAUDECODE", "1").output().expect("redgreen").into();
    assert_code(&refused, 2, &["only a person may trust"]);
    let nobody = project.redgreen(&["trust"]);
    assert_code(
        &nobody,
        2,
        &["only a person at a terminal may trust", "in a terminal of your own"],
    );
    assert_code(&project.redgreen(&["gate"]), 1, &held);
    project.trust();
    assert_code(&project.redgreen(&["gate"]), 0, &["passed"]);
    // Another text asks again.
    project.write("redgreen.toml", format!("{rules}\n[loop]\nmax_attempts = 6\n"));
    assert_code(&project.redgreen(&["gate"]), 1, &held);

    // The first file: `init` trusts what it wrote, and nobody is asked about tests that stayed as they were.
    let project = Project::pytest();
    project.git(&["rm", "-q", "redgreen.toml"]);
    project.write("calc.py", crate::gate::FIX);
    project.commit();
    assert_code(&project.redgreen(&["init"]), 0, &["commit it"]);
    project.write("calc.py", format!("{}# more\n", crate::gate::FIX));
    let ended = project.redgreen(&["square"]);
    assert_code(&ended, 0, &["the tests did not change"]);
}

/// A program that writes the report of one test that passed, where it is told to.
fn fake_deno(project: &Project) {
    let script = "#!/bin/sh\nfor word; do case $word in --junit-path=*) report=${word#*=} ;; esac; done\n\
        echo '<testsuites><testsuite name=\"a\" tests=\"1\"><testcase name=\"fine\" classname=\"a\"/></testsuite></testsuites>' >\"$report\"\n";
    let program = project.programs().join("deno");
    fs::write(&program, script).expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
}

/// What has no name in the workflow document is recognised, and its tests are seen, all the same.
#[test]
fn init_recognises_runners_without_a_name() {
    let test = "import unittest\n\n\nclass Fine(unittest.TestCase):\n    def test_fine(self):\n        pass\n";
    let node = "const { test } = require('node:test');\ntest('fine', () => {});\n";
    let scripts =
        |more: &str, script: &str| format!("{{{more}\"scripts\":{{\"test\":\"{script}\"}}}}");
    // As `manage.py` of Django, which is not installed here.
    let manage = "if __name__ == '__main__':\n    try:\n        import django.core.management\n    except ImportError:\n        import sys, unittest\n        unittest.main(module=None, argv=['manage.py', 'discover', '-p', 'tests.py'])\n";
    let root = "\"workspaces\":[\"packages/*\"],";
    let plain_node = "const { test } = require('node:test');\ntest('fine', () => {});\n";
    let deno = "{\"tasks\": {\"test\": \"deno test -A\"}}";
    let cases: [(&[(&str, &str)], &str); 7] = [
        (&[("tests/fine.js", plain_node)], "`node --test tests/fine.js` in ."),
        (&[("deno.json", deno)], "`deno test -A --junit-path=junit-deno.xml` in ."),
        (&[("tests/__init__.py", ""), ("tests/test_fine.py", test)], "`python -m unittest` in ."),
        (&[("checks/test_fine.py", test)], "`python -m unittest discover -s checks` in ."),
        (
            &[("web/manage.py", manage), ("web/shop/tests.py", test), ("web/shop/__init__.py", "")],
            "`python manage.py test` in web",
        ),
        (
            &[("package.json", &scripts("", "node --test")), ("fine.test.js", node)],
            "`npm test` in .",
        ),
        (
            &[
                ("package.json", &scripts(root, "npm test --workspaces")),
                ("packages/a/package.json", &scripts("\"name\":\"a\",", "node --test")),
                ("packages/a/fine.test.js", node),
            ],
            "`npm test` in .",
        ),
    ];
    for (files, check) in cases {
        let project = Project::empty();
        project.link_node();
        fake_deno(&project);
        project.write(".gitignore", "__pycache__\n");
        for (path, content) in files {
            project.write(path, content);
        }
        project.commit();
        assert_code(&project.redgreen(&["init"]), 0, &[check, "wrote redgreen.toml"]);
        assert_code(&project.redgreen(&["test"]), 0, &["passed: 1 passed"]);
    }
}

#[test]
fn init_leaves_a_configuration_alone_unless_forced() {
    let project = Project::pytest();
    let before = project.read("redgreen.toml");
    assert_code(&project.redgreen(&["init", "--yes"]), 2, &["already there", "--force"]);
    assert_eq!(project.read("redgreen.toml"), before);
    assert_code(&project.redgreen(&["init", "--yes", "--force"]), 0, &["wrote redgreen.toml"]);
    assert_ne!(project.read("redgreen.toml"), before);
}

#[test]
fn a_project_without_tests_says_so() {
    let project = Project::empty();
    assert_code(&project.redgreen(&["init", "--yes"]), 2, &["redgreen init --no-tests"]);
    assert_code(&project.redgreen(&["test"]), 2, &["redgreen init --no-tests"]);
    assert_code(&project.redgreen(&["init", "--no-tests", "--test-command", "true"]), 2, &[]);
    assert_code(&project.redgreen(&["init", "--no-tests"]), 0, &["no tests yet"]);
    let text = project.read("redgreen.toml");
    assert!(text.contains("\nnone_yet = true"), "{text}");
    assert_code(
        &project.redgreen(&["doctor"]),
        0,
        &["advice  tests: redgreen.toml says", "init --force"],
    );
    // Nothing is guessed then, whatever the project looks like; but that there is a test now is said.
    project.write("tests/__init__.py", "");
    let nothing = project.redgreen(&["test"]);
    assert_code(&nothing, 2, &["there are no tests yet", "init --force"]);
    assert!(!nothing.stderr.contains("has one now"), "{}", nothing.stderr);
    project.write("tests/test_one.py", "def test_one():\n    assert True\n");
    let now = "there are no tests yet, but tests/test_one.py has one now";
    assert_code(&project.redgreen(&["test"]), 2, &[now, "init --force"]);
    assert_code(&project.redgreen(&["doctor"]), 0, &["but tests/test_one.py has one now"]);
    assert_code(&project.redgreen(&["test", "--", "python", "-m", "pytest", "-q"]), 0, &[]);
    assert_code(&project.redgreen(&["init", "--yes", "--force"]), 0, &["pytest"]);
    assert_code(&project.redgreen(&["test"]), 0, &["passed"]);
}

#[test]
fn init_says_why_no_test_ran() {
    let project = Project::empty();
    let command = "echo 'E: no such module: shop' >&2; exit 3";
    let said = ["no such module: shop", "ended before a test ran: see the lines above"];
    assert_code(&project.redgreen(&["init", "--test-command", command]), 0, &said);
}

#[test]
fn init_takes_a_command_and_refuses_to_guess() {
    let project = unconfigured(Project::shell());
    assert_code(
        &project.redgreen(&["init", "--yes"]),
        2,
        &["no test framework is recognised", "--test-command"],
    );
    assert!(!project.root().join("redgreen.toml").exists());
    let named = ["init", "--test-command", "true && echo \"a b\"", "--agent-command", "my-agent"];
    assert_code(&project.redgreen(&named), 0, &["judge_by", "wrote redgreen.toml"]);
    // Nothing that can be seen ran, so it is no pass; unless the exit code is said to decide.
    assert_code(&project.redgreen(&["test"]), 1, &["inconclusive", "judge_by"]);
    let trusted = ["init", "--force", "--trust-exit-code", "--test-command", "true"];
    assert_code(&project.redgreen(&trusted), 0, &["wrote redgreen.toml"]);
    assert_code(&project.redgreen(&["test"]), 0, &["passed"]);
}

#[test]
fn validate_tells_good_from_bad() {
    let project = Project::shell();
    let agent = project.agent(FIX_SHELL);
    assert_code(&project.redgreen(&["run", "--agent-command", &agent, "task"]), 0, &["PASSED"]);
    let document = project.session_file("workflow.json");
    project.write("good.json", &document);
    assert_code(
        &project.redgreen(&["validate", "good.json"]),
        0,
        &["good.json: valid (workflow document)"],
    );
    let mut bad: Value = serde_json::from_str(&document).expect("JSON");
    bad["loop_state"]["attempt_number"] = "two".into();
    project.write("bad.json", bad.to_string());
    let words = ["bad.json: not valid", "loop_state.attempt_number"];
    assert_code(&project.redgreen(&["validate", "bad.json"]), 1, &words);
    project.write("unknown.json", "{\"colour\": \"red\"}");
    assert_code(&project.redgreen(&["validate", "unknown.json"]), 1, &["not valid"]);
    project.write("broken.yaml", "a: [1, 2\nb: }");
    assert_code(&project.redgreen(&["validate", "broken.yaml"]), 1, &["not valid"]);
    let missing = project.redgreen(&["validate", "missing.json"]);
    assert_code(&missing, 2, &["cannot read missing.json"]);
    let json = project.redgreen(&["validate", "--json", "bad.json"]);
    let result = events(&json.stdout);
    assert_eq!((json.code, result.len(), &result[0]["valid"]), (Some(1), 1, &false.into()));
    assert_eq!(result[0]["errors"][0]["path"], "loop_state.attempt_number");
    // From standard input, without a name that tells the syntax.
    let mut command = project.redgreen_command(&["validate", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("redgreen");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(document.as_bytes()).expect("a write");
    drop(stdin);
    assert_code(
        &child.wait_with_output().expect("redgreen").into(),
        0,
        &["-: valid (workflow document)"],
    );
}

#[test]
fn a_report_has_three_forms() {
    let project = Project::shell();
    let nothing = project.redgreen(&["report"]);
    assert_code(&nothing, 2, &["there is no session", "redgreen run"]);
    let agent = project.agent("echo \"x=<b>$REDGREEN_ATTEMPT</b>\" >>value.sh");
    let arguments =
        ["run", "--max-attempts", "1", "--agent-command", &agent, "a <script> & a task"];
    assert_code(&project.redgreen(&arguments), 1, &["ESCALATED"]);
    let session = project.session();
    let markdown = project.redgreen(&["report"]);
    assert_code(&markdown, 0, &["bounded_attempts_exceeded", "second"]);
    assert_eq!(markdown.stdout.trim_end(), project.session_file("report.md").trim_end());
    assert_eq!(project.redgreen(&["report", &session, "--format", "md"]).stdout, markdown.stdout);
    let page = project.redgreen(&["report", "--format", "html"]);
    assert_code(&page, 0, &["<html", "</html>", "&lt;script&gt; &amp; a task"]);
    assert!(!page.stdout.contains("<script"), "{}", page.stdout);
    let json = project.redgreen(&["report", "--format", "json"]);
    let document: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(document["loop_state"]["status"], "escalated");
    assert_eq!(document["workflow_id"], session.as_str());
    for unknown in ["nonsense", "../..", ""] {
        let ended = project.redgreen(&["report", unknown]);
        assert_code(&ended, 2, &["there is no session", &session]);
        assert_eq!(ended.stdout, "");
        assert_code(&project.redgreen(&["resume", unknown]), 2, &["there is no session"]);
    }
    // What has ended is over, also by name: the same end, and the agent is not asked again.
    let again = project.redgreen(&["resume", &session]);
    assert_code(&again, 1, &["ESCALATED after 1 attempt"]);
    assert_code(&project.redgreen(&["resume"]), 2, &["no unfinished session"]);
}

/// An environment that git was not told to ignore goes into the project's tree, file by file.
#[test]
fn an_environment_that_is_not_ignored_is_named_with_the_line_that_ignores_it() {
    let project = Project::pytest();
    project.write("env/pyvenv.cfg", "home = /usr/bin\n");
    project.write("env/lib/python3.12/site-packages/a.py", "A = 1\n");
    let said = "env is an installed environment that git does not ignore, so its 2 files count as code of this project and are kept in git's objects: add a line `/env/` to .gitignore";
    let tested = project.redgreen(&["test"]);
    assert_eq!(tested.stderr.matches(said).count(), 1, "{}", tested.stderr);
    let doctor = project.redgreen(&["doctor"]);
    assert!(doctor.stdout.contains(said), "{}", doctor.stdout);
    let ignored = project.read(".gitignore");
    project.write(".gitignore", format!("{ignored}/env/\n"));
    assert!(!project.redgreen(&["test"]).stderr.contains("environment"));
    // What somebody has committed is meant.
    project.write(".gitignore", ignored);
    project.commit();
    assert!(!project.redgreen(&["test"]).stderr.contains("environment"));
}

#[test]
fn doctor_says_what_is_missing() {
    let project = Project::shell();
    assert_code(&project.redgreen(&["doctor"]), 0, &["ok", "work tree", "unit runs"]);
    let json = project.redgreen(&["doctor", "--json"]);
    let result = events(&json.stdout);
    assert_eq!((json.code, result.len(), &result[0]["healthy"]), (Some(0), 1, &true.into()));
    project.write("redgreen.toml", "[[checks]]\ncommand = \"no-such-runner --all\"\n");
    assert_code(&project.redgreen(&["doctor"]), 3, &["MISSING", "no-such-runner", "install it"]);
    project.write("redgreen.toml", "[[checks]]\ncommand = \"true\"\nfolder = \"nowhere\"\n");
    assert_code(&project.redgreen(&["doctor"]), 3, &["MISSING", "nowhere"]);
    project.write("redgreen.toml", "checks = 7\n");
    assert_code(&project.redgreen(&["doctor"]), 3, &["MISSING", "redgreen.toml:1"]);
    let project = unconfigured(project);
    assert_code(&project.redgreen(&["doctor"]), 3, &["MISSING", "redgreen init"]);
    let project = unconfigured(Project::pytest());
    let said = ["advice", "pytest", "redgreen init", "may not run these commands yet"];
    assert_code(&project.redgreen(&["doctor"]), 0, &said);
}

#[test]
fn doctor_knows_hooks_and_trust() {
    let project = Project::shell();
    let none = [
        "advice  hooks: no agent runs the gate here",
        "may not run these commands yet",
        "redgreen trust",
    ];
    assert_code(&project.redgreen(&["doctor"]), 0, &none);
    project.trust();
    assert_code(&project.redgreen(&["hooks", "install", "claude", "qwen"]), 0, &[]);
    let good = [
        "ok      trust: hooks may run these commands",
        "ok      hooks: claude: current in .claude/settings.json",
        "ok      hooks: qwen: current in .qwen/settings.json",
    ];
    assert_code(&project.redgreen(&["doctor"]), 0, &good);
    project.write(".claude/settings.local.json", "{\"disableAllHooks\": true}");
    let plugin = project.read(".qwen/settings.json").replace("600000", "1");
    project.write(".qwen/settings.json", plugin);
    let bad = [
        "advice  hooks: claude: current",
        "\"disableAllHooks\": true in .claude/settings.local.json",
        "advice  hooks: qwen: CHANGED",
    ];
    assert_code(&project.redgreen(&["doctor"]), 0, &bad);
}

#[test]
fn schemas_are_printed() {
    let project = Project::empty();
    for (name, property) in [("workflow", "loop_state"), ("config", "checks")] {
        let ended = project.redgreen(&["schema", name]);
        let schema: Value = serde_json::from_str(&ended.stdout).expect("JSON");
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
        assert!(schema["properties"].get(property).is_some(), "{name}");
    }
    assert_code(&project.redgreen(&["schema", "poem"]), 2, &["workflow", "config"]);
}

#[test]
fn an_agent_may_give_up() {
    let project = Project::shell();
    let outside = project.redgreen(&["give-up", "I am stuck"]);
    assert_code(&outside, 2, &["no agent is held here"]);
    assert_code(&project.redgreen(&["give-up", ""]), 2, &["a value is required"]);
    assert_code(&project.redgreen(&["give-up", " \n"]), 2, &["a value is required"]);
    let mut stranger = project.redgreen_command(&["give-up", "I am stuck"]);
    let stranger: Ended =
        stranger.env("REDGREEN_SESSION", "nobody").output().expect("redgreen").into();
    assert_code(&stranger, 2, &["there is no session nobody"]);
    let done = project.run(
        "echo '# half' >>value.sh; redgreen give-up 'the spec contradicts itself'; exit 3",
        &[],
    );
    done.assert_ended(1, "escalated", "agent_gave_up");
    assert_eq!(done.count("agent_started"), 1, "{}", done.text());
    assert!(done.text().contains("the spec contradicts itself"), "{}", done.text());
    let report = project.redgreen(&["report"]);
    assert_code(&report, 0, &["agent_gave_up", "the spec contradicts itself"]);
    // In a sub-folder too, and it is not the word of the next session's agent.
    let next = project.run(&format!("{FIX_SHELL}; cd tests"), &[]);
    next.assert_ended(0, "passed", "");
}

#[test]
fn an_unknown_key_suggests_the_nearest() {
    let project = Project::shell();
    let config = "[[checks]]\ncommand = \"sh tests/run.sh\"\ntimout_seconds = 60\n";
    project.write("redgreen.toml", config);
    for arguments in [&["test"][..], &["run", "--agent-command", "true", "task"]] {
        let ended = project.redgreen(arguments);
        assert_code(&ended, 2, &["redgreen.toml:3:1", "timout_seconds", "`timeout_seconds`"]);
        assert_eq!(ended.stdout, "");
    }
    assert!(!project.root().join(".redgreen/sessions").exists(), "it began all the same");
    let ended = project.redgreen(&["validate", "redgreen.toml"]);
    assert_code(&ended, 1, &["timeout_seconds", "not valid"]);
}

#[test]
fn exit_codes_are_those_of_the_table() {
    let project = Project::shell();
    let fix = project.agent(FIX_SHELL);
    let run = |more: &[&str]| {
        let mut all = vec!["run"];
        all.extend(more);
        project.redgreen(&all)
    };
    // 2: usage.
    assert_code(&project.redgreen(&[]), 2, &["Usage"]);
    assert_code(&project.redgreen(&["rnu"]), 2, &["unrecognized subcommand 'rnu'"]);
    assert_code(&project.redgreen(&["test", "--colour"]), 2, &["--colour"]);
    assert_code(&run(&["task"]), 2, &["no agent is configured", "--agent-command"]);
    assert_code(&run(&["--agent-command", "true"]), 2, &["TASK"]);
    assert_code(&run(&["--agent-command", "true", " "]), 2, &["the task is empty"]);
    for bound in ["0", "11", "-1", "many"] {
        let bound = format!("--max-attempts={bound}");
        assert_code(&run(&[&bound, "--agent-command", "true", "task"]), 2, &["--max-attempts"]);
    }
    let kind = ["--code-type", "bugfix", "--agent-command", "true", "task"];
    assert_code(&run(&kind), 2, &["bugfix", "bug_fix"]);
    assert_code(&project.redgreen(&["square"]), 2, &["there is no change", "--base"]);
    // 3: the tools.
    assert_code(&project.redgreen(&["test", "--", "no-such-runner"]), 3, &["no-such-runner"]);
    let missing = ["--test-command", "no-such-runner", "--agent-command", "true", "task"];
    assert_code(&run(&missing), 3, &["tooling_error", "no-such-runner"]);
    let none = run(&["--agent-command", "no-such-agent", "task"]);
    assert_code(&none, 3, &["after 0 attempts", "tooling_error", "no-such-agent", "127"]);
    // 1: red.
    assert_code(&project.redgreen(&["test"]), 1, &["failed: 1 passed, 2 failed"]);
    assert_code(&run(&["--agent-command", "true", "task"]), 1, &["no_progress"]);
    assert_code(&run(&["--agent-command", "exit 7", "task"]), 1, &["agent_failed", "exit code 7"]);
    // 0: green.
    assert_code(&run(&["--agent-command", &fix, "task"]), 0, &["PASSED after 1 attempt"]);
    assert_code(&project.redgreen(&["test"]), 0, &["passed: 3 passed"]);
    assert_code(&project.redgreen(&["--version"]), 0, &["redgreen 0."]);
    assert_code(&project.redgreen(&["--help"]), 0, &["Exit codes", "130"]);
}

#[test]
fn json_is_all_there_is_on_standard_output() {
    let project = Project::shell();
    let fix = project.agent(FIX_SHELL);
    let demo = project.outside().join("demo");
    let demo = demo.to_str().expect("a path");
    let cases: [&[&str]; 8] = [
        &["test", "--json"],
        &["run", "--json", "--agent-command", "true", "task"],
        &["run", "--json", "--agent-command", &fix, "task"],
        &["test", "--json", "--", "printf '\\033[31mred\\n'; exit 3"],
        &["resume", "--json"],
        &["resume", "--json", "nobody"],
        &["doctor", "--json"],
        &["demo", "--json", "--into", demo],
    ];
    for arguments in cases {
        let ended = project.redgreen(arguments);
        let lines = events(&ended.stdout);
        let named = lines.iter().all(|line| line.get("event").or(line.get("result")).is_some());
        assert!(named, "{arguments:?}\n{}", ended.stdout);
        assert!(!lines.is_empty() || ended.code == Some(2), "{arguments:?}\n{}", ended.stderr);
        assert!(!ended.stdout.contains('\u{1b}'), "{arguments:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_reason_to_fail() {
    let project = Project::shell();
    let fix = project.agent(FIX_SHELL);
    for (arguments, code) in [
        (&["run", "--json", "--agent-command", &fix, "task"][..], 0),
        (&["test", "--json"], 0),
        (&["report", "--format", "html"], 0),
        (&["schema", "workflow"], 0),
        (&["--help"], 0),
    ] {
        let mut command = project.redgreen_command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("redgreen");
        let mut first = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut first).expect("a line");
        let ended: Ended = child.wait_with_output().expect("redgreen").into();
        assert_code(&ended, code, &[]);
        assert!(!first.is_empty(), "{arguments:?}");
    }
    // Standard error too, and all of them closed from the start.
    for redirection in ["2>&1 | head -1", ">&- 2>&- <&-"] {
        let mut command = project.command("sh");
        let redgreen = env!("CARGO_BIN_EXE_redgreen");
        let script = format!(
            "{{ '{redgreen}' test; echo $? >'{}'; }} {redirection}",
            project.outside().join("code").display()
        );
        assert!(command.args(["-c", &script]).status().expect("sh").success());
        assert_eq!(project.notes("code"), "0\n", "{redirection}");
    }
}

#[test]
fn there_is_no_colour_without_a_terminal() {
    let project = Project::shell();
    project.case("paints", "printf '\\033[31mred\\033[0m\\n'; false");
    let agent = project.agent("printf '\\033[32mdone\\033[0m\\n' | tee -a value.sh");
    for arguments in [
        &["test"][..],
        &["run", "--agent-command", &agent, "a \u{1b}[31mtask"],
        &["report"],
        &["report", "--format", "html"],
        &["doctor"],
        &["--help"],
    ] {
        let ended = project.redgreen(arguments);
        let text = ended.stdout + &ended.stderr;
        assert!(!text.contains('\u{1b}'), "{arguments:?}: {text:?}");
    }
}

/// A folder with links to these programs and nothing else, for `PATH`.
fn only(folder: &Path, programs: &[&str]) {
    fs::create_dir_all(folder).expect("a folder");
    for program in programs {
        let path = std::env::var_os("PATH").expect("a PATH");
        let found = std::env::split_paths(&path).map(|folder| folder.join(program));
        let found = found.into_iter().find(|path| path.is_file());
        let found = found.unwrap_or_else(|| panic!("{program} is not installed"));
        std::os::unix::fs::symlink(found, folder.join(program)).expect("a link");
    }
}

#[test]
fn the_demo_needs_git_and_a_shell_and_nothing_else() {
    let project = Project::empty();
    let bin = project.outside().join("bin");
    only(&bin, &["git", "sh", "grep", "cut"]);
    let into = project.outside().join("demo");
    let demo = || {
        let mut command =
            project.redgreen_command(&["demo", "--into", into.to_str().expect("a path")]);
        command.env_clear().env("PATH", &bin).current_dir("/");
        let ended: Ended = command.output().expect("redgreen").into();
        ended
    };
    let ended = demo();
    assert_code(&ended, 0, &[]);
    let mut lines = ended.stdout.lines();
    let last = lines.next().expect("a line");
    assert!(last.starts_with("PASSED after 2 attempts, tree "), "{}", ended.stdout);
    let report = lines.next().expect("a line");
    assert!(report.starts_with("report: .redgreen/sessions/"), "{}", ended.stdout);
    assert_eq!(lines.next(), None);
    // Red, why, a fix, green, in this order.
    let mut rest = ended.stderr.as_str();
    for part in [
        "baseline",
        "→ failed",
        "attempt 1 of 3",
        "→ failed",
        "why: ",
        "attempt 2 of 3",
        "→ passed",
        "The project is in ",
    ] {
        let at = rest.find(part).unwrap_or_else(|| panic!("no `{part}` in:\n{}", ended.stderr));
        rest = &rest[at + part.len()..];
    }
    assert!(into.join("project").join(&report[8..report.find(" (").expect("a remark")]).is_file());
    // Not over what is there.
    assert_code(&demo(), 2, &["is already there", "--into"]);
}

#[test]
fn the_demo_does_not_mind_how_git_is_set_up() {
    let project = Project::empty();
    let config = project.outside().join("gitconfig");
    fs::write(&config, "[core]\nautocrlf = true\nhooksPath = /nonexistent\n[commit]\ngpgSign = true\n[init]\ndefaultBranch = trunk\ntemplateDir = /nonexistent\n[status]\nshowUntrackedFiles = no\n").expect("a file");
    let into = project.outside().join("demo");
    let mut command = project.redgreen_command(&["demo", "--into", into.to_str().expect("a path")]);
    let ended: Ended = command.env("GIT_CONFIG_GLOBAL", &config).output().expect("redgreen").into();
    assert_code(&ended, 0, &["PASSED after 2 attempts"]);
}

#[test]
fn the_environment_of_a_git_hook_does_not_lead_astray() {
    let project = Project::pytest();
    project.write(
        "calc.py",
        project.read("calc.py").replace("return a + b\n\n\ndef", "return a + b  # staged\n\n\ndef"),
    );
    project.git(&["add", "calc.py"]);
    let index = fs::read(project.root().join(".git/index")).expect("an index");
    let agent = project.agent(FIX);
    let mut command = project.redgreen_command(&["run", "--agent-command", &agent, "task"]);
    command
        .env("GIT_DIR", project.root().join(".git"))
        .env("GIT_INDEX_FILE", project.root().join(".git/index"))
        .env("GIT_WORK_TREE", project.root());
    let ended: Ended = command.output().expect("redgreen").into();
    assert_code(&ended, 0, &["PASSED after 1 attempt"]);
    assert_eq!(fs::read(project.root().join(".git/index")).expect("an index"), index);
}

#[test]
fn failures_of_one_cause_are_reported_once() {
    let project = Project::pytest();
    project.write("calc.py", "def add(a, b):\n    raise KeyError('carry')\n\n\ndef subtract(a, b):\n    return add(a, -b)\n");
    let tests: String = (0..9)
        .map(|number| format!("\n\ndef test_{number}():\n    assert add({number}, 1) == 0\n"))
        .collect();
    project.write("tests/test_calc.py", format!("from calc import add, subtract\n{tests}\n\ndef test_subtract():\n    assert subtract(1, 1) == 0\n"));
    project.commit();
    let text = project.redgreen(&["test"]).stdout;
    let shown = text.matches("KeyError: 'carry'").count();
    let live = text.lines().filter(|line| line.starts_with("  FAIL")).count();
    assert_eq!(shown - live, 2, "once for each cause: called by a test, and by subtract\n{text}");
    assert_eq!(text.matches("    the same in tests/test_calc.py::test_").count(), 5, "{text}");
    assert!(text.contains("    and in 3 more"), "{text}");
}
