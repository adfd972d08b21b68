//! The debug memory from outside: what it keeps, finds, learns and says.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on should say so at once"
)]

mod at_failure;
mod brief;
mod causing_edits;
mod common;
mod concurrency;
mod exchange;
mod freshness;
mod fuzz_cases;
mod habits;
mod learning;
mod metrics;
mod places;
mod retention;
mod seals;
mod turned;
mod unverified;
