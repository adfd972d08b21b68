//! `redgreen give-up`

use clap::Args;
use redgreen_agents::command::SESSION;
use redgreen_runner::layout::SessionFolder;

use crate::failure::{Ending, Failure};
use crate::{context, display};

/// For agents: say that you are stuck
///
/// Ends the loop as agent_gave_up and hands it to a person. An honest end.
#[derive(Args)]
pub struct Arguments {
    /// Why
    reason: String,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let session = std::env::var(SESSION).map_err(|_| {
        Failure::usage(format!(
            "{SESSION} is not set: this is for an agent that `redgreen run` started"
        ))
    })?;
    let workspace = context::workspace()?;
    let folder = SessionFolder::new(workspace.root(), &workspace.state_path(), &session);
    if !folder.journal().is_file() {
        return Err(Failure::usage(format!("there is no session {session} in this work tree")));
    }
    std::fs::write(folder.give_up(), &arguments.reason)
        .map_err(|error| Failure::tooling(format!("cannot record it: {error}")))?;
    display::result("Recorded. End now; a person takes over.");
    Ok(Ending::Green)
}
