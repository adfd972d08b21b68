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
        let held = session_meant(&workspace, "give-up", arguments.session.as_deref())?;
        gate::give_up(&held, &arguments.reason)?;
        return recorded();
    };
    let folder = own_session(&workspace, &session)?;
    std::fs::write(folder.give_up(), clean_block(arguments.reason.as_bytes(), MESSAGE_CHARS))
        .map_err(|error| Failure::cannot("record it", error))?;
    recorded()
}

/// The session of an agent that `redgreen run` started.
pub(super) fn own_session(workspace: &Workspace, session: &str) -> Result<SessionFolder, Failure> {
    let folder = SessionFolder::new(workspace.root(), &workspace.state_path(), session);
    match folder.journal().is_file() {
        true => Ok(folder),
        false => Err(Failure::usage(format!("there is no session {session} in this work tree"))),
    }
}

/// The session that is meant where nobody started the agent: one that is held at the gate.
pub(super) fn session_meant(
    workspace: &Workspace,
    command: &str,
    named: Option<&str>,
) -> Result<Held, Failure> {
    let held = gate::held(workspace);
    let is_named = |held: &Held| {
        let folder = held.folder.path().file_name().and_then(|name| name.to_str());
        named.is_none_or(|named| Some(named) == folder)
    };
    let (mut meant, others): (Vec<Held>, Vec<Held>) = held.into_iter().partition(is_named);
    match (meant.pop(), meant.is_empty()) {
        (Some(one), true) => Ok(one),
        (None, _) if others.is_empty() => Err(Failure::usage(format!(
            "no agent is held here: {command} is for an agent that `redgreen run` started or that the gate is holding"
        ))),
        (last, _) => {
            meant.extend(last.into_iter().chain(others));
            Err(which(command, &meant))
        }
    }
}

/// Nobody speaks for somebody else.
fn which(command: &str, held: &[Held]) -> Failure {
    let session = |held: &Held| {
        let folder = held.folder.path().file_name().unwrap_or_default();
        format!("{} ({})", folder.to_string_lossy(), held.guest.agent)
    };
    let sessions: Vec<String> = held.iter().map(session).collect();
    Failure::usage(format!("which session is it? Held here: {}", sessions.join(", "))).hint(format!(
        "yours is in the path of the feedback file that you were given, .redgreen/sessions/SESSION: \
         redgreen {command} --session SESSION …"
    ))
}

fn recorded() -> Result<Ending, Failure> {
    display::result("Recorded. End now; a person takes over.");
    Ok(Ending::Green)
}
