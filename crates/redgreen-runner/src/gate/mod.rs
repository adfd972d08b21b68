//! The gate: may this tree be returned?
//!
//! An agent that people run as they always do is met each time it wants to end. The loop is the same
//! as in [`crate::session`], one process for each end: the agent's edit is what is in the work tree,
//! and what it is answered is why it may not go yet.
//!
//! ```text
//! hook ─▶ as it was at a glance? ─▶ answer at once, without git
//!  └─ no ─▶ known? (signed evidence · nothing to judge · let go before) ─▶ answer at once
//!            └─ no ─▶ worker: the session goes on until the agent is to do something ─▶ answer
//! ```
//!
//! What the gate itself has to remember lies outside of the work tree (`record`): the agent's session,
//! the tree it started from, the journal.

pub mod base;
pub mod baseline;
mod debt;
mod glance;
mod hooks;
mod kind;
mod log;
mod questions;
mod record;
pub mod trust;
mod work;

use std::cell::OnceCell;
use std::time::Duration;

use redgreen_engine::feedback;
use redgreen_engine::input::Weight;
use redgreen_engine::state::State;
use redgreen_model::config::MemorySettings;
use redgreen_model::debug_memory::Recalled;
use redgreen_model::gate::Answer;
use redgreen_model::tree::{TreeHash, TreeState};
use redgreen_model::verdict::{StopReason, Verdict};
use redgreen_model::workflow::LoopStatus;
use redgreen_workspace::{Workspace, WorkspaceError};

use crate::evidence::{steered_apart, steering};
use crate::layout::{SessionFolder, forget};
use crate::memory::{placed, recall};
use crate::plan::{OutsideSince, Plan};
use crate::session::Session;
use crate::square::says_the_same;
use crate::trees::Trees;
use crate::{RunnerError, Tools, known};

use base::Base;
pub use glance::{Against, nothing_to_do, remember, verified_at_a_glance};
pub use kind::{SaidKind, forget_kind, said_kind, say_kind};
pub use log::{Entry, entries};
use questions::verified_by;
pub use questions::{Elsewhere, Found, Lookup, Question, SeenPass};
pub(crate) use record::folder_outside;
pub use record::{
    Guest, Held, Record, Skip, began_at, give_up, held, leave_hint, skip, take_hints,
};
pub use work::{Waited, Work};

/// What is said where documents alone were changed.
const NOTHING_RUNS: &str = "redgreen: nothing that runs was changed, so nothing was run";
/// How often a work tree that another redgreen works in is tried.
const LOCK_INTERVAL: Duration = Duration::from_millis(100);

/// The gate of one agent session in one work tree.
pub struct Gate {
    workspace: Workspace,
    guest: Guest,
    record: Record,
    /// What people had, once somebody asked.
    base: OnceCell<TreeHash>,
}

impl Gate {
    /// Opens the gate of an agent session.
    pub fn open(workspace: Workspace, guest: &Guest) -> Result<Self, RunnerError> {
        let record = Record::open(workspace.root(), guest)?;
        let workspace = placed(workspace, record.start())?;
        Ok(Self { workspace, guest: guest.clone(), record, base: OnceCell::new() })
    }

    /// The work tree.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The session begins, or goes on: what people did until now is not its work.
    pub fn begin(&mut self) -> Result<(), RunnerError> {
        record::begin_at(self.workspace.root(), &self.guest)?;
        let tree = self.workspace.tree()?;
        let beginning = base::begins(&self.workspace, &self.guest, &tree)?;
        if let Some(start) = self.record.start() {
            // The session goes on, from what people made of the tree meanwhile.
            let is_same = !beginning.was_at_rest || *start == tree;
            return if is_same { Ok(()) } else { self.record.taken_over(&self.workspace, &tree) };
        }
        let hooks = hooks::state(self.workspace.root(), &self.guest.agent);
        self.record.set_beginning(steering(), hooks)?;
        if let Some(vouched) = beginning.vouched {
            self.record.set_vouched(vouched)?;
        }
        self.record.set_start(&self.workspace, &tree, beginning.in_debt)
    }

    /// The agent is let go: what changes from now on is not its work. What a person should know of what was not looked at.
    pub fn rest(&self) -> Result<Vec<String>, RunnerError> {
        let record = Record::open(self.workspace.root(), &self.guest)?;
        let tree = self.workspace.last_look()?.tree;
        let verified = record.has_passed(&tree, &self.base()?);
        base::rests(&self.workspace, &self.guest, verified)
    }

