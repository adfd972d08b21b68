//! Several agents in one loop, each with a role; and a reviewer alone.

use serde_json::Value;

use crate::common::Project;

/// A project whose agents are named in redgreen.toml.
fn with_agents(agents: &str) -> Project {
    let project = Project::pytest();
    let config = project.read("redgreen.toml");
    project.write("redgreen.toml", format!("{config}\n{agents}"));
    project.commit();
    project
}

const TEAM: &str = r#"
[agents.thinker]
role = "planner"
command = "echo 'thinking aloud'; echo 'mend line six' >\"$REDGREEN_ANSWER_FILE\""

[agents.writer]
role = "coder"
template = "writer.md"
command = '''
grep -q 'You are terse' "$REDGREEN_PROMPT_FILE" || exit 7
echo 'the coder has a secret opinion'
case "$REDGREEN_PHASE" in
  generate_code) grep -q 'mend line six' "$REDGREEN_PROMPT_FILE" && sed -i '6s/return.*/return a - b/' calc.py ;;
  *) grep -q 'zero is not looked at' "$REDGREEN_PROMPT_FILE" && sed -i '6s/return.*/return a - b if b else a/' calc.py ;;
esac'''

[agents.tester]
role = "test_engineer"
command = '''
grep -q 'secret opinion' "$REDGREEN_PROMPT_FILE" "$REDGREEN_FEEDBACK_FILE" && exit 8
printf '\n\ndef test_subtract_zero():\n    assert subtract(5, 0) == 5\n\n\ndef test_negative():\n    assert subtract(0, 5) == -5\n' >>tests/test_calc.py'''

[agents.scribe]
role = "reporter"
command = "echo 'it subtracts now'; echo x >>calc.py"

[agents.critic]
role = "reviewer"
command = '''
grep -q 'return a - b' "$REDGREEN_PROMPT_FILE" || exit 9
if [ "$REDGREEN_ATTEMPT" = 1 ]; then echo '[{"file": "calc.py", "line": 6, "severity": "error", "text": "zero is not looked at"}]'
else echo 'Fine: [{"text": "a long line", "severity": "info"}]'; fi'''
"#;

#[test]
fn each_of_a_team_does_its_part() {
    let project = with_agents(TEAM);
    project.write("writer.md", "You are terse.\n\n{{prompt}}");
    project.commit();
    let run = project.redgreen(&["run", "--json", "make subtract right"]);
    assert_eq!(run.code, Some(0), "{}\n{}", run.stdout, run.stderr);
    let report = project.redgreen(&["report", &project.session()]).stdout;
    for part in [
        "zero is not looked at",
        "- info at `the change`: a long line",
        "## Attempt 2",
        "it subtracts now",
        "it turned green: `tests/test_calc.py::test_subtract`",
    ] {
        assert!(report.contains(part), "no {part} in {report}");
    }
    let document = project.redgreen(&["report", &project.session(), "--format", "json"]).stdout;
    let document: Value = serde_json::from_str(&document).expect("JSON");
    let history = &document["loop_state"]["failureHistory"];
    assert_eq!(history["entries"][0]["command"], "python -m pytest -q", "{history}");
}

#[test]
fn a_reviewer_alone_looks_at_what_passes() {
    let project = with_agents(
        "[agents.critic]\nrole = \"reviewer\"\nblocks = \"warning\"\ncommand = '''echo \"[{\\\"severity\\\": \\\"$SEVERITY\\\", \\\"text\\\": \\\"no comment\\\"}]\"; echo x >>reviewed.txt'''\n",
    );
    let review = |severity: &str| {
        let ended = project
            .redgreen_command(&["review"])
            .env("SEVERITY", severity)
            .output()
            .expect("redgreen");
        (ended.status.code(), String::from_utf8_lossy(&ended.stdout).into_owned())
    };
    project.write("calc.py", project.read("calc.py").replace("a + b\n", "b + a\n"));
    let (code, said) = review("info");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("not reviewed, since it does not pass"), "{said}");
    project.write(
        "calc.py",
        "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a - b\n",
    );
    let (code, said) = review("info");
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("the change: info: no comment") && said.contains("nothing of it blocks"),
        "{said}"
    );
    assert!(!project.root().join("reviewed.txt").exists(), "a reviewer edits nothing");
    let (code, said) = review("high");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("error, blocks: no comment"), "{said}");
}

#[test]
fn a_secret_that_a_change_adds_calls_a_person_where_the_policy_says_so() {
    let project = with_agents(
        "[[loop.escalation]]\ncondition = \"security_issue_found\"\naction = \"human_review\"\ninclude_in_report = [\"fix_attempts\"]\n",
    );
    let token = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5");
    let agent = format!(
        "sed -i '6s/return.*/return a - b/' calc.py; echo 'TOKEN = \"{token}\"' >settings.py"
    );
    let run = project.run(&agent, &[]);
    run.assert_ended(1, "escalated", "security_issue_found");
    let said = &run.ended.stdout;
    assert!(said.contains("settings.py:1") && !said.contains(&token), "{said}");
    let report = project.redgreen(&["report", &project.session()]).stdout;
    for part in ["## To take over", "`refs/redgreen/", "`redgreen test`"] {
        assert!(report.contains(part), "no {part} in {report}");
    }
    assert!(!report.contains("## Before the change"), "it was not asked for: {report}");
    assert!(!report.contains(&token));
}

#[test]
fn a_senior_begins_a_round_of_its_own() {
    let project = with_agents(
        "[loop]\nmax_attempts = 2\n\n[[loop.escalation]]\ncondition = \"max_attempts_reached\"\naction = \"senior_agent\"\n\n[agents.elder]\nrole = \"senior\"\ncommand = \"sed -i '6s/return.*/return a - b/' calc.py\"\n",
    );
    let agent = project.agent("sed -i \"6s/return.*/return a * b + $REDGREEN_ATTEMPT/\" calc.py");
    let run = project.redgreen(&["run", "--agent-command", &agent, "make the tests pass"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("attempt 3, 1 of 2 in this round"), "{}", run.stderr);
    assert!(!run.stderr.contains("3 of 2"), "{}", run.stderr);
    let report = project.redgreen(&["report", &project.session()]).stdout;
    assert!(
        report.contains("3 of 4 in 2 rounds") && report.contains("## Attempt 3 (second agent)"),
        "{report}"
    );
}
