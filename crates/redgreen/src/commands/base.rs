//! `redgreen base`

use std::io::{BufRead as _, Write as _};

use clap::Args;
use redgreen_runner::gate::base;
use serde_json::json;

use crate::failure::{Ending, Failure};
use crate::{context, display};

/// What a person types to accept the work tree.
const YES: &str = "accept";

/// What changes are compared with: the last tree that a person vouched for
///
/// That is what a person accepted here, what came from a remote, or what was committed while no agent was at work, with
/// what people had edited when an agent began.
#[derive(Args)]
pub struct Arguments {
    /// Accept the work tree as it is, and say why: for a person at a terminal
    #[arg(long, value_name = "REASON", value_parser = crate::context::words)]
    accept: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    if let Some(reason) = &arguments.accept {
        confirm()?;
        base::accept(&workspace, reason, &context::user())?;
    }
    let standing = base::standing(&workspace)?;
    if arguments.json {
        let mut shown = json!({"result": "base"});
        if let (Some(shown), Ok(more)) = (shown.as_object_mut(), serde_json::to_value(&standing)) {
            shown.extend(more.as_object().cloned().unwrap_or_default());
        }
        display::json_line(&shown);
        return Ok(Ending::Green);
    }
    display::result(&format!("base: tree {}", standing.base.tree.short()));
    display::result(&format!("  {}", standing.base.in_words()));
    if standing.agent_at_work {
        display::result("  an agent is at work: what it commits and edits is compared with this");
    }
    standing.problem.iter().for_each(|problem| display::note(problem));
    Ok(Ending::Green)
}

/// Only a person who can be asked says that a tree is right.
fn confirm() -> Result<(), Failure> {
    if !context::is_person() {
        return Err(Failure::usage("only a person at a terminal may accept a tree")
            .hint("a changed expectation can be declared, also by an agent: redgreen declare TEST --reason R"));
    }
    display::note(&format!(
        "You accept the work tree as it is now, with its tests: later changes are compared with it. Type {YES} to confirm:"
    ));
    let _ = std::io::stderr().flush();
    let mut typed = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut typed)
        .map_err(|error| Failure::cannot("read the answer", error))?;
    match typed.trim() == YES {
        true => Ok(()),
        false => Err(Failure::usage("not accepted")),
    }
}
