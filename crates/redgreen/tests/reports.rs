//! Report files: what a run wrote itself counts, what it found does not; and the reports that
//! redgreen writes.

use std::fs;

use crate::common::{Project, outcomes};
use serde_json::Value;

const PASSES: &str = "<testsuite><testcase classname='shop' name='adds' time='0.01'/></testsuite>";
const FAILS: &str = "<testsuite><testcase classname='shop' name='adds'><failure type='Wrong' message='expected: &lt;1&gt; but was: &lt;2&gt;'/></testcase></testsuite>";
const TAP: &str = "1..2\nok 1 - adds\nnot ok 2 - subtracts\n";
const CTRF: &str = r#"{"reportFormat":"CTRF","results":{"tool":{"name":"x"},"tests":[{"name":"adds","status":"passed","duration":1}]}}"#;

/// A project whose command is a shell script.
fn project(script: &str, reports: &str) -> Project {
    let project = Project::empty();
    project.write("run.sh", script);
    project.write(
        "redgreen.toml",
        format!("[[checks]]\nname = \"unit\"\ncommand = \"sh run.sh\"\nreports = {reports}\n"),
    );
    for (name, text) in
        [("passes.xml", PASSES), ("fails.xml", FAILS), ("mixed.tap", TAP), ("ctrf.json", CTRF)]
    {
        fs::write(project.outside().join(name), text).expect("a file");
    }
    project.commit();
    project
}

/// The verdict, and the tests with their outcomes.
fn seen(project: &Project, args: &[&str]) -> (String, Vec<String>, Value) {
    let tested = project.tested(args);
    let report = tested.report().clone();
    (tested.verdict().to_owned(), outcomes(&report), report)
}

#[test]
fn files_of_every_format_count_for_a_command_that_nobody_knows() {
    let cases: [(&str, &str, &[&str]); 7] = [
        ("cp ../agent/passes.xml out/a.xml", "passed", &["shop.adds passed"]),
        ("cp ../agent/fails.xml out/a.xml", "failed", &["shop.adds failed"]),
        ("cp ../agent/fails.xml out/a.xml; exit 3", "failed", &["shop.adds failed"]),
        ("cp ../agent/mixed.tap out/a.tap", "failed", &["adds passed", "subtracts failed"]),
        ("cp ../agent/ctrf.json out/a.json", "passed", &["adds passed"]),
        (
            "cp ../agent/passes.xml out/a.xml; cp ../agent/passes.xml out/b.xml; cp ../agent/ctrf.json out/c.json",
            "passed",
            &["adds passed", "shop.adds passed", "shop.adds#2 passed"],
        ),
        ("head -c 60 ../agent/passes.xml > out/a.xml", "inconclusive", &[]),
    ];
    for (script, verdict, tests) in cases {
        let project = project(&format!("mkdir -p out; {script}"), "[\"out/*\"]");
        let (found, outcomes, report) = seen(&project, &[]);
        assert_eq!(
            (found.as_str(), outcomes.as_slice()),
            (verdict, &tests.iter().map(|test| (*test).to_owned()).collect::<Vec<_>>()[..]),
            "{script}: {report:#}"
        );
    }
}

#[test]
fn an_old_report_says_nothing_and_the_same_bytes_again_do() {
    let project = project(
        "[ -e ../agent/quiet ] || cp ../agent/passes.xml out.xml\necho 12 passed",
        "[\"out.xml\"]",
    );
    for _ in 0..3 {
        assert_eq!(seen(&project, &[]).0, "passed");
    }
    fs::write(project.outside().join("quiet"), "").expect("a file");
    let (verdict, tests, report) = seen(&project, &[]);
    assert_eq!((verdict.as_str(), tests.len()), ("inconclusive", 0), "{report:#}");
    let said = report["diagnostics"].to_string();
    assert!(said.contains("this run did not write it") && said.contains("out.xml"), "{said}");
}

