//! `redgreen mcp`

mod calls;
mod lines;
mod said;

use clap::Args;

use crate::context;
use crate::failure::{Ending, Failure};
use calls::Server;

/// For agents: serve redgreen's tools over the Model Context Protocol, on standard input and output
///
/// An agent that is set up for it (`redgreen hooks install --mcp`) asks redgreen instead of guessing at a shell: a brief, a
/// run of the tests, the failures, the coverage, an analysis, a declaration, the gate, giving up. Nothing of it goes
/// around the gate, and nothing of it answers for a person.
#[derive(Args)]
pub struct Arguments {}

pub fn run(_: &Arguments) -> Result<Ending, Failure> {
    let (sender, happenings) = std::sync::mpsc::channel();
    lines::follow_signals(sender.clone())?;
    lines::follow_input(sender);
    let server = Server::new(context::folder()?, context::program()?);
    server.serve(&happenings);
    Ok(Ending::Green)
}
