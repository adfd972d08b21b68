//! What a loop is to do, resolved once from configuration and command line, and kept with the
//! session: a change of `redgreen.toml` on the way does not change the rules.

use std::collections::BTreeMap;

use jiff::Timestamp;
use redgreen_engine::document::DocumentFacts;
use redgreen_engine::input::Settings;
use redgreen_model::config::{AnalysisBy, CheckSettings, Config, JudgeBy, OnRegression, Role};
use redgreen_model::debug_memory::Recalled;
use redgreen_model::framework::FrameworkId;
use redgreen_model::known::KnownTest;
use redgreen_model::square::Waiver;
use redgreen_model::tree::TreeHash;
use redgreen_model::workflow::{
    CodeType, DebugMemoryLink, ExecutionConfig, ExecutionGate, ProgressMetric, RalphIntegration,
};

use redgreen_redact::redact;
use redgreen_workspace::Workspace;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::RunnerError;
use crate::gate::SaidKind;
use crate::secrets::shown_variable;

/// What stands for the prompt in a template.
const PROMPT: &str = "{{prompt}}";
/// The longest time limit that the workflow document can say.
const DOCUMENT_TIMEOUT_MAX_SECONDS: u64 = 600;
/// The shortest time limit that the workflow document can say.
const DOCUMENT_TIMEOUT_MIN_SECONDS: u64 = 5;

/// A check with its name and framework.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedCheck {
    /// Its name: unique in the plan.
    pub name: String,
    /// Its framework.
    pub framework: FrameworkId,
    /// Everything else.
    pub settings: CheckSettings,
}

impl PlannedCheck {
    /// What makes it green.
    pub fn judge_by(&self) -> JudgeBy {
        self.settings.judge_by
    }
}

/// The checks of a configuration, with names and frameworks.
pub fn planned_checks(config: &Config) -> Result<Vec<PlannedCheck>, RunnerError> {
    let recognise = |settings: &CheckSettings| {
        redgreen_frameworks::detect(&settings.command).unwrap_or(FrameworkId::OTHER)
    };
    let checks = config
        .resolve_checks(recognise)
        .map_err(|error| RunnerError::Configuration(error.to_string()))?;
    Ok(checks
        .into_iter()
        .map(|check| PlannedCheck {
            name: check.name,
            framework: check.framework,
            settings: check.settings,
        })
        .collect())
}

/// How an agent is started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedAgent {
    /// Its name.
    pub name: String,
    /// What starts it.
    #[serde(flatten)]
    pub start: PlannedStart,
    /// How long one start may take.
    pub timeout_seconds: u64,
    /// What is put around what it is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
}

impl PlannedAgent {
    /// What it is asked, with its template.
    pub(crate) fn asked(&self, prompt: &str) -> String {
        match &self.template {
            None => prompt.to_owned(),
            Some(template) if template.contains(PROMPT) => template.replace(PROMPT, prompt),
            Some(template) => format!("{}\n\n{prompt}", template.trim_end()),
        }
    }
}

/// What starts an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PlannedStart {
    /// A shell command.
    Command {
        /// It.
        command: String,
    },
    /// An agent that redgreen knows.
    Known {
        /// Its name.
        agent: String,
        /// The model that it is to use.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// More arguments.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        args: Vec<String>,
    },
}

/// Everything that a loop needs to know, fixed at its start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The session's id.
    pub session: String,
    /// The task.
    pub task: String,
    /// The kind of change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_type: Option<CodeType>,
    /// Whether it was an agent that named it.
    #[serde(default)]
    pub kind_by_agent: bool,
    /// The agent.
    pub agent: PlannedAgent,
    /// The agent for the action `senior_agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub senior: Option<PlannedAgent>,
    /// Those with a role beside coder and senior.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<Role, PlannedAgent>,
    /// The checks.
    pub checks: Vec<PlannedCheck>,
    /// The rest of the configuration.
    pub config: Config,
    /// Whether the agent lives outside and is met each time it wants to end: the gate.
    #[serde(default)]
    pub hosted: bool,
    /// The tree that the change is compared with, where that is not the one that is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<TreeHash>,
    /// What a person had waived before the agent came: nothing later counts in this loop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waived: Vec<Waiver>,
    /// Whether nothing that was seen before is used again.
    #[serde(default)]
    pub fresh: bool,
    /// What an agent that lives outside got from the debug memory when its session began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub briefed: Option<Recalled>,
    /// A change that is there already, judged once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single: Option<Single>,
    /// Since when a change outside of the tree counts.
    #[serde(default)]
    pub outside: OutsideSince,
    /// The outer loop that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outer: Option<OuterLink>,
    /// The tests that a person knows to be red: read from the tree as the session begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<KnownTest>,
    /// Checks that say whether the task is done: that they do not run before it is no fault of the tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepting: Vec<String>,
    /// The template for what an agent is told of a red run: read as the session begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback_template: Option<String>,
}

