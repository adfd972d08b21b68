//! The outer loop: works through a plan, each item a loop of [`crate::session`]. The rules are the engine's
//! ([`redgreen_engine::ralph`]); here its actions are performed, and what came of them is written down before the next.
//!
//! Like a session's, its journal is sealed, and all it does can be done again: a `kill -9` costs at most the action that
//! was under way.

mod commit;
mod iteration;
pub mod own;

use redgreen_engine::ralph::{
    Action, Checked, EndReason, Input, Rules, Stamped, State, fold, step,
};
use redgreen_engine::state::Stop;
use redgreen_model::event::Event;
use redgreen_model::tree::TreeHash;
use redgreen_model::verdict::StopReason;
use redgreen_model::workflow::LoopStatus;
use redgreen_workspace::{Head, TreeEdit, Workspace, WorktreeLock};

use crate::events::Events;
use crate::evidence::{Ways, Witness};
use crate::journal::{self, Journal, Recorded};
use crate::layout::{SessionFolder, forget, write_whole};
use crate::people::{self, ISSUES};
use crate::plan::Plan;
use crate::session;
use crate::trees::keeping_index;
use crate::{RunnerError, Tools, clock};

/// An outer loop that is under way in a work tree. No other one is there while it exists.
pub struct Outer<'tools> {
    tools: &'tools Tools<'tools>,
    workspace: Workspace,
    events: Events<'tools>,
    folder: SessionFolder,
    record: Record,
    /// How many iterations' ends were said.
    said: usize,
    _lock: WorktreeLock,
}

/// What an outer loop has on disk, and the state that this is.
struct Record {
    folder: SessionFolder,
    journal: Journal,
    witness: Witness,
    /// What the loops of the items have in common.
    template: Plan,
    state: State,
}

impl Record {
    fn begin(
        workspace: &Workspace,
        folder: &SessionFolder,
        template: Plan,
        events: &Events<'_>,
    ) -> Result<Self, RunnerError> {
        let witness = witness(workspace, &template, events);
        let seal = |seal: &redgreen_evidence::Seal| witness.seal(seal, &folder.seal(), true);
        let journal = Journal::create(folder, &template, seal)?;
        Ok(Self { folder: folder.clone(), journal, witness, template, state: State::default() })
    }

    /// Takes it up, if redgreen wrote it.
    fn take_up(
        workspace: &Workspace,
        folder: &SessionFolder,
        events: &Events<'_>,
    ) -> Result<Self, RunnerError> {
        let all: Recorded<Stamped> = journal::read(folder)?;
        let witness = witness(workspace, &all.plan, events);
        let seal = witness.sealed(&folder.seal());
        let known = seal.and_then(|seal| journal::read_sealed::<Stamped>(folder, &seal));
        let recorded = match known {
            Some(known) => known,
            None if witness.can_sign() => {
                return Err(RunnerError::Session(format!(
                    "{} is not as redgreen wrote it with your key, so it may say what redgreen did not see; begin again",
                    folder.journal().display()
                )));
            }
            None => all,
        };
        recorded.require_whole(folder)?;
        let journal = Journal::reopen(folder, &recorded)?;
        let state = fold(&recorded.inputs);
        Ok(Self { folder: folder.clone(), journal, witness, template: recorded.plan, state })
    }

    /// Records an input, then takes it.
    fn feed(&mut self, input: Input) -> Result<(), RunnerError> {
        let stamped = Stamped { at: clock::now(), input };
        let (witness, path) = (&self.witness, self.folder.seal());
        self.journal.append(&stamped, |seal| witness.seal(seal, &path, true))?;
        self.state = step(std::mem::take(&mut self.state), &stamped);
        Ok(())
    }
}

fn witness(workspace: &Workspace, plan: &Plan, events: &Events<'_>) -> Witness {
    let ways = Ways { checks: &plan.checks, config: &plan.config, code_type: None, fresh: false };
    Witness::new(workspace, &ways, events)
}

/// Reads an outer loop without touching it.
pub fn read(folder: &SessionFolder) -> Result<State, RunnerError> {
    Ok(fold(&journal::read::<Stamped>(folder)?.inputs))
}

/// The newest loop of a work tree that has a plan; with `open` one that has not ended.
pub fn newest(workspace: &Workspace, open: bool) -> Option<String> {
    let (root, state_dir) = (workspace.root(), workspace.state_path());
    let is_it = |id: &String| {
        let folder = SessionFolder::of_outer(root, &state_dir, id);
        let state = folder.has_begun().then(|| read(&folder).ok()).flatten();
        state.is_some_and(|state| !(state.items.is_empty() || open && state.ended()))
    };
    SessionFolder::outer_loops(&state_dir).into_iter().find(is_it)
}

