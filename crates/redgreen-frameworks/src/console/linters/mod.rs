//! Compilers and linters: what they find is at a place, and one finding is a few lines.

mod c;
mod eslint;
mod javac;
mod mypy;
mod pyright;
mod ruff;
mod tsc;

use redgreen_model::report::FailureKind;

use super::block::Block;
use super::dialects::{Dialect, Reader, Taken};
use super::run::Run;
use crate::stream::FailureRecord;

pub(super) const C: Dialect = c::DIALECT;
pub(super) const ESLINT: Dialect = eslint::DIALECT;
pub(super) const JAVAC: Dialect = javac::DIALECT;
pub(super) const MYPY: Dialect = mypy::DIALECT;
pub(super) const PYRIGHT: Dialect = pyright::DIALECT;
pub(super) const RUFF: Dialect = ruff::DIALECT;
pub(super) const TSC: Dialect = tsc::DIALECT;

/// Something that was found, on the line that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding<'line> {
    /// Empty where another line names the file.
    file: &'line str,
    line: u32,
    code: &'line str,
    message: &'line str,
    /// Whether it fails the check; a warning or a note does not.
    fails: bool,
}

/// What a line is to a linter.
enum Line<'line> {
    Finding(Finding<'line>),
    /// The file that findings without one are in.
    File(&'line str),
    /// The place of the finding above.
    Place(&'line str, u32),
    /// More about the finding above.
    More,
    /// The count at the end; of errors, where it says so.
    Last(Option<u64>),
    Other,
}

/// Puts findings together.
struct Findings {
    kind: FailureKind,
    read: fn(&str, bool) -> Line<'_>,
    file: String,
    open: Option<(FailureRecord, String, u32)>,
    block: Block,
    found: u64,
    /// Whether the linter says when it has come to its end.
    says_end: bool,
}

impl Findings {
    fn new(kind: FailureKind, says_end: bool, read: fn(&str, bool) -> Line<'_>) -> Self {
        Self {
            kind,
            read,
            file: String::new(),
            open: None,
            block: Block::default(),
            found: 0,
            says_end,
        }
    }
}

impl Reader for Findings {
    fn before(&mut self, lines: &[&str]) {
        for line in lines {
            if let Line::File(file) = (self.read)(line, false) {
                file.clone_into(&mut self.file);
            }
        }
    }

    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        match (self.read)(line, self.open.is_some()) {
            Line::Finding(found) => {
                self.close(run);
                if found.fails {
                    self.found += 1;
                    let file = if found.file.is_empty() {
                        self.file.clone()
                    } else {
                        found.file.to_owned()
                    };
                    let record = FailureRecord {
                        error_type: found.code.to_owned(),
                        message: found.message.to_owned(),
                        ..FailureRecord::default()
                    };
                    self.block.push(line);
                    self.open = Some((record, file, found.line));
                }
                Taken::Mine
            }
            Line::File(file) => {
                self.close(run);
                file.clone_into(&mut self.file);
                Taken::Mine
            }
            Line::Place(file, at) => {
                if let Some(open) = &mut self.open {
                    (open.1, open.2) = (file.to_owned(), at);
                }
                self.block.push(line);
                Taken::Mine
            }
            Line::More => {
                self.block.push(line);
                Taken::Mine
            }
            Line::Last(count) => {
                self.close(run);
                run.complete(true);
                if count.unwrap_or(0) > 0 && self.found == 0 {
                    run.needs_error("errors are counted, and the log names none");
                }
                Taken::Last
            }
            Line::Other => {
                self.close(run);
                Taken::Not
            }
        }
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        self.close(run);
        if !self.says_end {
            run.complete(true);
        }
    }
}

impl Findings {
    fn close(&mut self, run: &mut Run<'_>) {
        let text = self.block.take();
        let Some((mut record, file, line)) = self.open.take() else { return };
        record.stack = Some(text).filter(|text| text.trim_end().contains('\n'));
        let line = Some(line).filter(|line| *line > 0);
        run.error(self.kind, record, Some((&file, line)));
    }
}

/// Whether a line shows the source, as compilers do below a finding: it is indented, or `12 | code`.
fn shows_source(line: &str) -> bool {
    line.starts_with(' ') || line.starts_with('|') || {
        let rest = line.trim_start_matches(|digit: char| digit.is_ascii_digit());
        rest.len() < line.len() && rest.trim_start().starts_with(['|', '-', '+'])
    }
}
