//! Reports and logs that exist already: what format they are in, by their content, and what they say.
//!
//! Nothing is gated on this: there is no tree and no run that redgreen saw. What is read is what the
//! report or log says of itself.

mod format;

use redgreen_model::report::Report;
use redgreen_model::workflow::Framework;

use crate::console;
use crate::place::Places;
use crate::stream::read_stream;

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
    pub framework: Framework,
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
pub fn read(bytes: &[u8], places: Places<'_>, framework: Option<Framework>) -> Vec<ParsedRun> {
    let format = recognise(bytes);
    let structured = |report: Report, of: Framework| {
        let duration_ms = report.tests.iter().map(|test| test.duration_ms).sum();
        let framework = framework.unwrap_or(of);
        vec![ParsedRun {
            format,
            program: None,
            lane: None,
            framework,
            runs_tests: true,
            report,
            duration_ms,
            unnamed_passes: 0,
        }]
    };
    match format {
        Format::Stream => structured(read_stream(bytes, places), Framework::Other),
        Format::Console => {
            console::read(bytes, places, framework).into_iter().map(of_console).collect()
        }
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
