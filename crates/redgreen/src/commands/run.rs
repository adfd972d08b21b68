//! `redgreen run`

mod workflow;

use std::path::Path;

use clap::Args;
use redgreen_agents::Agent;
use redgreen_model::config::{AgentSettings, Config, Role};
use redgreen_model::text::{LINE_CHARS, clean_block, clean_line};
use redgreen_model::workflow::CodeType;
use redgreen_redact::is_redacted;
use redgreen_runner::layout::SessionFolder;
use redgreen_runner::plan::{self, OutsideSince, Plan, PlannedAgent, PlannedStart};
use redgreen_runner::session::Session;
use redgreen_runner::{RunnerError, Tools};
use redgreen_workspace::{Workspace, WorkspaceError};
use uuid::Uuid;

use super::test::given_check;
use super::{agents, notify};
use crate::context;
use crate::display::{self, Style};
use crate::failure::{Ending, Failure};

/// Take a task and an agent through the bounded loop
///
/// The checks run first, then the agent, then the checks again. Failures go back to the agent with an
/// analysis, until every required check was seen to pass or a stop rule ends the loop.
#[derive(Args)]
pub struct Arguments {
    /// What the agent is to do; with --workflow, what the document says where it is left out
    #[arg(required_unless_present = "workflow")]
    task: Option<String>,
    /// Run a workflow document, YAML or JSON: its code, its check, its policies
    #[arg(long, value_name = "FILE", conflicts_with_all = ["test_command", "code_type", "max_attempts"])]
    workflow: Option<String>,
    #[command(flatten)]
    worker: Worker,
    /// The time limit of the whole loop, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    time_limit: Option<u64>,
    /// Use nothing that was seen before: run the baseline even if this tree was seen to pass
    #[arg(long)]
    fresh: bool,
    /// Print events as JSON lines
    #[arg(long)]
    json: bool,
}

/// Who is asked, how often, and what judges it.
#[derive(Args)]
pub struct Worker {
    #[arg(long, value_name = "NAME", value_parser = known_agent, conflicts_with = "agent_command")]
    #[arg(help = format!("The agent, started headless: {}", startable_names()))]
    agent: Option<&'static Agent>,
    /// With an agent by its name: the model that it is to use
    #[arg(long, value_name = "MODEL", conflicts_with = "agent_command")]
    model: Option<String>,
    /// The shell command that starts the agent: the prompt is its standard input and in
    /// $REDGREEN_PROMPT_FILE
    #[arg(long, value_name = "COMMAND")]
    agent_command: Option<String>,
    /// What the agent is called in records
    #[arg(long, value_name = "NAME")]
    agent_name: Option<String>,
    /// The kind of change
    #[arg(long, value_name = "KIND", value_parser = code_type)]
    code_type: Option<CodeType>,
    /// How often the agent is asked for code, the first time included (1 to 10)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10))]
    max_attempts: Option<u32>,
    /// After how many edits in a row that turned no test green the agent begins anew (0 to 10, 0 for never)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=10))]
    fresh_start_after: Option<u32>,
    /// The test command, instead of the checks of redgreen.toml
    #[arg(long, value_name = "COMMAND")]
    test_command: Option<String>,
    /// With --test-command: let its exit code alone decide; for a command that runs no tests
    #[arg(long, requires = "test_command")]
    trust_exit_code: bool,
    /// The time limit of each check, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    test_timeout: Option<u64>,
    /// The time limit of one start of the agent, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    agent_timeout: Option<u64>,
}

pub fn code_type(word: &str) -> Result<CodeType, String> {
    word.parse().map_err(|error: redgreen_model::workflow::UnknownWord| error.to_string())
}

fn known_agent(name: &str) -> Result<&'static Agent, String> {
    startable(name).ok_or_else(|| {
        format!("expected one of {}; any other agent: `--agent-command`", startable_names())
    })
}

pub fn startable_names() -> String {
    Agent::names(|agent| agent.start.is_some())
}

