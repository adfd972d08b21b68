//! Records as a loop of redgreen would write them, and memories to put them in.
#![allow(dead_code, reason = "every test file uses a part of it")]

use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use redgreen_memory::{Memory, RECORDED_BY, Settings};
use redgreen_model::debug_memory::{
    Analysis, Environment, Execution, Failure, FixApplied, Metadata, Record, RecordStatus,
    SourceLocation, TestResults, Verification,
};
use redgreen_model::error_class::ErrorClass;

/// The day on which everything begins.
pub fn day(number: i64) -> Timestamp {
    let begin: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    begin + SignedDuration::from_hours(24 * number)
}

/// The id of a session with a number.
pub fn session(number: u64) -> String {
    format!("00000000-0000-7000-8000-{number:012x}")
}

/// A session that passes at once.
pub fn passing(number: u64, file: &str, on: Timestamp) -> Record {
    Record {
        session_id: session(number),
        file_path: file.to_owned(),
        created_at: Some(on.to_string()),
        updated_at: Some(on.to_string()),
        status: Some(RecordStatus::Passed),
        executions: vec![execution(1, on, 0)],
        learnings: None,
        metadata: Some(Metadata {
            agent: Some("scripted".to_owned()),
            recorded_by: Some(format!("{RECORDED_BY} 0.1.0")),
            ..Metadata::default()
        }),
    }
}

/// What went wrong in a session.
#[derive(Clone, Debug)]
pub struct Trouble<'a> {
    pub fingerprint: &'a str,
    pub test: &'a str,
    pub message: &'a str,
    pub fix: &'a str,
    pub diff: &'a str,
}

impl Default for Trouble<'_> {
    fn default() -> Self {
        Self {
            fingerprint: "v1:0000000000000001",
            test: "tests/test_cart.py::test_total",
            message: "unsupported operand: None",
            fix: "Return 0 for an empty cart",
            diff: "--- a/cart.py\n+++ b/cart.py\n-    return None\n+    return 0\n",
        }
    }
}

/// A session that fails once; its fix works or does not.
pub fn troubled(
    number: u64,
    file: &str,
    on: Timestamp,
    trouble: &Trouble<'_>,
    worked: bool,
) -> Record {
    let mut record = passing(number, file, on);
    let mut first = execution(1, on, 1);
    first.failures = vec![failure(trouble)];
    first.analysis = Some(Analysis {
        root_cause: format!("The total is None where the cart is empty ({})", trouble.fingerprint),
        fix_strategy: "Return a number in every case, also the empty one".to_owned(),
        ..Analysis::default()
    });
    first.fix_applied = Some(FixApplied {
        description: trouble.fix.to_owned(),
        diff: Some(trouble.diff.to_owned()),
        files_changed: vec![file.to_owned()],
        verification: Some(if worked { Verification::Passed } else { Verification::Failed }),
        ..FixApplied::default()
    });
    let mut second = execution(2, on, u64::from(!worked));
    if !worked {
        second.failures = vec![failure(trouble)];
        record.status = Some(RecordStatus::Escalated);
    }
    record.executions = vec![first, second];
    record
}

pub fn failure(trouble: &Trouble<'_>) -> Failure {
    Failure {
        test_name: trouble.test.to_owned(),
        error_type: ErrorClass::TypeError,
        error_message: trouble.message.to_owned(),
        source_location: Some(SourceLocation {
            file: Some("shop/cart.py".to_owned()),
            line: Some(12),
            function: Some("total".to_owned()),
        }),
        fingerprint: Some(trouble.fingerprint.to_owned()),
        ..Failure::default()
    }
}

pub fn execution(attempt: u32, on: Timestamp, failed: u64) -> Execution {
    Execution {
        attempt,
        timestamp: on.to_string(),
        code_hash: "0".repeat(64),
        environment: Some(Environment {
            test_framework: Some("pytest".to_owned()),
            ..Environment::default()
        }),
        test_results: TestResults {
            total: 8,
            passed: 8 - failed,
            failed,
            ..TestResults::default()
        },
        ..Execution::default()
    }
}

pub fn memory(folder: &Path) -> Memory {
    Memory::new(folder, Settings::default())
}

pub fn memory_of(folder: &Path, records: &[Record]) -> Memory {
    let mut memory = memory(folder);
    for record in records {
        memory.write(record, day(0)).unwrap();
    }
    memory
}
