//! What other tools write about what ran: a file for each format.
//!
//! Readers never fail. What is cut or malformed is read as far as it goes, and said. They go through a
//! report once and pass over the files that nobody asks for ([`Wanted`]), so that what is kept is as large
//! as the change, and not as large as the project.

mod clover;
mod cobertura;
mod counted;
mod coverage_py;
mod go;
mod istanbul;
mod jacoco;
mod json;
mod lcov;
mod llvm;
mod recognise;
mod wanted;

use redgreen_model::coverage::Point;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_xml::decoded;

pub use self::recognise::recognise;
pub use self::wanted::Wanted;

use crate::{Coverage, FileCoverage};

/// The most lines that ranges of lines are written out to, in one report. A range takes a few bytes,
/// whatever it spans.
const LINES_OF_RANGES: usize = 1_000_000;

/// A coverage format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// LCOV's tracefiles.
    Lcov,
    /// Cobertura's XML, coverage.py's too.
    Cobertura,
    /// JaCoCo's XML.
    Jacoco,
    /// Clover's XML.
    Clover,
    /// coverage.py's JSON.
    CoveragePy,
    /// Istanbul's JSON, such as `coverage-final.json`.
    Istanbul,
    /// What `go test -coverprofile` writes.
    Go,
    /// What `llvm-cov export` writes.
    Llvm,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Lcov,
        Self::Cobertura,
        Self::Jacoco,
        Self::Clover,
        Self::CoveragePy,
        Self::Istanbul,
        Self::Go,
        Self::Llvm,
    ];

    /// Its name, for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lcov => "LCOV",
            Self::Cobertura => "Cobertura XML",
            Self::Jacoco => "JaCoCo XML",
            Self::Clover => "Clover XML",
            Self::CoveragePy => "coverage.py JSON",
            Self::Istanbul => "Istanbul JSON",
            Self::Go => "Go cover profile",
            Self::Llvm => "llvm-cov JSON",
        }
    }
}

/// What a report says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// What ran, by the paths as the report has them: [`crate::paths`] leads to the tree's.
    pub coverage: Coverage,
    /// The folders that the report names for its paths.
    pub sources: Vec<String>,
    /// What could not be understood.
    pub diagnostics: Vec<String>,
}

/// Reads a report in whatever format it is.
#[must_use]
pub fn read(bytes: &[u8], wanted: &Wanted<'_>) -> Reading {
    if let Some(format) = recognise(bytes) {
        return read_as(format, bytes, wanted);
    }
    let names = Format::ALL.map(Format::name).join(", ");
    let diagnostic = format!("is no coverage report that redgreen reads; it reads {names}");
    Reading { diagnostics: vec![diagnostic], ..Reading::default() }
}

/// Reads a report whose format is known.
#[must_use]
pub fn read_as(format: Format, bytes: &[u8], wanted: &Wanted<'_>) -> Reading {
    let mut draft = Draft::new(wanted);
    let mut text = |read: fn(&str, &mut Draft<'_>)| {
        let (text, note) = decoded(bytes);
        draft.reading.diagnostics.extend(note);
        read(&text, &mut draft);
    };
    match format {
        // Lines of bytes: a path that is not UTF-8 is nobody's, and the rest is digits.
        Format::Lcov => lcov::read(&recognise::without_utf16(bytes), &mut draft),
        Format::Go => go::read(&recognise::without_utf16(bytes), &mut draft),
        Format::Cobertura => text(cobertura::read),
        Format::Jacoco => text(jacoco::read),
        Format::Clover => text(clover::read),
        Format::CoveragePy => text(coverage_py::read),
        Format::Istanbul => text(istanbul::read),
        Format::Llvm => text(llvm::read),
    }
    draft.finish()
}

/// A reading that is under way.
struct Draft<'run> {
    wanted: &'run Wanted<'run>,
    reading: Reading,
    /// How many entries were not as the format has them.
    odd: usize,
    /// The first of them.
    first_odd: String,
    /// Whether the report ends in the middle of something.
    cut: bool,
    /// How many lines ranges may still be written out to.
    lines_left: usize,
}

impl<'run> Draft<'run> {
    fn new(wanted: &'run Wanted<'run>) -> Self {
        Self {
            wanted,
            reading: Reading::default(),
            odd: 0,
            first_odd: String::new(),
            cut: false,
            lines_left: LINES_OF_RANGES,
        }
    }

    /// The file, if it is wanted.
    fn file(&mut self, path: &str) -> Option<&mut FileCoverage> {
        if path.is_empty() || !self.wanted.wants(path) {
            return None;
        }
        let files = &mut self.reading.coverage.files;
        if !files.contains_key(path) {
            files.insert(path.to_owned(), FileCoverage::default());
        }
        files.get_mut(path)
    }

    /// Takes in an entry of a file that is wanted.
    fn line(&mut self, path: &str, number: Option<u32>, hits: Option<u64>, entry: &str) {
        match (number.filter(|number| *number > 0), hits) {
            (Some(number), Some(hits)) => {
                if let Some(file) = self.file(path) {
                    file.saw(number, hits);
                }
            }
            _ => self.odd(entry),
        }
    }

    /// Takes in ranges of lines, from the first to the last: where they overlap, the highest count is true.
    fn ranges(&mut self, path: &str, mut ranges: Vec<(u32, u32, u64)>) {
        // The highest first; so each line is written once, and the others are passed over.
        ranges.sort_unstable_by_key(|&(first, last, hits)| (std::cmp::Reverse(hits), first, last));
        let mut left = self.lines_left;
        let Some(file) = self.file(path) else { return };
        let mut written = counted::Written::default();
        for (first, last, hits) in ranges {
            written.each_new(first, last, |line| {
                left = left.checked_sub(1)?;
                file.saw(line, hits);
                Some(())
            });
        }
        self.lines_left = left;
    }

    /// Takes in places from which on a count holds: where one is named twice, the higher count is true.
    fn points(&mut self, path: &str, mut points: Vec<Point>) {
        points.sort_unstable_by_key(|it| (it.line, it.column, std::cmp::Reverse(it.hits)));
        points.dedup_by_key(|it| (it.line, it.column));
        if let Some(file) = self.file(path) {
            file.merge(&FileCoverage { points, ..FileCoverage::default() });
        }
    }

    fn odd(&mut self, entry: &str) {
        if self.odd == 0 {
            self.first_odd = clean_line(entry, LINE_CHARS);
        }
        self.odd += 1;
    }

    fn finish(self) -> Reading {
        let mut reading = self.reading;
        let mut say = |diagnostic: String| reading.diagnostics.push(diagnostic);
        if self.cut {
            say("is cut or malformed; what is behind that is not known".to_owned());
        }
        if self.odd > 0 {
            let (odd, first) = (self.odd, &self.first_odd);
            say(format!("has {odd} entries that cannot be understood, such as `{first}`"));
        }
        if self.lines_left == 0 {
            say(format!("spans more than {LINES_OF_RANGES} lines; the rest is left out"));
        }
        reading
    }
}

#[cfg(test)]
mod tests;
