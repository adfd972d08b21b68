//! Real reports, logs and streams, and what is read out of them.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on should say so at once"
)]

mod fuzz_cases;
mod go_json;
mod logs;
mod project;
mod pytest;
mod reports_written;
mod schema;
mod stream;
