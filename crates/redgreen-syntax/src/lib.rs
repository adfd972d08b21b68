//! What the source of tests and code says, read as syntax and never run.
//!
//! - [`outline()`]: the tests of a file, their assertions and how strong those are.
//! - [`match_tests`]: which old test is which new one.
//! - [`weakenings`]: what a test that was matched no longer asks.
//! - [`asks_nothing`]: whether any answer pleases a test.
//! - [`around_tests`] and [`same_but_for_names`]: what tests stand on, and whether only names changed in it.
//! - [`broken_line`]: where a source stops being one.
//! - [`definitions()`] and [`splice_definitions`]: what a file defines at its top.
//! - [`same_meaning`]: whether two sources differ in comments and layout only.
//! - [`statements()`]: what of a source can run, and in which function.
//! - [`mutants()`]: small edits of statements, which a test should notice.
//! - [`suppressions()`], [`emptied_types`]: what keeps a linter or a type checker from speaking.
//! - [`judge_seekers`], [`tested_inputs`] and [`expected_answers`]: new code that is made for its judge.
//! - [`splice_rust`], [`splice_python_tests`] and the like: the code of one version with the tests of another.
//!
//! Everything here is a function of text. Nothing fails on a source that cannot be read: what is
//! understood is said, and the rest is left out. There is a folder for each language.

mod around;
mod asking;
mod assertion;
mod broken;
mod cpp;
mod definitions;
mod go;
mod java;
mod javascript;
mod language;
mod matching;
mod mutants;
mod outline;
mod python;
mod reach;
mod ruby;
mod rust;
mod seekers;
mod splice;
mod statements;
mod suppressions;
mod tokens;
mod tree;
mod values;
mod weakening;

pub use around::{around_tests, defined, digest, names, same_but_for_names};
pub use asking::asks_nothing;
pub use assertion::{Assertion, Strength};
pub use broken::broken_line;
pub use cpp::CPP;
pub use definitions::{Definition, definitions, splice_definitions};
pub use go::GO;
pub use java::JAVA;
pub use javascript::{JAVASCRIPT, TSX, TYPESCRIPT, is_case_of};
pub use language::{Language, language_of};
pub use matching::{
    Matched, Outlined, TestFile, follows_rename, match_tests, parts_of, renamed_code,
};
pub use mutants::{Mutant, mutants};
pub use outline::{Item, Outline, TestItem, outline};
pub use python::PYTHON;
pub use ruby::RUBY;
pub use rust::RUST;
pub use seekers::{Seeker, SeekerKind, Tested, expected_answers, judge_seekers, tested_inputs};
pub use splice::{
    is_code_with_tests, rust_test_modules, splice_javascript, splice_python_doctests,
    splice_python_tests, splice_rust,
};
pub use statements::{Function, Statement, Statements, statements};
pub use suppressions::{Suppression, emptied_types, new_suppressions, suppressions};
pub use tokens::same_meaning;
pub use weakening::{Weakening, WeakeningKind, weakenings, weakenings_among};
