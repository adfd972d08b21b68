//! What is particular to a runner: workers, projects, retries, what a process takes with it.

use std::fs;

use serde_json::Value;

use crate::common::Project;
use crate::javascript::{assert_tests, outcomes, reports};

/// A project whose tests are these files alone, run by this script.
fn project(framework: &str, script: &str, files: &[(&str, &str)]) -> Project {
    let project = Project::javascript(framework, "current");
    fs::remove_file(project.root().join("test/calc.test.js")).expect("a file");
    let kind = if framework == "vitest" { "module" } else { "commonjs" };
    let script = Value::from(script);
    project.write(
        "package.json",
        format!("{{\"type\": \"{kind}\", \"scripts\": {{\"test\": {script}}}}}"),
    );
    for (path, text) in files {
        project.write(path, text);
    }
    project.commit();
    project
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// jest goes on when a worker dies; what the worker took with it is not forgotten.
#[test]
fn a_worker_of_jest_dies() {
    let dies = "test('before', () => {});\ntest('dies', () => process.kill(process.pid, 'SIGKILL'));\ntest('after', () => {});\n";
    let project = project(
        "jest",
        "jest --maxWorkers 2",
        &[("a.test.js", dies), ("b.test.js", "test('b', () => {});\n")],
    );
    let (ended, reports) = reports(&project);
    let report = &reports[0];
    assert_eq!(
        outcomes(report),
        ["a.test.js > before passed", "b.test.js > b passed"],
        "{report:#}"
    );
    assert_eq!(texts(&report["unfinished"]), ["a.test.js > dies"], "{report:#}");
    let error = report["errors"][0]["message"].as_str().unwrap_or_default();
    assert!(error.contains("SIGKILL"), "{report:#}");
    assert_eq!(ended.code, Some(1));
}

/// One file in two projects is two tests; and the user's own reporter still speaks.
#[test]
fn projects_of_jest_are_distinguished() {
    let config = "module.exports = { reporters: ['./mine.js'], projects: [{ displayName: 'one' }, { displayName: 'two' }] };\n";
    let mine = "module.exports = class { onRunStart() { console.log('MINE'); } };\n";
    let project = project(
        "jest",
        "jest -i",
        &[("a.test.js", "test('a', () => {});\n"), ("jest.config.js", config), ("mine.js", mine)],
    );
    assert_tests(&project, &["a.test.js [one] > a passed", "a.test.js [two] > a passed"]);
    let runs = fs::read_dir(project.root().join(".redgreen/runs")).expect("runs");
    let log = runs.last().expect("a run").expect("an entry").path();
    let log = fs::read_to_string(log.join("executions/1/unit/output.log")).expect("a log");
    assert!(log.contains("MINE") && !log.contains("PASS "), "{log}");
}

/// A test that passed at the second attempt is said, in each of them.
#[test]
fn a_pass_after_a_failure_is_said() {
    let body = "let count = 0;\nconst flaky = () => { if ((count += 1) < 2) throw new Error('not yet'); };\n";
    let cases = [
        ("jest", "jest", format!("{body}jest.retryTimes(2);\ntest('late', flaky);\n")),
        ("mocha", "mocha 'test/*.test.js' --retries 2", format!("{body}it('late', flaky);\n")),
        (
            "vitest",
            "vitest run --retry 2",
            format!("import {{ test }} from 'vitest';\n{body}test('late', flaky);\n"),
        ),
    ];
    for (framework, script, text) in cases {
        let project = project(framework, script, &[("test/a.test.js", &text)]);
        let (ended, reports) = reports(&project);
        assert_eq!(outcomes(&reports[0]), ["test/a.test.js > late passed"], "{reports:#?}");
        let said = reports[0]["diagnostics"].to_string();
        assert!(said.contains("late passed only after 2 attempts"), "{framework}: {said}");
        assert_eq!(ended.code, Some(0), "{framework}");
    }
}

/// In parallel as in series: the tests behind a failed hook, and the one that ends its worker.
#[test]
fn mocha_in_parallel_loses_nothing() {
    let hook = "describe('d', () => {\n  before(() => { throw new TypeError('hook'); });\n  it('a', () => {});\n  it('b', () => {});\n});\n";
    let script = "mocha --parallel --jobs 2 'test/*.test.js'";
    let files = [("test/a.test.js", hook), ("test/b.test.js", "it('c', () => {});\n")];
    let parallel = project("mocha", script, &files);
    assert_tests(
        &parallel,
        &[
            "test/a.test.js > d > a errored",
            "test/a.test.js > d > b errored",
            "test/b.test.js > c passed",
        ],
    );
    let exits = "it('exits', () => process.exit(0));\nit('after', () => {});\n";
    parallel.write("test/a.test.js", exits);
    let (ended, reports) = reports(&parallel);
    assert_ne!(ended.code, Some(0), "{reports:#?}");
    assert_eq!(texts(&reports[0]["unfinished"]), ["test/a.test.js > exits"], "{reports:#?}");
    assert_eq!(texts(&reports[0]["not_run"]), ["test/a.test.js > after"], "{reports:#?}");
}

/// Programs that start a runner in their own process.
#[test]
fn runners_that_are_started_by_a_program_are_seen() {
    let cases = [
        ("jest", "node run.js", "require('jest').run(['--ci']);\n", "test('a', () => {});\n"),
        (
            "mocha",
            "node run.js",
            "const Mocha = require('mocha');\nnew Mocha({}).addFile('test/a.test.js').run((failures) => { process.exitCode = failures; });\n",
            "it('a', () => {});\n",
        ),
        (
            "vitest",
            "node run.js",
            "import { startVitest } from 'vitest/node';\nconst vitest = await startVitest('test', [], { watch: false });\nawait vitest.close();\n",
            "import { test } from 'vitest';\ntest('a', () => {});\n",
        ),
    ];
    for (framework, script, program, text) in cases {
        let project = project(framework, script, &[("run.js", program), ("test/a.test.js", text)]);
        assert_tests(&project, &["test/a.test.js > a passed"]);
    }
}

/// No test at all: nothing is shown to work, and nobody is blamed.
#[test]
fn nothing_to_run_is_inconclusive() {
    for (framework, script) in
        [("jest", "jest"), ("vitest", "vitest run"), ("mocha", "mocha 'test/*.test.js'")]
    {
        let project = project(framework, script, &[]);
        let ended = project.redgreen(&["test", "--json"]);
        let last = ended.stdout.lines().last().unwrap_or_default();
        let result: Value = serde_json::from_str(last).expect("JSON");
        assert_eq!(result["verdict"], "inconclusive", "{framework}: {last}");
    }
}

/// A runner that a test starts is the test's own business, in a worker or not.
#[test]
fn a_runner_that_a_test_starts_is_not_counted() {
    let body = "require('child_process').execSync('npx mocha --parallel inner.js', { stdio: 'ignore' });\n";
    let vitest = "import { execSync } from 'node:child_process';\nimport { test } from 'vitest';\ntest('outer', () => execSync('npx mocha inner.cjs', { stdio: 'ignore' }) && undefined, 60000);\n";
    let inner = "it('inner', () => {});\n";
    let cases = [
        ("jest", "jest", format!("test('outer', () => {{\n  {body}}}, 60000);\n")),
        (
            "mocha",
            "mocha --parallel --timeout 60000 'test/*.test.js'",
            format!("it('outer', () => {{\n  {body}}});\n"),
        ),
        ("vitest", "vitest run", vitest.to_owned()),
    ];
    for (framework, script, text) in cases {
        let files = [("test/a.test.js", text.as_str()), ("inner.js", inner), ("inner.cjs", inner)];
        let project = project(framework, script, &files);
        assert_tests(&project, &["test/a.test.js > outer passed"]);
    }
}

/// A dry run calls every test passed, and runs none.
#[test]
fn a_dry_run_of_mocha_is_not_green() {
    let project = Project::javascript("mocha", "current");
    project.write(".mocharc.json", "{\"dry-run\": true}");
    project.commit();
    let tested = project.tested(&[]);
    assert_eq!(tested.verdict(), "inconclusive", "{:#}", tested.record);
}
