//! What the loop may do on its own, and when it has to ask.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{wire_enum, yes};

/// No pause between two attempts is longer than this.
pub const LONGEST_BACKOFF_SECONDS: u64 = 3600;

const DEFAULT_MAX_ATTEMPTS: u32 = 3;

/// How often, and with which pauses, a red run may be tried again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RetryPolicy {
    /// How many attempts there are at most.
    #[serde(default = "default_max_attempts")]
    #[schemars(range(min = 1, max = 10))]
    pub max_attempts: u32,
    /// How the pause before the next attempt grows.
    #[serde(default)]
    pub backoff: Backoff,
    /// Whether a person is asked when the attempts are used up.
    #[serde(default = "yes")]
    pub escalation_on_max: bool,
    /// Whether the loop stops when a test that passed before fails.
    #[serde(default = "yes")]
    pub abort_on_regression: bool,
}

fn default_max_attempts() -> u32 {
    DEFAULT_MAX_ATTEMPTS
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: DEFAULT_MAX_ATTEMPTS,
            backoff: Backoff::None,
            escalation_on_max: true,
            abort_on_regression: true,
        }
    }
}

wire_enum! {
    /// How the pause before the next attempt grows.
    #[derive(Default)]
    pub enum Backoff: "backoff" {
        /// No pause.
        #[default]
        None = "none",
        /// The base, twice the base, three times the base…
        Linear = "linear",
        /// The base, doubled every time.
        Exponential = "exponential",
    }
}

impl Backoff {
    /// The pause before retry number `retry` (the first is 1; there is no pause before 0), at most
    /// [`LONGEST_BACKOFF_SECONDS`].
    pub fn delay_seconds(self, base_seconds: u64, retry: u32) -> u64 {
        if retry == 0 {
            return 0;
        }
        let delay = match self {
            Self::None => 0,
            Self::Linear => base_seconds.saturating_mul(u64::from(retry)),
            Self::Exponential => base_seconds.saturating_mul(2_u64.saturating_pow(retry - 1)),
        };
        delay.min(LONGEST_BACKOFF_SECONDS)
    }
}

/// What is handed to somebody else, when, and to whom.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EscalationPolicy {
    /// What to do in which case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<EscalationTrigger>,
    /// How people hear of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notification: Option<Notification>,
}

impl EscalationPolicy {
    /// The first trigger for a condition.
    pub fn trigger_for(&self, condition: EscalationCondition) -> Option<&EscalationTrigger> {
        self.triggers.iter().find(|trigger| trigger.condition == condition)
    }
}

/// What to do in one case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EscalationTrigger {
    /// The case.
    pub condition: EscalationCondition,
    /// What is done then.
    pub action: EscalationAction,
    /// What the report has to contain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include_in_report: Vec<ReportItem>,
}

wire_enum! {
    /// A case in which the loop does not go on as usual.
    pub enum EscalationCondition: "escalation condition" {
        /// The attempts are used up.
        MaxAttemptsReached = "max_attempts_reached",
        /// A test that passed before fails.
        RegressionDetected = "regression_detected",
        /// A finding about security.
        SecurityIssueFound = "security_issue_found",
        /// The tests cover too little of the change.
        CoverageThresholdUnmet = "coverage_threshold_unmet",
        /// Something took longer than it may.
        TimeoutExceeded = "timeout_exceeded",
        /// A failure of a kind nobody knows.
        UnknownErrorType = "unknown_error_type",
    }
}

wire_enum! {
    /// What is done when the loop does not go on as usual.
    pub enum EscalationAction: "escalation action" {
        /// A person looks at it.
        HumanReview = "human_review",
        /// A stronger agent gets one more bounded round.
        SeniorAgent = "senior_agent",
        /// The loop ends with a report.
        AbortWithReport = "abort_with_report",
        /// It is noted, and the loop goes on.
        FlagAndContinue = "flag_and_continue",
    }
}

wire_enum! {
    /// A part of an escalation report.
    pub enum ReportItem: "report item" {
        /// The code as it was before.
        OriginalCode = "original_code",
        /// The results of every execution.
        AllTestResults = "all_test_results",
        /// What was thought to be the cause.
        FailureAnalyses = "failure_analyses",
        /// What was tried.
        FixAttempts = "fix_attempts",
        /// What debug memory knows of it.
        DebugMemorySummary = "debug_memory_summary",
        /// Where the failures came from.
        StackTraces = "stack_traces",
    }
}

/// How people hear of an escalation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Notification {
    /// The way the message goes.
    #[serde(default)]
    pub channel: NotificationChannel,
    /// The text of the message, with placeholders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
}

wire_enum! {
    /// A way to reach people.
    #[derive(Default)]
    pub enum NotificationChannel: "notification channel" {
        /// A comment on the issue.
        #[default]
        IssueComment = "issue_comment",
        /// The terminal.
        Cli = "cli",
        /// Slack.
        Slack = "slack",
        /// Mail.
        Email = "email",
    }
}

#[cfg(test)]
mod tests {
    use super::{Backoff, LONGEST_BACKOFF_SECONDS};

    #[test]
    fn pauses_grow_as_the_strategy_says_and_never_past_an_hour() {
        let delays = |backoff: Backoff| {
            [0, 1, 2, 3, 4, u32::MAX].map(|retry| backoff.delay_seconds(5, retry))
        };
        assert_eq!(delays(Backoff::None), [0, 0, 0, 0, 0, 0]);
        assert_eq!(delays(Backoff::Linear), [0, 5, 10, 15, 20, LONGEST_BACKOFF_SECONDS]);
        assert_eq!(delays(Backoff::Exponential), [0, 5, 10, 20, 40, LONGEST_BACKOFF_SECONDS]);
        assert_eq!(Backoff::Exponential.delay_seconds(0, u32::MAX), 0);
        assert_eq!(Backoff::Linear.delay_seconds(u64::MAX, 7), LONGEST_BACKOFF_SECONDS);
    }
}
