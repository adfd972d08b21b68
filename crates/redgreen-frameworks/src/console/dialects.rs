//! The programs whose output is known.

use std::sync::OnceLock;

use redgreen_model::workflow::Framework;

use super::run::Run;
use super::{
    bun, cargo, ctest, deno, go, gradle, jest, linters, maven, mocha, nextest, node_test, phpunit,
    playwright, pytest, ruby, unittest, vitest,
};

/// How one program prints.
pub(super) struct Dialect {
    /// The program.
    pub program: &'static str,
    /// Its framework in the words of the documents.
    pub framework: Framework,
    /// Whether it runs tests; otherwise it compiles or lints.
    pub runs_tests: bool,
    /// What the lines that begin a run start with, blanks aside: one of these characters, or any if
    /// there is none. Most lines of a log are looked at by this alone.
    pub first: &'static str,
    /// Whether a run begins with this line, or is seen by it to have begun.
    pub begins: fn(&str) -> bool,
    /// A reader for one run.
    pub reader: fn() -> Box<dyn Reader>,
}

/// Reads the lines of one run.
pub(super) trait Reader {
    /// The lines before the one that the run is known by, the oldest first.
    fn before(&mut self, _lines: &[&str]) {}

    /// Takes a line.
    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken;

    /// The log ends, or another run begins.
    fn finish(&mut self, run: &mut Run<'_>);
}

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// It is of another program.
    Not,
    /// It belongs to the run.
    Mine,
    /// It belongs to the run and is its last one.
    Last,
}

impl Taken {
    /// Whether it belongs to the run.
    pub fn mine(is: bool) -> Self {
        if is { Self::Mine } else { Self::Not }
    }
}

/// All of them; the first that knows a line has it.
pub(super) const DIALECTS: &[Dialect] = &[
    pytest::DIALECT,
    cargo::DIALECT,
    nextest::DIALECT,
    vitest::DIALECT,
    jest::DIALECT,
    playwright::DIALECT,
    deno::DIALECT,
    bun::DIALECT,
    node_test::DIALECT,
    mocha::DIALECT,
    unittest::DIALECT,
    go::DIALECT,
    maven::DIALECT,
    gradle::DIALECT,
    phpunit::DIALECT,
    ruby::MINITEST,
    ruby::RSPEC,
    ctest::DIALECT,
    linters::ESLINT,
    linters::PYRIGHT,
    linters::TSC,
    linters::MYPY,
    linters::RUFF,
    linters::JAVAC,
    linters::C,
];

/// Which dialects to look at, one bit for each.
pub(super) type Set = u64;

/// The dialects of a framework, or all.
pub(super) fn of(framework: Option<Framework>) -> Set {
    let wanted =
        |dialect: &Dialect| framework.is_none_or(|framework| dialect.framework == framework);
    DIALECTS.iter().enumerate().filter(|(_, dialect)| wanted(dialect)).map(|(at, _)| 1 << at).sum()
}

/// The dialect that a run begins in with this line.
pub(super) fn beginning(line: &str, among: Set) -> Option<&'static Dialect> {
    let first = line.trim_ascii_start().as_bytes().first()?;
    let mut left = by_first_byte()[usize::from(*first)] & among;
    while left != 0 {
        let dialect = DIALECTS.get(left.trailing_zeros() as usize)?;
        if (dialect.begins)(line) {
            return Some(dialect);
        }
        left &= left - 1;
    }
    None
}

fn by_first_byte() -> &'static [Set; 256] {
    static TABLE: OnceLock<[Set; 256]> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = [0; 256];
        for (at, dialect) in DIALECTS.iter().enumerate() {
            if dialect.first.is_empty() {
                table.iter_mut().for_each(|set| *set |= 1 << at);
            }
            for character in dialect.first.chars() {
                let byte = character.to_string().into_bytes()[0];
                table[usize::from(byte)] |= 1 << at;
            }
        }
        table
    })
}
