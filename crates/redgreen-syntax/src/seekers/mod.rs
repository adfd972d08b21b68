//! New code that looks for its judge: whether it runs under a test, who called it, how to please
//! every comparison, and which inputs are tested.

use std::collections::BTreeSet;

use crate::language::Language;

/// What the code looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SeekerKind {
    /// A variable, a flag or a module that only a test run sets or loads.
    TestRun,
    /// Who called it.
    Caller,
    /// A value that is equal to everything.
    PleasesEveryComparison,
    /// A part of the test framework or of the language that is replaced.
    PatchesFramework,
    /// redgreen's own variables and files.
    Redgreen,
    /// A table of the inputs that the tests use.
    TestedInputs,
}

/// A place in new code that looks for its judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeker {
    /// What it looks for.
    pub kind: SeekerKind,
    /// Its line, from 1.
    pub line: u32,
    /// The line as it is written, bounded.
    pub text: String,
}

/// Places in the new code, not in the old, that look for their judge.
pub fn judge_seekers(language: Language, old: Option<&str>, new: &str) -> Vec<Seeker> {
    let _ = (language, old, new);
    Vec::new()
}

/// The literals of a source as [`tested_inputs`] knows them.
pub fn literals(language: Language, source: &str) -> BTreeSet<String> {
    let _ = (language, source);
    BTreeSet::new()
}

/// New branches and entries of tables that answer an input which occurs in the tests with a
/// literal.
pub fn tested_inputs(
    language: Language,
    old_code: Option<&str>,
    new_code: &str,
    test_literals: &BTreeSet<String>,
) -> Vec<Seeker> {
    let _ = (language, old_code, new_code, test_literals);
    Vec::new()
}
