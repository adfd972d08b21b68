//! A loop of somebody's own: asked after each iteration whether it counts. The record is the same as of a loop with a
//! plan, sealed like that one.

use redgreen_engine::ralph::{Claim, Input, Iteration, Rules, State, Tests, claim};
use redgreen_model::tree::TreeHash;
use redgreen_model::verdict::Verdict;
use redgreen_workspace::{Workspace, WorktreeLock};

use super::iteration::tests;
use super::{Record, remembering};
use crate::events::Events;
use crate::judge::{Outcome, judge};
use crate::layout::{SessionFolder, write_whole};
use crate::plan::{Plan, Single};
use crate::{RunnerError, Tools};

/// A loop of somebody's own. Nobody else asks about it while this exists.
pub struct Own<'tools> {
    tools: &'tools Tools<'tools>,
    workspace: Workspace,
    folder: SessionFolder,
    record: Record,
    _lock: WorktreeLock,
}

/// What came of the question whether an iteration counts.
pub struct Answered {
    /// The iteration.
    pub iteration: Iteration,
    /// What was seen, where something had to be run.
    pub outcome: Option<Outcome>,
    /// The whole loop.
    pub state: State,
}

impl<'tools> Own<'tools> {
    /// The loop with this id; where it is new, it begins with `base`, and `template` is what its record is kept for.
    pub fn open(
        workspace: Workspace,
        id: &str,
        base: &TreeHash,
        template: Plan,
        tools: &'tools Tools<'tools>,
    ) -> Result<Self, RunnerError> {
        let folder = SessionFolder::of_outer(workspace.root(), &workspace.state_dir()?, id);
        let lock = workspace.outer_lock(&format!("redgreen gate --loop {id}"))?;
        folder.make()?;
        let events = Events::open(tools.display, &folder.events())?;
        let workspace = remembering(workspace, &template);
        let record = if folder.has_begun() {
            Record::take_up(&workspace, &folder, &events)?
        } else {
            // Half a first line of a redgreen that was killed is nothing.
            crate::layout::forget(&folder.journal())?;
            // Somebody comes back to it, although nobody is asked for another edit.
            let template = Plan { session: id.to_owned(), single: None::<Single>, ..template };
            Record::begin(&workspace, &folder, template, &events)?
        };
        let mut own = Self { tools, workspace, folder, record, _lock: lock };
        if own.record.state.rules.is_none() {
            let rules = Box::new(Rules { id: id.to_owned(), ..Rules::default() });
            let head = own.workspace.head()?;
            let head = redgreen_engine::ralph::Checked { commit: head.commit, branch: head.branch };
            own.record.feed(Input::Began { rules, tree: base.clone(), head })?;
        }
        Ok(own)
    }

    /// The tree of the last iteration that counts; before the first, the one that the loop began with.
    pub fn base(&self) -> &TreeHash {
        &self.record.state.green.tree
    }

    /// Whether an iteration counts: it is judged by this plan, unless the same was asked before.
    pub fn ask(mut self, number: u32, plan: Plan) -> Result<Answered, RunnerError> {
        let tree = self.workspace.tree_anew()?;
        let claimed = claim(&self.record.state, number, &tree);
        if let Claim::Known(iteration) =
            claimed.map_err(|refused| RunnerError::Session(refused.to_string()))?
        {
            return Ok(Answered { iteration: *iteration, outcome: None, state: self.record.state });
        }
        let outcome = match tree == *self.base() {
            true => None,
            false => Some(judge(self.workspace.clone(), plan, self.tools)?),
        };
        let (allowed, why, tests) = said(outcome.as_ref());
        self.record.feed(Input::Claimed { number, allowed, why, tree, tests })?;
        let state = self.record.state;
        let text = redgreen_engine::ralph::markdown(&state);
        write_whole(&self.folder.report(), text.as_bytes())?;
        let iteration = state.iterations.last().cloned().ok_or_else(|| {
            RunnerError::Session(format!("iteration {number} could not be recorded"))
        })?;
        Ok(Answered { iteration, outcome, state })
    }
}

/// Whether a tree may be returned, why, and its tests.
fn said(outcome: Option<&Outcome>) -> (bool, String, Option<Tests>) {
    let Some(outcome) = outcome else { return (false, String::new(), None) };
    let run = &outcome.run;
    let allowed = matches!(run.verdict, Verdict::Passed | Verdict::PassedBut);
    let why = match run.verdict {
        Verdict::Passed => "seen to pass".to_owned(),
        _ => run.reasons.join("; "),
    };
    (allowed, why, Some(tests(&run.execution)))
}
