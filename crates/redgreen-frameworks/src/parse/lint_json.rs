//! The JSON of ESLint and of ruff.

use redgreen_model::report::{Failure, FailureKind, Report};
use redgreen_model::text::{LINE_CHARS, MESSAGE_CHARS, clean_block, clean_line};
use serde_json::Value;

use crate::place::Places;

/// ESLint's number for an error; a warning has a lower one.
const ESLINT_ERROR: u64 = 2;

/// Reads ESLint's list of files, each with its messages.
pub(super) fn eslint(bytes: &[u8], places: Places<'_>) -> Report {
    let (files, mut report) = list(bytes);
    for file in &files {
        let path = file["filePath"].as_str().unwrap_or("");
        let errors = file["messages"].as_array().into_iter().flatten().filter(|message| {
            message["severity"].as_u64() == Some(ESLINT_ERROR)
                || message["fatal"].as_bool() == Some(true)
        });
        report.errors.extend(
            errors.map(|message| {
                finding(&message["ruleId"], message, path, &message["line"], places)
            }),
        );
    }
    report
}

/// Reads ruff's list of findings.
pub(super) fn ruff(bytes: &[u8], places: Places<'_>) -> Report {
    let (findings, report) = list(bytes);
    let errors = findings.iter().map(|found| {
        finding(
            &found["code"],
            found,
            found["filename"].as_str().unwrap_or(""),
            &found["location"]["row"],
            places,
        )
    });
    Report { errors: errors.collect(), ..report }
}

/// The entries, and a report that says whether all of them are there.
fn list(bytes: &[u8]) -> (Vec<Value>, Report) {
    match serde_json::from_slice(bytes) {
        Ok(entries) => (entries, Report { complete: true, ..Report::default() }),
        Err(error) => {
            let diagnostics = vec![format!("the JSON cannot be read: {error}")];
            (Vec::new(), Report { diagnostics, ..Report::default() })
        }
    }
}

fn finding(code: &Value, found: &Value, path: &str, line: &Value, places: Places<'_>) -> Failure {
    let message = found["message"].as_str().unwrap_or("");
    let mut failure = Failure::new(
        FailureKind::LintFailure,
        clean_line(code.as_str().unwrap_or("error"), LINE_CHARS),
        clean_block(message.as_bytes(), MESSAGE_CHARS),
    );
    let line = line.as_u64().and_then(|line| line.try_into().ok());
    failure.location = places.location(path, line);
    failure
}
