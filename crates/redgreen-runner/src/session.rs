//! A whole loop: begun, or taken up again where the journal ends.

mod end;
mod folder;
mod hosted;
mod measured;
mod mending;
mod neighbours;
mod person;
mod resume;
mod suspects;
mod template;
mod turning;

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use redgreen_engine::effect::{Action, AgentRequest, Ask, Effect, Pending};
use redgreen_engine::input::{Input, Remembered, Stamped};
use redgreen_engine::state::State;
use redgreen_engine::{fold, step};
use redgreen_exec::Executor;
use redgreen_model::config::Role;
use redgreen_model::event::Event;
use redgreen_model::execution::{Execution, Purpose, TestId};
use redgreen_model::square::SquareFacts;
use redgreen_model::text::clean_line;
use redgreen_model::tree::{TreeHash, TreeState};
use redgreen_redact::redact;
use redgreen_workspace::{Workspace, WorktreeLock};

use crate::agent::{self, AgentRunner};
use crate::checks::{CheckRunner, Order};
use crate::events::Events;
use crate::evidence::{Ways, Witness};
use crate::journal::{self, Journal};
use crate::layout::{SessionFolder, forget};
use crate::memory::{LoopMemory, require_own_folder};
use crate::plan::{OutsideSince, Plan, PlannedAgent};
use crate::square::outside::{Bare, moment};
use crate::square::{Change, Squarer, waived};
use crate::trees::Trees;
use crate::{RunnerError, Tools, clock, environments, known};
use hosted::starting_tree;
pub use person::accept;

/// The most characters of the task in a snapshot's message.
const SUBJECT_CHARS: usize = 72;
/// How much must fit on a disk that is not full.
const PROBE_BYTES: usize = 256 * 1024;

/// A loop that is under way in a work tree. The work tree is locked while it exists.
pub struct Session<'tools> {
    tools: &'tools Tools<'tools>,
    executor: Executor,
    events: Events<'tools>,
    trees: Trees,
    folder: SessionFolder,
    journal: Journal,
    plan: Plan,
    /// Whether the plan is as it was given, with the secrets that are in it.
    is_whole: bool,
    state: State,
    executions: u64,
    witness: Witness,
    memory: LoopMemory,
    /// Whether the journal is known to be redgreen's own words, as far as there is a key.
    is_own: bool,
    _lock: WorktreeLock,
}

/// What is on record of a session.
pub struct SessionRecord {
    /// What it was to do.
    pub plan: Plan,
    /// How it stands.
    pub state: State,
    /// How many executions are on record.
    pub executions: u64,
}

/// Reads a session without touching it.
pub fn read(folder: &SessionFolder) -> Result<SessionRecord, RunnerError> {
    let recorded = journal::read(folder)?;
    Ok(SessionRecord {
        state: fold(&recorded.inputs),
        executions: count_executions(&recorded.inputs),
        plan: recorded.plan,
    })
}

impl<'tools> Session<'tools> {
    /// Begins a loop on the tree as it is.
    pub fn start(
        workspace: Workspace,
        plan: Plan,
        tools: &'tools Tools<'tools>,
    ) -> Result<Self, RunnerError> {
        let others = plan.senior.iter().chain(plan.roles.values());
        std::iter::once(&plan.agent).chain(others).try_for_each(agent::require)?;
        let folder = SessionFolder::new(workspace.root(), &workspace.state_dir()?, &plan.session);
        Self::start_in(workspace, folder, plan, tools)
    }

