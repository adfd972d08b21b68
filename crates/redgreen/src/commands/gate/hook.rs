//! The gate as an agent's hook: one event in, one answer out, whatever happens.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use redgreen_agents::Agent;
use redgreen_agents::command::SESSION;
use redgreen_agents::contract::{self, Answer, EventKind, HookEvent};
use redgreen_exec::detach;
use redgreen_runner::gate::{self, Decision, Gate, Guest, Waited};
use redgreen_runner::layout::SessionFolder;
use redgreen_workspace::Workspace;

use super::super::hooks;
use super::{Arguments, plan, work};
use crate::failure::{Ending, Failure};
use crate::{context, display, hook_input};

/// How long a worker that is at an older tree has to end.
const CALL_OFF: Duration = Duration::from_secs(20);
/// The session of an agent that does not say.
const NO_SESSION: &str = "unnamed";

pub fn run(agent: &str, arguments: &Arguments) -> Result<Ending, Failure> {
    let named = arguments.event.as_deref().and_then(EventKind::named);
    let agent = Agent::named(agent).ok_or_else(|| {
        let names: Vec<&str> = redgreen_agents::AGENTS.iter().map(|agent| agent.name).collect();
        Failure::usage(format!("redgreen knows no agent {agent}"))
            .hint(format!("known are: {}", names.join(", ")))
    })?;
    let deadline = Instant::now() + Duration::from_secs(arguments.deadline);
    let event = contract::read_event(agent, named, &hook_input::read());
    let decided = catch_unwind(AssertUnwindSafe(|| answer(agent, &event, deadline)));
    let answer = match decided {
        Ok(Ok(answer)) => answer,
        Ok(Err(failure)) => faulty(&event, &failure.to_string()),
        Err(_) => faulty(&event, "redgreen itself failed; this is a bug in it"),
    };
    let spoken = contract::answer(agent, &event.kind, &answer);
    display::raw(&spoken.stdout, &spoken.stderr);
    Ok(if spoken.exit_code == 0 { Ending::Green } else { Ending::Red })
}

fn answer(agent: &Agent, event: &HookEvent, deadline: Instant) -> Result<Answer, Failure> {
    let folder = folder(event)?;
    let is_simple = event.caller == agent && std::env::var_os(SESSION).is_none();
    if event.kind == EventKind::Stop && is_simple && gate::nothing_to_do(&folder, &guest(event)) {
        return Ok(Answer::Allow);
    }
    let Ok(workspace) = Workspace::discover(&folder) else {
        let words = format!("redgreen: not verified: {} is in no git work tree", folder.display());
        return Ok(if event.kind == EventKind::Stop {
            Answer::AllowWith(words)
        } else {
            Answer::Allow
        });
    };
    if is_in_a_loop(&workspace) {
        return Ok(Answer::Allow); // The loop that started the agent judges it.
    }
    if hooks::is_judged_by_its_own(agent, event, workspace.root()) {
        return Ok(Answer::Allow);
    }
    let mut gate = Gate::open(workspace, &guest(event))?;
    match event.kind {
        EventKind::Stop => Ok(said(stop(&mut gate, event, deadline)?)),
        _ => {
            gate.begin()?;
            Ok(Answer::Allow)
        }
    }
}

fn stop(gate: &mut Gate, event: &HookEvent, deadline: Instant) -> Result<Decision, Failure> {
    let plan = plan::of(gate, event.caller.name)?;
    if let Some(decision) = gate.known(&plan)? {
        gate.remember(&plan);
        return Ok(decision);
    }
    if let Some(problem) = plan::untrusted(gate, &plan)? {
        return Ok(gate.fault(&problem, None)?);
    }
    let now = gate.code(&plan)?;
    let work = gate.work();
    let under_way = work.under_way();
    if under_way.as_ref().is_some_and(|code| *code != now.code) {
        work.call_off(CALL_OFF);
    }
    let mut worker = None;
    if under_way.as_ref() != Some(&now.code) {
        if let Some(decision) = work.take_answer(&now.code) {
            return Ok(decision);
        }
        work.make_room()?;
        let arguments = work::arguments(gate.workspace().root(), &guest(event));
        let started = detach(&arguments, gate.workspace().root(), &work.log());
        worker = Some(started.map_err(|error| Failure::tooling(error.to_string()))?);
    }
    let is_there = || worker.as_mut().is_some_and(redgreen_exec::Detached::is_running);
    match work.wait(&now.code, deadline, is_there) {
        Waited::Answered(decision) => Ok(decision),
        Waited::StillWorking => Ok(Decision::Block {
            reason: "redgreen is still running the checks on this tree, and goes on in the background. Change nothing, and end again: the next answer comes from what it has seen by then.".to_owned(),
        }),
        Waited::Gone => {
            let problem = format!("redgreen's worker ended without an answer; see {}", work.log().display());
            Ok(gate.fault(&problem, Some(&now))?)
        }
    }
}

fn said(decision: Decision) -> Answer {
    match decision {
        Decision::Allow { .. } => Answer::Allow,
        Decision::Block { reason } => Answer::Block(reason),
        Decision::LetGo { message } => Answer::LetGo(message),
    }
}

/// Something went wrong around the gate: a stop is held, but not for ever.
fn faulty(event: &HookEvent, problem: &str) -> Answer {
    if event.kind != EventKind::Stop {
        return Answer::Allow;
    }
    let counted = folder(event).and_then(|folder| {
        let mut gate = Gate::open(Workspace::discover(&folder)?, &guest(event))?;
        Ok(gate.fault(problem, None)?)
    });
    match counted {
        Ok(decision) => said(decision),
        // What cannot be counted cannot be bounded.
        Err(failure) => Answer::LetGo(format!("redgreen: NOT VERIFIED: {problem}; {failure}")),
    }
}

fn guest(event: &HookEvent) -> Guest {
    Guest {
        agent: event.caller.name.to_owned(),
        session: event.session.clone().unwrap_or_else(|| NO_SESSION.to_owned()),
    }
}

fn folder(event: &HookEvent) -> Result<PathBuf, Failure> {
    match event.folder.as_deref().filter(|folder| Path::new(folder).is_dir()) {
        Some(folder) => Ok(folder.to_owned()),
        None => context::folder(),
    }
}

/// Whether `redgreen run` started the agent and is at work here: that loop is the judge.
fn is_in_a_loop(workspace: &Workspace) -> bool {
    let Ok(session) = std::env::var(SESSION) else { return false };
    let folder = SessionFolder::new(workspace.root(), &workspace.state_path(), &session);
    folder.has_begun() && workspace.lock("redgreen gate").is_err()
}
