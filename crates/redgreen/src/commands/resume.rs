//! `redgreen resume`

use clap::Args;
use redgreen_runner::layout::SessionFolder;
use redgreen_runner::session::{self, Session};

use super::run::drive;
use crate::context;
use crate::display::Style;
use crate::failure::{Ending, Failure};

/// Go on with a loop that was interrupted
#[derive(Args)]
pub struct Arguments {
    /// The session; without it the newest that has not ended
    session: Option<String>,
    /// Print events as JSON lines
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let session = match &arguments.session {
        Some(session) => session.clone(),
        None => {
            session::unfinished(workspace.root(), &workspace.state_path()).ok_or_else(|| {
                Failure::usage("there is no unfinished session in this work tree")
                    .hint("`redgreen run` begins one")
            })?
        }
    };
    let folder = SessionFolder::new(workspace.root(), &workspace.state_path(), &session);
    drive(Style::from_flag(arguments.json), &session, &folder, |tools| {
        Session::resume(workspace, &session, tools)?.run()
    })
}
