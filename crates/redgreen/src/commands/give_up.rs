//! `redgreen give-up`

use clap::Args;
use redgreen_agents::command::SESSION;
use redgreen_model::text::{MESSAGE_CHARS, clean_block};
use redgreen_runner::gate::{self, Guest};
use redgreen_runner::layout::SessionFolder;
use redgreen_workspace::Workspace;

use crate::failure::{Ending, Failure};
use crate::{context, display};

/// For agents: say that you are stuck
///
/// Ends the loop as agent_gave_up and hands it to a person. That is an honest way to end.
#[derive(Args)]
pub struct Arguments {
    /// Why
    #[arg(value_parser = crate::context::words)]
    reason: String,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let Ok(session) = std::env::var(SESSION) else {
        return at_the_gate(&workspace, &arguments.reason);
    };
    let folder = SessionFolder::new(workspace.root(), &workspace.state_path(), &session);
    if !folder.journal().is_file() {
        return Err(Failure::usage(format!("there is no session {session} in this work tree")));
    }
    std::fs::write(folder.give_up(), clean_block(arguments.reason.as_bytes(), MESSAGE_CHARS))
        .map_err(|error| Failure::cannot("record it", error))?;
    recorded()
}

/// Nobody started the agent: it may be one that is held at the gate.
fn at_the_gate(workspace: &Workspace, reason: &str) -> Result<Ending, Failure> {
    let held = gate::held(workspace);
    let Some(newest) = held.first() else {
        return Err(Failure::usage(
            "no agent is held here: give-up is for an agent that `redgreen run` started or that the gate is holding",
        ));
    };
    gate::give_up(newest, reason)?;
    if held.len() > 1 {
        let Guest { agent, session } = &newest.guest;
        display::note(&format!(
            "{} sessions are held here; this gives up for the one that was held last: {agent}, {session}",
            held.len()
        ));
    }
    recorded()
}

fn recorded() -> Result<Ending, Failure> {
    display::result("Recorded. End now; a person takes over.");
    Ok(Ending::Green)
}
