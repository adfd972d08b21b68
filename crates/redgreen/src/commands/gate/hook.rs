//! The gate as an agent's hook: one event in, one answer out, whatever happens.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use redgreen_agents::Agent;
use redgreen_agents::command::SESSION;
use redgreen_agents::contract::{self, Answer, EventKind, HookEvent};
use redgreen_exec::detach;
use redgreen_runner::gate::{self, Gate, Guest, Record, Waited};
use redgreen_runner::layout::SessionFolder;
use redgreen_runner::plan::Plan;
use redgreen_workspace::{Workspace, WorkspaceError, likely_root};

use super::super::hooks;
use super::{Arguments, plan, work};
use crate::failure::{Ending, Failure};
use crate::{context, display, hook_input, shims};

/// How long a worker that is at an older tree has to end.
const CALL_OFF: Duration = Duration::from_secs(20);
/// The session of an agent that does not say.
const NO_SESSION: &str = "unnamed";

pub fn run(agent: &str, arguments: &Arguments) -> Result<Ending, Failure> {
    let named = arguments.event.as_deref().and_then(EventKind::named);
    let agent = hooks::known(agent)?;
    let deadline = Instant::now() + Duration::from_secs(arguments.deadline);
    let event = contract::read_event(agent, named, &hook_input::read());
    let call = Call { agent, guest: guest(&event), event, deadline };
    let answer = call.answer();
    tracing::info!(agent = agent.name, event = ?call.event.kind, ?answer, "gate");
    let spoken = contract::answer(agent, &call.event.kind, &answer);
    display::raw(&spoken.stdout, &spoken.stderr);
    Ok(if spoken.exit_code == 0 { Ending::Green } else { Ending::Red })
}

fn guest(event: &HookEvent) -> Guest {
    Guest {
        agent: event.caller.name.to_owned(),
        session: event.session.clone().unwrap_or_else(|| NO_SESSION.to_owned()),
    }
}

/// One event of one agent.
struct Call {
    agent: &'static Agent,
    event: HookEvent,
    guest: Guest,
    deadline: Instant,
}

impl Call {
    fn answer(&self) -> Answer {
        let places = self.touched(self.places());
        let stops = matches!(self.event.kind, EventKind::Stop | EventKind::SubagentStop);
        let mut answer = Answer::allow("nothing to judge");
        for folder in &places {
            let here = catch_unwind(AssertUnwindSafe(|| self.answer_at(folder)))
                .unwrap_or_else(|_| {
                    Err(Failure::tooling("redgreen crashed: this is a bug in redgreen"))
                })
                .inspect_err(|failure| tracing::error!(?failure))
                .unwrap_or_else(|failure| self.faulty(folder, &failure.to_string()));
            match &here {
                Answer::Block { .. } | Answer::LetGo { .. } if stops => return here,
                Answer::Allow { remarks, .. } if !remarks.is_empty() => answer = here,
                _ => {}
            }
        }
        answer
    }

    /// The folders that are judged: where the session began, and where the agent is now.
    fn places(&self) -> Vec<PathBuf> {
        let began = gate::began_at(&self.guest).filter(|_| self.event.kind == EventKind::Stop);
        let project = self.agent.hooks.and_then(|contract| std::env::var_os(contract.project));
        let project = project.map(PathBuf::from).filter(|_| began.is_none());
        let named = self.event.folders.iter().filter(|folder| folder.is_dir()).cloned();
        let mut places: Vec<PathBuf> = began.into_iter().collect();
        let top = |folder: &Path| {
            let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
            likely_root(&folder).map_or_else(|| folder.clone(), Path::to_owned)
        };
        for folder in named.chain(project.filter(|folder| folder.is_dir())) {
            let folder = top(&folder);
            // Somewhere outside of every project nothing can be judged: it counts only if it is all.
            if !places.contains(&folder) && (places.is_empty() || likely_root(&folder).is_some()) {
                places.push(folder);
            }
        }
        if places.is_empty() {
            places.extend(context::folder().ok().map(|folder| top(&folder)));
        }
        places
    }

    /// Of several places, those where something changed, if there are any.
    fn touched(&self, places: Vec<PathBuf>) -> Vec<PathBuf> {
        if places.len() < 2 || self.event.kind != EventKind::Stop {
            return places;
        }
        let is_untouched = |folder: &PathBuf| {
            let gate = Workspace::discover(folder).ok().map(|it| Gate::open(it, &self.guest));
            gate.is_some_and(|gate| gate.is_ok_and(|gate| gate.is_untouched().unwrap_or(false)))
        };
        let touched: Vec<PathBuf> =
            places.iter().filter(|folder| !is_untouched(folder)).cloned().collect();
        if touched.is_empty() { places } else { touched }
    }

