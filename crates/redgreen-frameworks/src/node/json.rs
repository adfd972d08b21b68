//! What the JSON reports of the JavaScript frameworks have in common.

use std::collections::HashMap;

use redgreen_model::report::{Failure, FailureKind, TestCase, TestOutcome};
use redgreen_model::text::strip_controls;
use serde_json::Value;

use crate::console::javascript::described;
use crate::identity::clean_id;
use crate::place::Places;
use crate::stream::{FailureRecord, red_failure};

/// Between the parts of an id.
const SEPARATOR: &str = " > ";

/// Makes cases of the entries of a report.
pub(crate) struct Cases<'paths> {
    places: Places<'paths>,
    given: HashMap<String, u32>,
}

/// One test as a report tells it.
pub(crate) struct Entry<'report> {
    pub(crate) file: &'report str,
    pub(crate) names: Vec<&'report str>,
    pub(crate) outcome: TestOutcome,
    pub(crate) duration: &'report Value,
    pub(crate) line: Option<u32>,
    pub(crate) failure: Option<FailureRecord>,
}

impl<'paths> Cases<'paths> {
    pub(crate) fn new(places: Places<'paths>) -> Self {
        Self { places, given: HashMap::new() }
    }

    /// The case, with an id of its own.
    pub(crate) fn case(&mut self, entry: Entry<'_>) -> TestCase {
        let id = self.id(entry.file, &entry.names);
        let place = (!entry.file.is_empty()).then_some((entry.file, entry.line));
        let failure = entry.outcome.is_red().then(|| {
            let record = entry.failure.unwrap_or_default();
            Box::new(red_failure(&id, entry.outcome, record, self.places, place))
        });
        let duration_ms = milliseconds(entry.duration);
        TestCase { id, outcome: entry.outcome, duration_ms, failure }
    }

    /// Something that failed outside of a test, in a file or while it was loaded.
    pub(crate) fn error(&self, kind: FailureKind, file: &str, record: FailureRecord) -> Failure {
        let place = (!file.is_empty()).then_some((file, None));
        let mut failure = red_failure("", TestOutcome::Errored, record, self.places, place);
        failure.test = None;
        failure.test_location = None;
        failure.kind = kind;
        failure
    }

    fn id(&mut self, file: &str, names: &[&str]) -> String {
        let file = if file.is_empty() { String::new() } else { self.places.id_path(file) };
        let names = names.iter().copied().filter(|name| !name.is_empty());
        let parts: Vec<&str> =
            [file.as_str()].into_iter().filter(|file| !file.is_empty()).chain(names).collect();
        let base = clean_id(&parts.join(SEPARATOR));
        let mut number = self.given.get(&base).map_or(1, |count| count + 1);
        let mut id = if number == 1 { base.clone() } else { format!("{base} #{number}") };
        // A test may be called so itself.
        while self.given.contains_key(&id) {
            number += 1;
            id = format!("{base} #{number}");
        }
        self.given.insert(base, number);
        self.given.entry(id.clone()).or_insert(1);
        id
    }
}

/// A failure from the text that a framework made of an error: its stack, often in colours.
pub(crate) fn record(text: &str) -> FailureRecord {
    let mut record = described(&strip_controls(text));
    if let Some(value) = record.message.strip_prefix("thrown: ") {
        record.error_type = thrown_type(value).to_owned();
        record.message = value.trim_matches('"').to_owned();
    } else if record.message.starts_with("expect(") || record.message.starts_with("assert") {
        record.error_type = "AssertionError".to_owned();
    }
    record
}

fn thrown_type(value: &str) -> &'static str {
    match value.chars().next() {
        Some('"') => "string",
        Some('0'..='9' | '-') => "number",
        _ if value.starts_with("undefined") => "undefined",
        _ => "object",
    }
}

pub(crate) fn text<'value>(value: &'value Value, key: &str) -> &'value str {
    value[key].as_str().unwrap_or("")
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded before")]
fn milliseconds(value: &Value) -> u64 {
    let number = value.as_f64().filter(|number| (0.0..1e15).contains(number));
    number.map_or(0, |number| number.round() as u64)
}
