//! `redgreen failures`

use std::fs;

use clap::Args;
use redgreen_engine::classes::Judged;
use redgreen_engine::judge::CheckFailure;
use redgreen_engine::state::State;
use redgreen_runner::layout::SessionFolder;
use redgreen_runner::session::{self, SessionRecord};
use redgreen_workspace::Workspace;
use serde_json::json;

use crate::context;
use crate::display;
use crate::failure::{Ending, Failure};

/// Show the failures of the last run that redgreen made here
///
/// Runs nothing. Exit code 1 if there are some.
#[derive(Args)]
pub struct Arguments {
    /// Only tests with this in their id
    test: Option<String>,
    /// Print them as JSON, with all that is known of each
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let folder = last(&workspace).ok_or_else(|| {
        Failure::usage("redgreen has made no run in this work tree")
            .hint("`redgreen test` makes one")
    })?;
    let record = session::read(&folder)?;
    let judged = judged(&record.state)
        .ok_or_else(|| Failure::usage("the last run that redgreen made here was not judged"))?;
    let is_meant = |failure: &&CheckFailure| {
        arguments.test.as_ref().is_none_or(|part| failure.name().contains(part.as_str()))
    };
    let failures: Vec<&CheckFailure> = judged.failures.iter().filter(is_meant).collect();
    show(arguments, workspace, &folder, &record, (judged, &failures))?;
    Ok(if failures.is_empty() { Ending::Green } else { Ending::Red })
}

fn show(
    arguments: &Arguments,
    workspace: Workspace,
    folder: &SessionFolder,
    record: &SessionRecord,
    (judged, failures): (&Judged, &[&CheckFailure]),
) -> Result<(), Failure> {
    let is_current = session::is_current(workspace, record, judged.ran_on())?;
    if arguments.json {
        let all: Vec<_> = failures
            .iter()
            .map(|failure| json!({"check": failure.check, "failure": failure.failure}))
            .collect();
        display::json_line(&json!({
            "result": "failures",
            "verdict": judged.verdict,
            "reasons": judged.reasons,
            "tree": judged.ran_on().tree,
            "is_of_the_code_that_is_there": is_current,
            "failures": all,
            "record": folder.journal(),
        }));
        return Ok(());
    }
    display::result(&display::failures(judged, failures));
    if !is_current {
        display::note("stale: the code is not what it was in that run");
    }
    Ok(())
}

/// What was recorded last: a single run, a loop, or a session at the gate.
fn last(workspace: &Workspace) -> Option<SessionFolder> {
    let (root, state) = (workspace.root(), workspace.state_path());
    let runs = SessionFolder::runs(root, &state).into_iter().next();
    let sessions = SessionFolder::list(&state).into_iter();
    let sessions = sessions.map(|name| SessionFolder::new(root, &state, &name)).take(LOOKED_AT);
    let written = |folder: &SessionFolder| {
        fs::metadata(folder.journal()).and_then(|found| found.modified()).ok()
    };
    runs.into_iter().chain(sessions).filter(SessionFolder::has_begun).max_by_key(written)
}

/// In how many of the newest sessions the last run is looked for.
const LOOKED_AT: usize = 20;

fn judged(state: &State) -> Option<&Judged> {
    let attempts = state.attempts.iter().rev();
    attempts.filter_map(|attempt| attempt.judged.as_ref()).next().or(state.baseline.as_ref())
}
