//! What test programs, compilers and linters print, read back as far as the text goes.
//!
//! A log is the weakest witness: anybody can print `ok`. So what is read here *explains* a command
//! that ended badly, and is what [`parse`](crate::parse) has to say about a log that is all there is.
//! It never makes a pass that redgreen gates on, and [`Report::began`] is never set.
//!
//! ```text
//! bytes ─▶ line ─▶ lane ─▶ open runs ─▶ reader of the dialect ─▶ Run ─▶ ConsoleRun
//!          │       │       └ several at once: a finding between tests does not end their run
//!          │       └ `api-1  | `, `web:test: `: programs that print into one log
//!          └ without colours, redraws, time stamps and markers of CI
//! ```
//!
//! What a log says after its runs counts as well: a job that failed although nothing in it is red has
//! that line as its failure (`aftermath.rs`; the ways of saying it are the table in `endings.rs`).
//!
//! Tests are counted as far as they are named. A summary that counts more than was named is a
//! diagnostic; one that counts failures where none was found makes a failure.
//!
//! Time is linear: each line is looked at once, and most of them only by their first byte. Memory is
//! what the result takes, and a bounded block for each run that is open: a log may come piece by piece ([`Log`]).
//!
//! One file for each dialect, and a line in the table in `dialects.rs`.

pub(crate) mod aftermath;
mod block;
mod bun;
pub(crate) mod cargo;
pub(crate) mod ctest;
mod deno;
mod dialects;
mod diff;
mod endings;
mod frames;
pub(crate) mod go;
pub(crate) mod gradle;
mod index;
mod java;
pub(crate) mod javascript;
pub(crate) mod jest;
mod lane;
mod line;
mod linters;
pub(crate) mod maven;
pub(crate) mod mocha;
pub(crate) mod nextest;
pub(crate) mod node_test;
mod phpunit;
mod playwright;
pub(crate) mod pytest;
mod python;
pub(crate) mod ruby;
mod run;
mod rust_errors;
mod tap;
mod tree;
pub(crate) mod unittest;
pub(crate) mod vitest;
mod words;

use redgreen_model::framework::FrameworkId;
use redgreen_model::report::Report;

use crate::place::Places;
use lane::Lanes;

pub use dialects::Dialect;

/// The type of a failure that a summary counts and no line names.
pub const UNNAMED: &str = "Unnamed";

/// One run of one program, as a log tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleRun {
    /// The program that printed it: `pytest`, `rspec`, `tsc`.
    pub program: &'static str,
    /// Its framework in the words of the documents.
    pub framework: FrameworkId,
    /// Whether the program runs tests; otherwise it compiles or lints.
    pub runs_tests: bool,
    /// What stood before each of its lines, where several programs share the log: `api-1`.
    pub lane: Option<String>,
    /// What it said. `complete` means that the run came to its end.
    pub report: Report,
    /// How long it took, by its own word.
    pub duration_ms: u64,
    /// How many passes its summary counts beyond the tests that are named.
    pub unnamed_passes: u64,
}

/// Reads a log: each run that is in it, in the order of their beginning. With a framework, only
/// programs of that framework are looked for. Never fails.
pub fn read(bytes: &[u8], places: Places<'_>, only: Option<FrameworkId>) -> Vec<ConsoleRun> {
    let mut log = Log::new(places, only);
    log.take(bytes);
    log.finish()
}

/// A log that comes piece by piece: only what it says is held, and the beginning of its last line.
pub struct Log<'paths> {
    lanes: Lanes<'paths>,
    buffer: Vec<u8>,
    /// The last line so far, as far as it is looked at.
    unended: Vec<u8>,
}

impl<'paths> Log<'paths> {
    /// One of which nothing came yet.
    pub fn new(places: Places<'paths>, only: Option<FrameworkId>) -> Self {
        Self { lanes: Lanes::new(places, only), buffer: Vec::new(), unended: Vec::new() }
    }

    /// Takes what comes next.
    pub fn take(&mut self, piece: &[u8]) {
        let mut rest = piece;
        if !self.unended.is_empty() {
            let end = memchr::memchr(b'\n', rest);
            self.hold(&rest[..end.unwrap_or(rest.len())]);
            let Some(end) = end else { return };
            self.take_unended();
            rest = &rest[end + 1..];
        }
        let whole = memchr::memrchr(b'\n', rest).map_or(0, |at| at + 1);
        for raw in line::Lines::of(&rest[..whole]) {
            self.lanes.take(line::clean(raw, &mut self.buffer));
        }
        self.hold(&rest[whole..]);
    }

    /// All runs, in the order of their beginning.
    pub fn finish(mut self) -> Vec<ConsoleRun> {
        self.take_unended();
        self.lanes.finish()
    }

    fn hold(&mut self, more: &[u8]) {
        let room = line::LINE_BYTES.saturating_sub(self.unended.len());
        self.unended.extend_from_slice(more.get(..room).unwrap_or(more));
    }

    fn take_unended(&mut self) {
        for raw in line::Lines::of(&self.unended) {
            self.lanes.take(line::clean(raw, &mut self.buffer));
        }
        self.unended.clear();
    }
}

#[cfg(test)]
mod tests;
