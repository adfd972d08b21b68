//! The feedback loop as a pure state machine: no IO, no clock, no randomness.
//!
//! [`step()`] takes a state and one input and returns the next state and the effects that follow.
//! The driver performs the one pending action and answers with an input that carries its id;
//! everything that happened is the list of inputs, and [`fold`] of that list is the state again.
//!
//! The rules live here and nowhere else: what counts as a pass ([`judge`]), how an execution
//! compares with those before it ([`classes`]), what is asked of the agent ([`feedback`]), when a
//! fix may be asked for ([`analysis`]), what runs before the rest ([`first`]) and when and how a loop ends.

pub mod analysis;
mod answer;
mod asking;
pub mod classes;
pub mod declaration;
pub mod document;
mod edit_step;
pub mod effect;
pub mod escalation;
pub mod evidence;
pub mod feedback;
pub mod first;
mod fix;
pub mod input;
pub mod judge;
pub mod known;
pub mod parts;
pub mod ralph;
pub mod record;
mod red_before;
pub mod report;
pub mod roles;
pub mod square;
mod square_step;
pub mod state;
mod step;
pub mod stop;
mod triggers;
mod turned;

pub use step::{Step, fold, step};
pub use turned::Turned;
