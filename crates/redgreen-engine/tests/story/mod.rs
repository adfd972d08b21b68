//! The loop as stories: what happens, in order, and how it ends.

mod agents;
mod analyses;
mod answers;
mod attempts;
mod classes;
mod documents;
mod first;
mod hosted;
mod known;
mod memory;
mod prompts;
mod records;
mod red_before;
mod regressions;
mod reports;
mod squares;
mod tools;
mod trees;
mod verdicts;