/// The outer loop that a loop belongs to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OuterLink {
    /// Its id.
    pub id: String,
    /// The number of the iteration.
    pub iteration: u32,
    /// How much the share of passing tests weighs in its progress.
    pub pass_rate_weight: f64,
    /// Whether it works through a plan of ours, which decides when people are called.
    #[serde(default)]
    pub has_plan: bool,
}

impl OuterLink {
    fn document(&self) -> RalphIntegration {
        RalphIntegration {
            loop_id: Some(self.id.clone()),
            iteration: Some(self.iteration.into()),
            execution_gate: Some(ExecutionGate::default()),
            debug_memory: Some(DebugMemoryLink::default()),
            progress_metric: Some(ProgressMetric {
                include_test_pass_rate: self.pass_rate_weight > 0.0,
                weight: self.pass_rate_weight,
            }),
        }
    }
}

/// Since when a change of what git does not keep counts: tests that need it pass in no fresh checkout.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "since", rename_all = "snake_case")]
pub enum OutsideSince {
    /// Since the agent of the loop came.
    #[default]
    Agent,
    /// Since this moment, RFC 3339.
    Moment {
        /// It.
        at: String,
    },
    /// Whatever is there counts, in a home that is empty.
    Always {
        /// Whether the network is taken away, too.
        offline: bool,
    },
    /// Nobody looks there.
    Never,
}

impl OutsideSince {
    /// Since a tree that is compared with was committed, by the revision that names it. A commit has no fractions of a
    /// second, so what changed in that second counts as older.
    pub fn commit(workspace: &Workspace, revision: &str) -> Result<Self, RunnerError> {
        let seconds = workspace.committed_at(revision)?.and_then(|it| i64::try_from(it + 1).ok());
        let at = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
        Ok(at.map_or(Self::Never, |at| Self::Moment { at: at.to_string() }))
    }
}

/// A change that is there already: nobody is asked for another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Single {
    /// The tree that is judged, where it is not the one in the work tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<TreeHash>,
    /// Whether it is compared with nothing.
    #[serde(default)]
    pub alone: bool,
}

impl Plan {
    /// The plan for an agent that lives outside and is met each time it wants to end, or for a change that is there
    /// already: the tree that it is compared with is `base`.
    pub fn hosted(name: &str, config: Config, base: Option<TreeHash>) -> Result<Self, RunnerError> {
        let mut config = config;
        config.loop_settings.time_limit_seconds = None;
        Ok(Self {
            session: Uuid::now_v7().to_string(),
            task: String::new(),
            code_type: None,
            kind_by_agent: false,
            agent: PlannedAgent {
                name: name.to_owned(),
                start: PlannedStart::Command { command: String::new() },
                timeout_seconds: config.agent.timeout_seconds,
                template: None,
            },
            senior: None,
            roles: BTreeMap::new(),
            checks: planned_checks(&config)?,
            config,
            hosted: true,
            base,
            waived: Vec::new(),
            fresh: false,
            briefed: None,
            single: None,
            outside: OutsideSince::Agent,
            outer: None,
            known: Vec::new(),
            accepting: Vec::new(),
            feedback_template: None,
        })
    }

    /// The plan for a change that is there already; `of` is the command that asks. Without a `base` it is compared
    /// with nothing, without a `tree` it is what is in the work tree.
    pub fn single(
        of: &str,
        config: Config,
        base: Option<TreeHash>,
        tree: Option<TreeHash>,
    ) -> Result<Self, RunnerError> {
        let single = Some(Single { tree, alone: base.is_none() });
        let plan = Self::hosted("a person", config, base)?;
        Ok(Self { task: of.to_owned(), single, outside: OutsideSince::Never, ..plan })
    }

