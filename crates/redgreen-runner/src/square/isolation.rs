//! Whether a tree passes on its own: elsewhere, and without what no tree has.

use redgreen_model::execution::{Purpose, TestId};
use redgreen_model::square::Warning;
use redgreen_model::tree::TreeHash;

use super::corner::Room;
use super::{Change, Squarer, elsewhere};
use crate::RunnerError;

/// A tree that was to be run on its own.
enum Alone {
    /// It passes.
    Passes,
    /// The first test that passed in the work tree, and does not pass here.
    Fails(TestId),
    /// Why it could not be run, in words.
    Unseen(String),
}

impl Squarer<'_> {
    /// Why a copy of the project is not like the project: what passes in the work tree does not in a
    /// copy of the same tree, so what does not pass in a copy of another says nothing.
    pub(super) fn unlike(
        &self,
        room: &Room,
        change: &Change<'_>,
    ) -> Result<Option<String>, RunnerError> {
        if !room.has_copies() || change.tree.tree != *change.there {
            return Ok(None);
        }
        Ok(match self.alone(room, change, change.there)? {
            Alone::Passes => None,
            Alone::Fails(test) => {
                Some(format!("{test} passes in the work tree, but not in a copy of it"))
            }
            Alone::Unseen(reason) => Some(reason),
        })
    }

    /// Why a tree that asks for the debug memory cannot be said to pass, in words: no corner has that folder.
    pub(super) fn only_with_memory(
        &self,
        change: &Change<'_>,
        asked: &Warning,
    ) -> Result<Option<String>, RunnerError> {
        let state_dir = self.runner.trees.workspace.state_dir()?;
        let room = Room::new(self.runner.executor, &state_dir)?;
        let names = format!("{}:{} names the folder of the debug memory", asked.file, asked.line);
        Ok(match self.alone(&room, change, &change.tree.tree)? {
            Alone::Passes => None,
            Alone::Fails(test) => Some(format!(
                "{names}, which is no part of a tree, and {test} does not pass without that folder"
            )),
            Alone::Unseen(reason) => {
                Some(format!("{names}, which is no part of a tree, and {reason}"))
            }
        })
    }

    fn alone(
        &self,
        room: &Room,
        change: &Change<'_>,
        tree: &TreeHash,
    ) -> Result<Alone, RunnerError> {
        let trees = self.runner.trees;
        let elsewhere = elsewhere(trees.workspace.root(), self.checks);
        let ground = match room.ground(trees, tree, change.there, &elsewhere)? {
            Ok(ground) => ground,
            Err(reason) => return Ok(Alone::Unseen(reason)),
        };
        let seen = self.run_in(&ground, Purpose::Judge, &[])?;
        if let Some(reason) = super::not_started(&seen) {
            return Ok(Alone::Unseen(reason));
        }
        let passes = |test: &TestId| {
            let run = seen.checks.iter().find(|run| run.check == test.check);
            let cases = run.into_iter().flat_map(|run| &run.report.tests);
            cases.into_iter().any(|case| case.id == test.test && case.outcome.is_green())
        };
        let other = change.run.green.iter().find(|test| !passes(test));
        Ok(other.map_or(Alone::Passes, |test| Alone::Fails(test.clone())))
    }
}
