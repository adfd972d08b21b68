//! `redgreen analyse`

use clap::Args;
use redgreen_agents::command::SESSION;
use redgreen_model::analysis::ProposedAnalysis;
use redgreen_runner::handed_in::hand_in;

use super::give_up::{own_session, session_meant};
use crate::failure::{Ending, Failure};
use crate::{context, display};

/// How sure an agent is that does not say it.
const CONFIDENCE: f64 = 0.5;

/// For agents: say why it is red, before the next edit
///
/// It takes the place of redgreen's own analysis if it names a place in the tree, says more than the error does, and is
/// not what an earlier attempt was based on. Exit code 1 says what is wrong with it.
#[derive(Args)]
pub struct Arguments {
    /// Why it fails
    #[arg(long, value_parser = crate::context::words)]
    cause: String,
    /// What you will change
    #[arg(long, value_parser = crate::context::words)]
    fix: String,
    /// The place to mend; without it, the first file that the cause or the fix names
    #[arg(long, value_name = "FILE:LINE")]
    place: Option<String>,
    /// The failing tests that it is about; without it, all of them
    #[arg(long, value_name = "TEST", num_args = 1..)]
    tests: Vec<String>,
    /// How sure you are, from 0 to 1
    #[arg(long, value_name = "NUMBER", default_value_t = CONFIDENCE)]
    confidence: f64,
    /// The session, where several are held in one work tree: its name is in the path of the feedback file that the
    /// agent was given, .redgreen/sessions/SESSION
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let folder = match std::env::var(SESSION) {
        Ok(session) => own_session(&workspace, &session)?,
        Err(_) => session_meant(&workspace, "analyse", arguments.session.as_deref())?.folder,
    };
    let proposed = ProposedAnalysis {
        root_cause: arguments.cause.clone(),
        fix_strategy: arguments.fix.clone(),
        confidence: arguments.confidence,
        tests: arguments.tests.clone(),
        place: arguments.place.clone().unwrap_or_default(),
        found: None,
    };
    Ok(match hand_in(&workspace, &folder, proposed)? {
        Ok(()) => {
            display::result("Recorded. Now make the change, and end your turn.");
            Ending::Green
        }
        Err(problem) => {
            display::result(&format!("Not accepted: {problem}."));
            Ending::Red
        }
    })
}
