//! `redgreen sides`: which files judge a change, and why.

use crate::common::Project;
use insta::assert_snapshot;
use serde_json::Value;

/// A project with a suite in its own folder, a script that tests and a manifest with both sides.
fn project() -> Project {
    let project = Project::pytest();
    project.write(
        "pyproject.toml",
        "[project]\nname = \"a\"\n[tool.pytest.ini_options]\npython_files = [\"check_*.py\"]\n",
    );
    project.write("suite/check_calc.py", "def test_a():\n    pass\n");
    project.write("judges/table.json", "{}\n");
    project.write(
        "redgreen.toml",
        "[[checks]]\ncommand = \"sh ci.sh\"\n\n[tests]\npaths = [\"judges/**\"]\n",
    );
    project.write("ci.sh", "python -m pytest\n");
    project.commit();
    project
}

fn side<'value>(files: &'value [Value], path: &str) -> (&'value str, &'value str) {
    let file = files.iter().find(|file| file["path"] == path).unwrap_or_else(|| panic!("{path}"));
    (file["side"].as_str().unwrap(), file["reason"].as_str().unwrap())
}

#[test]
fn every_file_has_a_side_and_a_reason() {
    let project = project();
    let ended = project.redgreen(&["sides", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let result: Value = serde_json::from_str(&ended.stdout).unwrap();
    let files = result["files"].as_array().unwrap();
    let cases = [
        ("suite/check_calc.py", "tests", "pytest: python_files = check_*.py"),
        ("judges/table.json", "tests", "redgreen.toml: tests.paths has judges/**"),
        ("ci.sh", "tests", "the test command runs it"),
        ("pyproject.toml", "mixed", "pyproject.toml: how tests are run"),
        ("redgreen.toml", "inert", "redgreen's own rules: no test reads them"),
        ("calc.py", "code", "code"),
    ];
    for (path, wanted, reason) in cases {
        assert_eq!(side(files, path), (wanted, reason));
    }
    let manifest = files.iter().find(|file| file["path"] == "pyproject.toml").unwrap();
    assert_eq!(manifest["parts"][0], "tool.pytest");
}

#[test]
fn the_rules_are_those_of_the_revision() {
    let project = project();
    // What a change makes of the configuration moves no file to the other side.
    project.write("pyproject.toml", "[tool.pytest.ini_options]\npython_files = [\"other_*.py\"]\n");
    project.write("redgreen.toml", "[[checks]]\ncommand = \"true\"\n");
    // A file that is new has its side before it is committed.
    project.write("suite/check_more.py", "def test_a():\n    pass\n");
    assert_snapshot!(project.shown(&project.redgreen(&["sides"])), @"
    exit 0
    --- stdout
    the work tree: 6 on the tests' side, 1 mixed, 1 code, 2 neither

    the tests' side
      pytest: python_files = check_*.py (2)
        suite/check_calc.py
        suite/check_more.py
      pytest: conftest.py (1)
        conftest.py
      pytest: python_files = test_*.py (1)
        tests/test_calc.py
      redgreen.toml: tests.paths has judges/** (1)
        judges/table.json
      the test command runs it (1)
        ci.sh

    parts of these are the tests' side
      pyproject.toml: how tests are run (1)
        of it: tool.pytest, tool.coverage, tool.tox, tasks and scripts, pytest11
        pyproject.toml
    ");
    project.commit();
    assert_snapshot!(project.shown(&project.redgreen(&["sides", "suite"])), @"
    exit 0
    --- stdout
    the work tree: 0 on the tests' side, 0 mixed, 2 code, 0 neither

    code
      code (2)
        suite/check_calc.py
        suite/check_more.py
    ");
    let before = project.redgreen(&["sides", "--base", "HEAD~1", "suite/check_calc.py"]);
    assert_snapshot!(project.shown(&before), @"
    exit 0
    --- stdout
    HEAD~1: 1 on the tests' side, 0 mixed, 0 code, 0 neither

    the tests' side
      pytest: python_files = check_*.py (1)
        suite/check_calc.py
    ");
}

#[test]
fn what_is_not_there_is_said() {
    let project = project();
    assert_snapshot!(project.shown(&project.redgreen(&["sides", "--base", "nowhere"])), @"
    exit 2
    --- stderr
    error: there is no revision nowhere
    hint: name one that is there: --base main, --base HEAD~3
    ");
    assert_snapshot!(project.shown(&project.redgreen(&["sides", "no/such/file"])), @"
    exit 2
    --- stderr
    error: not in the work tree: no/such/file
    hint: paths are from the root of the work tree
    ");
}
