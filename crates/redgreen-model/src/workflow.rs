//! The workflow document `executable-feedback/v1`: one run of the feedback loop, as other tools
//! read and write it.
//!
//! The JSON Schema of the document is generated from these types ([`workflow_schema`]). Optional
//! fields without a default in the format are `Option` and left out when absent; fields with a
//! default carry it, so that a policy read from `{}` is complete.

mod coverage;
mod input;
mod policy;
mod ralph;
mod state;
pub(crate) mod words;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use coverage::{
    ApiEndpointCoverage, BugFixCoverage, CoverageRequirements, NewFunctionCoverage,
    RefactorCoverage,
};
pub use input::{Effect, FieldEffect, WorkflowInput, read_input};
pub use policy::{
    Backoff, EscalationAction, EscalationCondition, EscalationPolicy, EscalationTrigger,
    LONGEST_BACKOFF_SECONDS, Notification, NotificationChannel, ReportItem, RetryPolicy,
};
pub use ralph::{DebugMemoryLink, ExecutionGate, ProgressMetric, RalphIntegration};
pub use state::{
    Analysis, ExecutionAttempt, Failure, FixApplied, LoopState, LoopStatus, Phase, TestResults,
};
pub use words::UnknownWord;

use crate::document::schema;
use words::wire_enum;

/// Where the schema of the workflow document is known under.
pub const WORKFLOW_SCHEMA_ID: &str = "https://aiwg.io/schemas/executable-feedback/v1";

/// The time limit the format gives a test command that names none.
pub const DEFAULT_TEST_TIMEOUT_SECONDS: u32 = 120;

/// One run of the executable feedback loop: who works on what, under which policy, and how far it
/// got.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Workflow {
    /// Identifies this run.
    #[schemars(extend("format" = "uuid"))]
    pub workflow_id: String,
    /// The agent that writes the code.
    pub agent: Agent,
    /// The code that is written and tested.
    pub code_artifact: CodeArtifact,
    /// How the tests are executed.
    pub execution_config: ExecutionConfig,
    /// How often, and with which pauses, a red run may be tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_policy: Option<RetryPolicy>,
    /// How much of the change its tests have to cover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage_requirements: Option<CoverageRequirements>,
    /// What is handed to somebody else, when, and to whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalation_policy: Option<EscalationPolicy>,
    /// How far the loop got.
    pub loop_state: LoopState,
    /// The debug-memory file of this run, below `.aiwg/ralph/debug-memory/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^\.aiwg/ralph/debug-memory/"))]
    pub debug_memory_ref: Option<String>,
    /// The outer loop this run belongs to, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ralph_integration: Option<RalphIntegration>,
    /// When the run started, ended and last tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamps: Option<Timestamps>,
}

/// The agent that writes the code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Agent {
    /// What the agent is called.
    pub name: String,
    /// The part it plays.
    #[serde(rename = "type")]
    pub kind: AgentType,
    /// Its version, where it tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

wire_enum! {
    /// The part an agent plays in a team.
    pub enum AgentType: "agent type" {
        /// Writes the code.
        SoftwareImplementer = "software_implementer",
        /// Writes the tests.
        TestEngineer = "test_engineer",
        /// Finds and repairs what is broken.
        Debugger = "debugger",
        /// Reads what others wrote.
        CodeReviewer = "code_reviewer",
    }
}

/// The code that is written and tested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodeArtifact {
    /// The file the code is in.
    pub path: String,
    /// The language it is written in.
    pub language: Language,
    /// The kind of change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_type: Option<CodeType>,
    /// SHA-256 of the file as it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// The files with its tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub test_files: Vec<String>,
    /// References to the requirements it fulfils.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements_ref: Vec<String>,
}

wire_enum! {
    /// A programming language.
    pub enum Language: "language" {
        /// TypeScript.
        TypeScript = "typescript",
        /// JavaScript.
        JavaScript = "javascript",
        /// Python.
        Python = "python",
        /// Go.
        Go = "go",
        /// Rust.
        Rust = "rust",
        /// Java.
        Java = "java",
        /// Any other language.
        Other = "other",
    }
}

wire_enum! {
    /// The kind of a change: it decides what has to be proved about it.
    pub enum CodeType: "code type" {
        /// A function or module that was not there before.
        NewFunction = "new_function",
        /// The repair of a bug.
        BugFix = "bug_fix",
        /// The same behaviour in another form.
        Refactor = "refactor",
        /// An endpoint that was not there before.
        ApiEndpoint = "api_endpoint",
        /// A connection to another system.
        Integration = "integration",
    }
}

/// How the tests are executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionConfig {
    /// The framework that runs the tests.
    pub test_framework: Framework,
    /// The shell command that runs them.
    pub test_command: String,
    /// How long the command may take; absent where the limit is beyond what the format can say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 5, max = 600), extend("default" = 120))]
    pub timeout_seconds: Option<u32>,
    /// Environment variables for the command.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// The folder the command runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_directory: Option<String>,
    /// Whether the first failure ends the run.
    #[serde(default)]
    pub fail_fast: bool,
    /// Whether the command prints as much as it can.
    #[serde(default = "words::yes")]
    pub verbose: bool,
}

impl ExecutionConfig {
    /// A configuration with the defaults of the format.
    pub fn new(test_framework: Framework, test_command: impl Into<String>) -> Self {
        Self {
            test_framework,
            test_command: test_command.into(),
            timeout_seconds: None,
            environment: BTreeMap::new(),
            working_directory: None,
            fail_fast: false,
            verbose: true,
        }
    }

    /// The time limit that applies: the given one, or the default of the format.
    pub fn effective_timeout_seconds(&self) -> u32 {
        self.timeout_seconds.unwrap_or(DEFAULT_TEST_TIMEOUT_SECONDS)
    }
}

wire_enum! {
    /// A test framework.
    pub enum Framework: "test framework" {
        /// Jest.
        Jest = "jest",
        /// Vitest.
        Vitest = "vitest",
        /// pytest.
        Pytest = "pytest",
        /// `go test`.
        GoTest = "go_test",
        /// `cargo test`, and runners that take its place.
        CargoTest = "cargo_test",
        /// JUnit.
        Junit = "junit",
        /// Mocha.
        Mocha = "mocha",
        /// Any other framework.
        Other = "other",
    }
}

/// When a run started, ended and last tried.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Timestamps {
    /// When the run started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub started_at: Option<String>,
    /// When the run ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub completed_at: Option<String>,
    /// When the tests were last executed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub last_attempt_at: Option<String>,
}

/// The JSON Schema (draft 2020-12) of the workflow document, generated from [`Workflow`].
pub fn workflow_schema() -> serde_json::Value {
    schema::generate::<Workflow>(WORKFLOW_SCHEMA_ID, "Executable feedback workflow")
}