    /// The same, in a folder of its own.
    pub(crate) fn start_in(
        workspace: Workspace,
        folder: SessionFolder,
        mut plan: Plan,
        tools: &'tools Tools<'tools>,
    ) -> Result<Self, RunnerError> {
        require_own_folder(workspace.root(), &plan.config.memory)?;
        let lock = workspace.lock(&match plan.single {
            Some(_) => format!("redgreen {}, run {}", plan.task, plan.session),
            None => format!("redgreen run, session {}", plan.session),
        })?;
        tracing::info!(
            root = %workspace.root().display(),
            session = plan.session,
            hosted = plan.hosted,
            checks = ?plan.commands(),
            "plan"
        );
        folder.make()?;
        let mut events = Events::open(tools.display, &folder.events())?;
        events.register(workspace.root(), &plan);
        let executor = tools.after_predecessor(&workspace, &plan.config, &events)?;
        let trees = Trees::new(workspace, &plan.config)?;
        let tree = starting_tree(&trees, &plan)?;
        let judged = match plan.elsewhere() {
            Some(tree) => tree.clone(),
            None => trees.last_seen()?.tree,
        };
        plan.feedback_template = template::own(trees.workspace.root(), &plan, &events);
        plan.known = known::listed(&trees.workspace, plan.base.as_ref(), &judged)?;
        let witness = witness(&trees, &plan, &events);
        let lasts = plan.lasts();
        let journal =
            Journal::create(&folder, &plan, |seal| witness.seal(seal, &folder.seal(), lasts))?;
        if plan.single.is_none() {
            events.say(&Event::SessionStarted {
                session: plan.session.clone(),
                task: plan.task.clone(),
                max_attempts: plan.config.loop_settings.max_attempts,
                checks: plan.commands(),
                tree: tree.tree.clone(),
            });
        }
        let memory = LoopMemory::of(trees.workspace.root(), &plan);
        let mut session = Self {
            tools,
            executor,
            events,
            trees,
            folder,
            journal,
            plan,
            is_whole: true,
            state: State::new(),
            executions: 0,
            witness,
            memory,
            is_own: true,
            _lock: lock,
        };
        session.begin(tree)?;
        Ok(session)
    }

    /// Goes on until the loop ends; with an agent that lives outside, until that one is to do
    /// something. An interruption leaves everything as it is, to be resumed, and so does a fault of
    /// the machine, such as a full disk.
    pub fn run(mut self) -> Result<State, RunnerError> {
        let mut is_met = self.plan.hosted && !self.waits_for_the_agent();
        while let Some(pending) = self.state.pending.clone() {
            if self.tools.stop.is_raised() {
                return Err(RunnerError::Interrupted);
            }
            if let (true, Action::AskAgent(request)) = (self.plan.hosted, &pending.action)
                && request.ask.is_edit()
            {
                if is_met {
                    self.agent_runner().brief(request)?;
                    return Ok(self.state);
                }
                is_met = true;
            }
            let performed = self.perform(&pending);
            self.stand_again()?;
            let input = match performed {
                Ok(input) => input,
                Err(error @ RunnerError::Interrupted) => return Err(error),
                // Nobody comes back to a single judgement.
                Err(error) if self.plan.single.is_some() => return Err(error),
                Err(error) => {
                    tracing::warn!(?error, action = ?pending.action, "cannot be done");
                    self.assert_disk_works()?;
                    let problem = redact(&error.to_string()).into_owned();
                    Input::Failed { id: pending.id, problem }
                }
            };
            if let Input::Executed { execution, .. } = &input {
                self.remember(execution)?;
            }
            self.feed(input)?;
        }
        self.conclude()?;
        Ok(self.state)
    }

    /// Something could not be done: if redgreen's own folder cannot be written any more, that is
    /// why. Of git there are only words, and not always those.
    fn assert_disk_works(&self) -> Result<(), RunnerError> {
        let probe = self.folder.path().join("probe");
        let written = fs::write(&probe, vec![0; PROBE_BYTES]);
        let _ = fs::remove_file(&probe);
        written.map_err(RunnerError::file("write", probe))
    }

    /// Records an input, then acts on it.
    fn feed(&mut self, input: Input) -> Result<(), RunnerError> {
        let stamped = Stamped { at: clock::now(), input };
        let (is_own, path, lasts) = (self.is_own, self.folder.seal(), self.plan.lasts());
        self.journal.append(&stamped, |seal| {
            if is_own { self.witness.seal(seal, &path, lasts) } else { Ok(()) }
        })?;
        if matches!(stamped.input, Input::Executed { .. }) {
            self.executions += 1;
        }
        let next = step(std::mem::take(&mut self.state), &stamped);
        self.state = next.state;
        for effect in &next.effects {
            if let Effect::Announce(event) = effect {
                self.events.say(event);
            }
        }
        if self.plan.single.is_some() {
            return Ok(()); // Whoever asked is informed, and nobody else.
        }
        self.events.stand(&self.state);
        self.memory.publish(&self.state, &self.events);
        self.publish()
    }

