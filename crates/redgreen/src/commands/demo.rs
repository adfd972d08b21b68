//! `redgreen demo`

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use redgreen_model::config::Config;
use redgreen_runner::plan::{OutsideSince, Plan, PlannedAgent, PlannedStart, planned_checks};
use redgreen_workspace::Workspace;
use uuid::Uuid;

use crate::display::{self, Style};
use crate::failure::{Ending, Failure};
use crate::{context, shims};

/// The bundled project: it needs nothing but a shell.
pub(super) const PROJECT: [(&str, &str); 3] = [
    ("roman.sh", include_str!("../../demo/roman.sh")),
    ("tests/run.sh", include_str!("../../demo/tests/run.sh")),
    ("redgreen.toml", include_str!("../../demo/redgreen.toml")),
];
/// What the scripted agent does.
pub(super) const SCRIPT: &str = include_str!("../../demo/agent.json");

/// Run the whole loop on a bundled project with a scripted agent
///
/// Needs no key and no network. The agent is wrong first and right second; what happens is real.
#[derive(Args)]
pub struct Arguments {
    /// Where to put the project; a new temporary folder without it
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
    /// Print events as JSON lines
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let session = Uuid::now_v7().to_string();
    let folder = arguments
        .into
        .clone()
        .unwrap_or_else(|| std::env::temp_dir().join(format!("redgreen-demo-{session}")));
    // The agent is started in the project, where a relative path leads elsewhere.
    let folder = std::path::absolute(&folder)
        .map_err(|error| Failure::tooling(format!("cannot find {}: {error}", folder.display())))?;
    let project = folder.join("project");
    let script = folder.join("agent.json");
    if project.exists() {
        return Err(Failure::usage(format!("{} is already there", project.display()))
            .hint("name another folder with --into"));
    }
    write(&script, SCRIPT)?;
    for (path, content) in PROJECT {
        write(&project.join(path), content)?;
    }
    let workspace = Workspace::init(&project)?;
    let config = Config::parse(PROJECT[2].1).map_err(Failure::of)?;
    let plan = Plan {
        session,
        task: "Roman numerals subtract: 4 is IV and 9 is IX. Make the tests pass.".to_owned(),
        code_type: None,
        kind_by_agent: false,
        agent: PlannedAgent {
            name: "scripted agent".to_owned(),
            start: PlannedStart::Command {
                command: shims::scripted_agent_command(&context::program()?, &script),
            },
            timeout_seconds: config.agent.timeout_seconds,
            template: None,
        },
        senior: None,
        roles: std::collections::BTreeMap::new(),
        checks: planned_checks(&config)?,
        config,
        hosted: false,
        base: None,
        waived: Vec::new(),
        fresh: true,
        briefed: None,
        single: None,
        outside: OutsideSince::Agent,
        outer: None,
        known: Vec::new(),
        accepting: Vec::new(),
        feedback_template: None,
    };
    let ending = super::run::start(workspace, plan, Style::from_flag(arguments.json))?;
    display::note(&format!(
        "\nThe project is in {}: look at it, or run `redgreen report` there.",
        project.display()
    ));
    Ok(ending)
}

pub(super) fn write(path: &Path, content: &str) -> Result<(), Failure> {
    let wrong =
        |error: std::io::Error| Failure::cannot(format_args!("write {}", path.display()), error);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(wrong)?;
    }
    fs::write(path, content).map_err(wrong)
}
