//! The loop from start to end with the real binary: green, red, bounded.

use crate::common::Project;

/// Repairs `subtract` in the pytest project.
const FIX_PYTHON: &str = "sed -i '6s/a + b/a - b/' calc.py";

#[test]
fn a_wrong_fix_is_sent_back_and_a_right_one_passes() {
    let project = Project::pytest();
    let done = project.run("[ $REDGREEN_ATTEMPT = 1 ] && sed -i '6s/a + b/a * b/' calc.py || sed -i '6s/a . b/a - b/' calc.py", &[]);
    done.assert_ended(0, "passed", "");
    assert_eq!(done.last("finished")["attempts"], 2);
    assert_eq!(done.count("agent_started"), 2);
    let feedback = project.session_file("agent/2-apply_fix/feedback.json");
    assert!(feedback.contains("test_subtract"), "{feedback}");
    let prompt = project.session_file("agent/2-apply_fix/prompt.md");
    assert!(prompt.contains("correct the code that the test calls"), "{prompt}");
    assert!(prompt.contains("root cause") && prompt.contains("tests/test_calc.py:9"), "{prompt}");
}

#[test]
fn an_agent_that_cleans_up_takes_nothing_away() {
    let project = Project::pytest();
    let clean = "git clean -qfdx; test ! -e .redgreen || exit 9";
    let wrong = "sed -i '6s/a + b/a * b/' calc.py";
    let right = "sed -i '6s/a . b/a - b/' calc.py";
    let script = format!("{clean}; [ $REDGREEN_ATTEMPT = 1 ] && {wrong} || {right}");
    let done = project.run(&script, &[]);
    done.assert_ended(0, "passed", "");
    let notice = done.last("notice");
    assert!(notice["text"].as_str().expect("words").contains("-e .redgreen"), "{notice}");
    let events = project.session_file("events.jsonl");
    assert!(
        events.contains("session_started") && !events.contains("no evidence is signed"),
        "{events}"
    );
    // The journal is whole, too.
    project.redgreen(&["resume", &project.session()]).assert_code(0);
}

#[test]
fn a_persistent_failure_ends_after_exactly_the_bound() {
    for bound in [1_usize, 3] {
        let project = Project::pytest();
        let script = "echo \"x = $REDGREEN_ATTEMPT\" >> calc.py; echo . >> \"$OUTSIDE/asked\"";
        let done = project.run(script, &["--max-attempts", &bound.to_string()]);
        done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
        let asked =
            std::fs::read_to_string(project.outside().join("asked")).expect("the agent was asked");
        assert_eq!(asked.lines().count(), bound, "{}", done.text());
        let report = project.session_file("report.md");
        assert!(
            report.contains("human review required") && report.contains("test_subtract"),
            "{report}"
        );
    }
}

#[test]
fn the_document_that_is_written_is_valid() {
    let project = Project::pytest();
    project.run(FIX_PYTHON, &[]).assert_ended(0, "passed", "");
    let path = format!(".redgreen/sessions/{}/workflow.json", project.session());
    let validated = project.redgreen(&["validate", &path]);
    assert_eq!(validated.code, Some(0), "{}{}", validated.stdout, validated.stderr);
}

#[test]
fn a_framework_behind_another_command_is_read_test_by_test() {
    let project = Project::pytest();
    project.write("Makefile", "test:\n\tpython -m pytest -q\n");
    let seen = project.redgreen(&["test", "--json", "--", "make test"]);
    assert_eq!(seen.code, Some(1), "{}{}", seen.stdout, seen.stderr);
    let result = crate::common::events(&seen.stdout).pop().expect("a result");
    assert_eq!(result["test_results"]["passed"], 1, "{result}");
    assert_eq!(result["failures"][0]["failure"]["test"], "tests/test_calc.py::test_subtract");
}

#[test]
fn an_unknown_command_that_fails_has_failed_and_one_that_succeeds_shows_nothing() {
    let project = Project::pytest();
    for (command, code, word) in [("false", 1, "failed"), ("true", 1, "inconclusive")] {
        let seen = project.redgreen(&["test", "--", command]);
        assert_eq!(seen.code, Some(code), "{}{}", seen.stdout, seen.stderr);
        assert!(seen.stdout.contains(word), "{}", seen.stdout);
    }
    assert_eq!(project.redgreen(&["test", "--trust-exit-code", "--", "true"]).code, Some(0));
}

#[test]
fn an_interruption_on_a_terminal_says_how_to_go_on() {
    let project = Project::pytest();
    let agent = project.agent(
        "p=$PPID\nwhile [ \"$(cat /proc/$p/comm)\" != redgreen ]; do p=$(cut -d' ' -f4 /proc/$p/stat); done\nkill -INT $p; sleep 1000",
    );
    let line = format!("{} run --agent-command \"{agent}\" task", env!("CARGO_BIN_EXE_redgreen"));
    let output = project.command("script").args(["-qec", &line, "/dev/null"]).output();
    let seen = crate::common::Ended::from(output.expect("script, which gives a terminal"));
    assert_eq!(seen.code, Some(130), "{}", seen.stdout);
    assert!(
        seen.stdout.contains(&format!("redgreen resume {}", project.session())),
        "{}",
        seen.stdout
    );
}

#[test]
fn an_agent_that_cannot_be_run_is_a_missing_tool() {
    let project = Project::pytest();
    let seen = project.redgreen(&["run", "--json", "--agent-command", "/no/such/agent", "task"]);
    assert_eq!(seen.code, Some(3), "{}{}", seen.stdout, seen.stderr);
    let finished = crate::common::events(&seen.stdout).pop().expect("an end");
    assert_eq!(finished["reason"], "tooling_error", "{finished}");
    assert!(finished["detail"].as_str().expect("words").contains("/no/such/agent"), "{finished}");
}

/// A warning with a stack in the log says nothing about why the tests did not start.
#[test]
fn a_stack_somewhere_in_the_log_makes_no_red_of_a_missing_tool() {
    let project = Project::pytest();
    project.write("warns.py", "import traceback\ntraceback.print_stack()\n");
    let breaks = "python warns.py; echo 'cannot reach the registry' >&2; exit 1; pytest";
    let tested = project.tested(&["--", breaks]);
    assert_eq!(tested.verdict(), "tooling_error", "{:#}", tested.record);
    // A program of the project that dies is another thing.
    project.write("dies.py", "import nowhere\n");
    let tested = project.tested(&["--", "python dies.py && pytest"]);
    assert_eq!(tested.verdict(), "failed", "{:#}", tested.record);
}

#[test]
fn an_empty_command_is_a_mistake_in_the_call() {
    let project = Project::pytest();
    for args in [
        &["test", "--", ""][..],
        &["run", "--agent-command", " ", "task"],
        &["run", "--agent-command", "true", "--test-command", "", "task"],
        &["init", "--force", "--test-command", ""],
    ] {
        assert_eq!(project.redgreen(args).code, Some(2), "{args:?}");
    }
}
