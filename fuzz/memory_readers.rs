//! Records of the debug memory, which anybody may have written, and what must hold for whatever they are.
//!
//! As in `readers.rs`, there is a fuzz target and a folder in `cases`; the tests of `redgreen-memory` read those
//! every time.

use redgreen_memory::read_record;
use redgreen_model::debug_memory::{Execution, Record};
use redgreen_model::text::{BLOCK_CHARS, strip_controls};

/// The name of the fuzz target, and of the folder in `cases`.
pub const NAME: &str = "memory_record";

/// A bounded text may have a note of what was cut.
const NOTE_CHARS: usize = 100;
/// More is not read of one record.
const EXECUTIONS_MAX: usize = 1_000;
const FAILURES_MAX: usize = 1_000;

/// Reads the bytes as JSON, as YAML and as what nobody knows. Panics where something does not hold.
pub fn hold(bytes: &[u8]) {
    for name in ["session-1.json", "session-1.yaml", "notes"] {
        let read = read_record(bytes, name);
        assert_eq!(read, read_record(bytes, name), "reading twice gives the same");
        match read {
            Err(reason) => {
                assert!(!reason.is_empty() && !reason.contains(['\n', '\u{1b}']), "{reason:?}");
            }
            Ok(record) => check(&record),
        }
    }
}

fn check(record: &Record) {
    let text = serde_json::to_string(record).expect("a record can be written");
    let again = read_record(text.as_bytes(), "session-1.json").expect("what is written is read");
    let texts = serde_json::to_value(record).expect("a record can be written");
    assert_eq!(again.executions.len(), record.executions.len(), "no execution is lost on the way");
    check_texts(&texts);
    assert!(record.executions.len() <= EXECUTIONS_MAX);
    record.executions.iter().for_each(check_execution);
}

fn check_execution(run: &Execution) {
    assert!(run.attempt >= 1 && run.failures.len() <= FAILURES_MAX);
    let results = &run.test_results;
    assert!(results.duration_ms.is_none_or(|time| time.is_finite() && time >= 0.0));
    assert!(results.coverage_percent.is_none_or(|part| (0.0..=100.0).contains(&part)));
    let sure = run.analysis.as_ref().and_then(|analysis| analysis.confidence);
    assert!(sure.is_none_or(|sure| (0.0..=1.0).contains(&sure)), "{sure:?}");
}

/// Every text in a document is clean and bounded.
fn check_texts(value: &serde_json::Value) {
    match value {
        serde_json::Value::String(text) => {
            assert_eq!(strip_controls(text), *text, "control characters");
            assert!(text.chars().count() <= BLOCK_CHARS + NOTE_CHARS);
        }
        serde_json::Value::Array(items) => items.iter().for_each(check_texts),
        serde_json::Value::Object(fields) => fields.values().for_each(check_texts),
        _ => {}
    }
}
