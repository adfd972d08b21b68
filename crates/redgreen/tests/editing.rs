//! The tree changes while the tests run or after them: by a person, or by the tests themselves.

#![allow(clippy::too_many_lines, reason = "snapshots of what is said")]

use crate::common::shell::Fifo;
use crate::common::{Ended, Project, events};
use insta::assert_snapshot;

/// `subtract` as it should be.
const RIGHT: &str = "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a - b\n";
/// Repairs `subtract` in the pytest project.
const FIX: &str = "sed -i '6s/a + b/a - b/' calc.py";

/// The pytest project with a test that says it is running and waits for a word, as long as
/// `$OUTSIDE/armed` exists.
fn with_a_test_that_waits() -> (Project, Fifo, Fifo) {
    let project = Project::pytest();
    let outside = project.outside();
    project.write(
        "tests/test_waits.py",
        format!(
            "import os\n\nOUTSIDE = {:?}\n\n\ndef test_waits():\n    if os.path.exists(OUTSIDE + '/armed'):\n        with open(OUTSIDE + '/here', 'w') as here:\n            here.write('here\\n')\n        with open(OUTSIDE + '/go') as go:\n            go.readline()\n",
            outside.to_str().expect("a path")
        ),
    );
    project.commit();
    let (here, go) = (project.fifo("here"), project.fifo("go"));
    (project, here, go)
}

fn arm(project: &Project) {
    std::fs::write(project.outside().join("armed"), "").expect("a file");
}

fn disarm(project: &Project) {
    std::fs::remove_file(project.outside().join("armed")).expect("a file");
}

#[test]
fn somebody_edits_while_the_tests_run() {
    let (project, mut here, mut go) = with_a_test_that_waits();
    project.write("calc.py", RIGHT);
    arm(&project);
    let child = project.spawn(&["test", "--json"]);
    here.wait();
    project.write("calc.py", format!("{RIGHT}\n# a remark\n"));
    disarm(&project);
    go.release();
    let ended: Ended = child.wait_with_output().expect("redgreen").into();
    let mut events = events(&ended.stdout);
    let result = events.pop().expect("a result");
    assert_eq!((ended.code, &result["verdict"]), (Some(0), &"passed".into()), "{result:#}");
    let notice = events.iter().find(|event| event["event"] == "notice").expect("a notice");
    let text = notice["text"].as_str().expect("a text");
    assert_snapshot!(text, @"code or tests changed while the checks ran (calc.py): the tests did that, or somebody was editing; the checks run again");
    // What passed is the tree with the remark.
    let judged =
        project.git(&["show", &format!("{}:calc.py", result["tree"].as_str().expect("a tree"))]);
    assert_eq!(judged, format!("{RIGHT}\n# a remark\n"));
}

#[test]
fn somebody_edits_while_the_tests_of_a_loop_run() {
    let (project, mut here, mut go) = with_a_test_that_waits();
    let agent = project.agent(&format!("{FIX}\n: >\"$OUTSIDE/armed\""));
    let child = project.spawn(&["run", "--json", "--agent-command", &agent, "make them pass"]);
    here.wait();
    project.write("calc.py", format!("{RIGHT}\n# a remark\n"));
    disarm(&project);
    go.release();
    let ended: Ended = child.wait_with_output().expect("redgreen").into();
    let events = events(&ended.stdout);
    let notice = events.iter().find(|event| event["event"] == "notice").expect("a notice");
    let text = notice["text"].as_str().expect("a text");
    assert_snapshot!(text, @"code or tests changed while the checks ran (calc.py): the tests did that, or somebody was editing; the checks run again");
    let finished = events.last().expect("an end");
    assert_eq!((ended.code, &finished["status"]), (Some(0), &"passed".into()), "{finished:#}");
    assert_eq!(finished["attempts"], 1, "an edit of somebody else was charged to the agent");
    // What passed is the tree with the remark.
    let tree = finished["tree"].as_str().expect("a tree");
    let judged = project.git(&["show", &format!("{tree}:calc.py")]);
    assert_eq!(judged, format!("{RIGHT}\n# a remark\n"));
}

#[test]
fn an_edit_that_breaks_the_code_while_the_tests_run_is_never_green() {
    let (project, mut here, mut go) = with_a_test_that_waits();
    let agent = project.agent(&format!("{FIX}\n: >\"$OUTSIDE/armed\""));
    let arguments = ["run", "--json", "--max-attempts", "1", "--agent-command", &agent, "task"];
    let child = project.spawn(&arguments);
    here.wait();
    project
        .write("calc.py", "def add(a, b):\n    return 0\n\n\ndef subtract(a, b):\n    return 0\n");
    disarm(&project);
    go.release();
    let ended: Ended = child.wait_with_output().expect("redgreen").into();
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    assert!(!ended.stdout.contains("\"status\":\"passed\""), "{}", ended.stdout);
}

