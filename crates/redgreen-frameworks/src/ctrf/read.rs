//! From a CTRF document to a report.

use redgreen_model::report::{Report, TestCase, TestOutcome};
use serde_json::Value;

use crate::identity::cleaned;
use crate::notes::Notes;
use crate::place::Places;
use crate::salvage;
use crate::stack::frames_in;
use crate::stream::{FailureRecord, red_failure};
use crate::unique::Unique;
use crate::wordings::sides;

/// Whether this looks like the beginning of a CTRF document.
pub(crate) fn is_ctrf(head: &str) -> bool {
    let head = head.trim_start_matches('\u{feff}').trim_start();
    head.starts_with('{')
        && (head.contains("\"reportFormat\"") && head.contains("CTRF")
            || head.contains("\"results\"")
                && (head.contains("\"tests\"") || head.contains("\"tool\"")))
}

/// Reads a CTRF document. Never fails: of one that is cut or malformed, the tests before that are
/// read, and it is said. Totals are counted from the tests, never taken from the summary.
pub fn read(bytes: &[u8], places: Places<'_>) -> Report {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = Reader { places, unique: Unique::default(), notes: Notes::default() };
    let mut report = Report { began: true, complete: true, ..Report::default() };
    match serde_json::from_slice::<Value>(bytes) {
        Ok(document) => match document["results"]["tests"].as_array() {
            Some(tests) => {
                report.tests = tests.iter().filter_map(|test| reader.test(test)).collect();
                report.complete &= reader.compare(&document["results"]["summary"], &report);
            }
            None => {
                (report.began, report.complete) = (false, false);
                reader.notes.add("CTRF: the document has no list results.tests");
            }
        },
        Err(error) => {
            report.tests = salvage::entries(bytes, b"\"tests\"")
                .iter()
                .filter_map(|test| reader.test(test))
                .collect();
            (report.began, report.complete) = (!report.tests.is_empty(), false);
            let count = report.tests.len();
            let what =
                format!("CTRF: not valid JSON ({error}); {count} tests were read before that");
            reader.notes.add(&what);
        }
    }
    report.diagnostics = reader.notes.finish();
    report
}

struct Reader<'paths> {
    places: Places<'paths>,
    unique: Unique,
    notes: Notes,
}

impl Reader<'_> {
    fn test(&mut self, test: &Value) -> Option<TestCase> {
        if !test.is_object() {
            self.notes.add("CTRF: an entry of results.tests is no object");
            return None;
        }
        let outcome = outcome(test);
        let id = self.unique.id(cleaned(self.id(test)));
        if test["flaky"] == true && outcome == TestOutcome::Passed {
            self.notes.add(&format!("{id} failed, and passed when its runner repeated it"));
        }
        let failure = outcome.is_red().then(|| {
            let record = record(test);
            let line = test["line"].as_u64().and_then(|line| u32::try_from(line).ok());
            let place = text(test, "filePath").map(|file| (file, line));
            Box::new(red_failure(&id, outcome, record, self.places, place))
        });
        let duration_ms = milliseconds(&test["duration"]);
        Some(TestCase { id, outcome, duration_ms, failure })
    }

    fn id(&self, test: &Value) -> String {
        let own = &test["extra"]["redgreen"];
        if let (Some(check), Some(id)) = (own["check"].as_str(), own["test"].as_str()) {
            return format!("{check}.{id}");
        }
        let name = text(test, "name").unwrap_or("(without a name)");
        let suite = match &test["suite"] {
            Value::String(suite) => suite.clone(),
            Value::Array(suites) => {
                suites.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" > ")
            }
            _ => String::new(),
        };
        let file = text(test, "filePath").map(|file| self.places.id_path(file));
        let parts = [file.as_deref().unwrap_or(""), &suite, name];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        match parts.as_slice() {
            [file, rest @ ..] if parts.len() > 1 && !file.is_empty() => {
                format!("{file}::{}", rest.join(" > "))
            }
            parts => parts.join(" > "),
        }
    }

    /// A summary that says something else is worth a remark; one that counts more red tests than there
    /// are says that some are missing.
    fn compare(&mut self, summary: &Value, report: &Report) -> bool {
        let counts = report.counts();
        let red = counts.failed + counts.errors;
        let said = summary["tests"].as_u64();
        if let Some(said) = said.filter(|said| *said != counts.total) {
            let total = counts.total;
            self.notes.add(&format!("CTRF: the summary says {said} tests, {total} are there"));
        }
        let said = summary["failed"]
            .as_u64()
            .map(|failed| failed + summary["other"].as_u64().unwrap_or(0));
        if let Some(said) = said.filter(|said| *said != red) {
            self.notes.add(&format!("CTRF: the summary says {said} red, {red} are there"));
        }
        said.is_none_or(|said| said <= red)
    }
}

/// A status that is not known is no pass.
fn outcome(test: &Value) -> TestOutcome {
    let exact = test["extra"]["redgreen"]["outcome"].clone();
    if let Ok(outcome) = serde_json::from_value(exact) {
        return outcome;
    }
    match text(test, "status").unwrap_or("") {
        "passed" => TestOutcome::Passed,
        "failed" => TestOutcome::Failed,
        "skipped" | "pending" => TestOutcome::Skipped,
        _ => TestOutcome::Errored,
    }
}

fn record(test: &Value) -> FailureRecord {
    let stack = text(test, "trace");
    let head = stack.and_then(|stack| stack.lines().find(|line| !line.trim().is_empty()));
    let status = text(test, "rawStatus").or_else(|| text(test, "status")).unwrap_or("none");
    let message = text(test, "message")
        .or(head)
        .map_or_else(|| format!("its status is {status}, and no message says why"), str::to_owned);
    let (expected, actual) = sides(&message);
    let error_type = text(&test["extra"]["redgreen"], "error_type")
        .map(str::to_owned)
        .or_else(|| type_in(&message))
        .or_else(|| type_in(head?));
    FailureRecord {
        error_type: error_type.unwrap_or_default(),
        expected,
        actual,
        stack: stack.map(str::to_owned),
        frames: frames_in(stack.unwrap_or("")),
        message,
        phase: None,
    }
}

/// `TypeError: x is not a function`
fn type_in(text: &str) -> Option<String> {
    let (word, _) = text.trim_start().split_once(':')?;
    let word = word.rsplit('.').next()?;
    let named = ["Error", "Exception", "Failure"].iter().any(|end| word.ends_with(end));
    (named && word.chars().all(char::is_alphanumeric)).then(|| word.to_owned())
}

fn text<'value>(value: &'value Value, key: &str) -> Option<&'value str> {
    value[key].as_str().filter(|text| !text.is_empty())
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded before")]
fn milliseconds(value: &Value) -> u64 {
    let number = value.as_f64().filter(|number| (0.0..1e15).contains(number));
    number.map_or(0, |number| number.round() as u64)
}
