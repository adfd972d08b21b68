//! Small edits of changed code, and whether a test noticed them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is edited.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum MutantKind {
    /// What is given is another value of the same type: an empty one.
    Return,
    /// A condition is the opposite.
    Condition,
    /// A calculation is another one.
    Arithmetic,
    /// A number, a text or a truth is another one.
    Constant,
    /// Something is not called.
    Call,
    /// A whole function answers at once and does nothing, where it would have given something.
    AtOnce,
    /// A whole function does nothing, where it gives nothing: what it does may be nothing that a test has to see.
    NoEffect,
    /// A boundary moves by one. Often nobody could see that.
    Boundary,
}

impl MutantKind {
    /// Whether it says something if no test notices it. Of the others one expects that now and then.
    pub fn tells(self) -> bool {
        !matches!(self, Self::Boundary | Self::AtOnce)
    }
}

/// What became of the tests with a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// All of them pass: none notices.
    Survived,
    /// One of them fails.
    Noticed,
    /// It is no program: it does not build, or its own types do not fit together. That says nothing of the tests.
    Nonsense,
    /// There was no time for it, or nothing could be run.
    Unknown,
}

/// A mutant that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TriedMutant {
    /// What is edited.
    pub kind: MutantKind,
    /// The line where the edit begins.
    pub line: u32,
    /// The lines before and after, as a diff.
    pub diff: String,
    /// What became of the tests.
    pub fate: Fate,
}

/// How many mutants were tried, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MutantFigures {
    /// How many said something.
    pub tried: u64,
    /// How many of them no test noticed.
    pub survived: u64,
}

impl MutantFigures {
    /// Whether none was tried.
    pub fn is_empty(&self) -> bool {
        self.tried == 0
    }

    /// Takes in one more.
    pub fn count(&mut self, fate: Fate) {
        self.tried += u64::from(matches!(fate, Fate::Survived | Fate::Noticed));
        self.survived += u64::from(fate == Fate::Survived);
    }
}
