//! `cargo nextest run` through the shim.

use crate::common::{Project, outcomes};
use serde_json::Value;

/// A crate with these tests in its only file of tests.
fn project(tests: &str) -> Project {
    let project = Project::empty();
    project.write(
        "Cargo.toml",
        "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[lib]\ndoctest = false\n",
    );
    project.write("src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n");
    project.write("tests/it.rs", tests);
    project.write(".gitignore", "/target\n/Cargo.lock\n");
    let nextest = crate::common::tools().join("../../nextest/bin");
    assert!(nextest.join("cargo-nextest").exists(), "no cargo-nextest: run `cargo xtask test`");
    let command =
        format!("PATH=\"$PATH:{}\" cargo nextest run --offline --retries 1", nextest.display());
    let command = Value::from(command);
    project.write(
        "redgreen.toml",
        format!("[[checks]]\nname = \"unit\"\ncommand = {command}\nframework = \"cargo_test\"\n"),
    );
    project.commit();
    project
}

/// The record of `redgreen test`.
fn record(project: &Project) -> Value {
    project.tested(&[]).record
}

fn tests(record: &Value) -> Vec<String> {
    outcomes(&record["execution"]["checks"][0]["report"])
}

const PASSES: &str = "#[test]\nfn größe() {\n    assert_eq!(calc::add(1, 1), 2);\n}\n";

#[test]
fn every_test_has_its_end_and_its_reason() {
    let fails = "#[test]\nfn fails() {\n    assert_eq!(calc::add(2, 2), 5);\n}\n";
    let flaky = "#[test]\nfn flaky() {\n    let there = std::path::Path::new(\"../agent/there\");\n    let again = there.exists();\n    std::fs::write(there, \"\").unwrap();\n    assert!(again);\n}\n";
    let ignored = "#[test]\n#[ignore]\nfn ignored() {}\n";
    let record = record(&project(&[PASSES, fails, flaky, ignored].concat()));
    let wanted = [
        "calc/tests/it.rs::fails failed",
        "calc/tests/it.rs::flaky passed",
        "calc/tests/it.rs::größe passed",
    ];
    assert_eq!(tests(&record), wanted, "{record:#}");
    assert_eq!(record["verdict"], "failed");
    let report = &record["execution"]["checks"][0]["report"];
    assert_eq!(report["complete"], true, "{report:#}");
    let failed = report["tests"].as_array().into_iter().flatten();
    let failed = failed.clone().find(|test| !test["failure"].is_null()).expect("a failure");
    assert_eq!(failed["failure"]["expected"], "5", "{failed:#}");
    assert_eq!(failed["failure"]["location"]["line"], 7, "{failed:#}");
    let notes = report["diagnostics"].to_string();
    assert!(notes.contains("flaky is flaky: attempt 2 passed"), "{notes}");
}

#[test]
fn an_exit_with_0_in_the_middle_is_not_the_pass_that_nextest_takes_it_for() {
    let record = record(&project(&format!(
        "{PASSES}\n#[test]\nfn exits() {{\n    std::process::exit(0)\n}}\n"
    )));
    assert_eq!(record["verdict"], "inconclusive", "{record:#}");
    let report = &record["execution"]["checks"][0]["report"];
    assert_eq!(report["unfinished"], serde_json::json!(["calc/tests/it.rs::exits"]));
}

#[test]
fn a_crash_names_its_test_once() {
    let record = record(&project(&format!(
        "{PASSES}\n#[test]\nfn aborts() {{\n    std::process::abort()\n}}\n"
    )));
    assert_eq!(record["verdict"], "failed", "{record:#}");
    let report = &record["execution"]["checks"][0]["report"];
    assert_eq!(report["unfinished"], serde_json::json!(["calc/tests/it.rs::aborts"]));
    let errors = report["errors"].as_array().expect("errors");
    assert_eq!(errors.len(), 1, "{report:#}");
    let message = errors[0]["message"].as_str().unwrap_or("");
    assert!(message.contains("signal 6 while calc/tests/it.rs::aborts was running"), "{message}");
}

#[test]
fn a_build_that_fails_and_no_tests_at_all_are_distinguished() {
    let broken = record(&project("#[test]\nfn broken() {\n    let _: i32 = \"a\";\n}\n"));
    assert_eq!(broken["verdict"], "failed", "{broken:#}");
    let error = &broken["execution"]["checks"][0]["report"]["errors"][0];
    assert_eq!((&error["kind"], &error["error_type"]), (&"compile_error".into(), &"E0308".into()));
    assert_eq!(error["location"]["line"], 3, "{error:#}");
    let none = record(&project("// None yet.\n"));
    assert_eq!(none["verdict"], "inconclusive", "{none:#}");
    assert_eq!(none["execution"]["checks"][0]["ended"]["code"], 4, "{none:#}");
}
