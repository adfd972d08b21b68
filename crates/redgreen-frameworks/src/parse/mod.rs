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

/// Reads an input, whatever it is. A framework that is given is believed: a log is read as one of
/// that framework's. Never fails; an input that holds no run gives none.
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
