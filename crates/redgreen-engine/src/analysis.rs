//! Why it fails and what to do: our own analysis, and the door that every analysis passes.
//!
//! ```text
//! evidence ─▶ suspects: where ─┐
//! failure ─▶ knowledge: why ───┴▶ builtin: what is said
//! ```

mod builtin;
mod confidence;
mod door;
mod evidence;
mod knowledge;
mod suspects;
#[cfg(test)]
mod tests;
mod values;
mod words;

pub use builtin::builtin;
pub use door::{AcceptedAnalysis, accept, from_agent, hear};
pub use evidence::Evidence;

/// The most failing tests that an analysis names; the report has them all.
const NAMED_TESTS_MAX: usize = 20;
