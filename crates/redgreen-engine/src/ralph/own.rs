//! A loop of somebody's own: redgreen is asked after each iteration whether it counts, and keeps the same record.

use redgreen_model::tree::TreeHash;

use super::input::{IterationResult, Outcome, Tests};
use super::state::{Iteration, State};

/// What an iteration of somebody's own may claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It is new, and is to be judged.
    Judge,
    /// The same was asked before, of the same tree.
    Known(Box<Iteration>),
}

/// Why an iteration cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It was judged before, as another tree.
    #[error(
        "iteration {number} was judged before, and the tree was another one; the next is {next}"
    )]
    Repeated {
        /// Its number.
        number: u32,
        /// The next that can be judged.
        next: u32,
    },
    /// It is a loop with a plan.
    #[error("this loop works through a plan: only `redgreen ralph` adds to it")]
    HasPlan,
}

/// Whether an iteration with this number can be judged. Numbers grow; which are left out is the loop's own matter.
pub fn claim(state: &State, number: u32, tree: &TreeHash) -> Result<Claim, Refused> {
    if state.rules.as_ref().is_some_and(|rules| !rules.items.is_empty()) {
        return Err(Refused::HasPlan);
    }
    let Some(last) = state.iterations.last().filter(|last| number <= last.number) else {
        return Ok(Claim::Judge);
    };
    let same = state.iterations.iter().find(|it| it.number == number && it.result.tree == *tree);
    same.map(|it| Claim::Known(Box::new(it.clone())))
        .ok_or_else(|| Refused::Repeated { number, next: last.number.saturating_add(1) })
}

/// An iteration was judged. It counts if it may be returned and something was done.
pub(super) fn claimed(
    state: &mut State,
    (number, allowed): (u32, bool),
    why: &str,
    tree: &TreeHash,
    tests: Option<Tests>,
    at: &str,
) {
    if state.rules.is_none() || !matches!(claim(state, number, tree), Ok(Claim::Judge)) {
        return;
    }
    let is_new = state.green.tree != *tree;
    let counts = allowed && is_new;
    let after = tests.unwrap_or(state.green.tests);
    let gained = counts || after.passed > state.most_passed;
    let outcome = if counts { Outcome::Passed } else { Outcome::Red { reason: None } };
    let result = IterationResult {
        session: String::new(),
        outcome,
        detail: match is_new {
            true => why.to_owned(),
            false => "nothing was changed since the last iteration that counts".to_owned(),
        },
        tree: tree.clone(),
        before: state.green.tests,
        after,
        attempts: 1,
        seconds: 0,
        cost_micros: 0,
    };
    state.spent.add(&result);
    state.without_gain = if gained { 0 } else { state.without_gain.saturating_add(1) };
    state.most_passed = state.most_passed.max(after.passed);
    if counts {
        state.green.tree = tree.clone();
        state.green.tests = after;
    }
    let at = at.to_owned();
    state.iterations.push(Iteration { number, item: None, result, counts, gained, at });
}
