//! `redgreen.toml`: what is checked, by whom it is repaired, and within which bounds.

mod agents;
mod check;
mod coverage;
mod memory;
mod notify;
mod parse;
mod render;
mod rules;
mod source;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{Position, schema};
use crate::framework::FrameworkId;
use crate::workflow::words::wire_enum;
use crate::workflow::{
    Backoff, EscalationAction, EscalationCondition, EscalationPolicy, EscalationTrigger,
    ReportItem, RetryPolicy,
};

pub use agents::{Blocks, NamedAgent, Role};
pub use check::{
    Check, CheckKind, CheckSettings, DEFAULT_CHECK_TIMEOUT_SECONDS, DuplicateCheckName, JudgeBy,
};
pub use coverage::{CoverageMode, CoverageSettings, Mutants, MutantsWord};
pub use memory::{DEFAULT_MEMORY_LOCATION, MemoryFormat, MemorySettings};
pub use notify::{Channel, MailSecurity, NotifySettings};
pub use render::{InitAnswers, to_commented_toml};
pub use rules::compile_globs;

/// Where the schema of `redgreen.toml` is known under.
pub const CONFIG_SCHEMA_ID: &str = "urn:redgreen:schema:redgreen-toml:v1";

/// Everything a `redgreen.toml` says. Every part may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// How the loop tries, waits and stops.
    #[serde(rename = "loop")]
    pub loop_settings: LoopSettings,
    /// The agent that writes the code.
    pub agent: AgentSettings,
    /// More agents, by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<String, NamedAgent>,
    /// What has to be green.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckSettings>,
    /// What judges the code, beside what the frameworks say.
    #[serde(skip_serializing_if = "TestSettings::is_default")]
    pub tests: TestSettings,
    /// What the gate lets through beside what was seen to pass.
    #[serde(skip_serializing_if = "GateSettings::is_default")]
    pub gate: GateSettings,
    /// Who may own what tests expect now.
    #[serde(skip_serializing_if = "SquareSettings::is_default")]
    pub square: SquareSettings,
    /// How much of a change tests have to run.
    #[serde(skip_serializing_if = "CoverageSettings::is_default")]
    pub coverage: CoverageSettings,
    /// What is remembered of loops, where and for how long.
    #[serde(skip_serializing_if = "MemorySettings::is_default")]
    pub memory: MemorySettings,
    /// How people hear of a loop that needs them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notify: Vec<NotifySettings>,
    /// Bounds on what redgreen itself uses.
    pub limits: Limits,
}

impl Config {
    /// The agent with a role, and its name.
    pub fn with_role(&self, role: Role) -> Option<(&str, &NamedAgent)> {
        let mut agents = self.agents.iter();
        agents
            .find(|(_, agent)| agent.role == Some(role))
            .map(|(name, agent)| (name.as_str(), agent))
    }

    /// The part of the settings that the workflow document calls the escalation policy.
    pub fn escalation_policy(&self) -> EscalationPolicy {
        let triggers = self.loop_settings.escalation.iter().map(EscalationTrigger::from).collect();
        let notification = self.notify.iter().find_map(NotifySettings::notification);
        EscalationPolicy { triggers, notification }
    }
}

/// `[loop]`: how the loop tries, waits and stops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LoopSettings {
    /// How often the agent is asked for code, the first time included.
    #[schemars(range(min = 1, max = 10))]
    pub max_attempts: u32,
    /// How the pause before the next attempt grows.
    pub backoff: Backoff,
    /// The first pause, in seconds.
    #[schemars(range(min = 0, max = 3600))]
    pub backoff_base_seconds: u32,
    /// Whether a person is asked when the attempts are used up.
    pub escalation_on_max: bool,
    /// Whether the loop stops when a fix breaks a test that an earlier attempt had green.
    pub abort_on_regression: bool,
    /// What happens then.
    pub on_regression: OnRegression,
    /// How long the whole session may take, in seconds. Without it only the attempts, the agent and
    /// the checks are bounded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 2_592_000))]
    pub time_limit_seconds: Option<u64>,
    /// What happens to the work tree when the agent dies half-way.
    pub half_edit: HalfEdit,
    /// Whether the tests that failed last and those next to the change run before all the others.
    pub failed_first: FailedFirst,
    /// Who says why it is red before it is mended.
    pub analysis: AnalysisBy,
    /// After how many edits in a row that turned no test green the agent begins anew: on the best tree there was, with
    /// what was learned, and without its old thread; 0 for never.
    #[schemars(range(min = 0, max = 10))]
    pub fresh_start_after: u32,
    /// The most tokens of what an agent is told of a red run, by an estimate that is an upper bound.
    #[schemars(range(min = 600, max = 20000))]
    pub feedback_tokens: u32,
    /// A file with a template of your own for that, from the root of the work tree; the page on feedback says
    /// what may stand in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub feedback_template: Option<String>,
    /// Globs of files that tests may rewrite although they look like code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub generated: Vec<String>,
    /// The steps that a person is asked about before they are taken.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ask_before: Vec<AskBefore>,
    /// How long somebody has to answer, in seconds.
    #[schemars(range(min = 1, max = 2_592_000))]
    pub ask_timeout_seconds: u64,
    /// What happens where nobody does.
    pub on_no_answer: NoAnswer,
    /// What to do in which case, as in the workflow document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub escalation: Vec<EscalationRule>,
}