pub fn startable(name: &str) -> Option<&'static Agent> {
    Agent::named(name).filter(|agent| agent.start.is_some())
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let plan = match &arguments.workflow {
        Some(file) => ordered(arguments, &workspace, &workflow::Order::read(file)?)?,
        None => resolve(arguments, workspace.root(), arguments.worker.configuration(&workspace)?)?,
    };
    start(workspace, plan, Style::from_flag(arguments.json))
}

/// What a workflow document says as a plan; the command line counts before it.
fn ordered(
    arguments: &Arguments,
    workspace: &Workspace,
    order: &workflow::Order,
) -> Result<Plan, Failure> {
    let worker = &arguments.worker;
    let is_given = worker.agent.is_some() || worker.agent_command.is_some();
    let rules = context::configuration(workspace.root())?.unwrap_or_default();
    let mut config = order.configuration(workspace.root(), rules, is_given)?;
    for check in &mut config.checks {
        check.timeout_seconds = worker.test_timeout.unwrap_or(check.timeout_seconds);
    }
    config.loop_settings.time_limit_seconds =
        arguments.time_limit.or(config.loop_settings.time_limit_seconds);
    let task = arguments.task.clone().unwrap_or_else(|| order.task());
    let plan = worker.plan(workspace.root(), &task, arguments.fresh, config)?;
    let accepting = match order.brings_tests(workspace.root()) {
        true => plan.checks.iter().map(|check| check.name.clone()).collect(),
        false => Vec::new(),
    };
    Ok(Plan { code_type: order.code_type(), outer: order.outer(), accepting, ..plan })
}

/// The configuration and the command line as one plan.
fn resolve(arguments: &Arguments, root: &Path, mut config: Config) -> Result<Plan, Failure> {
    let task = arguments.task.as_deref().unwrap_or_default();
    if task.trim().is_empty() {
        return Err(Failure::usage("the task is empty").hint(
            "say what the agent is to do: `redgreen run --agent-command … \"make the tests pass\"`",
        ));
    }
    config.loop_settings.time_limit_seconds =
        arguments.time_limit.or(config.loop_settings.time_limit_seconds);
    arguments.worker.plan(root, task, arguments.fresh, config)
}

impl Worker {
    /// The configuration with the checks that are to run.
    pub fn configuration(&self, workspace: &Workspace) -> Result<Config, Failure> {
        let command = self.test_command.clone().into_iter().collect::<Vec<_>>();
        let check = given_check(&command, self.trust_exit_code)?;
        context::configuration_to_run(workspace.root(), check, self.test_timeout)
    }

    /// Who is asked, and what: as one plan.
    pub fn plan(
        &self,
        root: &Path,
        task: &str,
        fresh: bool,
        mut config: Config,
    ) -> Result<Plan, Failure> {
        let arguments = self;
        config.loop_settings.max_attempts =
            arguments.max_attempts.unwrap_or(config.loop_settings.max_attempts);
        config.loop_settings.fresh_start_after =
            arguments.fresh_start_after.unwrap_or(config.loop_settings.fresh_start_after);
        // What the command line names counts before the file.
        let is_given = arguments.agent.is_some() || arguments.agent_command.is_some();
        let agent = match agents::with_role(root, &config, Role::Coder)? {
            Some(coder) if !is_given => coder,
            _ => planned_agent(arguments, &config.agent)?,
        };
        let senior = config.agent.senior.as_ref().map(|senior| PlannedAgent {
            name: format!("{} (senior)", agent.name),
            start: PlannedStart::Command { command: senior.command.clone() },
            timeout_seconds: senior.timeout_seconds,
            template: None,
        });
        let senior = match senior {
            None => agents::with_role(root, &config, Role::Senior)?,
            senior => senior,
        };
        let roles = agents::others(root, &config)?;
        // It may come from an issue or a chat: it is stored, and shown on terminals again and again.
        let task = clean_block(task.as_bytes(), usize::MAX);
        if is_redacted(&task) {
            display::note(
                "the task contains what looks like a secret, and the agent gets it redacted: name the variable or the file that holds it instead",
            );
        }
        Ok(Plan {
            session: Uuid::now_v7().to_string(),
            task,
            code_type: arguments.code_type,
            kind_by_agent: false,
            agent,
            senior,
            roles,
            checks: plan::planned_checks(&config)?,
            config,
            hosted: false,
            base: None,
            waived: redgreen_runner::square::waived(),
            fresh,
            briefed: None,
            single: None,
            outside: OutsideSince::Agent,
            outer: None,
            known: Vec::new(),
            accepting: Vec::new(),
            feedback_template: None,
        })
    }
}

