//! Which tests lie next to an edit, for the engine to choose from.

use redgreen_engine::first::ASKED_MAX;
use redgreen_engine::input::AgentResult;
use redgreen_frameworks::sides::Neighbours;
use redgreen_model::execution::TestId;

use super::Session;
use crate::RunnerError;
use crate::square::mix::TreeFiles;

impl Session<'_> {
    /// What an agent has left, with the known tests next to it where they are of use. What cannot be
    /// found out is left out: it only decides what runs first.
    pub(super) fn with_neighbours(&self, result: AgentResult) -> AgentResult {
        let near = match self.state.wants_neighbours() {
            true => self.neighbours(&result).unwrap_or_default(),
            false => Vec::new(),
        };
        AgentResult { near, ..result }
    }

    fn neighbours(&self, result: &AgentResult) -> Result<Vec<TestId>, RunnerError> {
        let Some(full) = self.state.last_full() else { return Ok(Vec::new()) };
        let files = TreeFiles::new(&self.trees.workspace, &result.tree.tree, &result.changes)?;
        let changed = result.changes.iter().map(|change| change.path.as_str());
        let near = Neighbours::new(&files, changed);
        let mut found = Vec::new();
        for check in &self.plan.checks {
            let runs = full.execution.checks.iter().filter(|run| run.check == check.name);
            let tests = runs
                .flat_map(|run| &run.report.tests)
                .filter(|test| near.has(check.framework, &check.settings.folder, &test.id));
            let id = |test: String| TestId { check: check.name.clone(), test };
            found.extend(tests.map(|test| id(test.id.clone())));
        }
        found.truncate(ASKED_MAX);
        Ok(found)
    }
}
