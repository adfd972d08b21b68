//! One sentence about the sides of a project.

use std::fmt;

use globset::{Glob, GlobBuilder};

/// What a rule says about a path.
#[derive(Clone, Copy, Debug)]
pub enum Belongs {
    /// It is judged.
    Code,
    /// It judges.
    Tests,
    /// It changes no outcome.
    Inert,
    /// Parts of it judge.
    Mixed(&'static Mixture),
}

/// A kind of file of which parts are the tests' side.
pub struct Mixture {
    /// Those parts, in words.
    pub parts: &'static [&'static str],
    /// The code of the first with the tests' part of the second. None for a file that is not there.
    ///
    /// Symmetric: of one file twice it makes that file, and what was spliced away comes back when it
    /// is spliced in again. Total: what cannot be taken apart is an error in words.
    pub splice: Splice,
}

/// See [`Mixture::splice`].
pub type Splice = fn(Option<&str>, Option<&str>) -> Result<Option<String>, String>;

impl fmt::Debug for Mixture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Mixture").field("parts", &self.parts).finish_non_exhaustive()
    }
}

/// Which paths belong where, and why.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The paths, as a glob from the root of the work tree: `*` stays in a folder.
    pub glob: String,
    /// What they are.
    pub belongs: Belongs,
    /// Why, in words: `pytest: python_files = test_*.py`.
    pub reason: String,
}

impl Rule {
    /// These paths judge.
    pub fn tests(glob: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { glob: glob.into(), belongs: Belongs::Tests, reason: reason.into() }
    }

    /// Parts of these paths judge.
    pub fn mixed(
        glob: impl Into<String>,
        mixture: &'static Mixture,
        reason: impl Into<String>,
    ) -> Self {
        Self { glob: glob.into(), belongs: Belongs::Mixed(mixture), reason: reason.into() }
    }
}

/// A glob as rules mean it; none where it is none.
pub(super) fn glob(text: &str) -> Option<Glob> {
    GlobBuilder::new(text).literal_separator(true).build().ok()
}