/// Maven without Maven: what counts is the report that this run wrote.
#[test]
fn the_words_of_a_build_tool_are_no_evidence() {
    let reports = "target/surefire-reports";
    let cases = [
        ("echo 'Tests run: 12, Failures: 0'; echo BUILD SUCCESS".to_owned(), "inconclusive"),
        ("echo '[INFO] Tests are skipped.'".to_owned(), "inconclusive"),
        (format!("mkdir -p {reports}; cp ../agent/passes.xml {reports}/TEST-a.xml"), "passed"),
        // testFailureIgnore
        (format!("mkdir -p {reports}; cp ../agent/fails.xml {reports}/TEST-a.xml"), "failed"),
        ("printf '[ERROR] Failed to execute goal x\\n[ERROR] %s/src/A.java:[3,5] cannot find symbol\\n' \"$PWD\"; exit 1".to_owned(), "failed"),
        ("echo '[ERROR] Could not resolve dependencies for project x'; exit 1".to_owned(), "tooling_error"),
    ];
    for (script, verdict) in cases {
        let project = project("mvn -B test", "[]");
        let program = project.programs().join("mvn");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("a program");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&program, mode).expect("a program");
        let (found, _, report) = seen(&project, &["--", "mvn", "-B", "test"]);
        assert_eq!(found, verdict, "{script}: {report:#}");
        // A command that is not known may run Maven, too; only its failure has no name then.
        let (found, _, report) = seen(&project, &["--", "sh", "run.sh"]);
        let verdict = if verdict == "tooling_error" { "failed" } else { verdict };
        assert_eq!(found, verdict, "other: {script}: {report:#}");
    }
}

#[test]
fn the_result_is_written_as_junit_and_ctrf() {
    let project = project("cp ../agent/fails.xml out.xml; exit 1", "[\"out.xml\"]");
    let ended =
        project.redgreen(&["test", "--junit", "../agent/r.xml", "--ctrf", "../agent/r.json"]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let written = |name: &str| fs::read_to_string(project.outside().join(name)).expect("a report");
    let xml = written("r.xml");
    assert!(xml.contains("tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\""), "{xml}");
    assert!(xml.contains("name=\"shop.adds\" classname=\"unit\""), "{xml}");
    let json: Value = serde_json::from_str(&written("r.json")).expect("JSON");
    assert_eq!(json["results"]["summary"]["failed"], 1, "{json:#}");
    assert_eq!(json["results"]["tests"][0]["name"], "shop.adds", "{json:#}");
}

/// A report whose header counts failures that are not in it has lost some.
#[test]
fn a_report_that_contradicts_itself_is_not_green() {
    let contradicts =
        "<testsuite name='s' tests='3' failures='2'><testcase classname='a' name='b'/></testsuite>";
    let project =
        project(&format!("mkdir -p out; echo \"{contradicts}\" > out/a.xml"), "[\"out/*\"]");
    let (verdict, tests, report) = seen(&project, &[]);
    assert_eq!((verdict.as_str(), tests.len()), ("inconclusive", 1), "{report:#}");
}

#[test]
fn a_report_that_cannot_be_written_is_said() {
    let project = project("cp ../agent/passes.xml out.xml", "[\"out.xml\"]");
    for (file, words) in
        [("-", "standard output"), ("nowhere/r.xml", "does not exist"), (".", "a folder")]
    {
        let ended = project.redgreen(&["test", "--junit", file]);
        assert_eq!(ended.code, Some(2), "{file}: {}", ended.stderr);
        assert!(ended.stderr.contains(words), "{file}: {}", ended.stderr);
    }
    // Gone while the tests ran.
    let script = "cp ../agent/passes.xml out.xml; rm -r ../agent/gone";
    project.write("run.sh", script);
    fs::create_dir(project.outside().join("gone")).expect("a folder");
    let ended = project.redgreen(&["test", "--ctrf", "../agent/gone/r.json"]);
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("cannot write") && ended.stderr.contains("r.json"),
        "{}",
        ended.stderr
    );
}
