//! How far a loop is: items that are done, and the share of tests that pass.

use super::input::Tests;
use super::state::State;

impl Tests {
    /// The share that passes, from 0 to 1; none where none ran.
    pub fn pass_rate(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "there are not that many tests")]
        let rate = self.passed as f64 / self.ran as f64;
        (self.ran > 0).then_some(rate.min(1.0))
    }
}

impl State {
    /// From 0 to 1: the items that are done, and the share of passing tests of the tree that is kept. In a loop without
    /// items, that share alone.
    pub fn progress(&self) -> f64 {
        let rate = self.green.tests.pass_rate().unwrap_or(0.0);
        if self.items.is_empty() {
            return rate;
        }
        let given = self.rules.as_ref().map_or(0.0, |rules| rules.bounds.pass_rate_weight);
        let weight = if given.is_finite() { given.clamp(0.0, 1.0) } else { 0.0 };
        #[expect(clippy::cast_precision_loss, reason = "a plan has few items")]
        let done = self.done() as f64 / self.items.len() as f64;
        done.mul_add(1.0 - weight, rate * weight)
    }
}
