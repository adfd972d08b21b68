//! `redgreen gate`

mod hook;
mod iteration;
mod plan;
mod pushed;
mod tree;
mod work;

use std::path::PathBuf;

use clap::Args;

use crate::failure::{Ending, Failure};

pub use work::{baseline, worker};

/// May this tree be returned?
///
/// Allows a tree at once if signed evidence says that exactly this tree passed. Otherwise it runs the
/// checks, also with the tests as they were, and allows or blocks. As a hook it answers the agent in
/// its own format; on a terminal, in a git hook and in CI it compares the work tree, what is staged,
/// or a commit with a revision.
#[derive(Args)]
pub struct Arguments {
    /// Be this agent's hook: its event on standard input, the answer on standard output
    #[arg(long, value_name = "AGENT", conflicts_with_all = ["base", "no_execute", "ci", "json", "command"])]
    hook: Option<String>,
    /// With --hook: the event that the hook is for, if the agent does not say
    #[arg(long, value_name = "EVENT", requires = "hook")]
    event: Option<String>,
    /// With --hook: answer after so many seconds, whatever is still running
    #[arg(long, value_name = "SECONDS", requires = "hook", default_value_t = 540)]
    deadline: u64,
    /// The revision to compare with [default: HEAD, or its parent if the work tree is the same as HEAD]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Judge what is staged instead of the work tree: for a pre-commit hook
    #[arg(long, conflicts_with_all = ["commit", "hook"])]
    staged: bool,
    /// Judge a commit instead of the work tree [compared with its parent]
    #[arg(long, value_name = "REV", conflicts_with = "hook")]
    commit: Option<String>,
    /// Judge what is pushed, as git names it to a pre-push hook on standard input
    #[arg(long, conflicts_with_all = ["staged", "commit", "base", "hook"])]
    pushed: bool,
    /// Only look for evidence; run nothing
    #[arg(long)]
    no_execute: bool,
    /// Look in any case whether it passes in a fresh checkout: nothing that git ignores, and an empty home
    #[arg(long, conflicts_with_all = ["hook", "pushed", "evidence", "no_execute"])]
    clean: bool,
    /// With --clean: no network, either
    #[arg(long, requires = "clean")]
    no_network: bool,
    /// In CI: believe signed evidence from elsewhere (--evidence, --key), or run
    #[arg(long)]
    ci: bool,
    /// With --ci: the evidence, as `redgreen evidence export` writes it
    #[arg(long, value_name = "FILE", requires = "ci", requires = "key")]
    evidence: Option<PathBuf>,
    /// With --ci: the public key that it must be signed with
    #[arg(long, value_name = "FILE", requires = "evidence")]
    key: Option<PathBuf>,
    /// In a loop of your own: does its iteration with this number count? It counts if something was done since the last
    /// one that counts, and passes compared with that
    #[arg(long, value_name = "N", requires = "in_loop", conflicts_with_all = ["hook", "staged", "commit", "pushed", "ci", "clean", "no_execute"], value_parser = clap::value_parser!(u32).range(1..))]
    iteration: Option<u32>,
    /// With --iteration: what the loop is called
    #[arg(long = "loop", id = "in_loop", value_name = "ID", requires = "iteration", value_parser = iteration::loop_id)]
    in_loop: Option<String>,
    /// Print events and the result as JSON lines
    #[arg(long)]
    json: bool,
    /// The command to run instead of the configured checks, after `--`
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    if let (Some(number), Some(id)) = (arguments.iteration, &arguments.in_loop) {
        return iteration::run(arguments, number, id);
    }
    match &arguments.hook {
        Some(agent) => hook::run(agent, arguments),
        None if arguments.pushed => pushed::run(arguments),
        None => tree::run(arguments),
    }
}