    fn perform(&self, pending: &Pending) -> Result<Input, RunnerError> {
        let id = pending.id;
        if let Some(limit_seconds) = self.deadline_passed()
            && !matches!(pending.action, Action::Restore { .. })
        {
            return Ok(Input::DeadlinePassed { limit_seconds });
        }
        let input = match &pending.action {
            Action::Execute { purpose, attempt, only } => {
                Input::Executed { id, execution: Box::new(self.execute(*purpose, *attempt, only)?) }
            }
            Action::AskAgent(request) => self.ask(id, request)?,
            Action::AskPerson { question, .. } => self.ask_person(id, question)?,
            Action::Wait { seconds } => {
                self.wait(Duration::from_secs(*seconds))?;
                Input::Waited { id }
            }
            Action::Restore { tree, reason } => {
                let (tree, saved) = self.restore(tree, &format!("saved-{id}"), reason)?;
                Input::Restored { id, tree, saved }
            }
            Action::Square { base, tree } => {
                Input::Squared { id, facts: Box::new(self.look_at_the_corners(base, tree)?) }
            }
            Action::Seal { tree } => {
                let tree = match self.plan.elsewhere() {
                    Some(_) => tree.clone(),
                    None => self.trees.now_or(tree)?,
                };
                self.keep(&tree.tree, "final")?;
                Input::Sealed { id, tree }
            }
        };
        Ok(match self.deadline_passed() {
            Some(limit_seconds) if cut_short(&input) => Input::DeadlinePassed { limit_seconds },
            _ => input,
        })
    }

