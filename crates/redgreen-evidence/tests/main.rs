//! Keys, envelopes and the store, and what is not believed.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on should say so at once"
)]

mod common;
mod envelope;
mod key;
mod store;
