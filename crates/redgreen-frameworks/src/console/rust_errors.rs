//! What rustc and clippy say about code, as people read it.

use redgreen_model::report::FailureKind;

use super::block::Block;
use super::run::Run;
use super::words::place;
use crate::stream::FailureRecord;

/// Errors that only say that there were others.
const ECHOES: [&str; 8] = [
    "could not compile",
    "aborting due to",
    "test failed",
    "doctest failed",
    "build failed",
    "bench failed",
    "target failed",
    "targets failed",
];
/// What tells a lint from an error of the language.
const LINT_WORDS: [&str; 3] = ["clippy::", "rust-clippy", "implied by `-D warnings`"];

/// Puts diagnostics together, which take several lines each.
#[derive(Default)]
pub(super) struct RustErrors {
    open: bool,
    code: String,
    message: String,
    block: Block,
}

impl RustErrors {
    /// Takes a line if it is part of an error.
    pub fn take(&mut self, line: &str, run: &mut Run<'_>) -> bool {
        if let Some((code, message)) = header(line) {
            self.close(run);
            if ECHOES.iter().any(|words| message.contains(words)) {
                return true;
            }
            self.open = true;
            code.clone_into(&mut self.code);
            message.clone_into(&mut self.message);
            self.block.push(line);
            return true;
        }
        if !self.open {
            return false;
        }
        if continues(line) {
            self.block.push(line);
            return true;
        }
        self.close(run);
        line.is_empty()
    }

    /// An error is over.
    pub fn close(&mut self, run: &mut Run<'_>) {
        if !std::mem::take(&mut self.open) {
            return;
        }
        let text = self.block.take();
        let found = text.lines().find_map(|line| {
            place(
                line.trim_start()
                    .strip_prefix("--> ")
                    .or_else(|| line.trim_start().strip_prefix("::: "))?,
            )
        });
        let lint = LINT_WORDS.iter().any(|words| text.contains(words));
        let kind = if lint { FailureKind::LintFailure } else { FailureKind::CompileError };
        let code = if lint { lint_name(&text).unwrap_or(&self.code) } else { &self.code };
        let record = FailureRecord {
            error_type: code.to_owned(),
            message: labelled(&self.message, &text),
            stack: Some(text.clone()),
            ..FailureRecord::default()
        };
        run.error(kind, record, found.map(|(file, line, _)| (file, Some(line))));
    }
}

/// `error[E0308]: mismatched types`, or `error: …`.
pub(super) fn header(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("error")?;
    if let Some(message) = rest.strip_prefix(": ") {
        return Some(("error", message));
    }
    let (code, message) = rest.strip_prefix('[')?.split_once("]: ")?;
    Some((code, message))
}

fn continues(line: &str) -> bool {
    line.starts_with([' ', '|'])
        || line.starts_with("help: ")
        || line.starts_with("note: ")
        || line == "..."
        || line
            .split_once(" |")
            .is_some_and(|(number, _)| number.trim().bytes().all(|byte| byte.is_ascii_digit()))
        || line.split_once(' ').is_some_and(|(number, rest)| {
            number.bytes().all(|byte| byte.is_ascii_digit())
                && rest.starts_with(['+', '-', '~', '|'])
        })
}

/// `needless_return`, from the address of its explanation.
fn lint_name(text: &str) -> Option<&str> {
    let (_, name) = text.split_once("index.html#")?;
    name.split(|end: char| !(end.is_ascii_alphanumeric() || end == '_'))
        .next()
        .filter(|name| !name.is_empty())
}

/// The message with what the compiler wrote below the place itself.
fn labelled(message: &str, text: &str) -> String {
    let label = text.lines().find_map(|line| {
        let (_, marks) = line.split_once('|')?;
        let (marks, label) = marks.split_at(marks.rfind('^')? + 1);
        let only_marks = marks.bytes().all(|byte| matches!(byte, b' ' | b'^' | b'-' | b'_' | b'|'));
        (only_marks && !label.trim().is_empty()).then(|| label.trim())
    });
    match label {
        Some(label) => format!("{message}: {label}"),
        None => message.to_owned(),
    }
}
