//! The documents: what is read, what is refused, and the schemas.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on should say so at once"
)]

mod config;
mod config_mistakes;
mod config_properties;
mod schemas;
mod workflow;
mod workflow_fixtures;
mod workflow_properties;
mod workflow_syntax;