#[test]
fn what_tests_leave_behind_is_run_too_and_does_not_disturb_the_evidence() {
    let project = Project::pytest();
    // Nothing of it is ignored.
    project.write(".gitignore", "");
    project.write(
        "tests/test_writes.py",
        "import pathlib\nimport time\n\n\ndef test_writes():\n    now = str(time.time_ns())\n    for name in ['report.xml', 'coverage.xml', 'run.log', 'htmlcov/index.html', 'tests/__snapshots__/new.snap', 'docs/table.md', f'test-results/{now}.json']:\n        path = pathlib.Path(name)\n        path.parent.mkdir(parents=True, exist_ok=True)\n        path.write_text(now)\n",
    );
    project.commit();
    let done = project.run(FIX, &[]);
    done.assert_ended(0, "passed", "");
    assert_eq!(done.count("notice"), 1, "{}", done.text());
    let notice = done.last("notice")["text"].as_str().expect("a text");
    assert!(notice.contains("report.xml") && notice.contains("run again"), "{notice}");
    assert!(project.root().join("report.xml").exists(), "the test wrote nothing");
    let report = project.redgreen(&["report"]);
    assert!(!report.stderr.contains("stale"), "{}", report.stderr);
    let once = project.redgreen(&["test"]);
    assert_eq!(once.code, Some(0), "{}{}", once.stdout, once.stderr);
}

/// A test that writes source code, another one each time.
const WRITES_CODE: &str = "import pathlib\nimport time\n\n\ndef test_writes():\n    pathlib.Path('generated.py').write_text(f'NOW = {time.time_ns()}\\n')\n";

