//! Reports and logs that exist already: what format they are in, by their content, and what they say.
//!
//! Nothing is gated on this: there is no tree and no run that redgreen saw. What is read is what the
//! report or log says of itself.

mod cargo_json;
mod format;
mod libtest_json;
mod lint_json;
mod text;

use redgreen_model::framework::FrameworkId;
use redgreen_model::report::Report;

use crate::place::Places;
use crate::stream::read_stream;
use crate::{cargo, console, ctrf, go, jest, junit, mocha, tap, vitest};

pub use format::{Format, recognise};

/// One run that an input holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedRun {
    /// What the input is.
    pub format: Format,
    /// The program that ran, where it is known.
    pub program: Option<String>,
    /// What stood before each of its lines, where several programs share a log.
    pub lane: Option<String>,
    /// Its framework.
    pub framework: FrameworkId,
    /// Whether the program runs tests; otherwise it compiles or lints.
    pub runs_tests: bool,
    /// What it said.
    pub report: Report,
    /// How long it took.
    pub duration_ms: u64,
    /// How many passes a summary counts beyond the tests that are named.
    pub unnamed_passes: u64,
}

/// An input that comes piece by piece. A log is read as it comes, and only what it says is held; any other
/// format is read in the end, as a whole. A framework that is given is believed: a log is read as one of
/// that framework's.
pub struct Input<'paths> {
    places: Places<'paths>,
    framework: Option<FrameworkId>,
    held: Vec<u8>,
    log: Option<console::Log<'paths>>,
}

impl<'paths> Input<'paths> {
    /// One of which nothing came yet.
    pub fn new(places: Places<'paths>, framework: Option<FrameworkId>) -> Self {
        Self { places, framework, held: Vec::new(), log: None }
    }

    /// Takes what comes next.
    pub fn take(&mut self, piece: &[u8]) {
        if let Some(log) = &mut self.log {
            return log.take(piece);
        }
        let known = is_decided(&self.held);
        self.held.extend_from_slice(piece);
        if !known && is_decided(&self.held) && is_log(&self.held) {
            let mut log = console::Log::new(self.places, self.framework);
            log.take(&std::mem::take(&mut self.held));
            self.log = Some(log);
        }
    }

    /// How many bytes of it are held.
    pub fn held_bytes(&self) -> usize {
        self.held.len()
    }

    /// Every run that is in it; an input that holds no run gives none. Never fails.
    pub fn finish(self) -> Vec<ParsedRun> {
        match self.log {
            Some(log) => log.finish().into_iter().map(of_console).collect(),
            None => read(&self.held, self.places, self.framework),
        }
    }
}

/// Whether so much of an input is there that its format is known, blanks before its beginning included.
fn is_decided(head: &[u8]) -> bool {
    head.len() >= 2 * format::HEAD_BYTES
}

/// Whether an input is a log that can be read as it comes.
fn is_log(head: &[u8]) -> bool {
    matches!(text::decoded(head), std::borrow::Cow::Borrowed(_))
        && recognise(head) == Format::Console
}

/// Reads a whole input, as [`Input`] does.
pub fn read(bytes: &[u8], places: Places<'_>, framework: Option<FrameworkId>) -> Vec<ParsedRun> {
    let bytes = &*text::decoded(bytes);
    let format = recognise(bytes);
    let log = |bytes: &[u8]| console::read(bytes, places, framework).into_iter().map(of_console);
    let (report, of, program) = match format {
        Format::Stream => (read_stream(bytes, places), FrameworkId::OTHER, None),
        Format::JunitXml => (junit::read_xml(bytes, places), junit::ID, None),
        Format::Ctrf => (ctrf::read(bytes, places), FrameworkId::OTHER, None),
        Format::JestJson => (jest::read_json(bytes, places), jest::ID, Some("jest")),
        Format::VitestJson => (jest::read_json(bytes, places), vitest::ID, Some("vitest")),
        Format::MochaJson => (mocha::read_json(bytes, places), mocha::ID, Some("mocha")),
        Format::Tap => (tap::read(bytes, places), FrameworkId::OTHER, None),
        Format::GoJson => (go::read_json(bytes, places), go::ID, Some("go")),
        Format::LibtestJson => (libtest_json::read(bytes, places), cargo::ID, Some("cargo")),
        Format::EslintJson => {
            (lint_json::eslint(bytes, places), FrameworkId::OTHER, Some("eslint"))
        }
        Format::RuffJson => (lint_json::ruff(bytes, places), FrameworkId::OTHER, Some("ruff")),
        Format::CargoJson => {
            let (report, others) = cargo_json::read(bytes, places);
            let build = structured(format, report, framework, cargo::ID, Some("cargo"));
            let broken = !build.report.errors.is_empty();
            let mut runs: Vec<ParsedRun> = log(&others).collect();
            if broken || runs.is_empty() {
                runs.insert(0, build);
            }
            return runs;
        }
        Format::Console => return log(bytes).collect(),
    };
    vec![structured(format, report, framework, of, program)]
}

