//! The loop from outside: stories, properties, and every path over small bounds.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on should say so at once"
)]

mod common;
mod coverage;
mod hostile;
mod model_check;
mod properties;
mod ralph;
mod square;
mod story;
