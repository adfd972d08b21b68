//! The channels against servers on this machine that check what they are sent as the real ones do.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by it"
)]

mod forge;
mod outbox;
mod server;