fn structured(
    format: Format,
    report: Report,
    given: Option<FrameworkId>,
    of: FrameworkId,
    program: Option<&str>,
) -> ParsedRun {
    let lints = matches!(format, Format::EslintJson | Format::RuffJson | Format::CargoJson);
    ParsedRun {
        format,
        program: program.map(str::to_owned),
        lane: None,
        framework: given.unwrap_or(of),
        runs_tests: !lints,
        duration_ms: report.tests.iter().map(|test| test.duration_ms).sum(),
        report,
        unnamed_passes: 0,
    }
}

fn of_console(run: console::ConsoleRun) -> ParsedRun {
    ParsedRun {
        format: Format::Console,
        program: Some(run.program.to_owned()),
        lane: run.lane,
        framework: run.framework,
        runs_tests: run.runs_tests,
        report: run.report,
        duration_ms: run.duration_ms,
        unnamed_passes: run.unnamed_passes,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn places() -> Places<'static> {
        Places { root: Path::new("/home/me/project"), folder: Path::new("") }
    }

    fn in_pieces(bytes: &[u8], size: usize) -> (Vec<ParsedRun>, usize) {
        let mut input = Input::new(places(), None);
        let mut most = 0;
        for piece in bytes.chunks(size) {
            input.take(piece);
            most = most.max(input.held_bytes());
        }
        (input.finish(), most)
    }

    /// A log of many lines, with one that is too long and one that is not text.
    fn log() -> Vec<u8> {
        let mut log = Vec::new();
        for number in 0..8_000 {
            log.extend(format!("tests/test_shop.py::test_{number} PASSED\r\n").bytes());
        }
        log.extend([b'x'; 100_000]);
        log.extend(b"\n\xff\xfe\ntests/test_shop.py::test_last FAILED\n");
        log.extend(
            b"==== 1 failed, 8000 passed in 0.10s ====\nError: Process completed with exit code 1.",
        );
        log
    }

    #[test]
    fn a_log_says_the_same_in_pieces_of_any_size_and_is_not_held() {
        let mut log = b"==== test session starts ====\n".to_vec();
        log.extend(self::log());
        let whole = read(&log, places(), None);
        let counts = whole[0].report.counts();
        assert_eq!((whole.len(), counts.passed, counts.failed), (1, 8000, 1), "{counts:?}");
        for size in [7, 1000, 65_536, 131_072, log.len()] {
            let (runs, held) = in_pieces(&log, size);
            assert_eq!(runs, whole, "in pieces of {size}");
            assert!(held < 2 * format::HEAD_BYTES, "{held} bytes are held, in pieces of {size}");
        }
    }

    #[test]
    fn what_is_no_log_is_read_as_a_whole() {
        let cases: String =
            (0..8_000).map(|number| format!("<testcase name=\"n{number}\"/>\n")).collect();
        let xml = format!("<testsuite name=\"s\">{cases}</testsuite>");
        let wide = |text: &str| -> Vec<u8> {
            [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
        };
        let log = String::from_utf8_lossy(&log()).into_owned();
        for bytes in [xml.into_bytes(), wide(&log), b" ".repeat(300_000), Vec::new()] {
            assert_eq!(in_pieces(&bytes, 1000).0, read(&bytes, places(), None));
        }
    }
}