    fn answer_at(&self, folder: &Path) -> Result<Answer, Failure> {
        let (agent, event) = (self.agent, &self.event);
        let is_simple = event.caller == agent && std::env::var_os(SESSION).is_none();
        let stops = event.kind == EventKind::Stop;
        if stops && let Some(hints) = gate::take_hints(folder) {
            return Ok(Answer::block(format!(
                "A person has answered what redgreen let go as NOT VERIFIED before:\n\n{hints}\nGo on with that, or end your turn again if it is done."
            )));
        }
        if stops && is_simple && gate::nothing_to_do(folder, &self.guest) {
            return Ok(Answer::allow("nothing has changed since it was let go"));
        }
        let workspace = match Workspace::discover(folder) {
            Err(WorkspaceError::NotARepository { .. }) if gate::began_at(&self.guest).is_none() => {
                let words = format!(
                    "redgreen: NOT VERIFIED: {} is not in a git work tree",
                    folder.display()
                );
                return Ok(if stops { Answer::tell(words) } else { Answer::allow("no work tree") });
            }
            workspace => workspace?,
        };
        if is_in_a_loop(&workspace) {
            return Ok(Answer::allow("the loop that started the agent judges it"));
        }
        if hooks::is_judged_by_its_own(agent, event, workspace.root()) {
            return Ok(Answer::allow("the agent's own hook judges it"));
        }
        let mut gate = Gate::open(workspace, &self.guest)?;
        if event.kind == EventKind::SubagentStop {
            // Whoever started it is still at work.
            return match plan::judges(&gate, event.subagent.as_deref())? {
                true => self.stop(&mut gate),
                false => Ok(Answer::allow("subagents are not judged here")),
            };
        }
        if stops {
            let answer = self.stop(&mut gate)?;
            let held = matches!(answer, Answer::Block { .. });
            return Ok(if held { answer } else { answer.with(gate.rest()?) });
        }
        let is_new = gate.is_new();
        gate.begin()?;
        if is_new {
            // Nothing depends on it: what cannot be seen now is seen at the end.
            let _ = work::look_at_the_beginning(gate.workspace().root(), &self.guest);
        }
        let reads = agent.hooks.is_some_and(|contract| contract.reads_at_start);
        let brief = (reads && event.kind == EventKind::SessionStart)
            .then(|| plan::brief(&mut gate))
            .flatten();
        Ok(brief.map_or_else(|| Answer::allow("begun"), Answer::tell))
    }

    fn stop(&self, gate: &mut Gate) -> Result<Answer, Failure> {
        if let Some(problem) = gate.bent()? {
            return Ok(gate.fault(&problem, None)?);
        }
        gate.ends()?;
        let plan = match plan::of(gate, self.event.caller.name) {
            Ok(plan::Judge::Plan(plan)) => plan,
            Ok(plan::Judge::Nobody { .. }) | Err(_) if gate.is_unedited()? => {
                return Ok(Answer::allow("nothing was edited"));
            }
            Ok(plan::Judge::Nobody { none_yet }) => {
                let with_test =
                    none_yet.then(|| context::file_with_test(gate.workspace().root())).flatten();
                return Ok(gate.without_checks(none_yet, with_test.as_deref())?);
            }
            Err(failure) => return Err(failure),
        };
        let untrusted = plan::untrusted(gate, &plan)?;
        if let Some(answer) = gate.known(&plan, untrusted)? {
            gate.remember(&plan);
            return Ok(answer);
        }
        self.run(gate, &plan)
    }

    /// A worker judges the tree; it goes on when this hook has to answer.
    fn run(&self, gate: &mut Gate, plan: &Plan) -> Result<Answer, Failure> {
        let now = gate.now(plan)?;
        let work = gate.work();
        let under_way = work.under_way();
        if under_way.as_ref().is_some_and(|tree| *tree != now.tree) {
            work.call_off(CALL_OFF);
        }
        let was_at_it = under_way.as_ref() == Some(&now.tree);
        let mut worker = None;
        if !was_at_it {
            if let Some(answer) = work.take_answer(&now.tree) {
                return Ok(answer);
            }
            work.make_room()?;
            let arguments =
                work::arguments(shims::GATE_WORKER, gate.workspace().root(), &self.guest);
            let started = detach(&arguments, gate.workspace().root(), &work.log());
            worker = Some(started.map_err(Failure::of)?);
        }
        let is_there = || worker.as_mut().is_some_and(redgreen_exec::Detached::is_running);
        match work.wait(&now.tree, self.deadline, was_at_it, is_there) {
            Waited::Answered(answer) => Ok(answer),
            Waited::StillWorking => Ok(Answer::block(
                "redgreen is still running the checks on this tree, in the background. Do not change anything, and end your turn again: then you get the result.",
            )),
            Waited::Gone => {
                let problem = format!(
                    "redgreen's worker ended without an answer; see {}",
                    work.log().display()
                );
                Ok(gate.fault(&problem, Some(&now))?)
            }
        }
    }

    /// Something went wrong around the gate: a stop is held, but not for ever.
    fn faulty(&self, folder: &Path, problem: &str) -> Answer {
        if self.event.kind != EventKind::Stop {
            return Answer::allow("nothing to judge");
        }
        let counted = Record::open(folder, &self.guest)
            .and_then(|mut record| gate::fault(&mut record, problem));
        match counted {
            Ok(answer) => answer,
            // What cannot be counted is held once, as far as the agent says whether it was.
            Err(failure) if self.event.was_held => Answer::let_go(format!(
                "redgreen: NOT VERIFIED: {problem}; and redgreen cannot record that: {failure}"
            )),
            Err(_) => Answer::block(format!(
                "redgreen could not run the checks, so nothing is verified: {problem}\n\nIf your change broke this, repair it. If it needs a person, say so and end your turn again.\n"
            )),
        }
    }
}

/// Whether `redgreen run` started the agent and is at work here: that loop is the judge.
fn is_in_a_loop(workspace: &Workspace) -> bool {
    let Ok(session) = std::env::var(SESSION) else { return false };
    let folder = SessionFolder::new(workspace.root(), &workspace.state_path(), &session);
    folder.has_begun() && workspace.lock("redgreen gate").is_err()
}
