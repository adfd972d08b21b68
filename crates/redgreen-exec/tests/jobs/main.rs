//! Jobs that run as they should, and jobs that do not, under a supervisor that is left alone.

#[path = "../common/mod.rs"]
mod common;
mod ends;
mod families;
mod memory;
mod output;
mod tools;
mod views;
