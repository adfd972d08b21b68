//! One sentence about the sides of a project.

use std::fmt;
use std::sync::Arc;

use globset::{Glob, GlobBuilder};
use regex::Regex;

/// What a rule says about a path.
#[derive(Clone, Debug)]
pub enum Belongs {
    /// It is judged.
    Code,
    /// It judges.
    Tests,
    /// It changes no outcome, or is the same for all.
    Inert,
    /// Code and tests both read it.
    Shared,
    /// Parts of it only tests use, and judge by.
    PartlyShared(Arc<Mixture>),
    /// Parts of it judge.
    Mixed(Arc<Mixture>),
}

/// A kind of file of which parts are the tests' side.
pub struct Mixture {
    parts: &'static [&'static str],
    splice: Box<Splice>,
}

/// The code of the first with the tests' part of the second. None for a file that is not there.
///
/// Symmetric: of one file twice it makes that file, and what was spliced away comes back where it was
/// when it is spliced in again. Total: what cannot be taken apart is an error in words.
pub type Splice =
    dyn Fn(Option<&str>, Option<&str>) -> Result<Option<String>, String> + Send + Sync;

impl Mixture {
    /// A kind of file, with its parts that judge in words.
    pub(crate) fn new(
        parts: &'static [&'static str],
        splice: impl Fn(Option<&str>, Option<&str>) -> Result<Option<String>, String>
        + Send
        + Sync
        + 'static,
    ) -> Arc<Self> {
        Arc::new(Self { parts, splice: Box::new(splice) })
    }

    /// The parts that judge, in words.
    pub fn parts(&self) -> &'static [&'static str] {
        self.parts
    }

    /// How its parts are taken from two versions.
    pub fn splice(
        &self,
        code: Option<&str>,
        tests: Option<&str>,
    ) -> Result<Option<String>, String> {
        (self.splice)(code, tests)
    }
}

impl fmt::Debug for Mixture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Mixture").field("parts", &self.parts).finish_non_exhaustive()
    }
}

/// Paths from the root of the work tree.
#[derive(Clone, Debug)]
pub enum Paths {
    /// A glob: `*` stays in a folder.
    Glob(String),
    /// An expression, for the path with a `/` before it.
    Fit(Regex),
}

/// Which paths belong where, and why.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The paths.
    pub paths: Paths,
    /// What they are.
    pub belongs: Belongs,
    /// Why, in words: `pytest: python_files = test_*.py`.
    pub reason: String,
    /// Whether it holds also in folders that tools fill: what stands in for a runner.
    pub everywhere: bool,
    /// Whether it goes by a name or a place that code may have as well: what product code reaches is code
    /// in spite of it.
    pub guessed: bool,
}

impl Rule {
    fn new(glob: impl Into<String>, belongs: Belongs, reason: impl Into<String>) -> Self {
        let paths = Paths::Glob(glob.into());
        Self { paths, belongs, reason: reason.into(), everywhere: false, guessed: false }
    }

    /// Paths that fit an expression judge.
    pub fn tests_that_fit(expression: Regex, reason: impl Into<String>) -> Self {
        Self { paths: Paths::Fit(expression), ..Self::new("", Belongs::Tests, reason) }
    }

    /// These paths judge.
    pub fn tests(glob: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::new(glob, Belongs::Tests, reason)
    }

    /// These paths are judged, whatever a later rule says.
    pub fn code(glob: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::new(glob, Belongs::Code, reason)
    }

    /// Parts of these paths judge.
    pub fn mixed(
        glob: impl Into<String>,
        mixture: &Arc<Mixture>,
        reason: impl Into<String>,
    ) -> Self {
        Self::new(glob, Belongs::Mixed(Arc::clone(mixture)), reason)
    }

    /// The same, but for what product code reaches.
    pub(crate) fn guessed(self) -> Self {
        Self { guessed: true, ..self }
    }

    /// The same, also in folders that tools fill.
    pub(crate) fn everywhere(self) -> Self {
        Self { everywhere: true, ..self }
    }
}

/// A glob as rules mean it; none where it is none.
pub(super) fn glob(text: &str) -> Option<Glob> {
    GlobBuilder::new(text).literal_separator(true).build().ok()
}