impl<'tools> Outer<'tools> {
    /// Begins a loop on the tree as it is. `template` is the plan of its items' loops.
    pub fn start(
        workspace: Workspace,
        template: Plan,
        rules: Rules,
        tools: &'tools Tools<'tools>,
    ) -> Result<Self, RunnerError> {
        crate::agent::require(&template.agent)?;
        let lock = workspace.outer_lock(&format!("redgreen ralph, loop {}", rules.id))?;
        let workspace = remembering(workspace, &template);
        let folder = SessionFolder::of_outer(workspace.root(), &workspace.state_dir()?, &rules.id);
        require_committable(&workspace, rules.commit)?;
        folder.make()?;
        let events = Events::open(tools.display, &folder.events())?;
        let record = Record::begin(&workspace, &folder, template, &events)?;
        let mut outer = Self { tools, workspace, events, folder, record, said: 0, _lock: lock };
        let (tree, head) = outer.there()?;
        outer.record.feed(Input::Began { rules: Box::new(rules), tree, head })?;
        Ok(outer)
    }

    /// Takes up a loop where its journal ends; one that has ended goes on with what is not done.
    pub fn resume(
        workspace: Workspace,
        id: &str,
        tools: &'tools Tools<'tools>,
    ) -> Result<Self, RunnerError> {
        let mut outer = Self::open(workspace, id, tools)?;
        if outer.record.state.ended() && outer.record.state.end != Some(EndReason::Complete) {
            let commits = outer.rules().commit;
            require_committable(&outer.workspace, commits)?;
            let (tree, head) = outer.there()?;
            outer.record.feed(Input::TakenUp { tree, head })?;
        }
        Ok(outer)
    }

    /// Ends a loop, as a person's will: what was half done is put back, and people are called as ever.
    pub fn end(
        workspace: Workspace,
        id: &str,
        by: String,
        tools: &'tools Tools<'tools>,
    ) -> Result<Self, RunnerError> {
        let mut outer = Self::open(workspace, id, tools)?;
        outer.record.feed(Input::Ended { by })?;
        Ok(outer)
    }

    fn open(
        workspace: Workspace,
        id: &str,
        tools: &'tools Tools<'tools>,
    ) -> Result<Self, RunnerError> {
        let folder = SessionFolder::of_outer(workspace.root(), &workspace.state_path(), id);
        if !folder.has_begun() {
            return Err(RunnerError::Session(format!("there is no loop {id} in this work tree")));
        }
        let lock = workspace.outer_lock(&format!("redgreen ralph --resume, loop {id}"))?;
        let events = Events::open(tools.display, &folder.events())?;
        let record = Record::take_up(&workspace, &folder, &events)?;
        let workspace = remembering(workspace, &record.template);
        if record.state.items.is_empty() && record.state.rules.is_some() {
            return Err(RunnerError::Session(format!(
                "loop {id} is one of your own (`redgreen gate --loop`): it has no plan to go on with"
            )));
        }
        let said = record.state.iterations.len();
        let mut outer = Self { tools, workspace, events, folder, record, said, _lock: lock };
        if outer.record.state.rules.is_none() {
            // A crash came between the first line and the second: nothing had begun.
            return Err(RunnerError::Session(format!("loop {id} had not begun; begin it again")));
        }
        outer.publish()?;
        Ok(outer)
    }

    /// Goes on until the loop ends. An interruption leaves everything as it is, to be resumed.
    pub fn run(mut self) -> Result<State, RunnerError> {
        while let Some(pending) = self.record.state.pending.clone() {
            if self.tools.stop.is_raised() {
                return Err(RunnerError::Interrupted);
            }
            self.workspace.may_be_written();
            let id = pending.id;
            match pending.action {
                Action::Iterate { item, number, session } => {
                    self.iterate(id, item, number, session)?;
                }
                Action::Commit { item, tree, at } => {
                    let commit = self.commit(item, &tree, &at)?;
                    self.record.feed(Input::Committed { id, commit })?;
                }
                Action::PutBack => {
                    let saved = self.put_back()?;
                    self.record.feed(Input::PutBack { id, saved })?;
                }
                Action::Call { item } => {
                    let tree = self.call(item)?;
                    self.record.feed(Input::Called { id, tree })?;
                }
            }
            self.publish()?;
            self.say_if_settled();
        }
        let state = self.record.state;
        self.events.say(&Event::OuterLoopEnded {
            outer_loop: state.rules.as_ref().map(|rules| rules.id.clone()).unwrap_or_default(),
            reason: state.end.map(EndReason::as_str).unwrap_or_default().to_owned(),
            done: state.done() as u64,
            items: state.items.len() as u64,
        });
        let _ = self
            .folder
            .withheld_plan()
            .filter(|_| state.end == Some(EndReason::Complete))
            .map(|path| forget(&path));
        Ok(state)
    }

    fn rules(&self) -> Rules {
        self.record.state.rules.clone().unwrap_or_default()
    }

