//! The words of the domain, and the documents redgreen reads and writes.

pub mod analysis;
pub mod config;
pub mod coverage;
pub mod debug_memory;
pub mod diff;
pub mod digest;
pub mod document;
pub mod error_class;
pub mod escalation;
pub mod event;
pub mod evidence;
pub mod execution;
pub mod framework;
pub mod gate;
pub mod known;
pub mod mutants;
pub mod nearest;
pub mod outside;
pub mod reach;
pub mod reading;
pub mod report;
pub mod square;
pub mod text;
pub mod tree;
pub mod verdict;
pub mod workflow;
