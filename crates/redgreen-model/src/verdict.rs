//! What was decided: verdicts, classes of tests, and why a loop stopped.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::execution::TestId;

/// What redgreen says of a tree.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every required check was seen to pass on exactly this tree.
    Passed,
    /// The same but for tests that a person knows to be red, or that were red before the change and reach nothing of
    /// it, each for the same reason as then. Not a pass.
    #[serde(rename = "passed_but_for_red_before")]
    PassedBut,
    /// It could not be seen either way; the reasons say why. Never green.
    Inconclusive,
    /// Something is red.
    Failed,
    /// The tools could not do their work. Neither green nor anybody's failed attempt.
    ToolingError,
}

impl Verdict {
    /// The name in documents and for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::PassedBut => "passed_but_for_red_before",
            Self::Inconclusive => "inconclusive",
            Self::Failed => "failed",
            Self::ToolingError => "tooling_error",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// The tests of an execution against those before it, distinguished by id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestClasses {
    /// Red for the cause for which a person knows them to be red: in no other class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<TestId>,
    /// Red now and at the baseline: not charged to the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pre_existing: Vec<TestId>,
    /// Red now and not there at the baseline.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new_failures: Vec<TestId>,
    /// Red at the baseline, green now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<TestId>,
    /// Green at the baseline or in an earlier attempt, red now, confirmed by a re-run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regressed: Vec<TestId>,
    /// Both outcomes on the same tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flaky: Vec<TestId>,
    /// There at the baseline, gone now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<TestId>,
    /// Executed at the baseline, skipped now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub newly_skipped: Vec<TestId>,
}

/// Why a loop ended without green.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Every attempt was used.
    BoundedAttemptsExceeded,
    /// A test that passed before fails now.
    RegressionDetected,
    /// The agent edited nothing, or brought back a tree that was seen before.
    NoProgress,
    /// The changed lines are not covered enough.
    CoverageThresholdUnmet,
    /// The agent or the whole session reached its time limit.
    TimeoutExceeded,
    /// A security finding.
    SecurityIssueFound,
    /// A failure whose type could not be determined, and the policy stops on it.
    UnknownErrorType,
    /// The tools could not do their work.
    ToolingError,
    /// The agent's command failed.
    AgentFailed,
    /// The agent said that it is stuck.
    AgentGaveUp,
    /// There is no test that could be run, and there was none before.
    NoTests,
    /// A person was to be asked before a step, and nobody answered, or there is nobody to do what they want.
    PersonNeeded,
    /// A person did not let it go on.
    StoppedByPerson,
}

impl StopReason {
    /// The name in documents and for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BoundedAttemptsExceeded => "bounded_attempts_exceeded",
            Self::RegressionDetected => "regression_detected",
            Self::NoProgress => "no_progress",
            Self::CoverageThresholdUnmet => "coverage_threshold_unmet",
            Self::TimeoutExceeded => "timeout_exceeded",
            Self::SecurityIssueFound => "security_issue_found",
            Self::UnknownErrorType => "unknown_error_type",
            Self::ToolingError => "tooling_error",
            Self::AgentFailed => "agent_failed",
            Self::AgentGaveUp => "agent_gave_up",
            Self::NoTests => "no_tests",
            Self::PersonNeeded => "person_needed",
            Self::StoppedByPerson => "stopped_by_person",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
