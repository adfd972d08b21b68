//! An edit that breaks what was green is named to whoever meets the failure again.

use serde_json::Value;

use crate::common::Project;
use crate::memory::ends;
use crate::memory::loops::{event, records};

const BREAK: &str = "sed -i 's/a + b/a - b/' calc.py; echo '# Notes' > NOTES.md";

/// What is said of it.
const CHANGE_LINE: &str =
    "caused by an edit of calc.py, NOTES.md\n      -return a + b\n      +return a - b";

fn green() -> Project {
    let project = Project::empty();
    project.write("calc.py", "def add(a, b):\n    return a + b\n");
    project.write(
        "tests/test_calc.py",
        "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    );
    project.write("redgreen.toml", "[[checks]]\ncommand = \"python -m pytest -q\"\n");
    project.write("conftest.py", "");
    project.write(".gitignore", "__pycache__/\n.pytest_cache/\n");
    project.commit();
    project
}

#[test]
fn an_edit_that_breaks_what_was_green_is_named() {
    let project = green();
    let done = project.run(BREAK, &["--max-attempts", "1"]);
    assert_ne!(done.ended.code, Some(0));
    let [record] = records(&project).try_into().unwrap();
    let [before, after] = record["executions"].as_array().unwrap().as_slice() else {
        panic!("{record:#}")
    };
    assert_eq!(
        (&before["failures"], &before["environment"]["additional"]["purpose"]),
        (&Value::Null, &"baseline".into())
    );
    assert_eq!(after["failures"][0]["brought_by_edit"], true, "{record:#}");
    let brief = ends(&project, &["memory", "brief", "calc.py"], 0).stdout;
    assert!(brief.contains(CHANGE_LINE), "{brief}");

    // A session at the gate breaks it in the same way: it is informed of the last time, and recorded, too.
    project.git(&["checkout", "-q", "calc.py"]);
    project.redgreen(&["trust"]).assert_code(0);
    event(&project, "SessionStart");
    let make = project.agent(BREAK);
    assert!(project.command("sh").args(["-c", &make]).status().unwrap().success());
    let stopped = event(&project, "Stop");
    let reason = stopped["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("caused by an edit of calc.py"), "{stopped:#}");
    let all = records(&project);
    let gated = all.iter().find(|one| one["session_id"] != record["session_id"]).unwrap();
    let runs = gated["executions"].as_array().unwrap();
    assert!(
        runs[0]["fix_applied"]["diff"].as_str().unwrap().contains("+    return a - b"),
        "{gated:#}"
    );
    assert_eq!(runs[1]["failures"][0]["brought_by_edit"], true, "{gated:#}");
}
