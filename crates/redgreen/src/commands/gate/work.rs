//! The worker: judges for a hook, and goes on when the hook has to answer.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use redgreen_exec::leave_session;
use redgreen_model::gate::Answer;
use redgreen_runner::RunnerError;
use redgreen_runner::gate::{Gate, Guest};
use redgreen_runner::memory::write_patterns;
use redgreen_workspace::Workspace;

use super::plan;
use crate::display::{self, Style};
use crate::failure::{Ending, Failure};
use crate::{context, shims};

/// How a worker is started.
pub fn arguments(root: &Path, guest: &Guest) -> Vec<OsString> {
    let texts = [shims::GATE_WORKER, &guest.agent, &guest.session];
    let texts = texts.into_iter().map(OsString::from);
    texts.chain([root.as_os_str().to_owned()]).collect()
}

/// The worker itself.
pub fn worker(arguments: &[OsString]) -> ExitCode {
    leave_session();
    let [agent, session, root] = arguments else { return Ending::Usage.into() };
    let guest = Guest {
        agent: agent.to_string_lossy().into_owned(),
        session: session.to_string_lossy().into_owned(),
    };
    match work(&guest, &PathBuf::from(root)) {
        Ok(()) => Ending::Green.into(),
        Err(failure) => {
            display::error(&failure);
            failure.ending().into()
        }
    }
}

fn work(guest: &Guest, root: &Path) -> Result<(), Failure> {
    let mut gate = Gate::open(Workspace::discover(root)?, guest)?;
    let plan::Judge::Plan(plan) = plan::of(&gate, &guest.agent)? else { return Ok(()) };
    let now = gate.now(&plan)?;
    let work = gate.work();
    let Some(working) = work.begin(&now.tree)? else { return Ok(()) };
    let judged = context::with_tools(Style::Json, |tools| gate.judge((*plan).clone(), tools))?;
    let answer = match judged {
        Ok(answer) => answer,
        Err(error @ RunnerError::Interrupted) => return Err(error.into()),
        Err(error) => gate.fault(&Failure::from(error).to_string(), Some(&now))?,
    };
    let has_ended = !matches!(answer, Answer::Block { .. });
    work.answer(&now.tree, answer)?;
    gate.remember(&plan);
    drop(working);
    if has_ended {
        // Nobody waits for it any more. What is wrong with the memory was said in the loop.
        let _ = write_patterns(root, &plan.config.memory);
    }
    Ok(())
}
