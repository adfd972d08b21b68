//! JavaScript as people run it: `npm test`, `make test`, chained scripts, two frameworks at once.

mod runners;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::common::{Ended, Project, outcomes};
use serde_json::Value;

/// One execution, and its record's reports, one for each check.
fn reports(project: &Project) -> (Ended, Vec<Value>) {
    let tested = project.tested(&[]);
    let reports = tested.checks().iter().map(|check| check["report"].clone()).collect();
    (tested.ended, reports)
}

#[track_caller]
fn assert_tests(project: &Project, wanted: &[&str]) {
    let (ended, reports) = reports(project);
    let found: Vec<String> = reports.iter().flat_map(outcomes).collect();
    assert_eq!(found, wanted, "{reports:#?}\n{}\n{}", ended.stdout, ended.stderr);
    for report in &reports {
        // Nothing is reported twice, and nothing is odd.
        assert!(report["complete"] == true && report["diagnostics"].is_null(), "{report:#}");
    }
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
    for set in ["current", "vitest4", "vitest3", "vitest1"] {
        let project = Project::javascript("vitest", set);
        assert_tests(
            &project,
            &["test/calc.test.js > adds passed", "test/calc.test.js > subtracts failed"],
        );
    }
}

/// One file whose tests run and whose types are checked has them twice: switching one off is seen.
#[test]
fn tests_of_types_are_distinguished_from_tests_that_run() {
    for set in ["current", "vitest4", "vitest3"] {
        let project = Project::javascript("vitest", set);
        let checker = project.root().join("checker.sh");
        project.write("checker.sh", "#!/bin/sh\nexit 0\n");
        fs::set_permissions(&checker, fs::Permissions::from_mode(0o755)).expect("a mode");
        project.write("tsconfig.json", "{}\n");
        let config = "export default { test: { typecheck: { enabled: true, checker: new URL('./checker.sh', import.meta.url).pathname, include: ['test/*.test.js'] } } };\n";
        project.write("vitest.config.mjs", config);
        project.write(
            "calc.js",
            "export const add = (a, b) => a + b;\nexport const subtract = (a, b) => a - b;\n",
        );
        let (ended, reports) = reports(&project);
        let mut found: Vec<String> = reports.iter().flat_map(outcomes).collect();
        found.sort();
        let wanted = [
            "test/calc.test.js > adds passed",
            "test/calc.test.js > subtracts passed",
            "test/calc.test.js [types] > adds passed",
            "test/calc.test.js [types] > subtracts passed",
        ];
        assert_eq!(found, wanted, "{set}: {}\n{}", ended.stdout, ended.stderr);
        project.commit();
        project.write("vitest.config.mjs", config.replace("enabled: true", "enabled: false"));
        let seen = project.redgreen(&["square"]);
        let gone = "(removed): test/calc.test.js [types] > adds";
        assert!(seen.code == Some(1) && seen.stdout.contains(gone), "{set}: {}", seen.stdout);
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

/// The modules by themselves, in a Node of the machine's own age and in a new one.
#[test]
fn the_injected_modules_hold_by_themselves() {
    let project = Project::javascript("jest", "current");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let modules = folder.join("../redgreen-frameworks/src/node");
    let new = project.programs().join("node");
    for node in [new.to_str().expect("a path"), "/usr/bin/env"] {
        let mut command = project.command(node);
        if node.ends_with("env") {
            command.env("PATH", std::env::var("PATH").unwrap_or_default()).arg("node");
        }
        let checks = folder.join("tests/javascript/modules.cjs");
        let output = command.arg(checks).arg(&modules).output().expect("node");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Programs that run no tests print what they print, also from a folder with blanks and quotes.
#[test]
fn programs_that_are_no_runner_are_left_alone() {
    let project = Project::javascript("jest", "current");
    let root = project.outside().join("it's a \"project\"");
    fs::create_dir_all(&root).expect("a folder");
    let program = "import fs from 'node:fs';\nimport { Worker } from 'node:worker_threads';\nnew Worker('console.log(\"thread\")', { eval: true }).on('exit', () => console.log('main', fs.existsSync('.')));\n";
    fs::write(root.join("main.mjs"), program).expect("a file");
    fs::write(root.join("lib.test.js"), "test('a', () => {});\n").expect("a file");
    fs::write(root.join("package.json"), "{}").expect("a file");
    std::os::unix::fs::symlink(project.root().join("node_modules"), root.join("node_modules"))
        .expect("a link");
    let command = "node main.mjs && node -p 1+1 && npm --version >/dev/null && npx jest --silent";
    fs::write(
        root.join("redgreen.toml"),
        format!("[[checks]]\nname = \"unit\"\ncommand = \"{command}\"\nframework = \"jest\"\n"),
    )
    .expect("a file");
    let git = project.command("git").current_dir(&root).args(["init", "-q"]).status();
    assert!(git.expect("git").success());
    let run = project.redgreen_command(&["test"]).current_dir(&root).output().expect("redgreen");
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(0), "{said}");
    let runs = fs::read_dir(root.join(".redgreen/runs")).expect("runs");
    let log = runs.last().expect("a run").expect("an entry").path();
    let log = fs::read_to_string(log.join("executions/1/unit/output.log")).expect("a log");
    assert!(log.starts_with("thread\nmain true\n2\nPASS ./lib.test.js\n"), "{log}");
}

/// All tests pass, and the runner fails all the same: what is said is why.
#[test]
fn a_runner_that_fails_without_a_red_test_says_why() {
    let threshold = "jest --coverage --coverageThreshold '{\"global\":{\"functions\":100}}'";
    let cases = [
        (threshold, "Coverage for functions (66.66%) does not meet \"global\" threshold (100%)"),
        ("jest --ci", "1 snapshot obsolete"),
    ];
    for (script, why) in cases {
        let project = Project::javascript("jest", "current");
        let calc =
            project.read("calc.js").replacen("a + b", "a - b", 2).replacen("a - b", "a + b", 1);
        project.write("calc.js", format!("{calc}module.exports.unused = () => 1;\n"));
        let tests = project.read("test/calc.test.js");
        project.write(
            "test/calc.test.js",
            format!("{tests}test('shot', () => expect(1).toMatchSnapshot());\n"),
        );
        project.write(
            "test/__snapshots__/calc.test.js.snap",
            "// Jest Snapshot v1, https://jestjs.io/docs/snapshot-testing\n\nexports[`gone 1`] = `1`;\n\nexports[`shot 1`] = `1`;\n",
        );
        project.write("package.json", serde_json::json!({"scripts": {"test": script}}).to_string());
        project.commit();
        let ended = project.redgreen(&["test"]);
        let said = format!("{}{}", ended.stdout, ended.stderr);
        let reason = said.lines().find(|line| line.contains("no test failed, but"));
        assert_eq!(ended.code, Some(1), "{said}");
        assert!(reason.is_some_and(|reason| reason.contains(why)), "{said}");
    }
}

/// Frames of the runner are the same in every failure: nobody needs to read them.
#[test]
fn the_stack_of_a_failure_is_without_the_runner() {
    for (framework, of_runner) in [("jest", "jest-"), ("mocha", "mocha"), ("vitest", "vitest")] {
        let project = Project::javascript(framework, "current");
        let tested = project.tested(&[]);
        let tests = tested.report()["tests"].as_array().expect("tests");
        let red = tests.iter().find(|test| test["outcome"] == "failed").expect("a red test");
        let stack = red["failure"]["stack"].as_str().expect("a stack");
        assert!(stack.contains("calc.test.js:"), "{framework}: {stack}");
        assert!(!stack.contains(&format!("node_modules/{of_runner}")), "{framework}: {stack}");
        assert!(!stack.contains("node:internal/process"), "{framework}: {stack}");
    }
}
