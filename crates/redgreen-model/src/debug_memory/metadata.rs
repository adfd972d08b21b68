//! Who worked, on what, and what memory had to do with it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::escalation::FailureHistory;
use crate::workflow::CodeType;

/// Who worked, on what, and what memory had to do with it. The first three fields are the format's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Metadata {
    /// The agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The number of the round in an outer loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ralph_iteration: Option<u32>,
    /// The program that says it saw the executions and wrote the record. A claim: the seal shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded_by: Option<String>,
    /// The kind of change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_type: Option<CodeType>,
    /// Why the loop ended without green.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Which commands failed, and how.
    #[serde(rename = "failureHistory", default, skip_serializing_if = "Option::is_none")]
    pub failure_history: Option<FailureHistory>,
    /// How much of the change its tests had to cover, and did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<CoverageSeen>,
    /// What memory had to say, and whether it helped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recalled: Option<Recalled>,
    /// Where the record came from, for one that was imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported_from: Option<String>,
    /// Shows that redgreen wrote all the rest of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<Seal>,
}

/// Shows that whoever has a key wrote a record as it is: a signature over all the rest of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Seal {
    /// How the signature is made.
    pub version: u32,
    /// The public key (Ed25519), in base64.
    pub by: String,
    /// The signature, in base64.
    pub signature: String,
}

/// How much of a change its tests had to cover, and did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageSeen {
    /// What was asked for, in per cent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_percent: Option<f64>,
    /// What was measured, in per cent; none where nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_percent: Option<f64>,
    /// Whether it was enough; none where nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub met: Option<bool>,
}

/// What memory had to say in a session, and whether it helped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recalled {
    /// Whether a brief with something in it was shown before the first edit.
    #[serde(default)]
    pub brief: bool,
    /// The sessions that were shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<String>,
    /// The patterns that were offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<String>,
    /// The fingerprints of the failures that were warned of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warned_of: Vec<String>,
    /// Those of them that appeared nevertheless.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub appeared: Vec<String>,
    /// The fingerprints of failures that appeared and were known from earlier sessions: by their cause, or by
    /// their test.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<String>,
}

impl Recalled {
    /// Adds what was shown later, each thing once.
    pub fn add(&mut self, later: &Self) {
        self.brief |= later.brief;
        for (all, more) in [
            (&mut self.sessions, &later.sessions),
            (&mut self.patterns, &later.patterns),
            (&mut self.warned_of, &later.warned_of),
            (&mut self.appeared, &later.appeared),
            (&mut self.known, &later.known),
        ] {
            for one in more {
                if !all.contains(one) {
                    all.push(one.clone());
                }
            }
        }
    }
}
