//! Which tests an edit turned: an edit is judged by those, and not by what else was red.

use std::collections::BTreeSet;

use redgreen_model::execution::TestId;

use crate::classes::Judged;
use crate::judge::CheckFailure;
use crate::state::{Attempt, SquareRead, State};

/// The tests that an edit turned, in the order in which they failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turned {
    /// Failed before it, and passed after it.
    pub green: Vec<TestId>,
    /// Passed before it, and failed after it.
    pub red: Vec<TestId>,
    /// Failed before it and after it.
    pub still: Vec<TestId>,
    /// Passed before it, and did not run after it.
    pub gone: Vec<TestId>,
}

impl State {
    /// What was seen of the tree that an attempt started from.
    pub(crate) fn seen_before(&self, attempt: &Attempt) -> Option<&Judged> {
        let earlier = self.attempts.iter().rev().filter(|earlier| earlier.number < attempt.number);
        let judged = earlier.filter_map(|earlier| earlier.judged.as_ref()).chain(&self.baseline);
        judged.into_iter().find(|judged| judged.tree().code == attempt.before.code)
    }

    /// The tests that an attempt's edit turned; none where nobody saw what was before it, or after. One that has both
    /// outcomes on one tree was turned by nobody.
    pub fn turned(&self, attempt: &Attempt) -> Turned {
        let (Some(before), Some(after)) = (self.seen_before(attempt), attempt.judged.as_ref())
        else {
            return Turned::default();
        };
        let was_red = failing(before);
        let among = |tests: &[TestId], seen: &BTreeSet<TestId>| -> Vec<TestId> {
            tests.iter().filter(|test| seen.contains(test)).cloned().collect()
        };
        let mut green = among(&was_red, &after.green);
        // What passes because the test says something else was not mended.
        if let Some(SquareRead { square, .. }) = &attempt.square {
            let bent = square.blocking().filter_map(|finding| finding.test.as_ref());
            let bent: Vec<&TestId> = bent.chain(square.undeclared().map(|it| &it.test)).collect();
            green.retain(|test| !bent.contains(&test));
        }
        Turned {
            green,
            red: among(&failing(after), &before.green),
            still: among(&was_red, &after.red),
            gone: gone(before, after),
        }
    }
}

/// The tests that passed in one execution of the whole suite, and did not run in a later one.
fn gone(before: &Judged, after: &Judged) -> Vec<TestId> {
    if after.is_first() {
        return Vec::new();
    }
    let ran: BTreeSet<TestId> = after.execution.tests().collect();
    before.green.iter().filter(|test| !ran.contains(test)).cloned().collect()
}

/// The failing tests of an execution, each once, in order, without those that are flaky.
fn failing(judged: &Judged) -> Vec<TestId> {
    let mut named = BTreeSet::new();
    let tests = judged.failures.iter().filter_map(CheckFailure::test_id);
    tests.filter(|test| judged.red.contains(test) && named.insert(test.clone())).collect()
}
