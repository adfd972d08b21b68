//! The outer loop a run may belong to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::yes;

const DEFAULT_PASS_RATE_WEIGHT: f64 = 0.3;

/// The outer loop a run belongs to, and what it expects of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RalphIntegration {
    /// Identifies the outer loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loop_id: Option<String>,
    /// Which round of the outer loop this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<i64>,
    /// What has to hold before the outer loop goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_gate: Option<ExecutionGate>,
    /// How the rounds share what was learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debug_memory: Option<DebugMemoryLink>,
    /// How test results count as progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress_metric: Option<ProgressMetric>,
}

/// What has to hold before the outer loop goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionGate {
    /// Whether the tests have to pass.
    #[serde(default = "yes")]
    pub require_passing_tests: bool,
    /// Whether the execution may be left out.
    #[serde(default)]
    pub allow_skip: bool,
}

impl Default for ExecutionGate {
    fn default() -> Self {
        Self { require_passing_tests: true, allow_skip: false }
    }
}

/// How the rounds of an outer loop share what was learned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DebugMemoryLink {
    /// Whether every round leaves a record.
    #[serde(default = "yes")]
    pub persist_per_iteration: bool,
    /// Whether a round uses the records of earlier ones.
    #[serde(default = "yes")]
    pub cross_iteration_learning: bool,
}

impl Default for DebugMemoryLink {
    fn default() -> Self {
        Self { persist_per_iteration: true, cross_iteration_learning: true }
    }
}

/// How test results count as progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgressMetric {
    /// Whether the share of passing tests counts.
    #[serde(default = "yes")]
    pub include_test_pass_rate: bool,
    /// How much it counts.
    #[serde(default = "pass_rate_weight")]
    pub weight: f64,
}

fn pass_rate_weight() -> f64 {
    DEFAULT_PASS_RATE_WEIGHT
}

impl Default for ProgressMetric {
    fn default() -> Self {
        Self { include_test_pass_rate: true, weight: DEFAULT_PASS_RATE_WEIGHT }
    }
}