    /// The tree and what is checked out.
    fn there(&self) -> Result<(TreeHash, Checked), RunnerError> {
        let Head { branch, commit } = self.workspace.head()?;
        Ok((self.workspace.tree()?, Checked { commit, branch }))
    }

    /// The table of items, for who reads files.
    fn publish(&mut self) -> Result<(), RunnerError> {
        let text = redgreen_engine::ralph::markdown(&self.record.state);
        write_whole(&self.folder.report(), text.as_bytes())
    }

    /// Puts the last green tree back, and HEAD where it belongs; the ref of what was there.
    fn put_back(&self) -> Result<String, RunnerError> {
        let _lock = self.workspace.lock("redgreen ralph")?;
        let green = &self.record.state.green;
        let name = format!("{}/left", self.last_session());
        let head = Head { branch: green.head.branch.clone(), commit: green.head.commit.clone() };
        let now = self.workspace.head()?;
        if now != head {
            let kept = self.workspace.put_head_back(&head, &format!("{name}-head"))?;
            let kept = kept.map(|kept| format!("; they are in {kept}")).unwrap_or_default();
            let text = format!("the agent's own commits of this item do not stay{kept}");
            self.events.say(&Event::Notice { text });
        }
        if self.workspace.tree()? == green.tree {
            return Ok(String::new());
        }
        let saved = self.workspace.restore(&green.tree, &name)?.saved_ref;
        self.events.say(&Event::Restored {
            tree: green.tree.clone(),
            saved: saved.clone(),
            reason: "the item is not done".to_owned(),
        });
        Ok(saved)
    }

    /// The session of the last iteration, for names.
    fn last_session(&self) -> String {
        let last = self.record.state.iterations.last().map(|it| it.result.session.clone());
        last.unwrap_or_else(|| self.rules().id)
    }

    /// Calls people about an item. Where the project keeps a list of issues, the green tree with that is returned.
    fn call(&self, item: usize) -> Result<Option<TreeHash>, RunnerError> {
        let Some(last) = self.record.state.last_of(item) else { return Ok(None) };
        let folder = self.session_folder(&last.result.session);
        let mut record = session::read(&folder)?;
        if record.state.status == LoopStatus::Passed {
            // Its loop had nothing to mend, and the item is not done all the same.
            record.state.status = LoopStatus::Escalated;
            let detail = last.result.detail.clone();
            record.state.stop = Some(Stop { reason: StopReason::NoProgress, detail });
        }
        let ways = &self.record.template.config.notify;
        let report = folder.shown(&folder.report());
        if let Err(problem) = people::call(&self.workspace, ways, &record.state, report) {
            self.events.say(&Event::Notice { text: format!("nobody can be notified: {problem}") });
        }
        self.workspace.may_be_written();
        let (green, now) = (&self.record.state.green.tree, self.workspace.tree()?);
        if !self.workspace.differing(green, &now)?.iter().any(|path| path == ISSUES) {
            return Ok(None);
        }
        let edit = TreeEdit::Take { path: ISSUES.to_owned(), from: now };
        Ok(Some(self.workspace.edited_tree(green, &[edit])?))
    }

    fn session_folder(&self, session: &str) -> SessionFolder {
        SessionFolder::new(self.workspace.root(), &self.workspace.state_path(), session)
    }

    /// Says what became of the last iteration, once nothing more is to be done about it.
    fn say_if_settled(&mut self) {
        let state = &self.record.state;
        let is_settled = state
            .pending
            .as_ref()
            .is_none_or(|pending| matches!(pending.action, Action::Iterate { .. }));
        if !is_settled || state.iterations.len() <= self.said {
            return;
        }
        self.said = state.iterations.len();
        let Some(last) = state.iterations.last() else { return };
        let Some((index, item)) = last.item.and_then(|at| Some((at, state.items.get(at)?))) else {
            return;
        };
        self.events.say(&Event::IterationEnded {
            outer_loop: state.rules.as_ref().map(|rules| rules.id.clone()).unwrap_or_default(),
            iteration: last.number,
            item: index as u64 + 1,
            standing: item.standing.as_str().to_owned(),
            detail: last.result.detail.clone(),
            commit: item.commit.clone(),
            done: state.done() as u64,
            items: state.items.len() as u64,
            progress: state.progress(),
        });
    }
}

/// The work tree, in which no tree has what is written of the debug memory.
fn remembering(workspace: Workspace, plan: &Plan) -> Workspace {
    keeping_index(workspace).remembering_at(&plan.config.memory.location)
}

/// Whether commits can be made here, before anything begins.
fn require_committable(workspace: &Workspace, commits: bool) -> Result<(), RunnerError> {
    let why = if commits { workspace.uncommittable()? } else { None };
    match why {
        Some(why) => Err(RunnerError::Session(format!("--commit is not possible: {why}"))),
        None => Ok(()),
    }
}
