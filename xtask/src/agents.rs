//! `cargo xtask agents`: the gate and `redgreen run` with the real agents, each driven by a scripted
//! model, without accounts and without a network.

mod model;
mod plays;
mod process;
mod programs;
mod project;

use std::path::PathBuf;
use std::process::Command;

use crate::Failure;
use crate::project::{capture, cargo, pass_through, root};
use plays::{PLAYS, Play, Scene};
use programs::{AGENTS, Agent};

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    names: Vec<String>,
    row: Option<String>,
    install_only: bool,
    /// The redgreen that is meant.
    binary: Option<PathBuf>,
}

impl Options {
    /// From the command line.
    pub fn parse(arguments: &[&str]) -> Result<Self, Failure> {
        let mut options = Self { names: Vec::new(), row: None, install_only: false, binary: None };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match *argument {
                "--install-only" => options.install_only = true,
                "--binary" => {
                    let file = rest.next().ok_or("`--binary` needs a file")?;
                    let file = std::path::absolute(file).map_err(|error| error.to_string())?;
                    options.binary = Some(file);
                }
                "--row" => {
                    let letter =
                        rest.next().filter(|letter| PLAYS.iter().any(|p| p.letter == **letter));
                    options.row =
                        Some((*letter.ok_or("`--row` needs a letter of the table")?).to_owned());
                }
                name if AGENTS.iter().any(|agent| agent.name == name) => {
                    options.names.push(name.to_owned());
                }
                name => return Err(format!("`{name}` is no agent and no option of agents")),
            }
        }
        Ok(options)
    }

    fn agents(&self) -> impl Iterator<Item = &'static Agent> {
        AGENTS.iter().filter(|agent| {
            self.names.is_empty() || self.names.iter().any(|name| name == agent.name)
        })
    }

    fn plays(&self) -> impl Iterator<Item = &'static Play> {
        PLAYS.iter().filter(|play| self.row.as_deref().is_none_or(|row| row == play.letter))
    }
}

/// Fetches the agents, plays with each, and prints what came of it.
pub fn run(options: &Options) -> Result<(), Failure> {
    if std::env::var_os(ALONE).is_none() {
        options.agents().try_for_each(Agent::install)?;
        if options.install_only {
            return Ok(());
        }
        if options.binary.is_none() {
            pass_through(&mut cargo(&["build", "--quiet", "--package", "redgreen"]))?;
        }
        if let Some(mut alone) = without_network() {
            return pass_through(&mut alone).map_err(|_| "not everything is as it must be".into());
        }
        eprintln!("there is no `unshare --net` here: the agents can reach the network");
    }
    play(options)
}

/// Says that this process is in a network of its own.
const ALONE: &str = "REDGREEN_AGENTS_ALONE";

/// This very task again, where only this machine can be reached: as it is, or with a namespace for
/// users where the system wants that.
fn without_network() -> Option<Command> {
    let works = |words: &&[&str]| capture(Command::new("unshare").args(*words).arg("true")).is_ok();
    let words: &[&str] = [&["--net"][..], &["--net", "--map-root-user"]].into_iter().find(works)?;
    let mut command = Command::new("unshare");
    command.args(words).args(["sh", "-c", "ip link set lo up && exec \"$@\"", "sh"]);
    command.args(std::env::args_os()).env(ALONE, "1");
    Some(command)
}

fn play(options: &Options) -> Result<(), Failure> {
    let built = || root().join("target/debug/redgreen");
    let redgreen = options.binary.clone().unwrap_or_else(built);
    let plays: Vec<&Play> = options.plays().collect();
    let mut problems = Vec::new();
    let mut table = format!("{:<10}{:<10}", "agent", "version");
    plays.iter().for_each(|play| table += &format!("{:<8}", play.letter));
    for agent in options.agents() {
        table += &format!("\n{:<10}{:<10}", agent.name, agent.version);
        for play in &plays {
            let scene = Scene::set(agent, &redgreen, play.letter);
            let result = scene.and_then(|scene| (play.perform)(&scene));
            let word = if result.is_ok() { "ok" } else { "WRONG" };
            eprintln!("{} {}: {word}", agent.name, play.letter);
            table += &format!("{word:<8}");
            if let Err(problem) = result {
                problems.push(format!("{} {}: {problem}", agent.name, play.letter));
            }
        }
    }
    println!("{table}\n");
    plays.iter().for_each(|play| println!("{}  {}", play.letter, play.what));
    if problems.is_empty() {
        return Ok(());
    }
    let logs = programs::folder().join("plays");
    Err(format!("{}\nthe logs are in {}", problems.join("\n"), logs.display()))
}
