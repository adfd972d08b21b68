//! The cases, for any framework. How a framework ends (a process that exits, dies, hangs or does not
//! build) is in the tables of `tests/frameworks`; what the loop makes of it is played with pytest and cargo.

use std::fs;
use std::process::Child;

use crate::common::escape::{LOG_BYTES, assert_bounded, assert_no_control, peak_kilobytes};
use crate::common::{Project, Tested, is_alive};
use crate::escapes_frameworks::suite::Suite;

pub fn the_command_prints_passed(suite: &Suite) -> String {
    let project = (suite.project)();
    project.configure(&format!("echo '{}'", suite.says_passed), suite.framework, "");
    let tested = project.tested(&[]);
    assert_eq!(tested.verdict(), "inconclusive", "{:#}", tested.record);
    seen(&tested)
}

pub fn the_agent_replaces_the_run(suite: &Suite) -> String {
    let project = (suite.project)();
    let done = project.once(suite.fakes, &[]);
    assert_eq!(done.ended.code, Some(1), "{}", done.text());
    assert_ne!(done.verdict(), "passed", "{}", done.text());
    done.seen()
}

pub fn odd_tests(suite: &Suite) -> String {
    let project = suite.with(&[suite.daemon, suite.bytes, suite.evil]);
    let tested = project.tested(&[]);
    let red = red(&tested);
    assert!(red.len() == 2 && red.contains(&suite.subtract), "{:#}", tested.record);
    assert!(red.concat().contains("evil"), "{:#}", tested.record);
    assert!(tested.report().to_string().contains("12 passed"), "{:#}", tested.record);
    let pid = fs::read_to_string(project.outside().join("pid")).expect("the daemon's id");
    assert!(!is_alive(&pid), "{:#}", tested.record);
    let leaks = tested.checks()[0]["leaks"].to_string();
    assert!(leaks.contains("sleep 1000"), "{:#}", tested.record);
    project.assert_clean(&tested.ended);
    let shown = project.redgreen(&["test"]);
    let text = format!("{}{}", shown.stdout, shown.stderr);
    assert_no_control("for people", text.as_bytes());
    assert!(text.contains("evil"), "{text}");
    seen(&tested)
}

pub fn floods(suite: &Suite) -> String {
    let project = suite.with(&[suite.floods]);
    let more = format!("[limits]\nlog_bytes = {LOG_BYTES}");
    project.configure(suite.command, suite.framework, &more);
    project.script(suite.fix);
    let mut peak = 0;
    let test = |project: &Project| -> Child { project.spawn(&["test", "--json"]) };
    let done = project.meeting(test, |_| peak = peak_kilobytes(&project));
    done.ended.assert_code(0);
    assert_bounded(&project, &done, peak);
    format!("passed, exit 0, {peak} kB")
}

/// The red tests by their ids.
fn red(tested: &Tested) -> Vec<&str> {
    let tests = tested.report()["tests"].as_array().map_or(&[][..], Vec::as_slice);
    let is_red = |outcome: &str| ["failed", "errored"].contains(&outcome);
    let red = tests.iter().filter(|test| test["outcome"].as_str().is_some_and(is_red));
    red.filter_map(|test| test["id"].as_str()).collect()
}

/// What redgreen said, for the table.
fn seen(tested: &Tested) -> String {
    format!("{}, exit {}", tested.verdict(), tested.ended.code.unwrap_or(-1))
}
