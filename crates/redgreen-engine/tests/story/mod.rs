//! The loop as stories: what happens, in order, and how it ends.

mod agents;
mod analyses;
mod answers;
mod asking;
mod attempts;
mod classes;
mod differently;
mod documents;
mod first;
mod fresh;
mod handed_in;
mod hosted;
mod known;
mod memory;
mod prompts;
mod records;
mod red_before;
mod regressions;
mod reports;
mod roles;
mod squares;
mod tools;
mod trees;
mod triggers;
mod verdicts;
