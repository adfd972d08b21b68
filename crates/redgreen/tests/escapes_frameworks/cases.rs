//! The cases, for any framework.

use std::fs;

use crate::common::escape::{LOG_BYTES, assert_bounded, assert_no_control, peak_kilobytes};
use crate::common::{Project, is_alive};
use crate::escapes_frameworks::suite::Suite;

pub fn the_code_ends_the_process(suite: &Suite) -> String {
    let project = (suite.project)();
    let done = project.held(&suite.first(suite.exits, ":"), &[]);
    done.assert_ended(1, "escalated", "no_progress");
    done.assert_verdict(suite.exit_verdict);
    let failures = project.feedback(2)["failures"].to_string();
    assert!(failures.contains(suite.in_flight), "{failures}");
    done.seen()
}

pub fn the_command_prints_passed(suite: &Suite) -> String {
    let project = (suite.project)();
    project.configure(&format!("echo '{}'", suite.says_passed), suite.framework, "");
    let done = project.once(suite.fix, &[]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_verdict("inconclusive");
    done.seen()
}

pub fn the_agent_replaces_the_run(suite: &Suite) -> String {
    let project = (suite.project)();
    let done = project.once(suite.fakes, &[]);
    assert_eq!(done.ended.code, Some(1), "{}", done.text());
    assert_ne!(done.verdict(), "passed", "{}", done.text());
    done.seen()
}

pub fn a_test_never_ends(suite: &Suite) -> String {
    let project = (suite.project)();
    project.configure(suite.command, suite.framework, "[limits]\ngrace_seconds = 1");
    let limit = suite.hang_limit_seconds.to_string();
    let done = project.held(&suite.first(suite.hangs, ":"), &["--test-timeout", &limit]);
    done.assert_ended(1, "escalated", "no_progress");
    done.assert_verdict("failed");
    done.assert_reason(&format!("limit of {limit} s"));
    let failures = project.feedback(2)["failures"].to_string();
    assert!(failures.contains(suite.in_flight) && failures.contains("timeout"), "{failures}");
    done.seen()
}

pub fn a_test_leaves_a_daemon(suite: &Suite) -> String {
    let project = suite.with(suite.daemon);
    let done = project.held(suite.fix, &["--test-timeout", "120"]);
    done.assert_ended(0, "passed", "");
    let pid = fs::read_to_string(project.outside().join("pid")).expect("the daemon's id");
    assert!(!is_alive(&pid), "{}", done.text());
    let leaks: Vec<_> = done.events.iter().filter(|event| !event["leaks"].is_null()).collect();
    assert!(leaks.last().expect("a leak")["leaks"].to_string().contains("sleep 1000"));
    let report = project.session_file("report.md");
    assert!(report.contains("left running") && report.contains("sleep 1000"), "{report}");
    done.seen()
}

pub fn floods(suite: &Suite) -> String {
    let project = suite.with(suite.floods);
    let more = format!("[limits]\nlog_bytes = {LOG_BYTES}");
    project.configure(suite.command, suite.framework, &more);
    let mut peak = 0;
    let done = project.meet(suite.fix, |_| peak = peak_kilobytes(&project));
    done.assert_ended(0, "passed", "");
    assert_bounded(&project, &done, peak);
    format!("{}, {peak} kB", done.seen())
}

pub fn prints_bytes_that_are_not_text(suite: &Suite) -> String {
    let project = suite.with(suite.bytes);
    let script = format!("{}\nprintf '\\377\\376\\033[31m\\n'", suite.second_time_lucky());
    let done = project.held(&script, &[]);
    done.assert_ended(0, "passed", "");
    assert_eq!(done.last("finished")["attempts"], 2, "{}", done.text());
    assert_eq!(project.only_failure(2)["test"], suite.subtract);
    project.assert_clean(&done);
    done.seen()
}

pub fn has_terminal_control(suite: &Suite) -> String {
    let project = suite.with(suite.evil);
    let done = project.held(&suite.second_time_lucky(), &[]);
    done.assert_ended(0, "passed", "");
    assert_eq!(done.last("finished")["attempts"], 2, "{}", done.text());
    let fixed = done.class("fixed");
    assert!(fixed.len() == 2 && fixed.concat().contains("evil"), "{}", done.text());
    let feedback = project.feedback(2).to_string();
    assert!(feedback.contains("evil") && feedback.contains("12 passed"), "{feedback}");
    project.assert_clean(&done);
    assert_shown_clean(suite, &project);
    done.seen()
}

/// The same for people, at a red tree.
#[track_caller]
fn assert_shown_clean(suite: &Suite, project: &Project) {
    project.git(&["checkout", "-q", suite.file]);
    for args in [&["test"][..], &["test", "--json"], &["report"], &["report", "--format", "html"]] {
        let shown = project.redgreen(args);
        let text = format!("{}{}", shown.stdout, shown.stderr);
        assert_no_control(&format!("{args:?}"), text.as_bytes());
        assert!(text.contains("evil"), "{args:?}: {text}");
    }
}

pub fn does_not_build(suite: &Suite) -> String {
    let project = (suite.project)();
    let mend = format!("git checkout -q .; {}", suite.fix);
    let done = project.held(&suite.first(suite.breaks.script, &mend), &[]);
    done.assert_ended(0, "passed", "");
    assert_eq!(done.last("finished")["attempts"], 2, "{}", done.text());
    let feedback = project.feedback(2);
    let failure = &feedback["failures"][0];
    assert_eq!(failure["kind"], "compile_error", "{feedback:#}");
    assert_eq!(failure["error_type"], suite.breaks.error_type, "{feedback:#}");
    let place = (&failure["location"]["file"], &failure["location"]["line"]);
    assert_eq!(place, (&suite.breaks.file.into(), &suite.breaks.line.into()), "{feedback:#}");
    assert!(!done.ended.stdout.contains("regression_detected"), "{}", done.text());
    done.seen()
}

pub fn dies_half_way(suite: &Suite) -> String {
    let project = (suite.project)();
    let done = project.held(&suite.first(suite.dies, ":"), &[]);
    done.assert_ended(1, "escalated", "no_progress");
    done.assert_verdict("failed");
    let failures = project.feedback(2)["failures"].to_string();
    let is_named = failures.contains(suite.in_flight) && failures.contains(suite.death);
    assert!(is_named, "{failures}");
    let report = project.session_file("report.md");
    assert!(report.contains(suite.in_flight), "{report}");
    done.seen()
}
