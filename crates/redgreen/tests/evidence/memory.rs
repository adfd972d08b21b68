//! What was seen to pass is come back to by another process, and only where it is the same.

use std::fs;
use std::process::Stdio;

use super::{assert_code, assert_says, green};
use crate::common::{Ended, Project};

/// A change of the tests' side and of the code, so that every corner differs.
fn change(project: &Project) {
    project.write("value.sh", "first=ok\nsecond=ok\nthird=ok\n");
    project.case("always", "true");
}

fn square(project: &Project, more: &[&str]) -> (Ended, usize) {
    let before = project.runs();
    let squared = project.redgreen(&[&["square"], more].concat());
    assert_code(&squared, 0);
    (squared, project.runs() - before)
}

#[test]
fn corners_that_passed_are_not_run_again_by_another_process() {
    let project = green();
    change(&project);
    let (first, runs) = square(&project, &[]);
    assert!(runs >= 3, "{runs} runs\n{}", first.stderr);
    assert!(!first.stderr.contains("seen to pass before"), "{}", first.stderr);
    let (second, runs) = square(&project, &[]);
    assert_eq!(runs, 1, "the tree itself\n{}", second.stderr);
    assert_says(&second, "the baseline: seen to pass before, at 20");
    assert_says(&second, "the old tests on the new code: seen to pass before, at 20");
    let (fresh, runs) = square(&project, &["--fresh"]);
    assert!(runs >= 3, "{runs} runs\n{}", fresh.stderr);
    // A variable may say which tests to run: it is another question.
    let before = project.runs();
    let mut other = project.redgreen_command(&["square"]);
    let other: Ended = other.env("PYTEST_ADDOPTS", "-k second").output().expect("redgreen").into();
    assert_code(&other, 0);
    assert!(project.runs() - before >= 3, "{}", other.stderr);
}

#[test]
fn a_baseline_that_was_tested_before_is_not_run_again() {
    const AGENT: &str = "printf 'first=ok\\nsecond=ok\\nthird=ok\\n' >value.sh\n";
    let project = green();
    assert_code(&project.redgreen(&["test"]), 0);
    let before = project.runs();
    let done = project.run(AGENT, &[]);
    done.assert_ended(0, "passed", "");
    let recalled = project.runs() - before;
    assert!(done.text().contains("the baseline: seen to pass before"), "{}", done.text());
    // The loop's own verdict is signed, with what it was compared with.
    let (code, evidence) = project.evidence();
    assert_eq!(code, Some(0));
    let verdict = &evidence["verdicts"][0]["evidence"];
    assert_eq!((&verdict["attempts"], &verdict["session"]), (&1.into(), &project.session().into()));
    assert!(verdict["base"]["tree"].is_string(), "{verdict:#}");

    project.git(&["checkout", "-q", "."]);
    let before = project.runs();
    project.run(AGENT, &["--fresh"]).assert_ended(0, "passed", "");
    assert_eq!(project.runs() - before, recalled + 1, "the baseline was run");
}

#[test]
fn of_a_red_baseline_only_the_red_tests_run_again() {
    let project = Project::shell();
    assert_code(&project.redgreen(&["test"]), 1);
    let done = project.run("printf 'first=ok\\nsecond=ok\\n' >value.sh\n", &[]);
    done.assert_ended(0, "passed", "");
    assert!(done.text().contains("the baseline: seen to fail before, at 20"), "{}", done.text());
    let started = |event: &&serde_json::Value| event["event"] == "execution_started";
    let ran: Vec<&str> =
        done.events.iter().filter(started).filter_map(|it| it["purpose"].as_str()).collect();
    assert_eq!(ran, ["confirm", "judge", "confirm"]);
}

/// It was the machine's fault, and is not any more.
#[test]
fn a_red_baseline_is_not_believed_where_its_tests_pass_now() {
    let project = green();
    project.case("weather", "[ ! -e \"$OUTSIDE/rain\" ]");
    project.commit();
    fs::write(project.outside().join("rain"), "").expect("a file");
    assert_code(&project.redgreen(&["test"]), 1);
    fs::remove_file(project.outside().join("rain")).expect("a file");
    let done = project.run("rm tests/cases/weather\n", &["--max-attempts", "1"]);
    assert!(done.text().contains("the baseline: seen to fail before, at 20"), "{}", done.text());
    assert!(done.text().contains("flaky"), "{}", done.text());
    assert!(!done.text().contains("it was red before"), "{}", done.text());
}

#[test]
fn a_tree_that_fails_later_has_no_evidence_any_more() {
    let project = green();
    project.case("weather", "[ ! -e \"$OUTSIDE/rain\" ]");
    project.commit();
    assert_code(&project.redgreen(&["test"]), 0);
    assert_eq!(project.evidence().0, Some(0));
    fs::write(project.outside().join("rain"), "").expect("a file");
    assert_code(&project.redgreen(&["test"]), 1);
    let (code, evidence) = project.evidence();
    assert_eq!((code, &evidence["verdicts"]), (Some(1), &serde_json::json!([])));
    assert_code(&project.redgreen(&["evidence", "export"]), 1);
    fs::remove_file(project.outside().join("rain")).expect("a file");
    assert_code(&project.redgreen(&["test"]), 0);
    assert_eq!(project.evidence().0, Some(0));
}

#[test]
fn processes_that_come_first_at_once_sign_with_the_same_key() {
    let home = tempfile::tempdir().expect("a folder");
    let projects: Vec<Project> = (0..3).map(|_| green()).collect();
    let redgreen = |project: &Project, args: &[&str]| {
        let mut command = project.redgreen_command(args);
        command.env("XDG_STATE_HOME", home.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("redgreen")
    };
    let ended = |child: std::process::Child| Ended::from(child.wait_with_output().expect("an end"));
    let children: Vec<_> = projects.iter().map(|it| redgreen(it, &["test"])).collect();
    for child in children {
        let ended = ended(child);
        assert_code(&ended, 0);
        assert!(!ended.stderr.contains("no evidence"), "{}", ended.stderr);
    }
    assert!(home.path().join("redgreen/key").is_file());
    for project in &projects {
        assert_code(&ended(redgreen(project, &["evidence", "show"])), 0);
    }
}
