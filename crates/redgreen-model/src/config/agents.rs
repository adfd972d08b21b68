//! `[agents.NAME]`: more agents, each by its name and with a role.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::review::Severity;
use crate::workflow::words::wire_enum;

/// `[agents.NAME]`: an agent, and what it does. By default one agent plans, codes and writes tests, and redgreen
/// verifies and reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedAgent {
    /// What it does in a loop. Without one it does nothing by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
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
    /// A file of the project that is put around what it is asked: `{{prompt}}` in it is that; without it, the file
    /// stands before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub template: Option<String>,
    /// For a reviewer: from which severity on a finding blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Blocks>,
}

wire_enum! {
    /// What an agent does in a loop.
    pub enum Role: "role" {
        /// Says how the task is to be done, before anybody edits.
        Planner = "planner",
        /// Writes the code.
        Coder = "coder",
        /// Writes the tests, and does not see what the coder said.
        TestEngineer = "test_engineer",
        /// Looks at a change that passed.
        Reviewer = "reviewer",
        /// Writes a summary for people.
        Reporter = "reporter",
        /// Takes over where the policy says so.
        Senior = "senior",
    }
}

wire_enum! {
    /// From which severity on a finding of a reviewer blocks.
    #[derive(Default)]
    pub enum Blocks: "way to treat findings" {
        /// All are listed only.
        Never = "never",
        /// Errors block, the others are listed.
        #[default]
        Error = "error",
        /// Warnings block, too.
        Warning = "warning",
        /// Every finding blocks.
        Info = "info",
    }
}

impl Blocks {
    /// Whether a finding of this severity blocks.
    pub fn includes(self, severity: Severity) -> bool {
        match self {
            Self::Never => false,
            Self::Error => severity == Severity::Error,
            Self::Warning => severity >= Severity::Warning,
            Self::Info => true,
        }
    }
}
