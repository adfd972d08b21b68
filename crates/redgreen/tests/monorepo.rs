//! More than one check: two suites, a linter, one that is not required, a long limit.

use crate::common::Project;
use serde_json::Value;

/// A test of the suite in `frontend/` has the same id as one of the suite in `backend/`.
const SAME_ID: &str = "tests/test_calc.py::test_subtract";

/// pytest in `backend/`, a shell suite in `frontend/` that passes, and more checks.
fn monorepo(more: &str) -> Project {
    let project = Project::empty();
    project.write(
        "backend/calc.py",
        "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a + b\n",
    );
    project.write("backend/conftest.py", "");
    project.write(
        "backend/tests/test_calc.py",
        "from calc import add, subtract\n\n\ndef test_add():\n    assert add(2, 2) == 4\n\n\ndef test_subtract():\n    assert subtract(5, 3) == 2\n",
    );
    project.write("frontend/page.sh", "title=hello\n");
    project.write(
        "frontend/run.sh",
        format!(
            r#"echo . >>"$OUTSIDE/frontend-runs"
. ./page.sh
tell() {{ printf '{{"event":"%s","run":"f-%s"%s}}\n' "$1" $$ "$2" >>"$REDGREEN_STREAM"; }}
tell hello ',"runner":"frontend"'
tell start ',"test":"{SAME_ID}"'
if [ "$title" = hello ]; then outcome=passed; code=0; else outcome=failed; code=1; fi
tell end ",\"test\":\"{SAME_ID}\",\"outcome\":\"$outcome\""
tell bye ",\"exit\":$code"
exit $code
"#
        ),
    );
    project.write(
        "redgreen.toml",
        format!(
            "[[checks]]\nname = \"backend\"\ncommand = \"python -m pytest -q\"\nframework = \"pytest\"\nfolder = \"backend\"\nwatch = [\"backend/**\"]\ntimeout_seconds = 900\n\n[[checks]]\nname = \"frontend\"\ncommand = \"sh run.sh\"\nframework = \"other\"\nfolder = \"frontend\"\nwatch = [\"frontend/**\"]\nenvironment = {{ OUTSIDE = \"{}\" }}\n{more}",
            project.outside().display()
        ),
    );
    project.write(".gitignore", "__pycache__/\n.pytest_cache/\n");
    project.commit();
    project
}

const FIX: &str = "sed -i '6s/a + b/a - b/' backend/calc.py";

fn check_ends<'events>(events: &'events [Value], check: &str) -> Vec<&'events Value> {
    let ends = events.iter().filter(|event| event["event"] == "check_ended");
    ends.filter(|event| event["check"] == check).collect()
}

#[test]
fn a_suite_that_nothing_touched_is_taken_over_and_said() {
    let project = monorepo("");
    let done = project.run(FIX, &[]);
    done.assert_ended(0, "passed", "");
    assert_eq!(project.notes("frontend-runs"), ".\n", "it ran again although nothing changed");
    let ends = check_ends(&done.events, "frontend");
    let reused: Vec<&Value> = ends.iter().map(|end| &end["reused"]).collect();
    assert_eq!(reused, [&Value::Bool(false), &Value::Bool(true)], "{}", done.text());
    // For people, too; and a change of what it watches has it run.
    project.write(
        "backend/calc.py",
        "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a + b\n",
    );
    let agent = project.agent(FIX);
    let shown = project.redgreen(&["run", "--fresh", "--agent-command", &agent, "again"]);
    assert!(shown.stderr.contains("frontend: 1 passed, result reused"), "{}", shown.stderr);
    assert_eq!(project.notes("frontend-runs"), ".\n.\n");
    project.git(&["checkout", "-q", "backend/calc.py"]);
    let both = project.run(&format!("{FIX}; echo >>frontend/page.sh"), &["--fresh"]);
    both.assert_ended(0, "passed", "");
    assert_eq!(project.notes("frontend-runs"), ".\n.\n.\n.\n", "{}", both.text());
}

