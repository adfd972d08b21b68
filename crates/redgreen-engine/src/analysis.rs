//! Why it fails and what to do: our own analysis, and the door that every analysis passes.

mod builtin;
mod door;

pub use builtin::{Evidence, builtin};
pub use door::{AcceptedAnalysis, accept, from_agent};

/// The most failing tests that an analysis names; the report has them all.
const NAMED_TESTS_MAX: usize = 20;
