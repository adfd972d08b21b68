//! The programs whose output is known.

use std::sync::{LazyLock, OnceLock};

use redgreen_model::framework::FrameworkId;

use super::run::Run;
use super::{bun, deno, linters, phpunit, playwright, ruby, tap};
use crate::ADAPTERS;

/// How one program prints.
pub struct Dialect {
    /// The program.
    pub(super) program: &'static str,
    /// Whether it runs tests; otherwise it compiles or lints.
    pub(super) runs_tests: bool,
    /// What lines that begin a run look like. Most lines of a log are looked at by this alone.
    pub(super) signs: Signs,
    /// Whether a run begins with this line, or is seen by it to have begun.
    pub(super) begins: fn(&str) -> bool,
    /// A reader for one run.
    pub(super) reader: fn() -> Box<dyn Reader>,
}

/// The look of lines that may begin a run: any of these is enough, and [`Dialect::begins`] decides.
pub(super) struct Signs {
    /// The first character, blanks aside, is one of these.
    pub first: &'static str,
    /// The last character, blanks aside, is one of these.
    pub last: &'static str,
    /// A place is at its beginning, in a file with one of these extensions; [`ANY_FILE`] for others
    /// than those of other dialects.
    pub places: &'static [&'static str],
}

/// A file of any kind that no other dialect has.
pub(super) const ANY_FILE: &str = "*";

impl Signs {
    /// Lines that are known by their beginning.
    pub const fn first(first: &'static str) -> Self {
        Self { first, last: "", places: &[] }
    }
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

/// Those of programs that have no folder.
const PROGRAMS: &[Dialect] = &[
    playwright::DIALECT,
    deno::DIALECT,
    bun::DIALECT,
    phpunit::DIALECT,
    ruby::MINITEST,
    tap::DIALECT,
    linters::ESLINT,
    linters::PYRIGHT,
    linters::TSC,
    linters::MYPY,
    linters::RUFF,
    linters::JAVAC,
    linters::C,
];

/// All of them, with their frameworks; the first that knows a line has it.
static DIALECTS: LazyLock<Vec<(FrameworkId, &Dialect)>> = LazyLock::new(|| {
    let known = ADAPTERS.iter().map(|adapter| (adapter.id(), adapter.dialects()));
    let all = known.chain([(FrameworkId::OTHER, PROGRAMS)]);
    all.flat_map(|(framework, dialects)| dialects.iter().map(move |it| (framework, it))).collect()
});

/// Which dialects to look at, one bit for each.
pub(super) type Set = u64;

/// The dialects of a framework, or all.
pub(super) fn of(framework: Option<FrameworkId>) -> Set {
    let wanted = |of: FrameworkId| framework.is_none_or(|framework| of == framework);
    DIALECTS.iter().enumerate().filter(|(_, (of, _))| wanted(*of)).map(|(at, _)| 1 << at).sum()
}

/// The dialect that a run begins in with this line.
pub(super) fn beginning(
    line: &str,
    among: Set,
) -> Option<&'static (FrameworkId, &'static Dialect)> {
    let text = line.trim_ascii().as_bytes();
    let (first, last) = (text.first()?, text.last()?);
    let table = table();
    let mut left = table.first[usize::from(*first)] | table.last[usize::from(*last)];
    left |= table.by_place(text);
    left &= among;
    while left != 0 {
        let found = DIALECTS.get(left.trailing_zeros() as usize)?;
        if (found.1.begins)(line) {
            return Some(found);
        }
        left &= left - 1;
    }
    None
}

/// Which dialects want a line, by its first and its last byte and by the place in it.
struct Table {
    first: [Set; 256],
    last: [Set; 256],
    extensions: Vec<(&'static str, Set)>,
    any_file: Set,
}

impl Table {
    /// By the place that a line begins with: `FILE:LINE` or `FILE(LINE`.
    fn by_place(&self, text: &[u8]) -> Set {
        // The first `:` may be that of a drive.
        let end = memchr::memchr2_iter(b':', b'(', text)
            .take(2)
            .find(|at| text.get(at + 1).is_some_and(u8::is_ascii_digit));
        let file = end.and_then(|end| text.get(..end)).unwrap_or_default();
        let Some(dot) = memchr::memrchr(b'.', file) else { return 0 };
        let extension = file.get(dot + 1..).unwrap_or_default();
        let known = self.extensions.iter().find(|(known, _)| known.as_bytes() == extension);
        known.map_or(self.any_file, |(_, set)| *set)
    }
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table =
            Table { first: [0; 256], last: [0; 256], extensions: Vec::new(), any_file: 0 };
        for (at, (_, dialect)) in DIALECTS.iter().enumerate() {
            let bit = 1 << at;
            for character in dialect.signs.first.chars() {
                table.first[usize::from(character.to_string().as_bytes()[0])] |= bit;
            }
            for byte in dialect.signs.last.bytes() {
                table.last[usize::from(byte)] |= bit;
            }
            for extension in dialect.signs.places {
                if *extension == ANY_FILE {
                    table.any_file |= bit;
                } else if let Some((_, set)) =
                    table.extensions.iter_mut().find(|(known, _)| known == extension)
                {
                    *set |= bit;
                } else {
                    table.extensions.push((extension, bit));
                }
            }
        }
        table
    })
}
