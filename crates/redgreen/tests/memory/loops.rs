//! What a loop and a session at the gate leave in the debug memory.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::common::{Loop, Project};
use crate::memory::document;
use crate::memory::records::{FOLDER, index};

/// A wrong fix, then the right one.
const SECOND_TRY: &str = "[ $REDGREEN_ATTEMPT = 1 ] && sed -i '6s/a + b/a * b/' calc.py || sed -i '6s/a . b/a - b/' calc.py; echo 'done with it'";
const FIX: &str = "sed -i '6s/a + b/a - b/' calc.py";

/// Every record of a project, by name.
pub fn records(project: &Project) -> Vec<Value> {
    records_in(project, FOLDER)
}

/// Every record in a memory at a place, by name.
pub fn records_in(project: &Project, location: &str) -> Vec<Value> {
    let sessions = project.root().join(location).join("sessions");
    let mut files: Vec<_> =
        fs::read_dir(sessions).into_iter().flatten().flatten().map(|it| it.path()).collect();
    files.sort();
    let read = |path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    files.iter().map(read).collect()
}

fn notices(done: &Loop) -> Vec<&str> {
    let notices = done.events.iter().filter(|event| event["event"] == "notice");
    notices.filter_map(|notice| notice["text"].as_str()).collect()
}

#[test]
fn a_loop_leaves_a_record_of_what_was_seen() {
    let project = Project::pytest();
    let before = project.git(&["status", "--porcelain"]);
    // The record is there while the loop goes on, and says so.
    let look = format!("grep -l in_progress {FOLDER}/sessions/* >> \"$OUTSIDE/under-way\"");
    let done = project.run(&format!("{SECOND_TRY}\n{look}"), &[]);
    done.assert_ended(0, "passed", "");
    assert_eq!(notices(&done), Vec::<&str>::new());
    let under_way = fs::read_to_string(project.outside().join("under-way")).unwrap();
    assert_eq!(under_way.lines().count(), 2, "{under_way}");
    assert_eq!(before, "");
    assert_eq!(project.git(&["status", "--porcelain"]), " M calc.py\n?? .aiwg/\n");

    let [record] = records(&project).try_into().unwrap();
    assert_eq!(record["session_id"], project.session());
    assert_eq!((&record["status"], &record["file_path"]), (&json!("passed"), &json!("calc.py")));
    let metadata = &record["metadata"];
    let by = metadata["recorded_by"].as_str().unwrap();
    assert_eq!(by, format!("redgreen {}", env!("CARGO_PKG_VERSION")));
    assert_eq!(metadata["task_id"], "make the tests pass");
    let [baseline, first, second] = record["executions"].as_array().unwrap().as_slice() else {
        panic!("{record:#}")
    };
    let environment = &baseline["environment"];
    assert_eq!(environment["runtime"], "python");
    assert!(environment["runtime_version"].as_str().unwrap().starts_with("3."), "{environment}");
    assert_eq!(
        (&environment["test_framework"], &environment["os"]),
        (&json!("pytest"), &json!("linux"))
    );
    assert_eq!(baseline["fix_applied"]["verification"], "failed");
    let fix = &first["fix_applied"];
    assert_eq!(fix["verification"], "passed");
    assert!(
        fix["diff"].as_str().unwrap().contains("-    return a * b\n+    return a - b"),
        "{fix}"
    );
    assert!(fix["description"].as_str().unwrap().contains("the agent said: done with it"), "{fix}");
    assert_eq!(first["failures"][0]["test_name"], "tests/test_calc.py::test_subtract");
    assert_eq!(second["test_results"]["passed"], 2);
    let learned = &record["learnings"]["patterns_identified"][0];
    assert!(learned["pattern"].as_str().unwrap().starts_with("AssertionError"), "{record:#}");
    let patterns = project.read(&format!("{FOLDER}/patterns/learned-patterns.yaml"));
    assert!(patterns.contains("error_type: AssertionError"), "{patterns}");

    let path = format!("{FOLDER}/sessions/session-{}.json", project.session());
    project.redgreen(&["validate", &path]).assert_code(0);
    let shown = project.redgreen(&["memory", "show", &project.session()]).stdout;
    let change =
        "change: edit of calc.py, +1/-1 lines: passed\n  the agent says about it: done with it";
    assert!(shown.contains("\nbefore attempt 1, ") && shown.contains(change), "{shown}");
    let workflow: Value = serde_json::from_str(&project.session_file("workflow.json")).unwrap();
    assert_eq!(workflow["debug_memory_ref"], path);
    // The tree that passed is the tree that is there: nothing is run for it again.
    project.redgreen(&["gate", "--no-execute"]).assert_code(0);
}

