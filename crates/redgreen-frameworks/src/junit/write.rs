//! JUnit XML, as common consumers read it.

use std::fmt::Write as _;

use redgreen_model::report::TestOutcome;

use crate::standard_report::{WholeRun, WrittenCase, WrittenCheck, outcome_name};

/// Writes an execution as JUnit XML: a suite for each check, a case for each test, and one for
/// everything else that went wrong. What XML cannot hold is left out.
pub fn write(run: &WholeRun<'_>) -> String {
    let checks = run.checks();
    let cases = || checks.iter().flat_map(|check| &check.cases);
    let mut out =
        String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"redgreen\"");
    totals(&mut out, cases());
    time(&mut out, run.execution.duration_ms);
    out.push_str(">\n");
    for check in &checks {
        suite(&mut out, check, &run.execution.started_at);
    }
    out.push_str("</testsuites>\n");
    out
}

fn suite(out: &mut String, check: &WrittenCheck<'_>, started_at: &str) {
    out.push_str("  <testsuite");
    attribute(out, "name", check.name);
    totals(out, check.cases.iter());
    time(out, check.duration_ms);
    attribute(out, "timestamp", started_at);
    out.push_str(">\n");
    for case in &check.cases {
        write_case(out, check.name, case);
    }
    out.push_str("  </testsuite>\n");
}

fn write_case(out: &mut String, check: &str, case: &WrittenCase<'_>) {
    out.push_str("    <testcase");
    attribute(out, "name", &case.name);
    attribute(out, "classname", check);
    time(out, case.duration_ms);
    let element = match case.outcome {
        TestOutcome::Passed => None,
        TestOutcome::UnexpectedPass => {
            attribute(out, "status", outcome_name(case.outcome));
            None
        }
        TestOutcome::ExpectedFailure => {
            attribute(out, "status", outcome_name(case.outcome));
            Some("skipped")
        }
        TestOutcome::Skipped => Some("skipped"),
        TestOutcome::Failed => Some("failure"),
        TestOutcome::Errored => Some("error"),
    };
    let Some(element) = element else {
        out.push_str("/>\n");
        return;
    };
    // Writing to a string does not fail.
    let _ = write!(out, ">\n      <{element}");
    if !case.message.is_empty() {
        attribute(out, "message", &case.message);
    }
    if case.outcome.is_red() {
        attribute(out, "type", case.error_type);
    }
    if case.stack.is_empty() {
        out.push_str("/>\n");
    } else {
        out.push('>');
        escape(out, case.stack, false);
        let _ = writeln!(out, "</{element}>");
    }
    out.push_str("    </testcase>\n");
}

fn totals<'cases, 'run: 'cases>(
    out: &mut String,
    cases: impl Iterator<Item = &'cases WrittenCase<'run>>,
) {
    let (mut tests, mut failures, mut errors, mut skipped) = (0, 0, 0, 0);
    for case in cases {
        tests += 1;
        match case.outcome {
            TestOutcome::Failed => failures += 1,
            TestOutcome::Errored => errors += 1,
            TestOutcome::Skipped | TestOutcome::ExpectedFailure => skipped += 1,
            TestOutcome::Passed | TestOutcome::UnexpectedPass => {}
        }
    }
    let _ = write!(
        out,
        " tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\""
    );
}

fn time(out: &mut String, milliseconds: u64) {
    let _ = write!(out, " time=\"{}.{:03}\"", milliseconds / 1000, milliseconds % 1000);
}

fn attribute(out: &mut String, name: &str, value: &str) {
    let _ = write!(out, " {name}=\"");
    escape(out, value, true);
    out.push('"');
}

/// Escapes what has a meaning in XML, and leaves out what XML cannot hold. `>` is always escaped:
/// `]]>` may not stand in a text.
fn escape(out: &mut String, text: &str, in_attribute: bool) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\r' => out.push_str("&#13;"),
            '\n' if in_attribute => out.push_str("&#10;"),
            '\t' if in_attribute => out.push_str("&#9;"),
            '\n' | '\t' => out.push(letter),
            '\u{0}'..='\u{1f}' => {}
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            letter => out.push(letter),
        }
    }
}
