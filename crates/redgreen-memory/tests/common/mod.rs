//! Records as a loop of redgreen would write them, and memories to put them in.
#![allow(dead_code, reason = "every test file uses a part of it")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use redgreen_memory::{Memory, Notary, RECORDED_BY, Settings, sealed_digest};
use redgreen_model::debug_memory::{
    Analysis, Environment, Execution, Failure, FixApplied, Metadata, Record, RecordStatus, Seal,
    SourceLocation, TestResults, Verification,
};
use redgreen_model::error_class::ErrorClass;
use sha2::{Digest as _, Sha256};

/// Keys as tests need them: a name, whose signature anybody can make. What keys can do is for `redgreen-evidence`.
#[derive(Clone, Debug)]
pub struct Names {
    pub own: Option<&'static str>,
    pub known: Vec<&'static str>,
}

/// Where the indexes of these memories are.
pub const INDEXES: &str = ".indexes";

/// The key that everything is sealed with.
pub const OWN: &str = "own";

impl Default for Names {
    fn default() -> Self {
        Self { own: Some(OWN), known: vec![OWN] }
    }
}

fn signature(key: &str, digest: &[u8; 32]) -> String {
    let digest = Sha256::new().chain_update(key).chain_update(digest).finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Notary for Names {
    fn sign(&self, digest: &[u8; 32]) -> Result<(String, String), String> {
        let own = self.own.ok_or("there is none")?;
        Ok((own.to_owned(), signature(own, digest)))
    }

    fn has_signed(&self, key: &str, signed: &str, digest: &[u8; 32]) -> bool {
        signed == signature(key, digest)
    }

    fn knows(&self, key: &str) -> bool {
        self.known.contains(&key)
    }

    fn own_key(&self) -> Option<String> {
        self.own.map(str::to_owned)
    }

    fn stamp(&self) -> i64 {
        let digest = Sha256::digest(self.known.join(" "));
        i64::from_le_bytes(digest[..8].try_into().unwrap())
    }

    fn take_problem(&self) -> Option<String> {
        None
    }
}

/// The text of a record that is sealed with a key, as redgreen writes it.
pub fn sealed_by(key: &str, record: &Record) -> String {
    let mut record = record.clone();
    let digest = sealed_digest(&serde_json::to_value(&record).unwrap()).unwrap();
    let seal = Seal { version: 1, by: key.to_owned(), signature: signature(key, &digest) };
    record.metadata.as_mut().unwrap().seal = Some(seal);
    serde_json::to_string_pretty(&record).unwrap()
}

/// The same, with the key that everything is sealed with.
pub fn sealed(record: &Record) -> String {
    sealed_by(OWN, record)
}

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
    memory_with(folder, Settings::default())
}

pub fn memory_with(folder: &Path, settings: Settings) -> Memory {
    memory_by(folder, settings, Names::default())
}

/// A memory with these keys. Its index is in its folder, and goes with it; elsewhere it is nowhere near.
pub fn memory_by(folder: &Path, settings: Settings, names: Names) -> Memory {
    Memory::new(folder, Ok(&folder.join(INDEXES)), settings, Arc::new(names))
}

/// The index of such a memory.
pub fn index_of(folder: &Path) -> PathBuf {
    memory(folder).index_file().unwrap()
}

/// The index, and what SQLite puts beside it.
pub fn index_files(folder: &Path) -> [PathBuf; 3] {
    ["index.sqlite3", "index.sqlite3-wal", "index.sqlite3-shm"]
        .map(|name| index_of(folder).with_file_name(name))
}

/// A memory for which these keys count.
pub fn memory_knowing(folder: &Path, known: &[&'static str]) -> Memory {
    let names = Names { known: known.to_vec(), ..Names::default() };
    memory_by(folder, Settings::default(), names)
}

pub fn memory_of(folder: &Path, records: &[Record]) -> Memory {
    let mut memory = memory(folder);
    for record in records {
        memory.write(record, day(0)).unwrap();
    }
    memory
}
