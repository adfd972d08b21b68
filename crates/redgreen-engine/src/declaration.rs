//! What declaring a changed expectation can do, said before it is relied on.

use crate::state::State;

/// Why a declaration of this test would change nothing in this loop; none where it may, or where nothing is
/// known yet of what was there. An expectation can be owned that was there before the agent came: one of a
/// test that the agent itself wrote is no promise to anybody.
pub fn without_effect(state: &State, test: &str) -> Option<String> {
    let baseline = state.baseline.as_ref()?;
    let ran = |run: &redgreen_model::execution::CheckRun| {
        let report = &run.report;
        let ended = report.tests.iter().any(|case| case.id == test);
        ended || report.unfinished.iter().chain(&report.not_run).any(|id| id == test)
    };
    if baseline.execution.checks.iter().any(ran) {
        return None;
    }
    let squares = state.attempts.iter().filter_map(|attempt| attempt.square.as_ref());
    let mut others =
        squares.flat_map(|read| read.facts.never_run.iter().chain(&read.facts.helpers));
    if others.any(|edit| edit.old.test == test) {
        return None;
    }
    let red = state.history.unresolved.iter().any(|id| id.test == test);
    Some(match red {
        true => "it was not there when the session began, so there is nothing to declare. It was red when it ran \
                 last, and removing a red test does not fix it: put it back and make it pass"
            .to_owned(),
        false => "no test of this id ran when the session began, so there is nothing to declare".to_owned(),
    })
}