    /// What the debug memory has to say to an agent that reads it when its session begins. It is kept
    /// that this was said: whether it helped is seen at the end.
    pub fn brief(&mut self, settings: &MemorySettings) -> Result<Option<String>, RunnerError> {
        let Some(brief) = recall::at_session_start(&self.workspace, settings)? else {
            return Ok(None);
        };
        self.record.set_briefed(brief.recalled)?;
        Ok(Some(feedback::briefed(&brief.text)))
    }

    /// What the agent got from the debug memory when its session began.
    pub fn briefed(&self) -> Option<&Recalled> {
        self.record.briefed()
    }

    /// Whether nothing has changed since the session began here, or was let go as verified.
    pub fn is_untouched(&self) -> Result<bool, RunnerError> {
        let start = match self.record.start() {
            Some(start) => start.clone(),
            None => self.base()?,
        };
        Ok(self.workspace.tree_anew()? == start)
    }

    /// The tree that the session's change is compared with, see [`base`].
    pub fn base(&self) -> Result<TreeHash, RunnerError> {
        if let Some(base) = self.base.get() {
            return Ok(base.clone());
        }
        let base = Base::of(&self.workspace)?;
        Ok(self.base.get_or_init(|| base.tree).clone())
    }

    /// The agent wants to end, whether or not somebody saw it begin.
    pub fn ends(&self) -> Result<(), RunnerError> {
        base::works(&self.workspace, &self.guest)
    }

    /// Since when a change outside of the tree counts: since the session began, else since the last commit.
    pub fn outside_since(&self) -> Result<OutsideSince, RunnerError> {
        match self.record.began_at() {
            Some(at) => Ok(OutsideSince::Moment { at: at.to_owned() }),
            None => OutsideSince::commit(&self.workspace, "HEAD"),
        }
    }

    /// What steers the frameworks, or lets the agent run redgreen's hooks, and is not as it was when the session
    /// began, in words.
    pub fn bent(&self) -> Result<Option<String>, RunnerError> {
        if let Some(problem) = base::problem(&self.workspace) {
            return Ok(Some(problem));
        }
        let (Some(before), Some(base)) = (self.record.steering(), self.record.start()) else {
            return Ok(None);
        };
        let apart = steered_apart(before, &steering());
        if !apart.is_empty() {
            let apart = apart.join(", ");
            return Ok(Some(format!(
                "{apart} changed since the session began, and it decides what is run"
            )));
        }
        let Some(before) = self.record.hooks() else { return Ok(None) };
        hooks::loosened(&self.workspace, &self.guest.agent, before, base)
    }

    /// What can be said of the tree without running anything; `untrusted` is why its commands may not be run.
    pub fn known(
        &mut self,
        plan: &Plan,
        untrusted: Option<String>,
    ) -> Result<Option<Answer>, RunnerError> {
        let tree = self.workspace.tree_anew()?;
        let base = self.base()?;
        let question = Question { workspace: &self.workspace, plan, tree: &tree, base: &base };
        let Lookup { found, refused } = question.lookup(&Elsewhere::None)?;
        for problem in refused {
            self.log("refused", &problem, &tree)?;
        }
        if let Some(Found::Seen(seen)) = found {
            return Ok(Some(self.passed(&tree, seen)?));
        }
        if self.began_with(&tree) || (tree == base && self.record.passed_against(&base).is_none()) {
            let words = question.nothing_edited();
            self.log("skipped", &words, &tree)?;
            return Ok(Some(Answer::tell(words)));
        }
        let code = trees(&self.workspace, plan)?.code_of(&tree)?;
        // Somebody's word for it is more than what was said when it was let go.
        let is_skipped = matches!(found, Some(Found::Skipped(_)));
        if !is_skipped && (self.record.was_let_go(&code) || self.says_the_same(plan, &tree)?) {
            let message = "redgreen: still NOT VERIFIED: nothing that runs has changed since this tree was let go";
            return Ok(Some(Answer::let_go(message)));
        }
        // What passed need not run again, as long as nothing that runs was changed since.
        let found = match (found, self.record.passed_against(&base)) {
            (None, Some(passed)) => Question { base: passed, ..question }.idle()?.map(Found::Idle),
            (found, _) => found,
        };
        if let Some(found) = found {
            if matches!(found, Found::Idle(_)) {
                self.record.is_idle(&tree, &base)?;
            }
            let answer = match found {
                Found::Idle(Weight::Documents) => Answer::tell(NOTHING_RUNS),
                found => found.answer(),
            };
            self.log("skipped", &answer.text().unwrap_or_default(), &tree)?;
            return Ok(Some(answer));
        }
        untrusted.map(|problem| self.fault(&problem, None)).transpose()
    }