#[test]
fn tests_that_rewrite_code_are_a_finding_and_never_green() {
    let project = Project::pytest();
    project.write("tests/test_writes.py", WRITES_CODE);
    project.write("generated.py", "NOW = 0\n");
    project.commit();
    let done = project.run(FIX, &["--max-attempts", "1"]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    let report = project.session_file("report.md");
    let now = project.read("generated.py");
    let report = report.replace(now.trim(), "NOW = …");
    let report: Vec<&str> = report
        .lines()
        .filter(|line| !["    index ", "refs/redgreen/"].iter().any(|it| line.contains(it)))
        .collect();
    assert_snapshot!(project.plain(&report.join("\n")), @"
    # redgreen: human review required

    | | |
    |---|---|
    | task | make the tests pass |
    | session | `[id]` |
    | status | escalated |
    | reason | `bounded_attempts_exceeded`: 1 of 1 used, still red: TreeChanged: code or tests changed while the checks ran (generated.py): the tests did that, or somebody was editing |
    | attempts | 1 of 1 |
    | last verdict | inconclusive (3 passed) |
    | tree | `[hash]` |
    | started | [date] |
    | ended | [date] |

    ## The original code and the best of it

    From tree `[hash]` to tree `[hash]`, which attempt 1 left:

        diff --git a/calc.py b/calc.py
        --- a/calc.py
        +++ b/calc.py
        @@ -3,4 +3,4 @@ def add(a, b):
         
         
         def subtract(a, b):
        -    return a + b
        +    return a - b
        diff --git a/generated.py b/generated.py
        --- a/generated.py
        +++ b/generated.py
        @@ -1 +1 @@
        -NOW = 0
        +NOW = …

    ## Before the change

    Verdict: **failed** (2 passed, 1 failed).
    - unit: 1 of 3 red
    - code or tests changed while the checks ran (generated.py): the tests did that, or somebody was editing

    | check | command | ended | tests | log |
    |---|---|---|---|---|
    | unit | `python -m pytest -q` | exit code 1 | 2 passed, 1 failed | `.redgreen/sessions/[id]/executions/2/unit/output.log` |

    pre-existing: `tests/test_calc.py::test_subtract`

    ### tests/test_calc.py::test_subtract at `tests/test_calc.py:9`

        AssertionError: assert 8 == 2
         +  where 8 = subtract(5, 3)
        expected: 2
        actual: 8
        def test_subtract():
        >       assert subtract(5, 3) == 2
        E       assert 8 == 2
        E        +  where 8 = subtract(5, 3)
        
        tests/test_calc.py:9: AssertionError

    ### unit at `generated.py`

        TreeChanged: code or tests changed while the checks ran (generated.py): the tests did that, or somebody was editing

    ## Attempt 1

    Edit: +1/-1 lines in `calc.py`.

        diff --git a/calc.py b/calc.py
        --- a/calc.py
        +++ b/calc.py
        @@ -3,4 +3,4 @@ def add(a, b):
         
         
         def subtract(a, b):
        -    return a + b
        +    return a - b


    it turned green: `tests/test_calc.py::test_subtract`

    Verdict: **inconclusive** (3 passed).
    - code or tests changed while the checks ran (generated.py): the tests did that, or somebody was editing

    | check | command | ended | tests | log |
    |---|---|---|---|---|
    | unit | `python -m pytest -q` | exit code 0 | 3 passed | `.redgreen/sessions/[id]/executions/4/unit/output.log` |

    fixed: `tests/test_calc.py::test_subtract`

    ### unit at `generated.py`

        TreeChanged: code or tests changed while the checks ran (generated.py): the tests did that, or somebody was editing

    **Root cause** (redgreen's analysis, confidence 0.50): unit: TreeChanged: code or tests changed while the checks ran (generated.py): the tests did that, or somebody was editing, at generated.py.

    **Strategy**: Have the tests write elsewhere than into code or tests, a temporary folder say; if generated.py is made by them, let git ignore it. If somebody was editing, run them once more.

    ## What to do

    Look at unit: TreeChanged at generated.py.

    Look at the failures of the last attempt and at the strategies that did not work; the cause may be deeper than the place that fails.

    ## To see the same

    `redgreen test`; that is `python -m pytest -q`

    ## To take over

    - before the loop: git tree `[hash]`

    `git restore --source TREE -- .` brings one of them back. `redgreen answer` goes on, `redgreen answer --take-over` ends it.
    ");
    assert_snapshot!(project.shown(&project.redgreen(&["test"])), @"
    exit 1
    --- stdout
    unit (generated.py)
        TreeChanged: code or tests changed while the checks ran (generated.py): the tests did that, or somebody was editing
    inconclusive: 3 passed in [time], tree [tree]
      code or tests changed while the checks ran (generated.py): the tests did that, or somebody was editing
    --- stderr
      unit: 3 passed in [time]
      note: code or tests changed while the checks ran (generated.py): the tests did that, or somebody was editing; the checks run again
      unit: 3 passed in [time]
    hint: if the checks write these files, add them to .gitignore, or to `generated` under [loop] in redgreen.toml
    ");
}

#[test]
fn generated_code_may_be_rewritten_where_the_configuration_says_so() {
    let project = Project::pytest();
    project.write("tests/test_writes.py", WRITES_CODE);
    project.write("generated.py", "NOW = 0\n");
    let config = project.read("redgreen.toml");
    project.write("redgreen.toml", format!("{config}\n[loop]\ngenerated = [\"generated.py\"]\n"));
    project.commit();
    project.run(FIX, &["--max-attempts", "1"]).assert_ended(0, "passed", "");
    assert_eq!(project.redgreen(&["test"]).code, Some(0));
    let report = project.redgreen(&["report"]);
    assert!(!report.stderr.contains("stale"), "{}", report.stderr);
}

/// A verdict is about one tree: an edit of code or tests after it makes it stale, one of a document
/// does not.
fn assert_goes_stale(project: &Project, files: &[&str]) {
    let said = |project: &Project| {
        let report = project.redgreen(&["report"]);
        assert_eq!(report.code, Some(0), "{}", report.stderr);
        report.stderr
    };
    assert!(!said(project).contains("stale"));
    project.write("README.md", "# Read me\n");
    assert!(!said(project).contains("stale"), "a document is no code");
    for file in files {
        let content = project.root().join(file).exists().then(|| project.read(file));
        project.write(file, format!("{}\n", content.clone().unwrap_or_default()));
        insta::allow_duplicates! {
            assert_snapshot!(project.plain(&said(project)), @"stale: the work tree is no longer the tree [tree] that this verdict is about; what changed since then was not run");
        }
        match content {
            Some(content) => project.write(file, content),
            None => std::fs::remove_file(project.root().join(file)).expect("a file"),
        }
        assert!(!said(project).contains("stale"), "{file} is as it was");
    }
}

#[test]
fn an_edit_after_the_run_makes_the_report_stale_with_pytest() {
    let project = Project::pytest();
    project.run(FIX, &[]).assert_ended(0, "passed", "");
    assert_goes_stale(&project, &["calc.py", "tests/test_calc.py", "new.py", "redgreen.toml"]);
}

#[test]
fn an_edit_after_the_run_makes_the_report_stale_with_cargo() {
    let project = Project::cargo();
    project.run("sed -i '6s/a + b/a - b/' src/lib.rs", &[]).assert_ended(0, "passed", "");
    assert_goes_stale(&project, &["src/lib.rs", "tests/calc.rs", "src/new.rs", "Cargo.toml"]);
}
