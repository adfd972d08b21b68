//! The JSON report of jest, which vitest writes as well.

use redgreen_model::report::{FailureKind, Report, TestOutcome};
use serde_json::Value;

use crate::node::json::{Cases, Entry, record, text};
use crate::notes::Notes;
use crate::place::Places;
use crate::salvage;

/// Reads a report that jest (`--json`) or vitest (`--reporter=json`) wrote. Never fails: of one that is
/// cut, the files before that are read, and it is said. Totals are counted from the tests.
pub fn read_json(bytes: &[u8], places: Places<'_>) -> Report {
    let mut notes = Notes::default();
    let mut report = Report { began: true, complete: true, ..Report::default() };
    let files = match serde_json::from_slice::<Value>(bytes) {
        Ok(mut document) => {
            report.complete = document["wasInterrupted"] != true;
            let files = document.get_mut("testResults").map(Value::take);
            if let Some(Value::Array(files)) = files {
                files
            } else {
                (report.began, report.complete) = (false, false);
                notes.add("jest: the document has no list testResults");
                Vec::new()
            }
        }
        Err(error) => {
            let files = salvage::entries(bytes, b"\"testResults\"");
            (report.began, report.complete) = (!files.is_empty(), false);
            let count = files.len();
            notes.add(&format!("jest: not valid JSON ({error}); {count} files were read"));
            files
        }
    };
    let mut cases = Cases::new(places);
    for file in &files {
        read_file(file, &mut cases, &mut report, &mut notes);
    }
    report.diagnostics = notes.finish();
    report
}

fn read_file(file: &Value, cases: &mut Cases<'_>, report: &mut Report, notes: &mut Notes) {
    let path = text(file, "name");
    let before = report.tests.len();
    for test in file["assertionResults"].as_array().into_iter().flatten() {
        let case = cases.case(entry(path, test));
        if case.outcome == TestOutcome::Passed && test["invocations"].as_u64() > Some(1) {
            notes.add(&format!("{} passed only after {} attempts", case.id, test["invocations"]));
        }
        report.tests.push(case);
    }
    let tests = report.tests.get(before..).unwrap_or_default();
    let red = tests.iter().any(|test| test.outcome.is_red());
    if text(file, "status") == "failed" && !red {
        // Of a file that could not be loaded, the tests are not known.
        let kind =
            if tests.is_empty() { FailureKind::CompileError } else { FailureKind::RuntimeError };
        report.errors.push(cases.error(kind, path, record(text(file, "message"))));
    }
}

fn entry<'report>(file: &'report str, test: &'report Value) -> Entry<'report> {
    let above = test["ancestorTitles"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let messages = test["failureMessages"].as_array();
    let first = messages.and_then(|messages| messages.first()?.as_str());
    Entry {
        file,
        names: above.chain([text(test, "title")]).collect(),
        outcome: outcome(test),
        duration: &test["duration"],
        line: test["location"]["line"].as_u64().and_then(|line| u32::try_from(line).ok()),
        failure: first.map(record),
    }
}

/// A status that is not known is no pass.
fn outcome(test: &Value) -> TestOutcome {
    match text(test, "status") {
        "passed" if test["failing"] == true => TestOutcome::ExpectedFailure,
        "passed" => TestOutcome::Passed,
        "failed" => TestOutcome::Failed,
        "pending" | "skipped" | "todo" | "disabled" => TestOutcome::Skipped,
        _ => TestOutcome::Errored,
    }
}

#[cfg(test)]
mod tests;
