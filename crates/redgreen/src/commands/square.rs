//! `redgreen square`

use clap::Args;
use redgreen_model::config::Config;
use redgreen_model::tree::TreeHash;
use redgreen_model::workflow::CodeType;
use redgreen_runner::gate::base::Base;
use redgreen_runner::judge::judge;
use redgreen_runner::plan::{OutsideSince, Plan};
use redgreen_workspace::Workspace;
use serde_json::json;

use super::run::code_type;
use super::test::given_check;
use crate::context;
use crate::display::{self, Style};
use crate::failure::{Ending, Failure};

/// Judge a change, also with the tests as they were before it
///
/// Runs old and new code against old and new tests, and says what became of each test. Also for a
/// colleague's pull request. Compares the work tree with a revision that it shares history with.
#[derive(Args)]
pub struct Arguments {
    /// The revision to compare with [default: HEAD, or its parent if the work tree is the same as HEAD]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// The kind of change: a bug_fix needs a test that was red before
    #[arg(long, value_name = "KIND", value_parser = code_type)]
    code_type: Option<CodeType>,
    /// The time limit of each check, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    test_timeout: Option<u64>,
    /// Use nothing that was seen before: run every corner
    #[arg(long)]
    fresh: bool,
    /// Print events and the result as JSON lines
    #[arg(long)]
    json: bool,
    /// The command to run instead of the configured checks, after `--`
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let (name, base) = base(&workspace, arguments.base.as_deref())?;
    let config = context::configuration_of(
        workspace.root(),
        rules_of(&workspace, &base, &name)?,
        given_check(&arguments.command, false)?,
        arguments.test_timeout,
    )?;
    let plan = Plan {
        code_type: arguments.code_type,
        fresh: arguments.fresh,
        outside: OutsideSince::commit(&workspace, &name)?,
        ..Plan::single("square", config, Some(base), None)?
    };
    let seen = context::with_tools(Style::from_flag(arguments.json), |tools| {
        judge(workspace, plan, tools)
    })??;
    if arguments.json {
        let square = seen.square.as_ref();
        display::json_line(&json!({
            "result": "square",
            "base": name,
            "verdict": seen.run.verdict,
            "reasons": seen.run.reasons,
            "square": square.map(|read| &read.square),
            "changed": square.map(|read| &read.facts.changed),
            "tree": seen.run.ran_on().tree,
            "record": seen.record,
        }));
    } else {
        display::result(&display::square_result(&seen, &name, display::columns()));
    }
    Ok((&seen.run).into())
}

/// What to compare with, by name and tree: where a revision that is named and HEAD part; else the last tree that a
/// person vouched for, or where nothing was changed since, the last commit's parent.
pub fn base(workspace: &Workspace, named: Option<&str>) -> Result<(String, TreeHash), Failure> {
    let found = |name: &str, tree: Option<TreeHash>| {
        tree.map(|tree| (name.to_owned(), tree)).ok_or_else(|| {
            let hint = match workspace.tree_of("HEAD") {
                Ok(None) => {
                    "there is no commit yet: make one, and what follows is compared with it"
                }
                _ => "name one that is there: --base main, --base HEAD~3",
            };
            Failure::usage(format!("there is no revision {name}")).hint(hint)
        })
    };
    if let Some(name) = named {
        return found(name, workspace.fork_of(name, "HEAD")?);
    }
    let vouched = Base::of(workspace)?;
    if vouched.tree != workspace.last_look()?.tree {
        return Ok((vouched.name(workspace)?, vouched.tree));
    }
    let before = workspace.tree_of("HEAD~1")?;
    let nothing = match (workspace.tree_of("HEAD")?, &before) {
        (None, _) => "there is no commit yet, and so nothing to compare with",
        (Some(_), None) => {
            "there is no change: the work tree is the same as HEAD, and HEAD has no parent"
        }
        _ => return found("HEAD~1", before),
    };
    Err(Failure::usage(nothing).hint("commit, edit something, or name a revision: --base REV"))
}

/// The configuration of a revision, if it has one: the change is judged by the rules before it.
pub fn rules_of(
    workspace: &Workspace,
    base: &TreeHash,
    name: &str,
) -> Result<Option<Config>, Failure> {
    const BYTES_MAX: u64 = 1024 * 1024;
    let Some(bytes) = workspace.read(base, context::CONFIG_FILE, BYTES_MAX)? else {
        return context::configuration(workspace.root());
    };
    let text = String::from_utf8_lossy(&bytes);
    context::parsed(&text, &format!("{name}:{}", context::CONFIG_FILE)).map(Some)
}
