//! `redgreen run --workflow FILE`: a workflow document as what is to be done.

use std::path::Path;

use redgreen_model::config::{
    AgentSettings, Channel, CheckSettings, Config, EscalationRule, NotifySettings,
};
use redgreen_model::digest::sha256;
use redgreen_model::document::Syntax;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::workflow::{
    CodeType, Effect, ExecutionConfig, Framework, Notification, NotificationChannel,
    RalphIntegration, Workflow, WorkflowInput, read_input,
};
use redgreen_runner::plan::OuterLink;

use super::startable;
use crate::display;
use crate::failure::Failure;

/// Bytes of a SHA-256.
const SHA256_BYTES: usize = 32;

/// A document that can be run.
pub struct Order {
    input: WorkflowInput,
    name: String,
}

impl Order {
    /// Reads a document. Fields that cannot be followed are named, and nothing begins.
    pub fn read(name: &str) -> Result<Self, Failure> {
        let text = super::super::validate::read(name)?;
        let input = read_input(&text, Syntax::of_file_name(name)).map_err(|problems| {
            let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
            Failure::usage(format!("{name}: {}", all.join("; ")))
                .hint(format!("`redgreen validate {name}` says what each field does"))
        })?;
        let refused: Vec<String> =
            input.refused().map(|field| format!("{}: {}", field.field, field.how)).collect();
        if !refused.is_empty() {
            let text = format!("{name} cannot be followed in all it says: {}", refused.join("; "));
            return Err(Failure::usage(text)
                .hint(format!("`redgreen validate {name}` says what each field does")));
        }
        for field in input.fields.iter().filter(|field| field.effect == Effect::Seen) {
            display::note(&format!("{name}: {} is not taken over: {}", field.field, field.how));
        }
        Ok(Self { input, name: name.to_owned() })
    }

    /// What the agent is to do.
    pub fn task(&self) -> String {
        self.input.task()
    }

    /// The kind of change.
    pub fn code_type(&self) -> Option<CodeType> {
        self.input.workflow.code_artifact.code_type
    }

    /// Whether its tests are still to be written: then it is no fault of the tools that the check does not run.
    pub fn brings_tests(&self, root: &Path) -> bool {
        let tests = &self.input.workflow.code_artifact.test_files;
        !tests.is_empty() && tests.iter().all(|path| !root.join(path).exists())
    }

    /// The outer loop that it says it belongs to.
    pub fn outer(&self) -> Option<OuterLink> {
        let RalphIntegration { loop_id, iteration, progress_metric, .. } =
            self.input.workflow.ralph_integration.clone()?;
        let metric = progress_metric.unwrap_or_default();
        Some(OuterLink {
            id: loop_id?,
            iteration: u32::try_from(iteration.unwrap_or(1)).unwrap_or(1),
            pass_rate_weight: if metric.include_test_pass_rate { metric.weight } else { 0.0 },
            has_plan: false,
        })
    }

    /// The configuration of the project with what the document says; `is_given` says that the command line names the
    /// agent.
    pub fn configuration(
        &self,
        root: &Path,
        mut config: Config,
        is_given: bool,
    ) -> Result<Config, Failure> {
        let workflow = &self.input.workflow;
        self.require_content(root)?;
        if self.input.names_agent && !is_given {
            config.agent = self.agent(&config)?;
        }
        config.checks = vec![check(&workflow.execution_config)?];
        if let Some(retry) = &workflow.retry_policy {
            config.loop_settings.max_attempts = retry.max_attempts;
            config.loop_settings.backoff = retry.backoff;
            config.loop_settings.escalation_on_max = retry.escalation_on_max;
            config.loop_settings.abort_on_regression = retry.abort_on_regression;
        }
        cover(workflow, &mut config);
        self.escalate(&mut config)?;
        match config.broken_policy().into_iter().next() {
            Some((problem, advice)) => {
                let name = &self.name;
                let text = format!("{name}: escalation_policy.triggers: {problem}");
                Err(Failure::usage(text).hint(advice))
            }
            None => Ok(config),
        }
    }