/// The agent: what the command line says, or the file. There, a command counts before a name.
fn planned_agent(arguments: &Worker, settings: &AgentSettings) -> Result<PlannedAgent, Failure> {
    let command = arguments.agent_command.as_ref().or(settings.command.as_ref());
    let command = command.filter(|command| !command.trim().is_empty());
    let (name, start) = match (arguments.agent, command) {
        (None, Some(_)) if arguments.model.is_some() => {
            return Err(Failure::usage("`--model` works only with an agent that `--agent` names")
                .hint(
                    "write the model into the agent's command, or name an agent with `--agent`",
                ));
        }
        (None, Some(command)) => {
            (settings.name.as_str(), PlannedStart::Command { command: command.clone() })
        }
        (asked, _) => {
            let known = asked.or_else(|| startable(&settings.name)).ok_or_else(no_agent)?;
            // What the file says is for the agent that it names.
            let ours = Some(settings).filter(|settings| settings.name == known.name);
            let model = arguments.model.clone().or_else(|| ours?.model.clone());
            let args = ours.map(|settings| settings.args.clone()).unwrap_or_default();
            (known.name, PlannedStart::Known { agent: known.name.to_owned(), model, args })
        }
    };
    Ok(PlannedAgent {
        name: clean_line(arguments.agent_name.as_deref().unwrap_or(name), LINE_CHARS),
        start,
        timeout_seconds: arguments.agent_timeout.unwrap_or(settings.timeout_seconds),
        template: None,
    })
}

fn no_agent() -> Failure {
    Failure::usage("no agent is configured").hint(
        "name one: `--agent NAME`, `--agent-command COMMAND`, or `name` or `command` under [agent] in redgreen.toml",
    )
}

/// Runs a plan in a work tree to its end.
pub fn start(workspace: Workspace, plan: Plan, style: Style) -> Result<Ending, Failure> {
    let session = plan.session.clone();
    let folder = SessionFolder::new(workspace.root(), &workspace.state_path(), &session);
    drive(style, &session, &folder, |tools| Session::start(workspace, plan, tools)?.run())
}

/// Runs a session with its display, and says how it ended.
pub fn drive(
    style: Style,
    session: &str,
    folder: &SessionFolder,
    work: impl FnOnce(&Tools<'_>) -> Result<redgreen_engine::state::State, RunnerError>,
) -> Result<Ending, Failure> {
    match context::with_tools(style, work)? {
        Ok(state) => {
            notify::send();
            Ok((&state).into())
        }
        Err(error) if folder.has_begun() && can_go_on(&error) => Err(Failure::from(error)
            .go_on(format!(
                "the files stay as they are, and what is recorded is kept: go on with `redgreen resume {session}`, which puts back an edit that was not done and keeps it under refs/redgreen/"
            ))),
        Err(error) => Err(error.into()),
    }
}

/// Whether the session may well go on where this came up.
fn can_go_on(error: &RunnerError) -> bool {
    !matches!(
        error,
        RunnerError::Journal { .. }
            | RunnerError::JournalVersion { .. }
            | RunnerError::Session(_)
            | RunnerError::Configuration(_)
            | RunnerError::Workspace(WorkspaceError::Locked { .. })
    )
}
