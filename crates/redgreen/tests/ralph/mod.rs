//! The outer loop: plans of several items with real agents that fail, break things and lie, loops of people's own, and
//! workflow documents as input.

mod kills;
mod own;
mod workflow;

use serde_json::Value;

use crate::common::{Ended, Project, events};

/// Five items for [`AGENT`]; the fourth has a command of its own.
const PLAN: &str = "# Values\n\nEach value is a line of value.sh, with a test in tests/cases.\n\n- [ ] set one\n- [ ] set two\n- [ ] set three\n- [ ] set four\n  - accept: grep -q four=ok value.sh\n- [ ] set five\n";

/// Does item one at once, fails item two for ever, breaks item one when it begins item three, says of item four that it is
/// done when only a note says so, and does item five.
const AGENT: &str = r#"echo $$ >>"$OUTSIDE/pids"
task=$(sed -n 's/^.*set \(one\|two\|three\|four\|five\).*$/\1/p' "$REDGREEN_PROMPT_FILE" | head -1)
echo "$task $REDGREEN_ATTEMPT" >>"$OUTSIDE/asked"
set_value() { sed -i "/^$1=/d" value.sh; echo "$1=$2" >>value.sh; }
try() { echo ". ./value.sh; [ \"\$$1\" = ok ]" >"tests/cases/$1"; }
case $task-$REDGREEN_ATTEMPT in
two-*) set_value two "bad$REDGREEN_ATTEMPT"; try two; git add -A; git -c user.name=a -c user.email=a@x commit -qm wip ;;
three-1) set_value three ok; try three; set_value one broken ;;
three-*) set_value three ok; set_value one ok ;;
four-1) echo "four is done" >>notes.md ;;
*) set_value "$task" ok; try "$task" ;;
esac
echo "All tests pass, $task is done."
"#;

/// A shell project that is green, committed, with a plan.
fn planned(plan: &str) -> Project {
    let project = Project::shell();
    project.write("value.sh", "first=ok\nsecond=ok\n");
    project.write("notes.md", "notes\n");
    project.write("plan.md", plan);
    project.write("redgreen.toml", project.shell_check("") + "[loop]\nmax_attempts = 2\n");
    project.git(&["config", "user.name", "Ann"]);
    project.git(&["config", "user.email", "ann@example.org"]);
    project.commit();
    project
}

fn ralph(project: &Project, more: &[&str]) -> (Ended, Value) {
    let agent = project.agent(AGENT);
    let args = [&["ralph", "plan.md", "--json", "--agent-command", &agent], more].concat();
    let ended = project.redgreen(&args);
    let last = events(&ended.stdout).pop().unwrap_or_default();
    (ended, last)
}

