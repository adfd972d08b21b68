//! The loop told as stories: what happens, in order, and how it ends.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say so at once")]

#[path = "../common/mod.rs"]
mod common;

mod agents;
mod analyses;
mod attempts;
mod classes;
mod documents;
mod excused;
mod first;
mod hosted;
mod memory;
mod prompts;
mod records;
mod regressions;
mod reports;
mod squares;
mod tools;
mod trees;
mod verdicts;
