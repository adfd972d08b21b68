//! The debug-memory record `debug-memory/v1`: what one loop tried, what failed, why, and what was
//! learned from it, as other tools read and write it.
//!
//! The types are what redgreen writes, and the JSON Schema is generated from them
//! ([`debug_memory_schema`]). The format forbids no additional property: what redgreen knows beyond it
//! (the language's own name of an error, the fingerprint, what was recalled) stands beside its fields.

mod edit;
mod execution;
pub mod layout;
mod learnings;
mod metadata;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use edit::{AGENT_SAID, edit_words};
pub use execution::{
    Analysis, Environment, Execution, Failure, FixApplied, RootCauseCategory, SimilarIssue,
    SourceLocation, TestResults, Verification,
};
pub use learnings::{
    IdentifiedPattern, Learnings, QualityIssue, RecurringFailure, Resolution, Severity,
};
pub use metadata::{CoverageSeen, Metadata, Recalled, Seal};

use crate::document::schema;
use crate::workflow::words::wire_enum;

/// Where the schema of the debug-memory record is known under.
pub const DEBUG_MEMORY_SCHEMA_ID: &str = "https://aiwg.io/schemas/debug-memory/v1";

/// The record of one loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// Identifies the loop.
    #[schemars(extend("format" = "uuid"))]
    pub session_id: String,
    /// The file that was worked on most.
    pub file_path: String,
    /// When the loop started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub created_at: Option<String>,
    /// When the record was last written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub updated_at: Option<String>,
    /// What became of the loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<RecordStatus>,
    /// Every execution, in order.
    pub executions: Vec<Execution>,
    /// What was learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learnings: Option<Learnings>,
    /// Who worked, on what, and what memory had to do with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
}

wire_enum! {
    /// What became of a loop, in the words of the record. It has none for an aborted one: that is
    /// `failed`, and the reason is in the metadata.
    pub enum RecordStatus: "status" {
        /// It is still running, or was killed.
        InProgress = "in_progress",
        /// The tests pass.
        Passed = "passed",
        /// The tests fail.
        Failed = "failed",
        /// It was handed to somebody else.
        Escalated = "escalated",
    }
}

/// The JSON Schema (draft 2020-12) of the debug-memory record, generated from [`Record`].
pub fn debug_memory_schema() -> serde_json::Value {
    schema::generate::<Record>(DEBUG_MEMORY_SCHEMA_ID, "Debug-memory record")
}
