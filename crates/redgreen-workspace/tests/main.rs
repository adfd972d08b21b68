//! Trees, snapshots and repositories, with real git.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on should say so at once"
)]

mod common;
mod corners;
mod glance;
mod moment;
mod repositories;
mod restore;
mod snapshots;
mod submodules;
mod tree;
