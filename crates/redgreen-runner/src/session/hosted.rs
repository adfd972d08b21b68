//! What differs for a session whose agent lives outside: it is met at its end instead of being started,
//! and what was before it is looked at once it has been at work.

use redgreen_engine::effect::{Action, AgentRequest};
use redgreen_engine::input::Input;
use redgreen_model::execution::{Execution, Purpose};
use redgreen_model::tree::TreeState;

use super::Session;
use crate::RunnerError;
use crate::ground::Ground;
use crate::plan::Plan;
use crate::square::corner::{Room, state_of};
use crate::square::elsewhere;
use crate::trees::Trees;

impl Session<'_> {
    /// Whether what an agent that lives outside has left is still to be looked at: it was asked
    /// before, or nobody has been asked yet.
    pub(super) fn waits_for_the_agent(&self) -> bool {
        let pending = self.state.pending.as_ref().map(|pending| &pending.action);
        self.state.attempts.is_empty() || matches!(pending, Some(Action::AskAgent(_)))
    }

    /// What the agent has left, now that it wants to end; or the change that is there already.
    pub(super) fn meet(&self, id: u64, request: &AgentRequest) -> Result<Input, RunnerError> {
        let elsewhere =
            self.plan.elsewhere().map(|tree| state_of(&self.trees, tree)).transpose()?;
        let result = self.agent_runner().meet(request, elsewhere, self.plan.base.as_ref())?;
        self.keep(&result.tree.tree, &format!("attempt-{}", request.attempt))?;
        Ok(Input::AgentEnded { id, result: Box::new(self.with_neighbours(result)) })
    }

    /// Where an attempt is judged: in the work tree. What was before an agent that lives outside is
    /// looked at once that agent has been at work: elsewhere; and so is a tree that is not in the work tree.
    pub(super) fn ground(&self, attempt: u32) -> Result<(Option<Room>, Ground), RunnerError> {
        let before = self.state.start.as_ref().filter(|_| self.plan.hosted && attempt == 0);
        let (tree, what) = match (before, self.plan.elsewhere()) {
            (Some(start), _) => (&start.tree, "the tree before the change".to_owned()),
            (None, Some(tree)) => (tree, format!("tree {}", tree.short())),
            (None, None) => return Ok((None, Ground::WorkTree)),
        };
        let there = self.trees.last_seen()?;
        if there.tree == *tree {
            return Ok((None, Ground::WorkTree));
        }
        let room = Room::new(&self.executor, &self.trees.workspace.state_dir()?)?;
        let elsewhere = elsewhere(self.trees.workspace.root(), &self.plan.checks);
        let ground = room.ground(&self.trees, tree, &there.tree, &elsewhere)?;
        let ground = ground
            .map_err(|reason| RunnerError::Session(format!("{what} cannot be run: {reason}")))?;
        Ok((Some(room), ground))
    }

    /// A baseline that was seen before; what judges an attempt is always executed.
    pub(super) fn recalled(
        &self,
        number: u64,
        purpose: Purpose,
    ) -> Result<Option<Execution>, RunnerError> {
        if purpose != Purpose::Baseline {
            return Ok(None);
        }
        let tree = match &self.state.start {
            Some(start) if self.plan.hosted => start.clone(),
            _ => self.trees.last_seen()?,
        };
        Ok(self.witness.recall(&self.events, (number, purpose), &tree, &[]))
    }
}

/// The tree that a loop begins with.
pub(super) fn starting_tree(trees: &Trees, plan: &Plan) -> Result<TreeState, RunnerError> {
    let known = plan.base.as_ref().or(plan.elsewhere());
    known.map_or_else(|| trees.last_seen(), |tree| state_of(trees, tree))
}
