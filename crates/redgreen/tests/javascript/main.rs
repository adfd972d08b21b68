//! JavaScript as people run it: `npm test`, `make test`, chained scripts, two frameworks at once.

#![allow(clippy::expect_used, reason = "a test that cannot go on should say so at once")]

#[path = "../common/mod.rs"]
mod common;

mod runners;

use std::fs;

use common::{Ended, Project};
use serde_json::Value;

/// One execution, and its record's reports, one for each check.
fn reports(project: &Project) -> (Ended, Vec<Value>) {
    let ended = project.redgreen(&["test", "--json"]);
    let last = ended.stdout.lines().last().unwrap_or_default();
    let result: Value = serde_json::from_str(last)
        .unwrap_or_else(|error| panic!("{error}\n{}\n{}", ended.stdout, ended.stderr));
    let record = fs::read_to_string(result["record"].as_str().expect("a record")).expect("it");
    let mut record: Value = serde_json::from_str(&record).expect("JSON");
    let checks = record["execution"]["checks"].take();
    let reports = checks.as_array().expect("checks").iter().map(|check| check["report"].clone());
    (ended, reports.collect())
}

/// The tests of a report: `id outcome`, sorted.
fn tests(report: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let tests = report["tests"].as_array().cloned().unwrap_or_default();
    let mut found: Vec<String> = tests
        .iter()
        .map(|test| format!("{} {}", text(&test["id"]), text(&test["outcome"])))
        .collect();
    found.sort();
    found
}

#[track_caller]
fn assert_tests(project: &Project, wanted: &[&str]) {
    let (ended, reports) = reports(project);
    let found: Vec<String> = reports.iter().flat_map(tests).collect();
    assert_eq!(found, wanted, "{reports:#?}\n{}\n{}", ended.stdout, ended.stderr);
    assert!(reports.iter().all(|report| report["complete"] == true), "{reports:#?}");
}

#[test]
fn npm_test_runs_jest() {
    let project = Project::javascript("jest", "current");
    assert_tests(
        &project,
        &["test/calc.test.js > adds passed", "test/calc.test.js > subtracts failed"],
    );
}

#[test]
fn npm_test_runs_mocha() {
    let project = Project::javascript("mocha", "current");
    assert_tests(
        &project,
        &["test/calc.test.js > adds passed", "test/calc.test.js > subtracts failed"],
    );
}

#[test]
fn npm_test_runs_each_vitest() {
    for set in ["current", "vitest4", "vitest3"] {
        let project = Project::javascript("vitest", set);
        assert_tests(
            &project,
            &["test/calc.test.js > adds passed", "test/calc.test.js > subtracts failed"],
        );
    }
}

/// One runner after the other in one script, behind `make`, by a name that tells nothing.
#[test]
fn make_runs_npm_which_runs_two_runners() {
    let project = Project::javascript("jest", "current");
    project.write("unit/more.js", "it('is more', () => {});\n");
    let scripts = r#"{"scripts": {"pretest": "node -e 0", "test": "mocha unit && jest --silent"}}"#;
    project.write("package.json", scripts);
    project.write("Makefile", ".PHONY: test\ntest:\n\t@npm test --silent\n");
    project.write("redgreen.toml", "[[checks]]\nname = \"all\"\ncommand = \"make test\"\n");
    assert_tests(
        &project,
        &[
            "test/calc.test.js > adds passed",
            "test/calc.test.js > subtracts failed",
            "unit/more.js > is more passed",
        ],
    );
}

/// Two folders, two languages, one command; the ids say which folder.
#[test]
fn a_monorepo_runs_vitest_and_pytest_in_one_command() {
    let project = Project::pytest();
    project.write("web/a.test.js", "import { test } from 'vitest';\ntest('a', () => {});\n");
    project.write("web/package.json", "{\"type\": \"module\"}");
    project.write("lib/a.test.js", "import { test } from 'vitest';\ntest('a', () => {});\n");
    project.write("lib/package.json", "{\"type\": \"module\"}");
    project.write(".gitignore", "__pycache__/\n.pytest_cache/\nnode_modules\n");
    project.link_packages_in("web", "current");
    project.link_packages_in("lib", "vitest4");
    let command = "(cd web && npx vitest run) && (cd lib && npx vitest run); python -m pytest -q";
    project
        .write("redgreen.toml", format!("[[checks]]\nname = \"all\"\ncommand = \"{command}\"\n"));
    assert_tests(
        &project,
        &[
            "lib/a.test.js > a passed",
            "tests/test_calc.py::test_add passed",
            "tests/test_calc.py::test_subtract failed",
            "web/a.test.js > a passed",
        ],
    );
}

/// What a script sets itself is kept, and so is our module.
#[test]
fn a_script_that_sets_node_options_anew_is_reached() {
    let project = Project::javascript("jest", "current");
    let test = "process.env.NODE_OPTIONS.includes('--max-old-space-size=300')";
    project.write("test/kept.test.js", format!("test('kept', () => expect({test}).toBe(true));\n"));
    let scripts = r#"{"scripts": {"test": "NODE_OPTIONS=--max-old-space-size=300 jest"}}"#;
    project.write("package.json", scripts);
    assert_tests(
        &project,
        &[
            "test/calc.test.js > adds passed",
            "test/calc.test.js > subtracts failed",
            "test/kept.test.js > kept passed",
        ],
    );
}

/// Without Node, the tools are at fault, not the code.
#[test]
fn a_missing_node_is_a_missing_tool() {
    let project = Project::empty();
    project.write("redgreen.toml", "[[checks]]\nname = \"unit\"\ncommand = \"PATH=${PATH%%:*} node node_modules/.bin/jest\"\nframework = \"jest\"\n");
    let ended = project.redgreen(&["test"]);
    assert_eq!(ended.code, Some(3), "{}{}", ended.stdout, ended.stderr);
    let said = format!("{}{}", ended.stdout, ended.stderr);
    assert!(said.contains("node: not found"), "{said}");
}