    fn check_runner(&self) -> CheckRunner<'_> {
        CheckRunner {
            trees: &self.trees,
            executor: &self.executor,
            stop: self.tools.stop,
            events: &self.events,
            limits: &self.plan.config.limits,
            coverage: &self.plan.config.coverage,
            program: &self.tools.program,
            witness: &self.witness,
        }
    }

    /// The change as it is against the tests as they were.
    fn look_at_the_corners(
        &self,
        base: &TreeState,
        tree: &TreeState,
    ) -> Result<SquareFacts, RunnerError> {
        let judged = self.state.attempts.last().and_then(|attempt| attempt.judged.as_ref());
        let (Some(baseline), Some(run)) = (&self.state.baseline, judged) else {
            return Err(RunnerError::Session("there is nothing to compare".to_owned()));
        };
        let squarer = Squarer {
            runner: &self.check_runner(),
            checks: &self.plan.checks,
            config: &self.plan.config,
            folder: self.folder.square(self.executions),
            attempt: self.shown_attempt(),
            time_left: self.time_left(),
            since: self.since(),
            bare: match self.plan.outside {
                OutsideSince::Always { offline } => Some(Bare { offline }),
                _ => None,
            },
            waived: &if self.plan.hosted { waived() } else { self.plan.waived.clone() },
        };
        let there = match self.plan.elsewhere() {
            Some(_) => self.trees.last_seen()?.tree,
            None => tree.tree.clone(),
        };
        // The baseline was seen before the agent came, maybe beside other files that git ignores.
        let now: &[&Execution] = &[&run.execution, &baseline.execution];
        let at_hand = if self.plan.single.is_some() { now } else { &now[..1] };
        squarer.look(&Change { base, tree, there: &there, baseline, run, at_hand })
    }

    /// Since when a change outside of the tree counts: as the plan says, else since the loop's agent came.
    fn since(&self) -> Option<SystemTime> {
        match &self.plan.outside {
            OutsideSince::Never => None,
            OutsideSince::Always { .. } => Some(SystemTime::UNIX_EPOCH),
            OutsideSince::Moment { at } => moment(at),
            OutsideSince::Agent => {
                let baseline = &self.state.baseline.as_ref()?.execution;
                let took = Duration::from_millis(baseline.duration_ms);
                let before = moment(&baseline.started_at)? + took;
                Some(moment(&self.state.started_at)?.max(before))
            }
        }
    }

    /// The attempt as it is shown: there is none where nobody is asked.
    fn shown_attempt(&self) -> u32 {
        if self.plan.single.is_some() { 0 } else { self.state.attempt_number() }
    }

    fn execute(
        &self,
        purpose: Purpose,
        attempt: u32,
        only: &[TestId],
    ) -> Result<Execution, RunnerError> {
        let number = self.executions + 1;
        let mut execution = match self.recalled(number, purpose)? {
            Some(execution) => execution,
            None => {
                let (_room, ground) = self.ground(attempt)?;
                let measured = self.measured(purpose)?;
                let mut execution = self.check_runner().execute(&Order {
                    number,
                    purpose,
                    attempt: if self.plan.single.is_some() { 0 } else { attempt },
                    checks: &self.plan.checks,
                    only,
                    measure: &measured.files,
                    folder: self.folder.execution(number),
                    earlier: self.state.executions().collect(),
                    time_left: self.time_left(),
                    ground: &ground,
                })?;
                measured.describe(&mut execution, &|path| ground.file(&self.trees, path));
                execution
            }
        };
        self.keep(&execution.after.tree, &format!("execution-{number}"))?;
        self.add_what_helps(&mut execution);
        Ok(execution)
    }

    fn ask(&self, id: u64, request: &AgentRequest) -> Result<Input, RunnerError> {
        if self.plan.hosted && request.ask.is_edit() {
            return self.meet(id, request);
        }
        let agent = self.agent(request);
        // What an agent said that was killed together with redgreen is not this one's word.
        forget(&self.folder.give_up())?;
        self.events.say(&match request.ask.is_edit() {
            true => Event::AgentStarted {
                attempt: request.attempt,
                attempt_in_round: request.attempt_in_round,
                max_attempts: self.state.max_attempts(),
                phase: request.phase(),
                agent: agent.name.clone(),
            },
            false => Event::Notice {
                text: format!("{} is asked for a {}", agent.name, request.ask.name()),
            },
        });
        let result = self.agent_runner().ask(agent, request, self.time_left())?;
        if !request.ask.is_edit() {
            return Ok(Input::AgentEnded { id, result: Box::new(result) });
        }
        let result = self.mended(request, result)?;
        self.keep(&result.tree.tree, &format!("attempt-{}", request.attempt))?;
        Ok(Input::AgentEnded { id, result: Box::new(self.with_neighbours(result)) })
    }

    fn agent_runner(&self) -> AgentRunner<'_> {
        AgentRunner {
            trees: &self.trees,
            executor: &self.executor,
            stop: self.tools.stop,
            config: &self.plan.config,
            events: &self.events,
            folder: &self.folder,
            session: &self.plan.session,
            start: self.state.start.as_ref().map(|start| &start.tree),
            program: &self.tools.program,
        }
    }

    /// Who is asked: whoever has the role, else the one agent that has all of them.
    fn agent(&self, request: &AgentRequest) -> &PlannedAgent {
        let role = match request.ask {
            Ask::Plan => Some(Role::Planner),
            Ask::Review => Some(Role::Reviewer),
            Ask::Tests => Some(Role::TestEngineer),
            Ask::Code | Ask::Fix(_) => None,
        };
        let own = role.and_then(|role| self.plan.roles.get(&role));
        let senior = self.plan.senior.as_ref().filter(|_| request.senior);
        own.or(senior).unwrap_or(&self.plan.agent)
    }

    fn begin(&mut self, tree: TreeState) -> Result<(), RunnerError> {
        self.keep(&tree.tree, "start")?;
        for text in environments::not_ignored(&self.trees.workspace, &tree.tree)? {
            self.events.say(&Event::Notice { text });
        }
        let settings = Box::new(self.plan.settings());
        self.feed(Input::Started { settings, tree })?;
        // What an agent that lives outside was informed of when it began.
        match self.plan.briefed.clone() {
            Some(recalled) => {
                let memory = Box::new(Remembered { recalled, ..Remembered::default() });
                self.feed(Input::Remembered { memory })
            }
            None => Ok(()),
        }
    }

    /// Asks the debug memory about an execution that has just been made. What it says is recorded like
    /// all that happens, so that the same is shown after a crash.
    fn remember(&mut self, execution: &Execution) -> Result<(), RunnerError> {
        let said = self.memory.recall(&self.state, execution, &self.trees, &self.events);
        match said {
            Some(memory) => self.feed(Input::Remembered { memory: Box::new(memory) }),
            None => Ok(()),
        }
    }

    fn restore(
        &self,
        tree: &TreeHash,
        name: &str,
        reason: &str,
    ) -> Result<(TreeState, String), RunnerError> {
        let restored = self.trees.workspace.restore(tree, &self.ref_name(name))?;
        self.events.say(&Event::Restored {
            tree: tree.clone(),
            saved: restored.saved_ref.clone(),
            reason: reason.to_owned(),
        });
        Ok((self.trees.now()?, restored.saved_ref))
    }

    /// Keeps a tree under `refs/redgreen/`. Its own id is part of the name: after a crash the same
    /// step may come to another tree.
    fn keep(&self, tree: &TreeHash, name: &str) -> Result<(), RunnerError> {
        if self.plan.single.is_some() {
            return Ok(()); // Nothing is put back.
        }
        let reference = self.ref_name(&format!("{name}-{}", tree.short()));
        self.trees.workspace.snapshot(
            tree,
            &reference,
            &format!("redgreen {name}: {}", clean_line(&self.plan.task, SUBJECT_CHARS)),
        )?;
        Ok(())
    }

    fn ref_name(&self, name: &str) -> String {
        format!("{}/{name}", self.plan.session)
    }

    /// Waits, unless somebody stops the work.
    fn wait(&self, duration: Duration) -> Result<(), RunnerError> {
        self.trees.workspace.may_be_written();
        let duration = self.time_left().map_or(duration, |left| left.min(duration));
        if self.tools.stop.wait(duration) { Err(RunnerError::Interrupted) } else { Ok(()) }
    }

    fn time_left(&self) -> Option<Duration> {
        let limit = self.plan.config.loop_settings.time_limit_seconds?;
        Some(Duration::from_secs(
            limit.saturating_sub(clock::seconds_since(self.state.clock_began())),
        ))
    }

    fn deadline_passed(&self) -> Option<u64> {
        let left = self.time_left()?;
        if left.is_zero() { self.plan.config.loop_settings.time_limit_seconds } else { None }
    }
}

