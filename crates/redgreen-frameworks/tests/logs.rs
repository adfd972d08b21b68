//! Logs of real programs, each with a table of what must be read from it.
//!
//! `logs/TOOL/NAME.log` is what the program printed, with paths of nobody's machine;
//! `logs/TOOL/NAME.expected` says what is in it, written from the log and the project that made it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use redgreen_frameworks::{Places, console};
use redgreen_model::report::{Failure, TestOutcome};

fn logs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs");
    let entries = |folder: &Path| {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let mut logs: Vec<PathBuf> = entries(&folder)
        .iter()
        .flat_map(|tool| entries(tool))
        .filter(|path| path.extension().is_some_and(|extension| extension == "log"))
        .collect();
    logs.sort();
    logs
}

/// The runs of a log as a table.
fn table(bytes: &[u8]) -> String {
    let places = Places { root: Path::new("/home/me/project"), folder: Path::new("") };
    let mut table = String::new();
    for run in console::read(bytes, places, None) {
        assert!(!run.report.began, "a log never makes a run begin");
        let lane = run.lane.map(|lane| format!(" of {lane}")).unwrap_or_default();
        let end = if run.report.complete { "complete" } else { "cut" };
        writeln!(table, "{}{lane}: {end}", run.program).unwrap();
        for test in &run.report.tests {
            writeln!(table, "  {:9} {}", word(test.outcome), test.id).unwrap();
            if let Some(failure) = &test.failure {
                describe(failure, &mut table);
            }
        }
        for error in &run.report.errors {
            writeln!(table, "  {}", error.kind).unwrap();
            describe(error, &mut table);
        }
        for note in &run.report.diagnostics {
            writeln!(table, "  note: {note}").unwrap();
        }
    }
    table
}

fn word(outcome: TestOutcome) -> &'static str {
    match outcome {
        TestOutcome::Passed => "passed",
        TestOutcome::Failed => "FAILED",
        TestOutcome::Errored => "ERROR",
        TestOutcome::Skipped => "skipped",
        TestOutcome::ExpectedFailure => "xfailed",
        TestOutcome::UnexpectedPass => "xpassed",
    }
}

fn describe(failure: &Failure, table: &mut String) {
    let first = failure.message.lines().next().unwrap_or("");
    writeln!(table, "      {}: {first}", failure.error_type).unwrap();
    let line = |value: &String| value.replace('\n', "\\n");
    if let Some(actual) = &failure.actual {
        writeln!(table, "      actual {}", line(actual)).unwrap();
    }
    if let Some(expected) = &failure.expected {
        writeln!(table, "      expected {}", line(expected)).unwrap();
    }
    if let Some(place) = failure.location.as_ref().or(failure.test_location.as_ref()) {
        writeln!(table, "      at {place}").unwrap();
    }
}

#[test]
fn every_log_says_what_its_table_says() {
    let mut wrong = String::new();
    for log in logs() {
        let expected = fs::read_to_string(log.with_extension("expected")).unwrap_or_default();
        let found = table(&fs::read(&log).unwrap());
        if found != expected {
            writeln!(wrong, "=== {}\n--- read\n{found}--- wanted\n{expected}", log.display())
                .unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
