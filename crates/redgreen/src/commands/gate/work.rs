//! The worker: judges for a hook, and goes on when the hook has to answer.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use redgreen_exec::{detach, give_way, leave_session};
use redgreen_model::gate::Answer;
use redgreen_runner::RunnerError;
use redgreen_runner::gate::{Gate, Guest, baseline};
use redgreen_runner::memory::write_patterns;
use redgreen_workspace::Workspace;

use super::plan;
use crate::commands::notify;
use crate::display::{self, Style};
use crate::failure::{Ending, Failure};
use crate::{context, log, shims};

/// How a worker is started.
pub fn arguments(name: &str, root: &Path, guest: &Guest) -> Vec<OsString> {
    let texts = [name, &guest.agent, &guest.session];
    let texts = texts.into_iter().map(OsString::from);
    texts.chain([root.as_os_str().to_owned()]).collect()
}

/// The worker itself.
pub fn worker(arguments: &[OsString]) -> ExitCode {
    as_worker(arguments, work)
}

/// The worker that looks at what an agent begins with.
pub fn baseline(arguments: &[OsString]) -> ExitCode {
    give_way();
    as_worker(arguments, |guest, root| {
        let gate = Gate::open(Workspace::discover(root)?, guest)?;
        let plan::Judge::Plan(plan) = plan::of(&gate, &guest.agent)? else { return Ok(()) };
        let workspace = Workspace::discover(root)?;
        context::with_tools(Style::Json, |tools| baseline::record(workspace, &plan, tools))??;
        Ok(())
    })
}

/// Has what an agent begins with looked at in the background, where that is of use.
pub fn look_at_the_beginning(root: &Path, guest: &Guest) -> Result<(), Failure> {
    if !baseline::is_of_use(root) {
        return Ok(());
    }
    let work = baseline::work(root);
    work.make_room()?;
    detach(&arguments(shims::GATE_BASELINE, root, guest), root, &work.log())
        .map(|_| ())
        .map_err(Failure::of)
}

fn as_worker(
    arguments: &[OsString],
    work: impl FnOnce(&Guest, &Path) -> Result<(), Failure>,
) -> ExitCode {
    leave_session();
    log::start();
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
    baseline::call_off(root);
    let judged = context::with_tools(Style::Json, |tools| gate.judge(&plan, tools))?;
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
        notify::send();
    }
    Ok(())
}
