//! A loop that is taken up where its journal ends, if redgreen wrote that.

use redgreen_engine::effect::{Action, Pending};
use redgreen_engine::fold;
use redgreen_engine::input::{Input, PersonsAnswer};
use redgreen_model::config::HalfEdit;
use redgreen_model::event::Event;
use redgreen_workspace::Workspace;

use super::{Session, count_executions, read, starting_tree, witness};
use crate::events::Events;
use crate::evidence::Witness;
use crate::journal::{self, Journal, Recorded};
use crate::layout::{SessionFolder, forget};
use crate::memory::LoopMemory;
use crate::trees::Trees;
use crate::{RunnerError, Tools, agent, clock};

impl<'tools> Session<'tools> {
    /// Takes up a loop where its journal ends.
    pub fn resume(
        workspace: Workspace,
        session: &str,
        tools: &'tools Tools<'tools>,
    ) -> Result<Self, RunnerError> {
        let folder = SessionFolder::new(workspace.root(), &workspace.state_path(), session);
        if !journal::exists(&folder.journal()) {
            return Err(RunnerError::Session(format!(
                "there is no session {session} in this work tree"
            )));
        }
        if let Ok(record) = read(&folder) {
            if record.plan.hosted {
                return Err(RunnerError::Session(format!(
                    "session {session} belongs to the gate: it continues when its agent wants to end"
                )));
            }
            agent::require(&record.plan.agent)?;
        }
        Self::take_up(workspace, folder, tools, Reach::WorkTree)
    }

    /// Takes up a loop that ended without green where a person lets it go on.
    pub fn answered(
        workspace: Workspace,
        session: &str,
        answer: PersonsAnswer,
        tools: &'tools Tools<'tools>,
    ) -> Result<Self, RunnerError> {
        let mut session = Self::resume(workspace, session, tools)?;
        if !session.state.may_be_answered() {
            let (name, status) = (session.folder.name(), session.state.status);
            return Err(RunnerError::Session(format!(
                "{name} does not wait for an answer: it is {status}"
            )));
        }
        if !session.is_whole {
            return Err(RunnerError::Session(format!(
                "{} cannot go on: there was a secret in its commands, and it was forgotten at the end; begin again with `redgreen run`",
                session.folder.name()
            )));
        }
        let tree = session.trees.now()?;
        session.feed(Input::Answered { answer: Box::new(answer), tree })?;
        // Where it is, nothing is left to do.
        let _ = forget(&session.folder.report());
        Ok(session)
    }

    /// The same with a journal that lies where nobody who is judged comes to.
    pub(crate) fn resume_in(
        workspace: Workspace,
        folder: SessionFolder,
        tools: &'tools Tools<'tools>,
    ) -> Result<Self, RunnerError> {
        Self::take_up(workspace, folder, tools, Reach::Elsewhere)
    }

    fn take_up(
        workspace: Workspace,
        folder: SessionFolder,
        tools: &'tools Tools<'tools>,
        reach: Reach,
    ) -> Result<Self, RunnerError> {
        let lock = workspace.lock(&format!("redgreen resume, {}", folder.name()))?;
        // Whoever works in the tree may have removed it, such as by `git clean -fdx`.
        workspace.state_dir()?;
        folder.make()?;
        let recorded = journal::read(&folder)?;
        let mut events = Events::open(tools.display, &folder.events())?;
        events.register(workspace.root(), &recorded.plan);
        let executor = tools.after_predecessor(&workspace, &recorded.plan.config, &events)?;
        let trees = Trees::new(workspace, &recorded.plan.config)?;
        let witness = witness(&trees, &recorded.plan, &events);
        let (recorded, is_own) = vouched(recorded, &witness, &folder, reach)?;
        let state = fold(&recorded.inputs);
        if !state.ended() {
            recorded.require_whole(&folder)?;
        }
        let journal = Journal::reopen(&folder, &recorded)?;
        let executions = count_executions(&recorded.inputs);
        let mut memory = LoopMemory::of(trees.workspace.root(), &recorded.plan);
        if !is_own {
            memory.doubt_the_journal();
        }
        let mut session = Self {
            tools,
            executor,
            events,
            trees,
            folder,
            journal,
            plan: recorded.plan,
            is_whole: recorded.is_whole,
            state,
            executions,
            witness,
            memory,
            is_own,
            _lock: lock,
        };
        session.events.say(&Event::SessionResumed {
            session: session.plan.session.clone(),
            phase: session.state.phase,
            attempt: session.state.attempt_number(),
            executions,
        });
        session.events.stand(&session.state);
        session.begin_if_new()?;
        session.put_half_edit_away()?;
        Ok(session)
    }

    /// A journal that has a plan and nothing else: the loop begins now.
    fn begin_if_new(&mut self) -> Result<(), RunnerError> {
        if self.state.settings.is_some() {
            return Ok(());
        }
        self.begin(starting_tree(&self.trees, &self.plan)?)
    }

    /// A crash while the agent worked may have left half an edit: the agent begins again from the
    /// tree that it was given, unless the policy keeps what is there.
    fn put_half_edit_away(&self) -> Result<(), RunnerError> {
        let Some(Pending { id, action: Action::AskAgent(request) }) = &self.state.pending else {
            return Ok(());
        };
        if self.plan.hosted
            || self.plan.config.loop_settings.half_edit == HalfEdit::Keep
            || self.trees.now()?.code == request.tree.code
        {
            return Ok(());
        }
        let name = format!("half-edit-{id}-{}", clock::now().replace([':', '.'], "-"));
        self.restore(
            &request.tree.tree,
            &name,
            "the agent was interrupted in the middle of an edit",
        )?;
        Ok(())
    }
}

/// Who can write a journal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Whoever works in the tree.
    WorkTree,
    /// Nobody but redgreen.
    Elsewhere,
}

/// What of a journal redgreen itself wrote, and whether that is known: whoever works in the tree can write one, and
/// have it resumed.
fn vouched(
    recorded: Recorded,
    witness: &Witness,
    folder: &SessionFolder,
    reach: Reach,
) -> Result<(Recorded, bool), RunnerError> {
    let seal = witness.sealed(&folder.seal());
    match seal.and_then(|seal| journal::read_sealed(folder, &seal)) {
        Some(known) => Ok((known, true)),
        None if reach == Reach::WorkTree && witness.can_sign() => {
            Err(RunnerError::Session(format!(
                "{} cannot be resumed: {} is not as redgreen wrote it with your key, so it may say what redgreen did not see. Look at the work tree, and begin again with `redgreen run`",
                folder.name(),
                folder.journal().display()
            )))
        }
        None => Ok((recorded, false)),
    }
}
