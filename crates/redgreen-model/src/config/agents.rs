//! `[agents.NAME]`: more agents, each by its name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[agents.NAME]`: an agent that a workflow document can name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedAgent {
    /// The shell command that starts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub command: Option<String>,
    /// In place of a command: an agent that redgreen knows, as `redgreen run --agent` names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub agent: Option<String>,
    /// With `agent`: the model that it is to use, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub model: Option<String>,
    /// With `agent`: more arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// How long one start may take, in seconds.
    #[serde(default = "super::agent_timeout_seconds")]
    #[schemars(range(min = 5, max = 86_400))]
    pub timeout_seconds: u64,
}
