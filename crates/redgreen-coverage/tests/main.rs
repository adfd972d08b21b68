//! What the readers make of real reports.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on should say so at once"
)]

mod changes;
mod fuzz_cases;
mod instrumented;
mod mutated;
mod real_reports;