impl Default for LoopSettings {
    fn default() -> Self {
        let RetryPolicy { max_attempts, backoff, escalation_on_max, abort_on_regression } =
            RetryPolicy::default();
        Self {
            max_attempts,
            backoff,
            backoff_base_seconds: 5,
            escalation_on_max,
            abort_on_regression,
            on_regression: OnRegression::Stop,
            time_limit_seconds: None,
            half_edit: HalfEdit::Restore,
            failed_first: FailedFirst::Auto,
            analysis: AnalysisBy::Agent,
            fresh_start_after: 2,
            feedback_tokens: 1_500,
            feedback_template: None,
            generated: Vec::new(),
            ask_before: Vec::new(),
            ask_timeout_seconds: DEFAULT_ASK_TIMEOUT_SECONDS,
            on_no_answer: NoAnswer::Stop,
            escalation: Vec::new(),
        }
    }
}

impl LoopSettings {
    /// The part of the settings that the workflow document calls the retry policy.
    pub fn retry_policy(&self) -> RetryPolicy {
        RetryPolicy {
            max_attempts: self.max_attempts,
            backoff: self.backoff,
            escalation_on_max: self.escalation_on_max,
            abort_on_regression: self.abort_on_regression,
        }
    }

    /// The pause in seconds before retry number `retry`; the first retry is 1.
    pub fn delay_seconds(&self, retry: u32) -> u64 {
        self.backoff.delay_seconds(u64::from(self.backoff_base_seconds), retry)
    }
}

/// How long a person has to answer, unless said otherwise.
const DEFAULT_ASK_TIMEOUT_SECONDS: u64 = 3600;

wire_enum! {
    /// A step that a person is asked about before it is taken.
    pub enum AskBefore: "step" {
        /// The agent is asked for a fix.
        ApplyFix = "apply_fix",
        /// A change that passed is returned.
        Return = "return",
    }
}

wire_enum! {
    /// What happens where nobody answers.
    #[derive(Default)]
    pub enum NoAnswer: "way to treat silence" {
        /// The loop ends, and is handed to a person.
        #[default]
        Stop = "stop",
        /// It goes on, and that is said.
        GoOn = "go_on",
    }
}

wire_enum! {
    /// What happens when a fix breaks a test that an earlier attempt had green.
    #[derive(Default)]
    pub enum OnRegression: "way to treat a regression" {
        /// The best earlier tree is put back, and the loop ends.
        #[default]
        Stop = "stop",
        /// The best earlier tree is put back, and another fix is asked for while there are attempts.
        Retry = "retry",
    }
}

wire_enum! {
    /// Who says why it is red before it is mended.
    #[derive(Default)]
    pub enum AnalysisBy: "author of analyses" {
        /// The agent is asked for its own; where it hands in none, or none that says something new, redgreen's is used.
        #[default]
        Agent = "agent",
        /// redgreen; the agent is not asked, and heard if it has something to say.
        Own = "own",
    }
}

wire_enum! {
    /// What happens to the work tree when the agent dies half-way.
    #[derive(Default)]
    pub enum HalfEdit: "way to treat a half edit" {
        /// The tree is put back as it was before the agent started.
        #[default]
        Restore = "restore",
        /// The tree stays as the agent left it.
        Keep = "keep",
    }
}

wire_enum! {
    /// Whether some tests run before all the others.
    #[derive(Default)]
    pub enum FailedFirst: "way to order tests" {
        /// Where all of them take long.
        #[default]
        Auto = "auto",
        /// However long all of them take.
        Always = "always",
        /// All of them run at once.
        Never = "never",
    }
}

/// `[[loop.escalation]]`: what to do in one case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EscalationRule {
    /// The case.
    pub condition: EscalationCondition,
    /// What is done then.
    pub action: EscalationAction,
    /// What the report has to contain; nothing said means everything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include_in_report: Vec<ReportItem>,
}

impl From<&EscalationRule> for EscalationTrigger {
    fn from(rule: &EscalationRule) -> Self {
        Self {
            condition: rule.condition,
            action: rule.action,
            include_in_report: rule.include_in_report.clone(),
        }
    }
}

/// How long an agent may work, unless said otherwise.
pub const DEFAULT_AGENT_TIMEOUT_SECONDS: u64 = 1800;

