//! The code of one version of a file with the tests of another.

mod among;
mod documentation;
pub(crate) mod edits;
mod javascript;
mod python;
mod rust;

pub use among::{is_code_with_tests, splice_python_tests};
pub use javascript::splice_javascript;
pub use python::splice_python_doctests;
pub use rust::{rust_test_modules, splice_rust};

#[cfg(test)]
mod tests;
