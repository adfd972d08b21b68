//! The ways in which Python's tests are started: whatever variables and options stand on the way, each test is seen.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::common::{Project, outcomes, tools};

/// Each line starts the tests of one file in a way that leaves out what hangs on one variable.
const MAKEFILE: &str = "\
.PHONY: test
test:
\tPYTHONPATH=. pytest -q tests/test_anew.py
\tenv -i PATH=\"$$PATH\" PYTHONPATH=. pytest -q tests/test_emptied.py
\tPYTHONPATH=. python -E -m pytest -q tests/test_no_variables.py
\tpython -I -m pytest -q tests/test_isolated.py
\tPYTHONPATH=. python -ES -m unittest -q tests/by_unittest.py
\tpython starts.py
";

/// As tox and nox do it: with an environment of its own making.
const STARTS: &str = r#"import os
import subprocess
import sys

MADE = {"PATH": os.environ["PATH"], "PYTHONPATH": "."}
COMMAND = [sys.executable, "-m", "pytest", "-q"]
subprocess.run(COMMAND + ["tests/test_made.py"], env=MADE, check=True)
os.environ.clear()
subprocess.run(COMMAND + ["tests/test_cleared.py"], check=True)
os.execve(sys.executable, COMMAND + ["tests/test_nested.py"], MADE)
"#;

/// What a test starts is the test's own business.
const NESTED: &str = r#"import os
import subprocess
import sys

COMMAND = [sys.executable, "-m", "pytest", "-q", "inner/test_red.py"]


def test_nested():
    made = {"PATH": os.environ["PATH"]}
    for command, environment in [
        (COMMAND, made),
        (COMMAND, None),
        (["env", "-i", "PATH=" + made["PATH"], "pytest", "-q", "inner/test_red.py"], None),
        (["pytest", "-q", "inner/test_red.py"], made),
    ]:
        assert subprocess.run(command, env=environment).returncode == 1
"#;

const NAMES: &[&str] = &["anew", "cleared", "emptied", "isolated", "made", "no_variables"];

fn project() -> Project {
    let project = Project::empty();
    for name in NAMES {
        project.write(&format!("tests/test_{name}.py"), format!("def test_{name}():\n    pass\n"));
    }
    project.write(
        "tests/by_unittest.py",
        "import unittest\n\n\nclass Way(unittest.TestCase):\n    def test_unittest(self):\n        pass\n",
    );
    project.write("tests/test_nested.py", NESTED);
    project.write("inner/test_red.py", "def test_red():\n    assert False\n");
    project.write("starts.py", STARTS);
    project.write("Makefile", MAKEFILE);
    project.write("redgreen.toml", "[[checks]]\nname = \"all\"\ncommand = \"make test\"\n");
    project.write(".gitignore", "__pycache__/\n.pytest_cache/\n");
    project.commit();
    project
}

#[test]
fn every_way_of_starting_is_seen_and_what_tests_start_is_not() {
    let project = project();
    let tested = project.tested(&[]);
    let mut wanted: Vec<String> = NAMES
        .iter()
        .map(|name| format!("tests/test_{name}.py::test_{name} passed"))
        .chain(["tests/test_nested.py::test_nested passed".to_owned()])
        .chain(["tests.by_unittest.Way.test_unittest passed".to_owned()])
        .collect();
    wanted.sort();
    assert_eq!(outcomes(tested.report()), wanted, "{:#}", tested.report());
    assert_eq!(tested.verdict(), "passed", "{:#}", tested.report());
}

#[test]
fn a_corner_sees_them_alike() {
    let project = project();
    project.write("tests/test_made.py", "def test_made():\n    assert True\n");
    project.write("starts.py", STARTS.replace("check=True)", "check=True)  # as ever"));
    let ended = project.redgreen(&["square", "--base", "HEAD"]);
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert!(!ended.stderr.contains("no test was seen"), "{}", ended.stderr);
}

#[test]
fn a_way_that_cannot_be_seen_says_what_to_write() {
    let project = project();
    let python = tools().join("python");
    for options in ["PYTHONPATH=.", "-I"] {
        let (set, option) = if options.starts_with('-') { ("", options) } else { (options, "") };
        let command =
            format!("{set} {} {option} -m pytest -q tests/test_made.py", python.display());
        project.write(
            "redgreen.toml",
            format!("[[checks]]\nname = \"unit\"\ncommand = {command:?}\n"),
        );
        let ended = project.redgreen(&["test"]);
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert_eq!(ended.code, Some(1), "{said}");
        assert!(said.contains("Write PYTHONPATH=src:$PYTHONPATH"), "{said}");
    }
}

/// As pyenv does it: a program that looks on `PATH` for the one that it becomes.
#[test]
fn a_version_manager_is_passed_once() {
    let project = project();
    let without_itself = "$(echo \"$PATH\" | sed \"s|$(dirname \"$0\"):||\")";
    for (name, path) in [("python", "$PATH"), ("pytest", without_itself)] {
        let manager = project.programs().join(name);
        let script = format!("#!/bin/sh\nPATH={path}\nexport PATH\nexec {name} \"$@\"\n");
        fs::write(&manager, script).expect("a file");
        fs::set_permissions(&manager, fs::Permissions::from_mode(0o755)).expect("a program");
    }
    let command = "python -m pytest -q tests/test_made.py && pytest -q tests/test_anew.py";
    project.write("redgreen.toml", format!("[[checks]]\nname = \"a\"\ncommand = {command:?}\n"));
    let tested = project.tested(&[]);
    assert_eq!(
        outcomes(tested.report()),
        ["tests/test_anew.py::test_anew passed", "tests/test_made.py::test_made passed"]
    );
}