/// `[agent]`: the agent that writes the code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentSettings {
    /// What the agent is called in records. Without a command, the agent itself, as
    /// `redgreen run --agent` names it.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The shell command that starts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub command: Option<String>,
    /// The model that an agent without a command is to use, in its own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub model: Option<String>,
    /// More arguments for an agent without a command.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// How long one start may take, in seconds.
    #[schemars(range(min = 5, max = 86_400))]
    pub timeout_seconds: u64,
    /// The agent for the action `senior_agent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub senior: Option<SeniorAgent>,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            name: "agent-command".to_owned(),
            command: None,
            model: None,
            args: Vec::new(),
            timeout_seconds: DEFAULT_AGENT_TIMEOUT_SECONDS,
            senior: None,
        }
    }
}

/// `[agent.senior]`: a second, stronger agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeniorAgent {
    /// The shell command that starts it.
    #[schemars(length(min = 1))]
    pub command: String,
    /// How long one start may take, in seconds.
    #[serde(default = "agent_timeout_seconds")]
    #[schemars(range(min = 5, max = 86_400))]
    pub timeout_seconds: u64,
}

fn agent_timeout_seconds() -> u64 {
    DEFAULT_AGENT_TIMEOUT_SECONDS
}

/// `[tests]`: what judges the code, beside what the frameworks say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TestSettings {
    /// Globs of files that are on the tests' side of a change; one that begins with `!` says that they
    /// are code. The last that matches counts, and all of them before what the frameworks know.
    /// `redgreen sides` shows what came of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Globs of files that git does not keep and that tests may need all the same, because a step that redgreen does
    /// not see makes them: they stay where it is looked whether the tests pass in a fresh checkout.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<String>,
    /// Says that the project has no tests yet. Without a check nothing is run then, and the gate lets go what nobody
    /// verified, and says so; checks that are there are run, and need not see a test.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub none_yet: bool,
}

impl TestSettings {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// `[gate]`: what the gate lets through beside what was seen to pass, and what it does by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GateSettings {
    /// Whether an agent may say that its change need not be run (`redgreen skip`); a person always may.
    pub agent_may_skip: bool,
    /// Whether the checks run in the background when an agent's session begins, so that what was red before is known
    /// whatever becomes of the installed dependencies. Only where those lie in the work tree, outside of git.
    pub record_baseline: bool,
    /// The subagents that are judged when they end, by the names that the agent has for them; `*` stands for all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<String>,
}

impl Default for GateSettings {
    fn default() -> Self {
        Self { agent_may_skip: false, record_baseline: true, roles: Vec::new() }
    }
}

impl GateSettings {
    /// Whether a subagent is judged when it ends.
    pub fn judges(&self, subagent: Option<&str>) -> bool {
        self.roles.iter().any(|role| role == "*" || Some(role.as_str()) == subagent)
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// `[square]`: who may own what tests expect now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SquareSettings {
    /// Whether an agent may declare changed expectations (`redgreen declare`); a person always may.
    pub agent_may_declare: bool,
}

impl Default for SquareSettings {
    fn default() -> Self {
        Self { agent_may_declare: true }
    }
}

impl SquareSettings {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// `[limits]`: bounds on what redgreen itself uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// How long a log on disk may get, in bytes.
    #[schemars(range(min = 4096, max = 1_099_511_627_776_u64))]
    pub log_bytes: u64,
    /// How long a process has between the request to end and being killed, in seconds.
    #[schemars(range(min = 0, max = 600))]
    pub grace_seconds: u64,
    /// How much memory a check may use, with all that it starts, in MiB. Default: half of the machine's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 64, max = 1_073_741_824_u64))]
    pub memory_mib: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { log_bytes: 64 * 1024 * 1024, grace_seconds: 5, memory_mib: None }
    }
}

/// Something wrong with a `redgreen.toml`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {}", self.what())]
pub struct ConfigError {
    /// The place in the text.
    pub position: Position,
    /// The place in the document, such as `checks[0].timeout_seconds`.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl ConfigError {
    /// The line, starting at 1.
    pub fn line(&self) -> usize {
        self.position.line
    }

    /// The character in the line, starting at 1.
    pub fn column(&self) -> usize {
        self.position.column
    }

    /// Message and hint, without the place.
    pub fn what(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}: {hint}", self.message),
            None => self.message.clone(),
        }
    }
}

/// The JSON Schema (draft 2020-12) of `redgreen.toml`, generated from [`Config`]. Editors that know
/// TOML schemas use it; what a schema cannot say (globs, unique names) only [`Config::parse`] knows.
/// Which frameworks there are is for the caller to know; without one, each name is as good.
pub fn config_schema(frameworks: &[FrameworkId]) -> serde_json::Value {
    let mut schema = schema::generate::<Config>(CONFIG_SCHEMA_ID, "redgreen.toml");
    if !frameworks.is_empty() {
        schema["$defs"]["Framework"]["enum"] = frameworks.iter().map(FrameworkId::as_str).collect();
    }
    schema
}
