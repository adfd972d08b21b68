//! What a person gets when a loop needs one: short enough for a message, whole enough to begin with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::report::{FailureKind, Location};
use crate::verdict::StopReason;
use crate::workflow::LoopStatus;

/// The name of this form of the document.
pub const ESCALATION_FORMAT: &str = "redgreen/escalation/v1";

/// A loop that ended without green, for people. All texts are clean and bounded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Escalation {
    /// [`ESCALATION_FORMAT`].
    pub format: String,
    /// The session.
    pub session: String,
    /// When the loop ended, RFC 3339.
    pub at: String,
    /// What the agent was to do.
    pub task: String,
    /// How the loop ended.
    pub status: LoopStatus,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<StopReason>,
    /// More of it, in words.
    pub detail: String,
    /// The file that was changed most.
    pub file_path: String,
    /// How many attempts counted.
    pub attempt_count: u32,
    /// How many there may be.
    pub max_attempts: u32,
    /// What is red now, the first of them.
    pub failures: Vec<EscalatedFailure>,
    /// How many more are red.
    pub failures_left_out: u64,
    /// What was thought and tried, attempt by attempt.
    pub attempts: Vec<EscalatedAttempt>,
    /// What failed when, as a history of commands.
    #[serde(rename = "failureHistory")]
    pub failure_history: FailureHistory,
    /// What a person might look at first.
    pub follow_up: String,
    /// The commands that show the same.
    pub reproduce: Vec<String>,
    /// Where the report is, from the root of the work tree.
    pub report: String,
}

/// One thing that is red at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EscalatedFailure {
    /// The test, or the check.
    pub test: String,
    /// The language's own name of the error.
    pub error_type: String,
    /// What it says.
    pub message: String,
    /// Where, in the project's own code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// One attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EscalatedAttempt {
    /// Its number.
    pub attempt: u32,
    /// What was edited: `+5/-2 lines`.
    pub edit: String,
    /// Where.
    pub files: Vec<String>,
    /// The diff, bounded.
    pub diff: String,
    /// What was seen of it: `failed (5 passed, 2 failed)`.
    pub outcome: String,
    /// Why it failed, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<String>,
    /// What was to be done about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix_strategy: Option<String>,
}

/// Which commands failed, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailureHistory {
    /// How many attempts there were.
    pub attempts: u32,
    /// Each failed command.
    pub entries: Vec<FailureEntry>,
}

/// One failed command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailureEntry {
    /// It.
    pub command: String,
    /// How it ended; none where a signal or a limit ended it.
    #[serde(rename = "exitCode", default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What sort of failure it was.
    pub kind: FailureKind,
    /// What it said, in a line.
    pub summary: String,
}