/// Signs what a session sees.
fn witness(trees: &Trees, plan: &Plan, events: &Events<'_>) -> Witness {
    let ways = Ways {
        checks: &plan.checks,
        config: &plan.config,
        code_type: plan.code_type,
        fresh: plan.fresh,
    };
    Witness::new(&trees.workspace, &ways, events)
}

/// Whether the session's limit, not the command's own, ended it.
fn cut_short(input: &Input) -> bool {
    use redgreen_engine::input::AgentOutcome;
    use redgreen_model::execution::Ended;
    match input {
        Input::Executed { execution, .. } => {
            execution.checks.iter().any(|run| matches!(run.ended, Ended::TimedOut { .. }))
        }
        Input::AgentEnded { result, .. } => matches!(result.outcome, AgentOutcome::TimedOut { .. }),
        Input::Waited { .. } => true,
        _ => false,
    }
}

fn count_executions(inputs: &[Stamped]) -> u64 {
    inputs.iter().filter(|stamped| matches!(stamped.input, Input::Executed { .. })).count() as u64
}

/// The newest session that has something left to do. One that cannot be read counts too: whoever
/// takes it up is informed why.
pub fn unfinished(root: &Path, state_dir: &Path) -> Option<String> {
    SessionFolder::list(state_dir)
        .into_iter()
        .find(|session| has_more_to_do(&SessionFolder::new(root, state_dir, session)))
}

/// Whether a session has something left to do.
pub(crate) fn has_more_to_do(folder: &SessionFolder) -> bool {
    let is_done = |record: SessionRecord| {
        record.plan.hosted || (record.state.ended() && folder.report().exists())
    };
    folder.has_begun() && !read(folder).is_ok_and(is_done)
}

/// Whether the work tree still has the code that a verdict is about.
pub fn is_current(
    workspace: Workspace,
    record: &SessionRecord,
    judged: &TreeState,
) -> Result<bool, RunnerError> {
    let trees = Trees::new(workspace, &record.plan.config)?;
    Ok(trees.now()?.code == judged.code)
}
