//! What a user can see, with the real binary, real git and the real frameworks: a module for each group.
//!
//! One binary, because each one would be linked by itself. `cargo test -p redgreen gate::` runs a group.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on should say so at once"
)]
#![allow(
    clippy::duplicate_mod,
    reason = "pytest and cargo test play the same agents and histories"
)]

mod cargo_runner;
mod clean;
mod commands;
mod common;
mod concurrency;
mod coverage;
mod crash;
mod declare;
mod deliveries;
mod docs;
mod editing;
mod escapes_cargo;
mod escapes_frameworks;
mod escapes_pytest;
mod evidence;
mod fingerprints;
mod frameworks;
mod from_red;
mod gate;
mod go;
mod guide;
mod hooks;
mod javascript;
mod known;
mod known_agents;
mod limits;
mod loop_basics;
mod mail;
mod maven;
mod mcp;
mod memory;
mod monorepo;
mod nextest;
mod node_test;
mod one_judge;
mod outside;
mod parse;
mod people;
mod python_ways;
mod ralph;
mod reports;
mod roles;
mod rspec;
mod secrets;
mod sides;
mod square;
mod square_loop;
mod storage;
mod telemetry;
mod terminal;
mod top;
mod ui;
mod unittest;