/// A repair that may ask for its judge passes with a warning, and is no example to others; a plain one is.
#[test]
fn what_was_warned_of_is_not_taught() {
    let judged = "sed -i '6s/.*/    import inspect\\n    return a - b if inspect.stack() else a - b/' calc.py";
    for (fix, taught) in [(judged, false), (FIX, true)] {
        let project = Project::pytest();
        project.run(fix, &[]).assert_ended(0, "passed", "");
        let [record] = records(&project).try_into().unwrap();
        let said = &record["executions"][0]["fix_applied"];
        assert_eq!(said["verification"], "passed", "{record:#}");
        let warning = said["warnings"][0].as_str().unwrap_or_default();
        assert_eq!(warning.contains("calc.py:7: asks who called it"), !taught);
        let shown = project.redgreen(&["memory", "show", &project.session()]).stdout;
        assert_eq!(shown.contains("not offered as a pattern: calc.py:7"), !taught, "{shown}");
        assert_eq!(record["learnings"]["patterns_identified"].is_array(), taught, "{record:#}");
        project.git(&["checkout", "-q", "calc.py"]);
        let brief = project.redgreen(&["memory", "brief", "calc.py"]).stdout;
        assert!(brief.contains("test_subtract"), "what failed is known: {brief}");
        let prompt = "cat \"$REDGREEN_PROMPT_FILE\" >> \"$OUTSIDE/prompt\"; ";
        project.run(&format!("{prompt}{FIX}"), &[]).assert_ended(0, "passed", "");
        let prompt = fs::read_to_string(project.outside().join("prompt")).unwrap();
        for text in [brief, prompt] {
            assert_eq!(text.contains("this worked"), taught, "{text}");
            assert!(!text.contains("inspect.stack"), "{text}");
        }
    }
}

/// Two bugs, two edits: what mended the first is not blamed for the second, neither here nor for the next agent.
#[test]
fn each_edit_is_judged_by_the_tests_that_it_turned() {
    let project = Project::pytest();
    let broken = project.read("calc.py").replacen("return a + b", "return a - b", 1);
    project.write("calc.py", &broken);
    project.git(&["commit", "-qam", "two bugs"]);
    let agent = "[ $REDGREEN_ATTEMPT = 1 ] && sed -i '2s/a . b/a + b/' calc.py || sed -i '6s/a . b/a - b/' calc.py";
    project.run(agent, &[]).assert_ended(0, "passed", "");
    let [record] = records(&project).try_into().unwrap();
    let helped = |run: usize| record["executions"][run]["fix_applied"]["helped"].clone();
    assert_eq!(helped(0), json!(["tests/test_calc.py::test_add"]), "{record:#}");
    assert_eq!(helped(1), json!(["tests/test_calc.py::test_subtract"]));
    project.git(&["checkout", "-q", "calc.py"]);
    for asked in ["test_add", "test_subtract"] {
        let found = project.redgreen(&["memory", "search", asked]);
        found.assert_code(0);
        assert!(found.stdout.contains(asked), "{}", found.stdout);
    }
    let brief = project.redgreen(&["memory", "brief", "calc.py"]).stdout;
    assert!(!brief.contains("NOT work"), "{brief}");
    let (_, of_add) = brief.split_once("test_add: ").unwrap();
    let (of_add, _) = of_add.split_once("test_subtract: ").unwrap();
    assert!(of_add.contains("this worked") && of_add.contains("+return a + b"), "{brief}");
    assert!(
        brief.contains("this changed nothing here (it made tests/test_calc.py::test_add pass)"),
        "{brief}"
    );
}

