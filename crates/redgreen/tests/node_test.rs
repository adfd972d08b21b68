//! `node --test` under the real binary: no framework of the document, and seen test by test.

use crate::common::{Project, outcomes};
use serde_json::json;

const NASTY: &str = r"const { test, describe, it, before } = require('node:test');
const assert = require('node:assert');
const { first, total } = require('../shop');

test('passes', () => {});
test('fails', () => assert.strictEqual(total([1, 2]), 3));
test('breaks', () => first(null));
test('has parts', async (t) => {
  await t.test('good', () => {});
  await t.test('bad', () => { throw 'a string'; });
});
describe('suite', () => {
  it('inside', () => console.log('# pass 99\nok 1 - forged'));
  it.skip('skipped', () => {});
  it('later', { todo: true }, () => assert.fail());
});
describe('no set-up', () => {
  before(() => { throw new Error('no database'); });
  it('never', () => {});
});
test('größe 日本', () => {});
test('passes', () => {});
";

fn project(tests: &[(&str, &str)]) -> Project {
    let project = Project::empty();
    project.write(
        "shop.js",
        "exports.total = (prices) => prices.reduce((a, b) => a + b, 1);\nexports.first = (items) => items[0];\n",
    );
    for (path, text) in tests {
        project.write(path, text);
    }
    project.write(
        "package.json",
        "{\"scripts\":{\"test\":\"echo first && node --test test/*.test.js\"}}",
    );
    project.write("redgreen.toml", "[[checks]]\nname = \"unit\"\ncommand = \"npm test\"\n");
    project.commit();
    project
}

#[test]
fn every_test_comes_back_by_name() {
    assert_every_test(|_| {});
}

/// The same with a Node that syncs what reporters have printed.
#[test]
fn every_test_comes_back_by_name_from_a_newer_node() {
    assert_every_test(Project::link_node);
}

fn assert_every_test(prepare: fn(&Project)) {
    let project = project(&[
        ("test/nasty.test.js", NASTY),
        (
            "test/exits.test.js",
            "const { test } = require('node:test');\ntest('before', () => {});\ntest('exits', () => process.exit(0));\n",
        ),
        (
            "test/broken.test.js",
            "const { test } = require('node:test');\ntest('never', ( => {});\n",
        ),
        ("test/script.test.js", "console.log('no test in here');\n"),
    ]);
    prepare(&project);
    let tested = project.tested(&[]);
    let report = tested.report();
    assert_eq!(tested.verdict(), "failed", "{report:#}");
    assert_eq!(
        outcomes(report),
        [
            "test/nasty.test.js > breaks failed",
            "test/nasty.test.js > fails failed",
            "test/nasty.test.js > größe 日本 passed",
            "test/nasty.test.js > has parts > bad failed",
            "test/nasty.test.js > has parts > good passed",
            "test/nasty.test.js > no set-up > never errored",
            "test/nasty.test.js > passes #2 passed",
            "test/nasty.test.js > passes passed",
            "test/nasty.test.js > suite > inside passed",
            "test/nasty.test.js > suite > later expected_failure",
            "test/nasty.test.js > suite > skipped skipped",
            "test/script.test.js passed",
        ],
        "{report:#}"
    );
    assert_eq!(report["not_run"], json!(["test/exits.test.js"]), "{report:#}");
    let failure = |name: &str| {
        let tests = report["tests"].as_array().expect("tests");
        let test = tests.iter().find(|test| test["id"].to_string().contains(name));
        test.expect("the test")["failure"].clone()
    };
    let fails = failure("> fails");
    assert_eq!((&fails["expected"], &fails["actual"]), (&"3".into(), &"4".into()));
    let breaks = failure("> breaks");
    assert_eq!(breaks["error_type"], "TypeError");
    assert_eq!(breaks["location"]["file"], "shop.js");
    assert_eq!(failure("> bad")["error_type"], "string");
    let errors = report["errors"].to_string();
    assert!(errors.contains("no database"), "{errors}");
    let broken = report["errors"].as_array().expect("errors");
    let broken = broken.iter().find(|error| error["error_type"] == "SyntaxError");
    let broken = broken.unwrap_or_else(|| panic!("{errors}"));
    assert_eq!(broken["kind"], "compile_error");
    assert_eq!(broken["location"], json!({"file": "test/broken.test.js", "line": 2}));
}

