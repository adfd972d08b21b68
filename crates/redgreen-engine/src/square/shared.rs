//! What code and tests both read: a test that passes only with a new version of it shows that somebody has to own that.

use redgreen_model::execution::TestId;
use redgreen_model::square::{CornerSeen, ExpectationKind, Standing};

use super::standings::Standings;
use super::{Fate, SquareReader, after_colon};

impl SquareReader<'_> {
    /// One thing to own for each such file, however many tests pass by it.
    pub(super) fn own_shared(&mut self) {
        let facts = self.context.facts;
        let Some(seen) = &facts.with_old_shared else { return };
        if let CornerSeen::Unseen { reason } = seen {
            let files: Vec<&str> = facts.shared.iter().map(|edit| edit.file.as_str()).collect();
            let message = format!("with {} as it was: {reason}", files.join(", "));
            self.square.doubts.push(message);
            return;
        }
        let Some(with_old) = Standings::of_corner(seen, &self.run) else { return };
        let passes_by_it = |test: &&TestId| {
            let before =
                matches!(self.baseline.of(test), Standing::Red | Standing::Flaky | Standing::Green);
            let without = matches!(with_old.of(test), Standing::Red | Standing::Missing);
            let referee = self.referee.as_ref().is_none_or(|it| it.of(test) == Standing::Green);
            before && without && referee && self.run.of(test) == Standing::Green
        };
        let Some(test) = self.baseline.tests().find(passes_by_it) else { return };
        let said = with_old.failure(test).map(|failure| failure.summary()).unwrap_or_default();
        self.on_shared = Some(format!("{test} does not pass{}", after_colon(&said)));
        for edit in &facts.shared {
            let fate = Fate {
                test: &edit.old,
                edit: Some(edit),
                before: Standing::Green,
                referee: Standing::Red,
                after: Standing::Green,
            };
            self.expectation(&fate, ExpectationKind::Changed);
        }
        self.on_shared = None;
    }
}
