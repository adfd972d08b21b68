//! Functions that tests run and of which no test notices what they do.
//!
//! Each new function is made to answer at once, in a corner, and the tests that ran it run again: if all of them
//! still pass, they test nothing of it. That takes no longer than the suite took, and never more than a minute.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use redgreen_engine::judge::judge;
use redgreen_frameworks::ProjectFiles as _;
use redgreen_model::config::Mutants;
use redgreen_model::coverage::{ChangedFunction, CoverageFacts};
use redgreen_model::execution::{Execution, Purpose, TestId};
use redgreen_model::square::CornerSeen;
use redgreen_model::verdict::Verdict;
use redgreen_syntax::{answering_at_once, language_of};
use redgreen_workspace::TreeEdit;

use super::mix::TreeFiles;
use super::{Change, Squarer};
use crate::RunnerError;

/// The least time for it: a suite may take less than starting its runner does.
const BOX_MIN: Duration = Duration::from_secs(3);
/// The most.
const BOX_MAX: Duration = Duration::from_secs(60);

impl Squarer<'_> {
    /// Looks which of the new functions are hollow.
    pub(super) fn look_for_hollow(
        &self,
        facts: &mut CoverageFacts,
        change: &Change<'_>,
        new: &TreeFiles<'_>,
    ) -> Result<(), RunnerError> {
        if self.config.coverage.mutants == Mutants::Off {
            return Ok(());
        }
        let suite = Duration::from_millis(change.run.execution.duration_ms);
        let (started, time) = (Instant::now(), suite.clamp(BOX_MIN, BOX_MAX));
        for function in facts.functions.iter_mut().filter(|it| is_worth_it(it)) {
            // What it takes is not known before; a suite that was not run in parts takes as long as it did.
            let tests = tests_of(function, &change.run.execution);
            let takes = if tests.is_empty() { suite } else { Duration::ZERO };
            if started.elapsed() + takes > time {
                break;
            }
            function.hollow = self.is_hollow(function, &tests, change, new)?;
        }
        Ok(())
    }

    fn is_hollow(
        &self,
        function: &ChangedFunction,
        tests: &[TestId],
        change: &Change<'_>,
        new: &TreeFiles<'_>,
    ) -> Result<bool, RunnerError> {
        let (Some(language), Some(text)) = (language_of(&function.file), new.read(&function.file))
        else {
            return Ok(false);
        };
        let Some(text) = answering_at_once(language, &text, function.line) else {
            return Ok(false);
        };
        let edit = TreeEdit::Write { path: function.file.clone(), content: text.into_bytes() };
        let tree = self.runner.trees.workspace.edited_tree(&change.tree.tree, &[edit])?;
        let seen = self.corner(Purpose::Hollow, (&tree, change), tests, |_| Vec::new())?;
        let CornerSeen::Ran { execution, .. } = seen else { return Ok(false) };
        Ok(passes(&execution, tests))
    }
}

/// Whether tests run a function that was not there before and that gives something. Of one that does something else (a
/// line in a log, a field that is set) a test need not see it.
fn is_worth_it(function: &ChangedFunction) -> bool {
    let ran = function.statements.iter().any(|it| it.ran == Some(true));
    let gives = function.statements.iter().any(|it| gives_something(&it.text));
    function.is_new && !function.function.is_empty() && ran && gives
}

/// Whether a line gives a value that is not nothing.
fn gives_something(line: &str) -> bool {
    const GIVING: [&str; 4] = ["return ", "yield ", "yield(", "=> "];
    const NOTHING: [&str; 6] = ["None", "null", "undefined", "nil", "false", "False"];
    let given = GIVING.iter().find_map(|word| Some(line.split_once(word)?.1));
    given.is_some_and(|given| !NOTHING.contains(&given.trim().trim_end_matches([';', '}', ' '])))
}

/// The tests that ran it, where that is known.
fn tests_of(function: &ChangedFunction, execution: &Execution) -> Vec<TestId> {
    let mut tests = BTreeSet::new();
    for run in execution.checks.iter().filter(|run| run.required) {
        let files = run.coverage.iter().filter_map(|coverage| coverage.files.get(&function.file));
        for file in files {
            let lines = function.statements.iter().filter_map(|it| file.tests.get(&it.first));
            tests.extend(lines.flatten().map(|test| TestId::new(&run.check, test)));
        }
    }
    tests.into_iter().collect()
}

/// Whether the execution passes by the rules for any other, and these tests were there.
fn passes(execution: &Execution, tests: &[TestId]) -> bool {
    let judged = judge(execution, &BTreeSet::new());
    judged.verdict == Verdict::Passed && tests.iter().all(|test| judged.green.contains(test))
}
