//! The corners of the square, and how a test stands in one.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::execution::Execution;

/// One of the four: whose code is run with whose tests.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Corner {
    /// Old code, old tests: what was green and red before.
    Baseline,
    /// New code, old tests: what was there before must still pass.
    Referee,
    /// Old code, new tests: a test for a fix must be red here.
    Proof,
    /// New code, new tests: what the user will have.
    Run,
}

impl Corner {
    /// The corner in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Baseline => "old code, old tests",
            Self::Referee => "new code, old tests",
            Self::Proof => "old code, new tests",
            Self::Run => "new code, new tests",
        }
    }
}

impl fmt::Display for Corner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// How a test stands in a corner.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It passed.
    Green,
    /// It failed, or started and never ended.
    Red,
    /// It had both outcomes on the same tree.
    Flaky,
    /// It did not run, on purpose, or failed as declared.
    Skipped,
    /// It is not there, or could not be built or collected.
    Missing,
    /// The corner was not run, or not with this test.
    Unseen,
}

impl Standing {
    /// The name for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Green => "green",
            Self::Red => "red",
            Self::Flaky => "flaky",
            Self::Skipped => "skipped",
            Self::Missing => "missing",
            Self::Unseen => "-",
        }
    }
}

/// What was seen of a corner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "seen", rename_all = "snake_case")]
pub enum CornerSeen {
    /// The sides do not differ there: it is the run (referee) or the baseline (proof).
    Same,
    /// It was run.
    Ran {
        /// The full run, or that of the tests that matter.
        execution: Box<Execution>,
        /// The re-run of what changed its outcome.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confirm: Option<Box<Execution>>,
    },
    /// Nothing in it would say anything: the proof where no test is new.
    Needless,
    /// It could not be run.
    Unseen {
        /// Why, in words.
        reason: String,
    },
}