    /// Whether nothing but comments, layout and documents changed since a tree was let go: that is no new attempt.
    fn says_the_same(&self, plan: &Plan, tree: &TreeHash) -> Result<bool, RunnerError> {
        match self.record.let_go_tree() {
            Some(let_go) => {
                let trees = trees(&self.workspace, plan)?;
                says_the_same(&trees, (&plan.checks, &plan.config), let_go, tree)
            }
            None => Ok(false),
        }
    }

    /// Whether this is the tree that the session was seen to begin with: then nothing was edited.
    fn began_with(&self, tree: &TreeHash) -> bool {
        self.record.start() == Some(tree)
    }

    /// Whether the session was seen to begin here and has edited nothing since.
    pub fn is_unedited(&self) -> Result<bool, RunnerError> {
        Ok(self.record.start().is_some() && self.is_untouched()?)
    }

    fn log(&self, what: &'static str, why: &str, tree: &TreeHash) -> Result<(), RunnerError> {
        log::append(&self.workspace, &Entry::new(&self.record, what, why, tree))
    }

    /// Lets the session's loop go on until the agent is to do something or it ends.
    fn judge_by(&mut self, plan: &Plan, tools: &Tools<'_>) -> Result<Answer, RunnerError> {
        let goes_on = self.record.session_against(plan.base.as_ref());
        let id = match goes_on.filter(|id| self.folder(id).has_begun()) {
            Some(id) => id.to_owned(),
            None => {
                self.record.set_session(Some(plan.session.clone()), plan.base.clone())?;
                plan.session.clone()
            }
        };
        let folder = self.folder(&id);
        let state = patiently(tools, &self.workspace, || {
            let workspace = self.workspace.clone();
            match folder.has_begun() {
                true => Session::resume_in(workspace, folder.clone(), tools),
                false => Session::start_in(workspace, folder.clone(), plan.clone(), tools),
            }
        })?
        .run()?;
        self.conclude(&state, &folder)
    }

    /// What a session's state means for the agent.
    fn conclude(&mut self, state: &State, folder: &SessionFolder) -> Result<Answer, RunnerError> {
        if let Some(request) = feedback::asked(state) {
            let whole = folder.agent(request.attempt, request.phase().as_str());
            let whole = folder.shown(&whole.join("feedback.json"));
            let reason = feedback::blocked(state, &whole).unwrap_or_default();
            return Ok(Answer::block(reason));
        }
        forget(&folder.give_up())?;
        self.record.set_session(None, None)?;
        let mut tree = state.tree().cloned();
        let last = state.attempts.last();
        let square = last.and_then(|attempt| attempt.square.as_ref());
        let mut remarks = square.map(|seen| feedback::remarks(&seen.square)).unwrap_or_default();
        if let Some(text) = known::settle(&self.workspace, state)? {
            remarks.push(text);
            // Nothing but that list changed, and only redgreen reads it.
            let now = self.workspace.tree_anew()?;
            tree = tree.map(|tree| TreeState { tree: now, ..tree });
        }
        match (&tree, state.verdict()) {
            (Some(tree), _) if state.status == LoopStatus::Passed => {
                return self
                    .own_passed(&tree.tree, SeenPass { why: "seen to pass".to_owned(), remarks });
            }
            (Some(tree), Some(Verdict::PassedBut)) if state.sealed.is_some() => {
                let judged = last.and_then(|attempt| attempt.judged.as_ref());
                let why = judged.map(|judged| judged.reasons.join("; ")).unwrap_or_default();
                remarks.insert(0, format!("{why}. This does not count as a pass"));
                return self
                    .own_passed(&tree.tree, SeenPass { why: debt::BUT.to_owned(), remarks });
            }
            _ => {}
        }
        let stop = state.stop.as_ref();
        let detail = stop.map(|stop| stop.detail.as_str()).unwrap_or_default();
        match stop.map(|stop| stop.reason) {
            Some(StopReason::ToolingError) => self.fault(detail, tree.as_ref()),
            reason => self.let_go(reason, detail, tree.as_ref(), &folder.shown(&folder.report())),
        }
    }

