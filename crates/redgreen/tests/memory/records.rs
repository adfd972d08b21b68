//! Records as a loop of redgreen would write them, and the folder of another project with some.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use redgreen_evidence::Key;
use redgreen_memory::{SEALED_AS, sealed_digest};
use serde_json::{Value, json};

use crate::common::Project;

/// Where the memory of a project is.
pub const FOLDER: &str = ".aiwg/ralph/debug-memory";

/// The id of a session with a number.
pub fn session(number: u32) -> String {
    format!("{number:08x}-0000-7000-8000-000000000000")
}

/// So many days ago.
pub fn ago(days: i64) -> String {
    (Timestamp::now() - SignedDuration::from_hours(24 * days)).to_string()
}

fn execution(attempt: u32, at: &str, failed: u32) -> Value {
    json!({
        "attempt": attempt,
        "timestamp": at,
        "code_hash": "0".repeat(64),
        "environment": { "test_framework": "pytest", "runtime": "python", "os": "linux" },
        "test_results": { "total": 8, "passed": 8 - failed, "failed": failed },
    })
}

/// A session that passed at once.
pub fn passing(number: u32, days: i64, agent: &str) -> Value {
    let at = ago(days);
    json!({
        "session_id": session(number),
        "file_path": "shop/cart.py",
        "created_at": at,
        "updated_at": at,
        "status": "passed",
        "executions": [execution(1, &at, 0)],
        "metadata": { "agent": agent, "recorded_by": "redgreen 0.1.0" },
    })
}

/// A session that failed once; its fix worked, or it escalated.
pub fn troubled(number: u32, days: i64, agent: &str, worked: bool) -> Value {
    let mut record = passing(number, days, agent);
    let at = ago(days);
    let failures = json!([{
        "test_name": "tests/test_cart.py::test_total",
        "error_type": "TypeError",
        "error_name": "TypeError",
        "error_message": "unsupported operand: None",
        "fingerprint": "v1:0000000000000001",
        "source_location": { "file": "shop/cart.py", "line": 12, "function": "total" },
    }]);
    let mut first = execution(1, &at, 1);
    first["failures"] = failures.clone();
    first["analysis"] = json!({
        "root_cause": "The total is None\nwhere the cart is empty",
        "fix_strategy": "Return a number in every case, also the empty one",
    });
    first["fix_applied"] = json!({
        "description": "Return 0 for an empty cart",
        "diff_summary": "+1/-1 lines",
        "diff": "--- a/shop/cart.py\n+++ b/shop/cart.py\n-    return None\n+    return 0\n",
        "files_changed": ["shop/cart.py"],
        "verification": if worked { "passed" } else { "failed" },
    });
    let mut second = execution(2, &at, u32::from(!worked));
    if !worked {
        second["failures"] = failures;
        record["status"] = "escalated".into();
    }
    record["executions"] = json!([first, second]);
    record
}

/// A folder of another project whose memory holds these records; beside them lies what is none.
pub fn other_project(project: &Project, records: &[Value]) -> PathBuf {
    let other = project.outside().join("other");
    place(&other.join(FOLDER), records);
    other
}

/// Writes records into the folder of a memory, as git would bring them.
pub fn place(folder: &Path, records: &[Value]) {
    let sessions = folder.join("sessions");
    fs::create_dir_all(&sessions).expect("a folder");
    for record in records {
        let name = format!("session-{}.json", record["session_id"].as_str().expect("an id"));
        fs::write(sessions.join(name), record.to_string()).expect("a file");
    }
}

/// The key of whoever runs redgreen in a project.
pub fn own_key(project: &Project) -> Key {
    Key::open_or_make(&project.home().join(".local/state/redgreen")).expect("a key")
}

/// A record with the seal of whoever has a key.
pub fn sealed(key: &Key, record: &Value) -> Value {
    let mut record = record.clone();
    let digest = sealed_digest(&record).expect("a digest");
    let (by, signature) = (key.public().to_base64(), key.sign_as(SEALED_AS, &digest));
    record["metadata"]["seal"] = json!({ "version": 1, "by": by, "signature": signature });
    record
}

/// Writes records into the memory of a project, as its user's redgreen would have.
pub fn remember(project: &Project, records: &[Value]) {
    let key = own_key(project);
    let records: Vec<Value> = records.iter().map(|record| sealed(&key, record)).collect();
    place(&project.root().join(FOLDER), &records);
}

/// The index of a project's memory, which is made if it is not there.
pub fn index(project: &Project) -> PathBuf {
    let stats = crate::memory::document(project, &["memory", "stats", "--json"], 0);
    PathBuf::from(stats["index_file"].as_str().expect("an index"))
}

/// A project with a memory of four sessions: one escalated long ago, three are of this week.
pub fn remembering() -> Project {
    let project = Project::empty();
    let records = [
        troubled(1, 100, "smith", false),
        troubled(2, 3, "smith", true),
        troubled(3, 2, "jones", true),
        passing(4, 1, "jones"),
    ];
    remember(&project, &records);
    project
}
