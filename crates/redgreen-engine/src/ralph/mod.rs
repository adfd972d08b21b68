//! The outer loop as a pure state machine: which item is next, what becomes of an iteration, when it ends, and how
//! far it is. Each iteration is a whole loop of [`crate::step()`]; here is what is done with its result.
//!
//! What counts is what redgreen executed: an item is done when its loop ended with a pass. There is no input by
//! which anybody could say so.

mod input;
mod own;
mod progress;
mod report;
mod state;
mod step;

pub use input::{Bounds, Budget, Checked, Input, IterationResult, Outcome, Rules, Stamped, Tests};
pub use own::{Claim, Refused, claim};
pub use report::{markdown, table};
pub use state::{Action, EndReason, Green, ItemState, Iteration, Pending, Spent, Standing, State};
pub use step::{fold, step};

/// How many iterations without a gain end the loop, unless said otherwise.
pub const DEFAULT_PATIENCE: u32 = 3;
/// How often an item is tried, unless said otherwise.
pub const DEFAULT_TRIES: u32 = 1;
/// How much the share of passing tests weighs in the progress, unless said otherwise.
pub const DEFAULT_PASS_RATE_WEIGHT: f64 = 0.3;
