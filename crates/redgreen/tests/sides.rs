//! `redgreen sides`: which files judge a change, and why.

use crate::common::Project;
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
        ("redgreen.toml", "tests", "redgreen: its configuration"),
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
    let now = project.redgreen(&["sides"]);
    assert_eq!(now.code, Some(0), "{}", now.stderr);
    assert!(
        now.stdout.contains("pytest: python_files = check_*.py (1)\n    suite/check_calc.py"),
        "{}",
        now.stdout
    );
    assert!(now.stdout.contains("parts of these are the tests' side\n"), "{}", now.stdout);
    assert!(now.stdout.contains("of it: tool.pytest"), "{}", now.stdout);
    assert!(!now.stdout.contains("calc.py\n    calc.py"), "code is not listed: {}", now.stdout);
    project.commit();
    let later = project.redgreen(&["sides", "suite"]);
    assert!(later.stdout.contains("code\n  code (1)\n    suite/check_calc.py"), "{}", later.stdout);
    let before = project.redgreen(&["sides", "--base", "HEAD~1", "suite/check_calc.py"]);
    assert!(before.stdout.contains("HEAD~1: 1 on the tests' side, 0 mixed"), "{}", before.stdout);
}

#[test]
fn what_is_not_there_is_said() {
    let project = project();
    let ended = project.redgreen(&["sides", "--base", "nowhere"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("there is no revision nowhere"), "{}", ended.stderr);
    let ended = project.redgreen(&["sides", "no/such/file"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("HEAD has no such file"), "{}", ended.stderr);
}