/// How each item stands.
fn standings(result: &Value) -> Vec<&str> {
    let items = result["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(|item| item["standing"].as_str()).collect()
}

/// Asserts what must hold of the five items, however they came about.
fn assert_five_items(project: &Project, context: &str) {
    let status = project.redgreen(&["ralph", "--status", "--json"]);
    let result = events(&status.stdout).pop().expect("a result");
    let wanted = ["done", "escalated", "done", "done", "done"];
    assert_eq!(standings(&result), wanted, "{context}\n{result:#}");
    assert_eq!(result["reason"], "escalated", "{context}");
    let log = project.git(&["log", "--format=%H %s", "--reverse"]);
    let commits: Vec<(&str, &str)> = log.lines().filter_map(|line| line.split_once(' ')).collect();
    let subjects: Vec<&str> = commits.iter().map(|(_, subject)| *subject).collect();
    let wanted = ["start", "start", "set one", "set three", "set four", "set five"];
    assert_eq!(subjects, wanted, "{context}");
    for (commit, subject) in &commits[2..] {
        let folder = project.outside().join(format!("checkout-{commit}"));
        let place = folder.display().to_string();
        project.git(&["worktree", "add", "-q", "--detach", &place, commit]);
        let mut run = project.command("sh");
        run.args(["tests/run.sh"]).current_dir(&folder).env("OUTSIDE", project.outside());
        assert!(run.status().expect("sh").success(), "{subject} is red: {context}");
        project.git(&["worktree", "remove", "--force", &place]);
        let note = project.git(&["notes", "--ref=redgreen", "show", commit]);
        assert!(note.contains("\"payload\""), "{subject} has no evidence: {context}\n{note}");
    }
    assert_eq!(
        project.read("value.sh"),
        "first=ok\nsecond=ok\none=ok\nthree=ok\nfour=ok\nfive=ok\n"
            .replace("one=ok\nthree=ok", "three=ok\none=ok"),
        "{context}"
    );
    let left = project.git(&["status", "--porcelain"]);
    let left: Vec<&str> = left.lines().filter(|line| !line.contains(".aiwg")).collect();
    assert_eq!(left, Vec::<&str>::new(), "{context}");
    let kept = project.git(&["for-each-ref", "--format=%(refname)", "refs/redgreen"]);
    assert!(kept.contains("/left"), "the attempts of item two are not kept: {context}\n{kept}");
    let inbox = project.redgreen(&["inbox"]).stdout;
    assert_eq!(inbox.matches("set two").count(), 1, "{context}\n{inbox}");
    assert_eq!(project.survivors(), Vec::<String>::new(), "{context}");
}

#[test]
fn five_items_with_an_agent_that_fails_breaks_and_lies() {
    let project = planned(PLAN);
    let (ended, result) = ralph(&project, &["--commit"]);
    let text = format!("{}\n{}", ended.stdout, ended.stderr);
    assert_eq!(ended.code, Some(1), "{text}");
    assert_five_items(&project, &text);
    let asked = project.notes("asked");
    let wanted = "one 1\ntwo 1\ntwo 2\nthree 1\nthree 2\nfour 1\nfour 2\nfive 1\n";
    assert_eq!(asked, wanted, "{text}");
    assert_eq!((&result["done"], &result["spent"]["attempts"]), (&4.into(), &8.into()));
    // Four of five items, and every test of the tree that is kept.
    assert!((result["progress"].as_f64().expect("a number") - 0.86).abs() < 1e-9, "{result:#}");
    let table = project.redgreen(&["ralph", "--status"]).stdout;
    assert!(table.contains("4 of 5 done, 1 escalated") && table.contains("set two"), "{table}");
    // What a person has mended meanwhile is gone on with: only what is not done is asked for again.
    project.write("plan.md", "- [ ] another plan\n");
    let again = project.redgreen(&["ralph", "--resume", "--json"]);
    assert_eq!(again.code, Some(2), "{}", again.stderr);
    assert!(again.stderr.contains("plan.md is not committed"), "{}", again.stderr);
    project.git(&["checkout", "-q", "plan.md"]);
    let mended = project
        .agent("echo two=ok >>value.sh; echo '. ./value.sh; [ \"$two\" = ok ]' >tests/cases/two");
    assert!(mended.contains("agent.sh"), "the same command does it now");
    let again = project.redgreen(&["ralph", "--resume", "--json"]);
    assert_eq!(again.code, Some(0), "{}\n{}", again.stdout, again.stderr);
    assert_eq!(project.git(&["log", "-1", "--format=%s"]).trim(), "set two");
    let done = project.redgreen(&["ralph", "--resume"]);
    assert_eq!(done.code, Some(0), "{}", done.stdout);
}

#[test]
fn a_plan_of_a_pytest_project_is_committed_with_evidence_that_can_be_checked() {
    let project = Project::pytest();
    project.write("calc.py", "def add(a, b):\n    return a + b\n");
    project.write(
        "tests/test_calc.py",
        "from calc import add\n\n\ndef test_add():\n    assert add(2, 2) == 4\n",
    );
    project.write("plan.yaml", "about: all functions are in calc.py\nitems:\n  - task: add multiply\n    kind: new_function\n    accept: python -m pytest -q tests/test_multiply.py\n  - task: add double\n");
    project.git(&["config", "user.name", "Ann"]);
    project.git(&["config", "user.email", "ann@example.org"]);
    project.commit();
    let agent = project.agent(
        r#"case "$(head -c 2000 "$REDGREEN_PROMPT_FILE")" in
*"add multiply"*) name=multiply; body='a * b'; test='multiply(2, 3) == 6\n    assert multiply(4, 5) == 20' ;;
*) name=double; body='a + a + b - b'; test='double(3, 1) == 6\n    assert double(5, 0) == 10' ;;
esac
printf "\n\ndef $name(a, b):\n    return $body\n" >>calc.py
printf "from calc import $name\n\n\ndef test_$name():\n    assert $test\n" >"tests/test_$name.py"
"#,
    );
    let ended = project.redgreen(&["ralph", "plan.yaml", "--commit", "--agent-command", &agent]);
    let text = format!("{}\n{}", ended.stdout, ended.stderr);
    assert_eq!(ended.code, Some(0), "{text}");
    assert!(text.contains("2 of 2 done, 0 escalated; progress 100 %"), "{text}");
    let subjects = project.git(&["log", "--format=%s"]);
    assert_eq!(
        subjects.lines().collect::<Vec<_>>(),
        ["add double", "add multiply", "start", "start"]
    );
    let note = project.git(&["notes", "--ref=redgreen", "show", "HEAD"]);
    let evidence = project.outside().join("evidence.jsonl");
    std::fs::write(&evidence, note).expect("a file");
    let (key, evidence) =
        (project.outside().join("key.pem").display().to_string(), evidence.display().to_string());
    project.redgreen(&["evidence", "export", "HEAD", "--public-key", &key]).assert_code(0);
    let verified = project.redgreen(&[
        "evidence",
        "verify",
        &evidence,
        "--key",
        &key,
        "--tree",
        "HEAD",
        "--any-checks",
    ]);
    assert_eq!(verified.code, Some(0), "{}\n{}", verified.stdout, verified.stderr);
    let document = project.session_file("workflow.json");
    let document: Value = serde_json::from_str(&document).expect("JSON");
    assert_eq!(document["ralph_integration"]["iteration"], 2, "{document:#}");
}

