//! The languages that are read, and which file is written in which: a folder for each, and a line in
//! [`LANGUAGES`].

use std::fmt;

use crate::outline::Outline;
use crate::seekers::Sign;
use crate::tree::{Node, Tree};
use crate::{cpp, go, java, javascript, python, ruby, rust};

/// The languages that have a folder.
const LANGUAGES: &[Language] = &[
    python::PYTHON,
    javascript::JAVASCRIPT,
    javascript::TYPESCRIPT,
    javascript::TSX,
    go::GO,
    rust::RUST,
    java::JAVA,
    ruby::RUBY,
    cpp::CPP,
];

/// A language whose source is read.
#[derive(Clone, Copy)]
pub struct Language(pub(crate) &'static Syntax);

/// What is asked of a language's folder. [`Syntax::plain`] has the usual answers.
pub(crate) struct Syntax {
    /// Its name.
    pub(crate) name: &'static str,
    /// How the names of its files end.
    pub(crate) endings: &'static [&'static str],
    /// What tree-sitter reads it with.
    pub(crate) grammar: fn() -> tree_sitter::Language,
    /// The tests of a file.
    pub(crate) outline: fn(&Tree<'_>) -> Outline,
    /// Kinds of nodes that no other grammar has.
    pub(crate) kinds: Kinds,
    /// Whether an assertion's failure is heard, as far as only this language knows.
    pub(crate) is_heard: fn(Node<'_>, Node<'_>) -> bool,
    /// Whether a statement at the top of a file binds names of other files, where its kind does not tell.
    pub(crate) is_import: fn(Node<'_>) -> bool,
    /// Whether assertions are written as branches that fail, so that a branch around one is no guard.
    pub(crate) asserts_by_branching: bool,
    /// The condition of a `for_statement`.
    pub(crate) for_condition: fn(Node<'_>) -> Option<Node<'_>>,
    /// Whether a handler that names these catches a failed assertion.
    pub(crate) catches_failures: fn(&[Node<'_>]) -> bool,
    /// Whether a `;` is layout.
    pub(crate) semicolons_are_layout: bool,
    /// Whether blocks have no tokens of their own for where they begin and end.
    pub(crate) blocks_are_layout: bool,
    /// Whether `a if b else c` has its condition behind its answer.
    pub(crate) condition_stands_second: bool,
    /// Whether a block answers with its last expression.
    pub(crate) blocks_have_values: bool,
    /// Whether a method of a name that compares is one by where it stands.
    pub(crate) compares: fn(Node<'_>) -> bool,
    /// A sign of code that looks for its judge.
    pub(crate) sign: fn(Node<'_>) -> Option<Sign>,
    /// Whether a plain name may be one of another package's.
    pub(crate) plain_names_are_shared: bool,
    /// Whether what stands outside of functions runs when a file is loaded.
    pub(crate) runs_from_the_top: bool,
    /// Parts of a file of code that are tests, in reading order.
    pub(crate) tests_among_code: for<'tree> fn(&'tree Tree<'_>) -> Vec<Node<'tree>>,
}

/// Kinds of nodes, beside those that grammars share.
#[derive(Clone, Copy)]
pub(crate) struct Kinds {
    /// Whole literals.
    pub(crate) literals: &'static [&'static str],
    /// What makes an expression depend on something.
    pub(crate) open: &'static [&'static str],
    /// Statements after which nothing in the same block is reached.
    pub(crate) ways_out: &'static [&'static str],
    /// Nodes that hold statements.
    pub(crate) blocks: &'static [&'static str],
    /// Nodes that repeat what is in them.
    pub(crate) loops: &'static [&'static str],
    /// Statements at the top of a file that bind names of other files.
    pub(crate) imports: &'static [&'static str],
    /// Statements that do what is in their `consequence` or `body` under a condition.
    pub(crate) guards: &'static [&'static str],
}

impl Kinds {
    pub(crate) const NONE: Self = Self {
        literals: &[],
        open: &[],
        ways_out: &[],
        blocks: &[],
        loops: &[],
        imports: &[],
        guards: &[],
    };
}

impl Syntax {
    /// The usual answers, for a folder to say only what is not usual.
    pub(crate) const fn plain(
        name: &'static str,
        endings: &'static [&'static str],
        grammar: fn() -> tree_sitter::Language,
        outline: fn(&Tree<'_>) -> Outline,
    ) -> Self {
        Self {
            name,
            endings,
            grammar,
            outline,
            kinds: Kinds::NONE,
            is_heard: |_, _| true,
            is_import: |_| false,
            asserts_by_branching: false,
            for_condition: |node| node.field("condition"),
            catches_failures: |_| true,
            semicolons_are_layout: false,
            blocks_are_layout: false,
            condition_stands_second: false,
            blocks_have_values: false,
            compares: |_| true,
            sign: |_| None,
            plain_names_are_shared: false,
            runs_from_the_top: false,
            tests_among_code: |_| Vec::new(),
        }
    }
}

/// The language of a file, by how its name ends.
pub fn language_of(path: &str) -> Option<Language> {
    let name = path.rsplit(['/', '\\']).next()?;
    let (stem, ending) = name.rsplit_once('.')?;
    let ending = ending.to_ascii_lowercase();
    let known = |language: &&Language| language.0.endings.contains(&ending.as_str());
    LANGUAGES.iter().find(known).copied().filter(|_| !stem.is_empty())
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Language {}

impl fmt::Debug for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_recognised_by_how_its_name_ends() {
        for (path, expected) in [
            ("tests/test_a.py", Some(python::PYTHON)),
            ("src/a.test.mjs", Some(javascript::JAVASCRIPT)),
            ("src/A.TSX", Some(javascript::TSX)),
            ("src/a.d.ts", Some(javascript::TYPESCRIPT)),
            ("a_test.go", Some(go::GO)),
            ("src/lib.rs", Some(rust::RUST)),
            ("src/test/java/ATest.java", Some(java::JAVA)),
            ("spec/a_spec.rb", Some(ruby::RUBY)),
            ("tests/price_test.cc", Some(cpp::CPP)),
            ("README.md", None),
            (".py", None),
            ("py", None),
            ("a.py/b", None),
        ] {
            assert_eq!(language_of(path), expected, "{path}");
        }
    }
}
