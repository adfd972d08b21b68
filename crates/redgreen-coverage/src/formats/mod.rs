//! The coverage formats: a file for each.

mod lcov;

pub use lcov::read as read_lcov;