#[test]
fn what_is_there_already_is_done_and_what_nobody_did_is_not() {
    let project = planned(
        "- [ ] set first\n  - accept: grep -q first=ok value.sh\n- [ ] think about it\n- [x] was done\n",
    );
    let idle = project.agent("echo 'all done, all tests pass'");
    let args = ["ralph", "plan.md", "--json", "--tries", "2", "--agent-command", &idle];
    let ended = project.redgreen(&args);
    let result = events(&ended.stdout).pop().expect("a result");
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert_eq!(standings(&result), ["done", "escalated", "done"], "{result:#}");
    assert_eq!(result["items"][0]["outcome"]["outcome"], "already_there", "{result:#}");
    assert_eq!(result["iterations"].as_array().map(Vec::len), Some(3), "{result:#}");
}

#[test]
fn a_note_that_says_it_is_done_is_no_more_than_that() {
    let plan =
        "- [ ] set one\n- [ ] say how to install it\n  - accept: grep -q '## Install' notes.md\n";
    let project = planned(plan);
    let agent = project.agent(
        "if grep -q install \"$REDGREEN_PROMPT_FILE\"; then echo '## Install' >>notes.md; else echo 'one is set' >>notes.md; fi",
    );
    let args = ["ralph", "plan.md", "--json", "--commit", "--agent-command", &agent];
    let ended = project.redgreen(&args);
    let result = events(&ended.stdout).pop().expect("a result");
    assert_eq!(
        (ended.code, standings(&result)),
        (Some(1), vec!["escalated", "done"]),
        "{result:#}"
    );
    let detail = result["items"][0]["detail"].as_str().expect("text");
    assert!(detail.contains("give the item a command of its own"), "{detail}");
    let inbox = project.redgreen(&["inbox"]).stdout;
    assert!(
        inbox.contains("set one") && inbox.contains("nothing shows that it is done"),
        "{inbox}"
    );
    assert_eq!(project.read("notes.md"), "notes\n## Install\n");
    assert_eq!(project.git(&["log", "-1", "--format=%s"]).trim(), "say how to install it");
}

#[test]
fn bounds_end_it_and_say_which() {
    let project = planned("- [ ] set one\n- [ ] set three\n");
    let cheap = |cost: &str| {
        let script = format!("{AGENT}\necho '{{\"type\":\"result\",\"total_cost_usd\":{cost}}}'");
        project.agent(&script)
    };
    let agent = cheap("0.75");
    let args = ["ralph", "plan.md", "--json", "--cost-budget", "0.50", "--agent-command", &agent];
    let ended = project.redgreen(&args);
    let result = events(&ended.stdout).pop().expect("a result");
    assert_eq!((ended.code, &result["reason"]), (Some(1), &"cost".into()), "{result:#}");
    assert_eq!(standings(&result), ["done", "open"], "{result:#}");
    // Without --commit nothing is committed, and what is done stays in the work tree.
    assert!(project.read("value.sh").contains("one=ok"));
    assert_eq!(project.git(&["log", "--format=%s"]).lines().count(), 2);
    let (ended, result) = ralph(&project, &["--max-iterations", "1"]);
    assert_eq!((ended.code, &result["reason"]), (Some(1), &"max_iterations".into()), "{result:#}");
}

#[test]
fn a_plan_that_cannot_be_read_names_the_line_and_what_to_do() {
    let project = planned("- [ ] set one\n  - kind: bugfix\n");
    let (ended, _) = ralph(&project, &[]);
    assert_eq!(ended.code, Some(2));
    for part in ["plan.md:2: ", "did you mean `bug_fix`?", "hint: write one of"] {
        assert!(ended.stderr.contains(part), "no {part} in {}", ended.stderr);
    }
    project.write("plan.md", "- [ ] set one\n");
    let (ended, _) = ralph(&project, &["--commit"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("plan.md is not committed"), "{}", ended.stderr);
    let missing = project.redgreen(&["ralph", "nowhere.md", "--agent-command", "true"]);
    assert_eq!(missing.code, Some(2), "{}", missing.stderr);
    let none = project.redgreen(&["ralph", "--status"]);
    assert!(none.code == Some(2) && none.stderr.contains("redgreen ralph PLAN"), "{}", none.stderr);
}
