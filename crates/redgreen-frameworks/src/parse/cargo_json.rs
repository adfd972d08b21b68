//! `cargo --message-format json`: errors of the compiler, and what else was printed between them.

use redgreen_model::report::{Failure, Report};
use redgreen_model::text::{BLOCK_CHARS, LINE_CHARS, MESSAGE_CHARS, clean_block, clean_line};

use crate::cargo::messages::{BuildError, CargoLine, parse_line};
use crate::place::Places;

/// The report of the messages, and the lines that are none: a log of their own.
pub(super) fn read(bytes: &[u8], places: Places<'_>) -> (Report, Vec<u8>) {
    let mut report = Report::default();
    let mut others = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let message =
            (line.first() == Some(&b'{')).then(|| parse_line(&String::from_utf8_lossy(line)));
        match message {
            Some(CargoLine::Compiler { error: Some(error), .. }) => {
                let failure = failure(error, places);
                if !report.errors.contains(&failure) {
                    report.errors.push(failure);
                }
            }
            Some(CargoLine::BuildFinished { .. }) => report.complete = true,
            Some(CargoLine::Compiler { .. } | CargoLine::Built(_) | CargoLine::Quiet) => {}
            Some(CargoLine::Text) | None => {
                others.extend_from_slice(line);
                others.push(b'\n');
            }
        }
    }
    (report, others)
}

fn failure(error: BuildError, places: Places<'_>) -> Failure {
    let mut failure = Failure::new(
        error.kind,
        clean_line(&error.code, LINE_CHARS),
        clean_block(error.message.as_bytes(), MESSAGE_CHARS),
    );
    failure.stack = clean_block(error.rendered.as_bytes(), BLOCK_CHARS);
    failure.location = error.file.and_then(|file| places.location(&file, error.line));
    failure
}