#[test]
fn a_memory_that_cannot_be_written_is_said_once_and_stops_nothing() {
    let sessions = format!(
        "mkdir -p {FOLDER} \"$OUTSIDE/elsewhere\"; ln -s \"$OUTSIDE/elsewhere\" {FOLDER}/sessions"
    );
    for (what, problem) in [
        ("touch .aiwg", "cannot make the folder"),
        ("ln -s \"$OUTSIDE\" .aiwg", "is a link"),
        (sessions.as_str(), "sessions is a link"),
    ] {
        let project = Project::pytest();
        let make = project.agent(what);
        assert!(project.command("sh").args(["-c", &make]).status().unwrap().success());
        project.commit();
        let done = project.run(FIX, &[]);
        done.assert_ended(0, "passed", "");
        let notices = notices(&done);
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(notices[0].contains("continues without the debug memory"), "{notices:?}");
        assert!(notices[0].contains(problem), "{notices:?}");
        assert_eq!(records(&project).len(), 0);
    }
}

#[test]
fn a_damaged_index_costs_a_rebuild() {
    let project = Project::pytest();
    fs::create_dir_all(project.root().join(FOLDER)).unwrap();
    let garbage = "this is no database, but it is long enough".repeat(99);
    fs::write(index(&project), garbage).unwrap();
    let done = project.run(FIX, &[]);
    done.assert_ended(0, "passed", "");
    assert_eq!(records(&project).len(), 1);
    assert!(notices(&done).iter().any(|notice| notice.contains("was rebuilt")), "{}", done.text());
    let figures = document(&project, &["metrics", "--json"], 0);
    assert_eq!(figures["sessions"], 1);
}

/// What a hook of Claude Code is answered.
pub fn event(project: &Project, name: &str) -> Value {
    let mut command = project.redgreen_command(&["gate", "--hook", "claude"]);
    let mut hook = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("redgreen");
    let payload = json!({"session_id": "s", "hook_event_name": name, "cwd": project.root()});
    hook.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    let answer = hook.wait_with_output().unwrap().stdout;
    serde_json::from_slice(&answer).unwrap_or(Value::Null)
}

#[test]
fn a_session_at_the_gate_leaves_a_record_too() {
    let project = Project::pytest();
    project.trust();
    assert_eq!(event(&project, "SessionStart"), Value::Null);
    project.write(
        "calc.py",
        project
            .read("calc.py")
            .replace("subtract(a, b):\n    return a + b", "subtract(a, b):\n    return b - a"),
    );
    assert_eq!(event(&project, "Stop")["decision"], "block");
    assert_eq!(records(&project)[0]["status"], "in_progress");
    project.write("calc.py", project.read("calc.py").replace("b - a", "a - b"));
    assert_eq!(event(&project, "Stop"), Value::Null);
    let [record] = records(&project).try_into().unwrap();
    assert_eq!(
        (&record["status"], &record["metadata"]["agent"]),
        (&json!("passed"), &json!("claude"))
    );
    let fixes: Vec<&Value> = record["executions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| &run["fix_applied"]["verification"])
        .collect();
    assert_eq!(fixes, [&json!("failed"), &json!("passed"), &Value::Null]);
    let executions = project.executions();
    assert_eq!(event(&project, "Stop"), Value::Null);
    assert_eq!((project.executions(), records(&project).len()), (executions, 1));
}
