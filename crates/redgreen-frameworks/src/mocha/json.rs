//! The JSON report of mocha.

use std::collections::HashMap;

use redgreen_model::report::{FailureKind, Report, TestOutcome};
use serde_json::Value;

use crate::node::json::{Cases, Entry, record, text};
use crate::notes::Notes;
use crate::place::Places;
use crate::salvage;
use crate::stream::FailureRecord;

/// Reads a report that mocha (`--reporter json`) wrote. Never fails: of one that is cut, the tests
/// before that are read, and it is said. mocha names the groups around a test as one text, so they are
/// one part of the id.
pub fn read_json(bytes: &[u8], places: Places<'_>) -> Report {
    let mut notes = Notes::default();
    let mut report = Report { began: true, complete: true, ..Report::default() };
    let document = match serde_json::from_slice::<Value>(bytes) {
        Ok(document) => document,
        Err(error) => {
            let tests = salvage::entries(bytes, b"\"tests\"");
            (report.began, report.complete) = (!tests.is_empty(), false);
            let count = tests.len();
            notes.add(&format!("mocha: not valid JSON ({error}); {count} tests were read"));
            serde_json::json!({ "tests": tests })
        }
    };
    if !document["tests"].is_array() {
        (report.began, report.complete) = (false, false);
        notes.add("mocha: the document has no list tests");
    }
    let mut outcomes = Outcomes::of(&document);
    let mut cases = Cases::new(places);
    for test in list(&document, "tests") {
        let outcome = outcomes.of_test(test);
        let case = cases.case(entry(test, outcome));
        if outcome == TestOutcome::Passed && test["currentRetry"].as_u64() > Some(0) {
            notes.add(&format!("{} passed only when it was repeated", case.id));
        }
        report.tests.push(case);
    }
    for failure in list(&document, "failures").filter(|failure| outcomes.outside(failure)) {
        let record = failure_record(&failure["err"]);
        let said = format!("{}\nin the {}", record.message, text(failure, "title"));
        let record = FailureRecord { message: said, ..record };
        let file = text(failure, "file");
        report.errors.push(cases.error(FailureKind::RuntimeError, file, record));
    }
    report.diagnostics = notes.finish();
    report
}

fn list<'report>(document: &'report Value, name: &str) -> impl Iterator<Item = &'report Value> {
    document[name].as_array().into_iter().flatten()
}

/// How many tests of a name are in which list.
struct Outcomes<'report> {
    lists: [HashMap<Key<'report>, usize>; 3],
}

type Key<'report> = (&'report str, &'report str);

fn key(test: &Value) -> Key<'_> {
    (text(test, "file"), text(test, "fullTitle"))
}

impl<'report> Outcomes<'report> {
    fn of(document: &'report Value) -> Self {
        let counted = |name| {
            let mut counts = HashMap::new();
            for test in list(document, name) {
                *counts.entry(key(test)).or_insert(0) += 1;
            }
            counts
        };
        Self { lists: ["failures", "pending", "passes"].map(counted) }
    }

    /// Takes one out of a list.
    fn take(&mut self, list: usize, test: &'report Value) -> bool {
        match self.lists[list].get_mut(&key(test)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }

    /// A test is what it has: an error, or a place among the pending or the passed. One that is in no
    /// list is no pass.
    fn of_test(&mut self, test: &'report Value) -> TestOutcome {
        let failed = test["err"].as_object().is_some_and(|error| !error.is_empty());
        if failed {
            self.take(0, test);
            TestOutcome::Failed
        } else if self.take(1, test) {
            TestOutcome::Skipped
        } else if self.take(2, test) {
            TestOutcome::Passed
        } else {
            TestOutcome::Errored
        }
    }

    /// A failure that no test had: a hook's.
    fn outside(&mut self, failure: &'report Value) -> bool {
        self.take(0, failure)
    }
}

fn entry(test: &Value, outcome: TestOutcome) -> Entry<'_> {
    let (whole, title) = (text(test, "fullTitle"), text(test, "title"));
    let above = whole.strip_suffix(title).unwrap_or("").trim();
    Entry {
        file: text(test, "file"),
        names: vec![above, title],
        outcome,
        duration: &test["duration"],
        line: None,
        failure: outcome.is_red().then(|| failure_record(&test["err"])),
    }
}

fn failure_record(error: &Value) -> FailureRecord {
    let mut failure = record(text(error, "stack"));
    if let Some(message) = error["message"].as_str() {
        message.clone_into(&mut failure.message);
    }
    let named = text(error, "name");
    if !named.is_empty() && named != "Error" {
        named.clone_into(&mut failure.error_type);
    }
    if let (Some(expected), Some(actual)) = (shown(error, "expected"), shown(error, "actual")) {
        (failure.expected, failure.actual) = (Some(expected), Some(actual));
    }
    failure
}

fn shown(error: &Value, key: &str) -> Option<String> {
    match error.get(key)? {
        Value::String(text) => Some(text.clone()),
        value => Some(value.to_string()),
    }
}

#[cfg(test)]
mod tests;
