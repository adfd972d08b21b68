//! What the readers make of real reports.

mod fuzz_cases;
mod mutated;
mod real_reports;
