//! Judges beside the tests: a linter, a type checker, CI. Where they say less than before, somebody has to own it.

use redgreen_model::execution::TestId;
use redgreen_model::square::{ChangedExpectation, ExpectationKind};

use super::SquareReader;

impl SquareReader<'_> {
    /// What a linter, a type checker or CI does not say any more.
    pub(super) fn weigh_silenced(&mut self) {
        let facts = self.context.facts;
        let check = self.context.run.execution.checks.first();
        let check = check.map(|run| run.check.clone()).unwrap_or_default();
        for silenced in &facts.silenced {
            let declared = facts.declared.iter().rev().find(|declaration| {
                silenced.is_named(&declaration.test) && declaration.change == silenced.change
            });
            self.square.expectations.push(ChangedExpectation {
                test: TestId::new(&check, &silenced.name()),
                kind: ExpectationKind::Silenced,
                file: Some(silenced.file.clone()),
                line: Some(silenced.line),
                before: silenced.before.clone(),
                after: silenced.after.clone(),
                message: silenced.what.clone(),
                change: silenced.change.clone(),
                declared: declared.cloned(),
            });
        }
    }
}
