//! `redgreen hooks`

mod canary;
mod setup;
mod status;
mod verify;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use redgreen_agents::contract::HookEvent;
use redgreen_agents::settings::{self, Scope, Settings, SettingsError, Surroundings, SwitchedOff};
use redgreen_agents::{AGENTS, Agent};
use redgreen_model::text::{LINE_CHARS, clean_line};

use crate::context;
use crate::failure::{Ending, Failure};

/// Put the gate into the settings of coding agents, and prove that it fires
///
/// From then on the agent cannot say that it is done on code that redgreen has not seen pass.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Add the gate's hooks to the settings of agents, and tell the agents to trust them
    Install(setup::Install),
    /// Prove that the installed hooks work, on a small red project and on a green one
    Verify(Chosen),
    /// Say what is installed where, and whether it would run
    Status(Chosen),
    /// Remove the hooks; the settings are as they were before, byte for byte
    Uninstall(Chosen),
}

#[derive(Args)]
struct Chosen {
    /// The agents [default: those in use here]
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,
    /// For all projects of this user, instead of for this one
    #[arg(long)]
    user: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub use status::hooked_here;

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    match &arguments.command {
        Command::Install(arguments) => setup::install(arguments),
        Command::Verify(chosen) => verify::run(chosen),
        Command::Status(chosen) => status::run(chosen),
        Command::Uninstall(chosen) => setup::uninstall(chosen),
    }
}

impl Chosen {
    fn scope(&self) -> Scope {
        if self.user { Scope::User } else { Scope::Project }
    }

    /// What is around; for a user no work tree is needed.
    fn surroundings(&self) -> Result<Surroundings, Failure> {
        let root = match context::workspace() {
            Ok(workspace) => workspace.root().to_owned(),
            Err(_) if self.user => std::env::current_dir()
                .map_err(|error| Failure::cannot("find out the current folder", error))?,
            Err(failure) => return Err(failure.hint("or install for the user, with --user")),
        };
        around(root)
    }

    /// The agents that are named, or those that satisfy a condition.
    fn agents(
        &self,
        default: impl Fn(&'static Agent) -> bool,
    ) -> Result<Vec<(&'static Agent, &'static Settings)>, Failure> {
        if self.agents.is_empty() {
            let with_settings = AGENTS.iter().filter(|agent| default(agent));
            return Ok(with_settings.filter_map(|agent| Some((*agent, agent.settings?))).collect());
        }
        self.agents.iter().map(|name| named(name)).collect()
    }
}

/// What is around a project.
fn around(root: PathBuf) -> Result<Surroundings, Failure> {
    let home = std::env::home_dir().filter(|home| home.is_absolute()).ok_or_else(|| {
        Failure::tooling("HOME is not set, so the user's settings cannot be found")
    })?;
    Ok(Surroundings { root, home, variables: std::env::vars_os().collect() })
}

/// Whether an event that came to the hook of one agent was sent by another one, which has hooks of
/// its own: those judge it, so that one stop is judged once.
pub fn is_judged_by_its_own(agent: &Agent, event: &HookEvent, root: &Path) -> bool {
    let Ok(program) = program() else { return false };
    event.caller != agent
        && around(root.to_owned())
            .is_ok_and(|around| settings::has_own_hooks(event.caller, &around, &program))
}

/// The agent of this name.
pub fn known(name: &str) -> Result<&'static Agent, Failure> {
    Agent::named(name).ok_or_else(|| {
        Failure::usage(format!("redgreen knows no agent {name}"))
            .hint(format!("known are: {}", Agent::names(|_| true)))
    })
}

fn named(name: &str) -> Result<(&'static Agent, &'static Settings), Failure> {
    let agent = known(name)?;
    let settings = agent.settings.ok_or_else(|| {
        let failure = Failure::usage(format!("{} has no hooks", agent.title));
        agent.advice.iter().fold(failure, |failure, advice| failure.hint(*advice))
    })?;
    Ok((agent, settings))
}

/// redgreen's own path, as a text that fits into settings.
fn program() -> Result<String, Failure> {
    let program = context::program()?;
    program.to_str().map(str::to_owned).ok_or_else(|| {
        Failure::usage(format!("the path of redgreen itself is not UTF-8: {}", program.display()))
    })
}

/// A path for people: from the project's root, or from home.
fn shown(path: &Path, around: &Surroundings) -> String {
    if let Ok(below) = path.strip_prefix(&around.root) {
        return below.display().to_string();
    }
    match path.strip_prefix(&around.home) {
        Ok(below) => format!("~/{}", below.display()),
        Err(_) => path.display().to_string(),
    }
}

/// What turns an agent's hooks off, with the file and the setting.
fn turned_off(off: &SwitchedOff, around: &Surroundings) -> String {
    format!(
        "\"{}\": {} in {} turns hooks off",
        off.key,
        clean_line(&off.value, LINE_CHARS),
        shown(&off.path, around)
    )
}

/// How the program ends because of settings that were left alone.
fn ending(error: &SettingsError) -> Ending {
    if error.is_about_content() { Ending::Usage } else { Ending::Tooling }
}

/// The worse of two endings, as an exit code says it.
fn worse(one: Ending, other: Ending) -> Ending {
    let rank = |ending: Ending| match ending {
        Ending::Green => 0,
        Ending::Red => 1,
        Ending::Usage => 2,
        Ending::Tooling | Ending::Interrupted => 3,
    };
    if rank(other) > rank(one) { other } else { one }
}