    /// The same for a change of which somebody said at the gate what kind it is. What the configuration says is a
    /// person's word, too, and an agent's does not count beside that.
    #[must_use]
    pub fn of_kind(self, said: Option<SaidKind>) -> Self {
        let counts = |said: &SaidKind| said.by_person || self.config.coverage.kind.is_none();
        match said.filter(counts) {
            Some(said) => {
                Self { code_type: Some(said.kind), kind_by_agent: !said.by_person, ..self }
            }
            None => self,
        }
    }

    /// Whether somebody may come back to what was done, even after a failure of the machine: nobody to a single judgement.
    pub(crate) fn lasts(&self) -> bool {
        self.single.is_none()
    }

    /// The tree that is judged, where it is not the one in the work tree.
    pub(crate) fn elsewhere(&self) -> Option<&TreeHash> {
        self.single.as_ref()?.tree.as_ref()
    }

    /// The commands of the checks as they may be stored and shown: with no secret that is in them.
    pub fn commands(&self) -> Vec<String> {
        self.checks.iter().map(|check| redact(&check.settings.command).into_owned()).collect()
    }

    /// The engine's part.
    pub(crate) fn settings(&self) -> Settings {
        let rules = &self.config.loop_settings;
        let settings = Settings {
            session: self.session.clone(),
            task: self.task.clone(),
            code_type: self.code_type.or(self.config.coverage.kind),
            kind_by_agent: self.kind_by_agent,
            retry: rules.retry_policy(),
            backoff_base_seconds: u64::from(rules.backoff_base_seconds),
            escalation: self.config.escalation_policy(),
            senior: self.senior.is_some(),
            half_edit: rules.half_edit,
            failed_first: rules.failed_first,
            retry_regression: rules.on_regression == OnRegression::Retry,
            hosted: false,
            single: false,
            alone: false,
            no_tests_yet: self.config.tests.none_yet,
            coverage: self.config.coverage.clone(),
            known: self.known.clone(),
            accepting: self.accepting.clone(),
            ask_before: rules.ask_before.clone(),
            on_no_answer: rules.on_no_answer,
            planner: self.roles.contains_key(&Role::Planner),
            test_engineer: self.roles.contains_key(&Role::TestEngineer),
            reviewer: self.roles.contains_key(&Role::Reviewer).then(|| {
                let reviewer = self.config.with_role(Role::Reviewer);
                reviewer.and_then(|(_, it)| it.blocks).unwrap_or_default()
            }),
            security_checks: {
                let is_security = |check: &&PlannedCheck| check.settings.kind.is_some();
                self.checks.iter().filter(is_security).map(|check| check.name.clone()).collect()
            },
            feedback_tokens: rules.feedback_tokens,
            feedback_template: self.feedback_template.clone(),
            mends: {
                let mend = |check: &PlannedCheck| {
                    let command = check.settings.mend.as_deref()?;
                    Some((check.name.clone(), redact(command).into_owned()))
                };
                self.checks.iter().filter_map(mend).collect()
            },
            asks_for_analysis: rules.analysis == AnalysisBy::Agent,
            fresh_start_after: rules.fresh_start_after,
        };
        match &self.single {
            Some(single) => settings.single(single.alone),
            None if self.hosted => settings.hosted(),
            None => settings,
        }
    }

    /// The workflow document's part. A limit that the document cannot say is left out.
    pub fn document_facts(&self) -> DocumentFacts {
        let check =
            self.checks.iter().find(|check| check.settings.required).or(self.checks.first());
        let execution = match check {
            None => ExecutionConfig::new(FrameworkId::OTHER.into(), ""),
            Some(check) => {
                let limit = check.settings.timeout_seconds;
                let environment = check.settings.environment.iter();
                let environment =
                    environment.map(|(name, value)| (name.clone(), shown_variable(name, value)));
                let sayable =
                    (DOCUMENT_TIMEOUT_MIN_SECONDS..=DOCUMENT_TIMEOUT_MAX_SECONDS).contains(&limit);
                ExecutionConfig {
                    timeout_seconds: u32::try_from(limit).ok().filter(|_| sayable),
                    environment: environment.collect(),
                    working_directory: Some(check.settings.folder.clone()),
                    ..ExecutionConfig::new(check.framework.into(), redact(&check.settings.command))
                }
            }
        };
        let framework = check.map_or(FrameworkId::OTHER, |check| check.framework);
        DocumentFacts {
            agent: self.agent.name.clone(),
            execution,
            language: redgreen_frameworks::adapter(framework).language(),
            debug_memory_ref: None,
            ralph_integration: self.outer.as_ref().map(OuterLink::document),
        }
    }
}
