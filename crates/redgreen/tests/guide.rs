//! The stories of the guide and of ticket 11, as they are told there.

use std::fs;

use crate::common::{Loop, Project, events};

/// A project with so many tests, all red, and an agent whose attempts leave these ones red.
fn story(tests: usize, red_after: &[&[usize]]) -> (Project, Loop) {
    let project = Project::shell();
    for name in ["always", "first", "second"] {
        fs::remove_file(project.root().join("tests/cases").join(name)).expect("removed");
    }
    let values = |red: &dyn Fn(usize) -> bool, word: &str| -> String {
        let value = |test| format!("t{test}={}\n", if red(test) { word } else { "ok" });
        (0..tests).map(value).collect()
    };
    for test in 0..tests {
        project.case(&format!("t{test}"), &format!(". ./value.sh; [ \"$t{test}\" = ok ]"));
    }
    project.write("value.sh", values(&|_| true, "bad"));
    project.write(".sdd/issues.md", "# Issues\n");
    project.commit();
    for (index, red) in red_after.iter().enumerate() {
        let (attempt, red) = (index + 1, |test: usize| red.contains(&test));
        let text = values(&red, &format!("wrong{attempt}"));
        fs::write(project.outside().join(format!("value-{attempt}")), text).expect("a file");
    }
    let agent = "echo \"$REDGREEN_ATTEMPT\" >>\"$OUTSIDE/asked\"\ncp \"$OUTSIDE/value-$REDGREEN_ATTEMPT\" value.sh\n";
    let done = project.run(agent, &[]);
    (project, done)
}

/// How many tests passed in the run that judges each attempt.
fn passed(done: &Loop) -> Vec<(u64, u64)> {
    let judged =
        |event: &&serde_json::Value| event["event"] == "judged" && event["purpose"] == "judge";
    let counts = |event: &serde_json::Value| {
        let count = |name: &str| event["counts"][name].as_u64().unwrap_or_default();
        (count("passed"), count("total"))
    };
    done.events.iter().filter(judged).map(counts).collect()
}

#[test]
fn scenario_1_a_simple_fix_passes_in_its_second_attempt() {
    let (project, done) = story(8, &[&[2, 5], &[]]);
    done.assert_ended(0, "passed", "");
    assert_eq!(passed(&done), [(6, 8), (8, 8)], "{}", done.text());
    assert_eq!(project.notes("asked"), "1\n2\n");
}

#[test]
fn scenario_2_and_ticket_11_a_complex_bug_is_escalated_after_three_attempts() {
    let (project, done) = story(10, &[&[0, 1, 2, 3, 4, 5], &[0, 1, 2, 3], &[0, 1, 2], &[]]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    assert_eq!(passed(&done), [(4, 10), (6, 10), (7, 10)], "{}", done.text());
    assert_eq!(project.notes("asked"), "1\n2\n3\n", "a finite number of times");
    let issues = project.read(".sdd/issues.md");
    for part in [
        "- Goal: make the tests pass",
        "bounded_attempts_exceeded",
        "- Attempts: 3 of 3",
        "- Failed: `sh tests/run.sh` (test_failure, exit code 1)",
        "- Follow-up: Look at t0",
    ] {
        assert!(issues.contains(part), "no {part} in {issues}");
    }
    let inbox = events(&project.redgreen(&["inbox", "--json"]).stdout);
    let history = &inbox[0]["case"]["escalation"]["failureHistory"];
    assert_eq!(history["attempts"], 3, "{inbox:#?}");
    assert_eq!(history["entries"].as_array().map(Vec::len), Some(3), "{history:#}");
}

#[test]
fn scenario_3_a_fix_that_breaks_what_was_green_ends_it_and_goes_back() {
    let (project, done) = story(10, &[&[7, 8], &[0, 7, 8], &[]]);
    done.assert_ended(1, "escalated", "regression_detected");
    assert_eq!(passed(&done), [(8, 10), (7, 10)], "{}", done.text());
    let value = project.read("value.sh");
    assert!(
        value.starts_with("t0=ok\n") && value.contains("t7=wrong1"),
        "attempt 1 is back: {value}"
    );
    assert_eq!(project.notes("asked"), "1\n2\n");
}