#[test]
fn tests_with_one_name_in_two_suites_stay_two() {
    let project = monorepo("");
    let done = project.run(&format!("{FIX}; echo 'title=bye' >frontend/page.sh"), &[]);
    // The one is fixed, the other one broken: a regression, not a wash.
    done.assert_ended(1, "escalated", "no_progress");
    let judged: Vec<&Value> =
        done.events.iter().filter(|event| event["event"] == "judged").collect();
    let id = |check: &str| serde_json::json!([{"check": check, "test": SAME_ID}]);
    assert_eq!(judged[0]["counts"]["total"], 3, "{}", done.text());
    assert_eq!(judged[0]["classes"]["pre_existing"], id("backend"), "{}", done.text());
    assert_eq!(judged[1]["classes"]["fixed"], id("backend"), "{}", done.text());
    assert_eq!(judged[1]["classes"]["regressed"], id("frontend"), "{}", done.text());
    assert_eq!(project.read("frontend/page.sh"), "title=hello\n", "the best tree is not back");
}

#[test]
fn a_linter_is_judged_by_its_exit_code() {
    let lint = "\n[[checks]]\nname = \"lint\"\ncommand = \"! grep -rn FIXME backend --include=*.py\"\njudge_by = \"exit_code\"\n";
    let project = monorepo(lint);
    let done = project.run(
        &format!("[ $REDGREEN_ATTEMPT = 1 ] && {{ {FIX}; echo '# FIXME' >>backend/calc.py; }} || sed -i '/FIXME/d' backend/calc.py"),
        &[],
    );
    done.assert_ended(0, "passed", "");
    assert_eq!(done.last("finished")["attempts"], 2, "{}", done.text());
    let feedback = project.session_file("agent/2-apply_fix/prompt.md");
    assert!(feedback.contains("lint") && feedback.contains("FIXME"), "{feedback}");
}

#[test]
fn an_optional_check_that_is_red_does_not_block() {
    let style = "\n[[checks]]\nname = \"style\"\ncommand = \"echo too long; exit 1\"\njudge_by = \"exit_code\"\nrequired = false\n";
    let project = monorepo(style);
    let done = project.run(FIX, &[]);
    done.assert_ended(0, "passed", "");
    let ends = check_ends(&done.events, "style");
    assert!(!ends.is_empty() && ends.iter().all(|end| end["ended"]["code"] == 1), "{ends:#?}");
    let once = project.redgreen(&["test"]);
    assert_eq!(once.code, Some(0), "{}{}", once.stdout, once.stderr);
    assert!(once.stderr.contains("style"), "a red optional check is not shown: {}", once.stderr);
}

#[test]
fn a_limit_that_the_document_cannot_say_is_left_out() {
    let project = monorepo("");
    project.run(FIX, &[]).assert_ended(0, "passed", "");
    let workflow: Value =
        serde_json::from_str(&project.session_file("workflow.json")).expect("JSON");
    let execution = &workflow["execution_config"];
    assert_eq!(execution["test_framework"], "pytest", "{execution:#}");
    assert_eq!(execution["working_directory"], "backend", "{execution:#}");
    assert!(execution.get("timeout_seconds").is_none(), "{execution:#}");
    let path = format!(".redgreen/sessions/{}/workflow.json", project.session());
    let valid = project.redgreen(&["validate", &path]);
    assert_eq!(valid.code, Some(0), "{}{}", valid.stdout, valid.stderr);
    // One that it can say is said.
    let config = project.read("redgreen.toml").replace("900", "300");
    project.write("redgreen.toml", config);
    project.git(&["checkout", "-q", "backend/calc.py"]);
    project.run(FIX, &[]).assert_ended(0, "passed", "");
    let workflow: Value =
        serde_json::from_str(&project.session_file("workflow.json")).expect("JSON");
    assert_eq!(workflow["execution_config"]["timeout_seconds"], 300);
}
