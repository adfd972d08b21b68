//! Histories of any length with a known structure: causes that come back in their own files, fixes that
//! work or do not, and messages that differ in their values.

use std::fs;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use redgreen_memory::RECORDED_BY;
use redgreen_model::debug_memory::{
    Analysis, Environment, Execution, Failure, FixApplied, Metadata, Record, RecordStatus,
    RootCauseCategory, SourceLocation, TestResults, Verification,
};
use redgreen_model::error_class::ErrorClass;

use crate::Outcome;
use crate::notary::OneKey;

/// Every record has so many executions.
pub const EXECUTIONS: u32 = 10;
/// So many files there are, in so many folders.
const FILES: u64 = 2_000;
const FOLDERS: u64 = 100;
/// For so many records there is one cause of its own.
const RECORDS_OF_A_CAUSE: u64 = 10;

/// Chance that is the same each time.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit.max(1)
    }
}

/// The file with a number.
pub fn file(number: u64) -> String {
    format!("src/part_{:02}/module_{:04}.py", number % FOLDERS, number % FILES)
}

/// A failure of a cause, as a record has it.
pub fn failure(cause: u64, value: u64) -> Failure {
    let names = ["KeyError", "TypeError", "AssertionError", "ValueError", "AttributeError"];
    let name = names[usize::try_from(cause % 5).unwrap_or(0)];
    Failure {
        test_name: format!("tests/part_{:02}/test_{cause}.py::test_{}", cause % FOLDERS, cause % 7),
        test_file: Some(format!("tests/part_{:02}/test_{cause}.py", cause % FOLDERS)),
        test_line: Some(12),
        error_type: ErrorClass::RuntimeError,
        error_message: format!(
            "{name}: the value {} of step_{} is not {}",
            value % 50,
            cause,
            cause % 11
        ),
        stack_trace: Some(
            format!("  File \"{}\", line 7, in step_{cause}\n", file(cause)).repeat(4),
        ),
        expected: Some("1".to_owned()),
        actual: Some(value.to_string()),
        source_location: Some(SourceLocation {
            file: Some(file(cause)),
            line: Some(7),
            function: Some(format!("step_{cause}")),
        }),
        error_name: Some(name.to_owned()),
        fingerprint: Some(format!("v1:{cause:016x}")),
        brought_by_edit: cause.is_multiple_of(2),
    }
}

/// So many causes a history of so many records has.
pub fn causes(records: u64) -> u64 {
    (records / RECORDS_OF_A_CAUSE).max(1)
}

/// The record with a number, in a history of so many.
pub fn record(number: u64, records: u64) -> Record {
    let mut chance = Chance::new(number);
    let begin = Timestamp::from_second(1_760_000_000).unwrap_or_default();
    let on = begin + SignedDuration::from_secs(i64::try_from(number * 60).unwrap_or(0));
    let passed = chance.below(10) > 0;
    let cause = chance.below(causes(records));
    let run = |attempt: u32| {
        let is_last = attempt == EXECUTIONS;
        // One after the other goes away and uncovers the next; the last may stay.
        let nth = u64::from(attempt.min(EXECUTIONS - 1));
        let here = (cause + nth) % causes(records);
        let failures =
            if is_last && passed { Vec::new() } else { vec![failure(here, number + nth)] };
        execution(attempt, on, failures, is_last, passed && attempt == EXECUTIONS - 1)
    };
    Record {
        session_id: format!("00000000-0000-7000-8000-{number:012x}"),
        file_path: file(cause),
        created_at: Some(on.to_string()),
        updated_at: Some(on.to_string()),
        status: Some(if passed { RecordStatus::Passed } else { RecordStatus::Escalated }),
        executions: (1..=EXECUTIONS).map(run).collect(),
        learnings: None,
        metadata: Some(Metadata {
            agent: Some(format!("agent-{}", number % 3)),
            recorded_by: Some(format!("{RECORDED_BY} 0.1.0")),
            ..Metadata::default()
        }),
    }
}

fn execution(
    attempt: u32,
    on: Timestamp,
    failures: Vec<Failure>,
    is_last: bool,
    works: bool,
) -> Execution {
    let failed = failures.len() as u64;
    let place = failures.first().and_then(|failure| failure.source_location.clone());
    let function = place.as_ref().and_then(|place| place.function.clone()).unwrap_or_default();
    let fix = (!failures.is_empty() && !is_last).then(|| FixApplied {
        description: format!("Change {function} for the {attempt}. time"),
        diff_summary: Some("+1/-1 lines".to_owned()),
        files_changed: place.iter().filter_map(|place| place.file.clone()).collect(),
        diff: Some(format!(
            "--- a/x.py\n+++ b/x.py\n@@ -7 +7 @@\n-    return {attempt}\n+    return {function}\n"
        )),
        verification: Some(if works { Verification::Passed } else { Verification::Failed }),
        ..FixApplied::default()
    });
    Execution {
        attempt,
        timestamp: (on + SignedDuration::from_secs(i64::from(attempt))).to_string(),
        code_hash: format!("{attempt:064x}"),
        code_snapshot: None,
        environment: Some(Environment {
            runtime: Some("python".to_owned()),
            runtime_version: Some("3.13".to_owned()),
            test_framework: Some("pytest".to_owned()),
            ..Environment::default()
        }),
        test_results: TestResults {
            total: 50,
            passed: 50 - failed,
            failed,
            ..TestResults::default()
        },
        analysis: (!failures.is_empty()).then(|| Analysis {
            root_cause: format!(
                "The function {function} returns a value that its callers do not expect"
            ),
            root_cause_category: Some(RootCauseCategory::LogicError),
            fix_strategy: format!("Let {function} return what the callers were promised"),
            confidence: Some(0.8),
            ..Analysis::default()
        }),
        failures,
        fix_applied: fix,
    }
}

/// Writes a history as git would bring it: plain files, sealed, no index.
pub fn write(folder: &Path, records: u64) -> Outcome<u64> {
    let key = OneKey::find()?;
    let sessions = folder.join("sessions");
    fs::create_dir_all(&sessions)?;
    let mut bytes = 0;
    for number in 0..records {
        let mut record = record(number, records);
        key.seal(&mut record)?;
        let text = serde_json::to_string_pretty(&record)?;
        bytes += text.len() as u64;
        fs::write(sessions.join(format!("session-{}.json", record.session_id)), text)?;
    }
    Ok(bytes)
}
