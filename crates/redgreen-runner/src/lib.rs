//! Drives the engine: performs its effects and feeds the results back. It holds no rules: what a
//! pass is, when to stop and what to ask for is the engine's.
//!
//! [`session::Session`] runs a whole loop and can take one up again; [`judge`] is the same without an agent, for a
//! change that is there already. Both tell what happens through [`events::EventSink`], and nothing else.

mod agent;
mod builds;
mod checks;
pub mod clean;
mod clock;
mod counting;
mod coverage_command;
pub mod environments;
mod error;
pub mod events;
pub mod evidence;
mod excerpts;
pub mod gate;
mod ground;
pub mod handed_in;
mod journal;
pub mod judge;
pub mod known;
pub mod layout;
mod lines;
pub mod memory;
pub mod overview;
mod pace;
pub mod people;
pub mod plan;
mod predecessor;
pub mod ralph;
pub mod reporting;
mod reports;
pub mod secrets;
pub mod session;
pub mod square;
mod tail;
mod telling;
mod tools;
mod trees;
mod watching;

pub use clock::now;
pub use error::RunnerError;
pub use tail::while_looking;
pub use tools::Tools;
