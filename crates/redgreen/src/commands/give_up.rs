//! `redgreen give-up`

use clap::Args;
use redgreen_agents::command::SESSION;
use redgreen_model::text::{MESSAGE_CHARS, clean_block};
use redgreen_runner::gate::{self, Held};
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
    /// The session that gives up, where several are held in one work tree: its name is in the path of the feedback
    /// file that the agent was given, .redgreen/sessions/SESSION
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let Ok(session) = std::env::var(SESSION) else {
        return at_the_gate(&workspace, arguments);
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
fn at_the_gate(workspace: &Workspace, arguments: &Arguments) -> Result<Ending, Failure> {
    let held = gate::held(workspace);
    let is_named = |held: &&Held| {
        let folder = held.folder.path().file_name().and_then(|name| name.to_str());
        arguments.session.as_deref().is_none_or(|named| Some(named) == folder)
    };
    let meant: Vec<&Held> = held.iter().filter(is_named).collect();
    match meant.as_slice() {
        [one] => gate::give_up(one, &arguments.reason)?,
        [] if held.is_empty() => {
            return Err(Failure::usage(
                "no agent is held here: give-up is for an agent that `redgreen run` started or that the gate is holding",
            ));
        }
        _ => return Err(which(&held)),
    }
    recorded()
}

/// Nobody gives up for somebody else.
fn which(held: &[Held]) -> Failure {
    let session = |held: &Held| {
        let folder = held.folder.path().file_name().unwrap_or_default();
        format!("{} ({})", folder.to_string_lossy(), held.guest.agent)
    };
    let sessions: Vec<String> = held.iter().map(session).collect();
    Failure::usage(format!("which session gives up? Held here: {}", sessions.join(", "))).hint(
        "yours is in the path of the feedback file that you were given, .redgreen/sessions/SESSION: \
         redgreen give-up --session SESSION \"why\"",
    )
}

fn recorded() -> Result<Ending, Failure> {
    display::result("Recorded. End now; a person takes over.");
    Ok(Ending::Green)
}