    /// The agent that the document names.
    fn agent(&self, config: &Config) -> Result<AgentSettings, Failure> {
        let name = &self.input.workflow.agent.name;
        let own = &config.agent;
        let Some(named) = config.agents.get(name) else {
            if own.name == *name && (own.command.is_some() || startable(name).is_some()) {
                return Ok(own.clone());
            }
            if startable(name).is_some() {
                return Ok(AgentSettings { name: name.clone(), ..AgentSettings::default() });
            }
            let shown = clean_line(name, LINE_CHARS);
            return Err(Failure::usage(format!("{}: nothing says how the agent `{shown}` is started", self.name))
                .hint(format!("add [agents.{shown}] with `command = \"…\"` or `agent = \"…\"` to redgreen.toml, or name one: --agent, --agent-command")));
        };
        let senior = own.senior.clone();
        let timeout_seconds = named.timeout_seconds;
        match (&named.command, &named.agent) {
            (Some(command), _) => Ok(AgentSettings {
                name: name.clone(),
                command: Some(command.clone()),
                timeout_seconds,
                senior,
                ..AgentSettings::default()
            }),
            (None, Some(agent)) if startable(agent).is_some() => Ok(AgentSettings {
                name: agent.clone(),
                command: None,
                model: named.model.clone(),
                args: named.args.clone(),
                timeout_seconds,
                senior,
            }),
            (None, agent) => {
                let what = match agent {
                    Some(agent) => format!("redgreen cannot start an agent `{agent}`"),
                    None => "nothing says how it is started".to_owned(),
                };
                Err(Failure::usage(format!("redgreen.toml: [agents.{name}]: {what}"))
                    .hint("give it a `command`, or an `agent` that `redgreen run --agent` knows"))
            }
        }
    }

    /// The file that is to be worked on is the one that the document means.
    fn require_content(&self, root: &Path) -> Result<(), Failure> {
        let artifact = &self.input.workflow.code_artifact;
        let Some(wanted) = &artifact.content_hash else { return Ok(()) };
        let content = std::fs::read(root.join(&artifact.path)).unwrap_or_default();
        if sha256(&content, SHA256_BYTES).eq_ignore_ascii_case(wanted.trim()) {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "{}: code_artifact.content_hash: {} is not the file that it means",
            self.name, artifact.path
        ))
        .hint("leave content_hash out, or bring the file back"))
    }

    fn escalate(&self, config: &mut Config) -> Result<(), Failure> {
        let Some(policy) = &self.input.workflow.escalation_policy else { return Ok(()) };
        if !policy.triggers.is_empty() {
            let rule = |it: &redgreen_model::workflow::EscalationTrigger| EscalationRule {
                condition: it.condition,
                action: it.action,
                include_in_report: it.include_in_report.clone(),
            };
            config.loop_settings.escalation = policy.triggers.iter().map(rule).collect();
        }
        match &policy.notification {
            Some(notification) => self.notify(notification, config),
            None => Ok(()),
        }
    }

    /// People hear of it in the way that the document names, with what redgreen.toml says of that way.
    fn notify(&self, notification: &Notification, config: &mut Config) -> Result<(), Failure> {
        let channel = match notification.channel {
            NotificationChannel::Cli => Channel::Cli,
            NotificationChannel::IssueComment => Channel::IssueComment,
            NotificationChannel::Slack => Channel::Slack,
            NotificationChannel::Email => Channel::Email,
        };
        config.notify.retain(|way| way.channel == channel);
        if config.notify.is_empty() {
            if channel != Channel::Cli {
                return Err(Failure::usage(format!(
                    "{}: escalation_policy.notification.channel: redgreen.toml has no [[notify]] with channel = \"{channel}\"",
                    self.name
                ))
                .hint("add it, so that redgreen knows whom it reaches there"));
            }
            config.notify.push(NotifySettings::of(channel));
        }
        if let Some(template) = &notification.template {
            for way in &mut config.notify {
                way.template = Some(template.clone());
            }
        }
        Ok(())
    }
}

/// The document's check.
fn check(execution: &ExecutionConfig) -> Result<CheckSettings, Failure> {
    let mut check = CheckSettings::new(execution.test_command.clone());
    check.framework = match execution.test_framework {
        Framework::Other => None,
        // A more exact name is told by the command: vitest and nextest have several.
        framework => redgreen_frameworks::detect(&execution.test_command)
            .or_else(|| framework.as_str().parse().ok()),
    };
    check.timeout_seconds = u64::from(execution.effective_timeout_seconds());
    check.environment.clone_from(&execution.environment);
    if let Some(folder) = &execution.working_directory {
        if folder.starts_with('/') || folder.split('/').any(|part| part == "..") {
            return Err(Failure::usage(format!(
                "execution_config.working_directory: \"{}\" leads out of the work tree",
                clean_line(folder, LINE_CHARS)
            ))
            .hint("name a folder inside of it, such as `backend`"));
        }
        check.folder.clone_from(folder);
    }
    Ok(check)
}

/// The document's least coverage.
fn cover(workflow: &Workflow, config: &mut Config) {
    let Some(required) = &workflow.coverage_requirements else { return };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let percent = |least: f64| least.clamp(0.0, 100.0).ceil() as u32;
    let coverage = &mut config.coverage;
    if let Some(it) = &required.new_function {
        coverage.new_function = percent(it.minimum_coverage);
    }
    if let Some(it) = &required.bug_fix {
        coverage.bug_fix = percent(it.minimum_coverage);
    }
    if let Some(it) = &required.api_endpoint {
        coverage.api_endpoint = percent(it.minimum_coverage);
    }
}