    /// The session's own work passed; where it began with a debt, that is still to be judged.
    fn own_passed(&mut self, tree: &TreeHash, seen: SeenPass) -> Result<Answer, RunnerError> {
        match self.record.debt() {
            Some(_) => Ok(Answer::Allow { why: seen.why, remarks: seen.remarks }),
            None => self.passed(tree, seen),
        }
    }

    fn passed(&mut self, tree: &TreeHash, seen: SeenPass) -> Result<Answer, RunnerError> {
        let base = self.base()?;
        forget_kind(self.workspace.root())?;
        self.record.passed(&self.workspace, tree, &base)?;
        self.log("allowed", &seen.why, tree)?;
        Ok(Answer::Allow { why: seen.why, remarks: seen.remarks })
    }

    /// Makes the next answer quick, where this tree has just been let go as verified.
    pub fn remember(&self, plan: &Plan) {
        if let (Some(tree), Ok(base)) = (self.record.settled_at(), self.base()) {
            remember(&self.workspace, plan, tree, Against::Tree(tree.clone()), &base);
        }
    }

    fn let_go(
        &mut self,
        reason: Option<StopReason>,
        detail: &str,
        tree: Option<&TreeState>,
        report: &str,
    ) -> Result<Answer, RunnerError> {
        let reason = reason.map(|reason| reason.to_string()).unwrap_or_default();
        if let Some(tree) = tree {
            self.record.let_go(tree)?;
            let why = format!("{reason}: {detail}");
            self.log("let_go", &why, &tree.tree)?;
        }
        let stop = if detail.trim_end().ends_with(['.', '?', '!', '…']) { "" } else { "." };
        let message = format!(
            "redgreen: NOT VERIFIED ({reason}): {}{stop} A person has to look at it; the report is {report}",
            detail.trim_end()
        );
        Ok(Answer::let_go(message))
    }

    /// Nobody knows how the project is tested.
    pub fn without_checks(
        &mut self,
        none_yet: bool,
        with_test: Option<&str>,
    ) -> Result<Answer, RunnerError> {
        let held = if none_yet { 0 } else { self.record.count_fault()? };
        Ok(feedback::without_checks(held, none_yet, with_test))
    }

    /// See [`fault`].
    pub fn fault(
        &mut self,
        problem: &str,
        tree: Option<&TreeState>,
    ) -> Result<Answer, RunnerError> {
        let answer = fault(&mut self.record, problem)?;
        if let (Answer::LetGo { message }, Some(tree)) = (&answer, tree) {
            self.log("skipped", message, &tree.tree)?;
        }
        Ok(answer)
    }

    /// Where the worker for this session keeps what it is doing.
    pub fn work(&self) -> Work {
        Work::new(self.record.path())
    }

    /// The work tree as it is, by the plan's rules.
    pub fn now(&self, plan: &Plan) -> Result<TreeState, RunnerError> {
        trees(&self.workspace, plan)?.now()
    }

    fn folder(&self, session: &str) -> SessionFolder {
        self.record.session_folder(&self.workspace, session)
    }
}

/// Nothing could be judged, through no fault of the agent's: counted, and held or let go.
pub fn fault(record: &mut Record, problem: &str) -> Result<Answer, RunnerError> {
    Ok(feedback::at_fault(record.count_fault()?, problem))
}

fn trees(workspace: &Workspace, plan: &Plan) -> Result<Trees, RunnerError> {
    Trees::new(workspace.clone(), &plan.config)
}

/// Somebody else may be at work in the tree: that one ends.
fn patiently<T>(
    tools: &Tools<'_>,
    workspace: &Workspace,
    mut begin: impl FnMut() -> Result<T, RunnerError>,
) -> Result<T, RunnerError> {
    loop {
        match begin() {
            Err(RunnerError::Workspace(WorkspaceError::Locked { .. })) => {
                workspace.may_be_written();
                if tools.stop.wait(LOCK_INTERVAL) {
                    return Err(RunnerError::Interrupted);
                }
            }
            other => return other,
        }
    }
}