#[test]
fn green_is_seen_and_a_process_that_ends_early_is_not_green() {
    let fine = "const { test } = require('node:test');\ntest('a', () => {});\n";
    let project = project(&[("test/a.test.js", fine), ("test/b.test.js", fine)]);
    let older = project.tested(&[]);
    assert_eq!(older.verdict(), "passed", "{:#}", older.record);
    project.link_node();
    let tested = project.tested(&[]);
    let report = tested.report();
    assert_eq!(tested.verdict(), "passed", "{report:#}");
    project.write("test/b.test.js", fine.replace("{});", "process.exit(0));"));
    let tested = project.tested(&[]);
    let report = tested.report();
    assert_eq!(tested.verdict(), "inconclusive", "{report:#}");
    // The first test was reported already when the second ends the process.
    let late = "test('a', () => new Promise((done) => setTimeout(done, 200)));\ntest('b', () => process.exit(0));\ntest('c', () => {});\n";
    project.write("test/b.test.js", format!("const {{ test }} = require('node:test');\n{late}"));
    let tested = project.tested(&[]);
    let report = tested.report();
    assert_eq!(tested.verdict(), "inconclusive", "{report:#}");
    assert!(report["not_run"].to_string().contains("test/b.test.js > c"), "{report:#}");
    let own = ["--", "node --test --test-reporter=dot test/a.test.js"];
    let tested = project.tested(&own);
    let report = tested.report();
    assert_eq!(tested.verdict(), "passed", "{report:#}");
}

/// Node looks everywhere for tests if nobody says where: also where redgreen keeps its runs.
#[test]
fn nothing_of_redgreens_own_is_a_test() {
    let project = project(&[]);
    project.write("package.json", "{\"scripts\":{\"test\":\"node --test\"}}");
    for _ in 0..2 {
        let tested = project.tested(&[]);
        let report = tested.report();
        assert_eq!((tested.verdict(), outcomes(report).len()), ("inconclusive", 0), "{report:#}");
    }
    let left = project.command("find").args([".redgreen", "-name", "*js"]).output().expect("find");
    assert_eq!(String::from_utf8_lossy(&left.stdout), "", "they go with their run");
}

#[test]
fn only_the_red_test_runs_again() {
    let tests = "const { test } = require('node:test');\nconst fs = require('fs');\ntest('pass', () => fs.appendFileSync('../agent/runs', 'x'));\ntest('flaky (1+1)', () => {\n  const letters = fs.readFileSync('../agent/outcomes', 'utf8');\n  fs.writeFileSync('../agent/outcomes', letters.slice(1));\n  if (letters[0] !== 'P') throw new Error('bad luck');\n});\n";
    let project = project(&[("test/luck.test.js", tests)]);
    std::fs::write(project.outside().join("outcomes"), "PFP").expect("a file");
    let done = project.run("echo '// changed' >> shop.js", &["--max-attempts", "1"]);
    let flaky = &done.last("judged")["classes"]["flaky"];
    assert_eq!(flaky[0]["test"], "test/luck.test.js > flaky (1+1)", "{}", done.text());
    let runs = std::fs::read_to_string(project.outside().join("runs")).expect("a file");
    assert_eq!(runs, "xx", "{}", done.text());
}

/// As borp does it: a program has Node run the files, and reads the stream itself.
#[test]
fn a_program_that_runs_files_with_it_is_seen() {
    let project = project(&[("test/a.test.js", NASTY)]);
    project.link_node();
    let program = "import { run } from 'node:test';\nimport { spec } from 'node:test/reporters';\nconst stream = run({ files: [process.cwd() + '/test/a.test.js'] });\nstream.on('test:fail', () => { process.exitCode = 1; });\nstream.compose(new spec()).pipe(process.stdout);\n";
    project.write("tools/borp.mjs", program);
    project.write("package.json", "{\"scripts\":{\"test\":\"node tools/borp.mjs\"}}");
    let beside = project.tested(&[]);
    project.write("package.json", "{\"scripts\":{\"test\":\"node --test test/*.test.js\"}}");
    let by_node = project.tested(&[]);
    assert!(!outcomes(by_node.report()).is_empty(), "{:#}", by_node.report());
    assert_eq!(outcomes(beside.report()), outcomes(by_node.report()));
    assert_eq!(beside.verdict(), by_node.verdict());
}
