//! A command that went wrong is never left without a failure: where the report has none, the way
//! it ended and its log make one. Where the log is of a program whose output is known, its failing
//! tests and its findings are the failures, each at its place; else the last error lines are one.

use redgreen_model::execution::{Ended, SHELL_CANNOT_RUN};
use redgreen_model::report::{Failure, FailureKind, Location, Report, TestCase};
use redgreen_model::text::{BLOCK_CHARS, MESSAGE_CHARS, clean_block};

use crate::adapter::RunMaterial;
use crate::classify::kind_of_command;
use crate::console;
use crate::console::aftermath::{JOB_FAILED, Sign, sign};

/// How many error lines make the message.
const ERROR_LINES: usize = 10;
/// How many of the last lines are looked at, and kept as the stack.
const LAST_LINES: usize = 60;
/// How many tests are named in a sentence.
const NAMED_TESTS: usize = 5;
/// What a shell adds to a signal's number to make an exit code.
const SHELL_SIGNAL_BASE: i32 = 128;

/// Words that make a line look like an error, in small letters.
const ERROR_WORDS: &[&str] = &[
    "error",
    "fail",
    "exception",
    "panic",
    "fatal",
    "not found",
    "cannot",
    "can't",
    "could not",
    "no such file",
    "undefined",
    "denied",
    "segmentation fault",
    "killed",
    "no module named",
    "abort",
];
/// Signals that have a name people know.
const SIGNALS: &[(i32, &str)] = &[
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (6, "SIGABRT"),
    (7, "SIGBUS"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (11, "SIGSEGV"),
    (13, "SIGPIPE"),
    (14, "SIGALRM"),
    (15, "SIGTERM"),
    (24, "SIGXCPU"),
    (25, "SIGXFSZ"),
    (31, "SIGSYS"),
];

/// Adds what the way the command ended says, and, where nothing else explains a failed command, its
/// last error lines. `kind` is used where the way it ended does not tell; where that is unknown as
/// well, the program that spoke tells.
pub(crate) fn explain(report: &mut Report, material: &RunMaterial<'_>, kind: FailureKind) {
    let red = report.tests.iter().any(|test| test.outcome.is_red()) || !report.errors.is_empty();
    let (kind, error_type, headline) = match material.ended {
        Ended::Exited { code: 0 } | Ended::Stopped => return,
        Ended::TimedOut { limit_seconds } => {
            let headline = format!("ended at its limit of {limit_seconds} s");
            (FailureKind::Timeout, "Timeout".to_owned(), headline)
        }
        Ended::OutOfMemory { .. } => {
            (FailureKind::RuntimeError, "OutOfMemory".to_owned(), material.ended.to_string())
        }
        Ended::Signalled { signal } => died_of(*signal),
        Ended::Exited { code } => match shell_signal(*code) {
            Some(signal) => died_of(signal),
            None if red => return,
            None => {
                let kind = match kind {
                    _ if SHELL_CANNOT_RUN.contains(code) => FailureKind::ToolingError,
                    FailureKind::Unknown => {
                        kind_of_command(material.command, *code, material.console)
                    }
                    known => known,
                };
                let named = named_by_console(report.began, material, kind);
                if !named.is_empty() {
                    report.errors.extend(named);
                    return;
                }
                (kind, format!("exit code {code}"), String::new())
            }
        },
        Ended::NotStarted { reason } => {
            (FailureKind::ToolingError, "NotStarted".to_owned(), format!("not started: {reason}"))
        }
        Ended::Lost => (FailureKind::ToolingError, "Lost".to_owned(), material.ended.to_string()),
    };
    let lines = if red { Vec::new() } else { error_lines(material.console) };
    let mut message = headline;
    message.push_str(&in_flight(&report.unfinished));
    for line in &lines {
        message.push('\n');
        message.push_str(line);
    }
    let message = if message.is_empty() { material.ended.to_string() } else { message };
    let message = clean_block(message.trim().as_bytes(), MESSAGE_CHARS);
    let mut failure = Failure::new(kind, error_type, message);
    if !red {
        failure.stack =
            clean_block(last_lines(material.console).join("\n").as_bytes(), BLOCK_CHARS);
        failure.location = lines.iter().find_map(|line| location_in(line, material));
    }
    report.errors.push(failure);
}

/// The failures that the log names. Tests only where no runner spoke through our channel: one that did
/// knows its tests better. What a linter's command finds is a lint, whoever compiles for it.
fn named_by_console(began: bool, material: &RunMaterial<'_>, kind: FailureKind) -> Vec<Failure> {
    if kind == FailureKind::ToolingError {
        return Vec::new();
    }
    let runs = console::read(material.console.as_bytes(), material.places(), None);
    let mut named = Vec::new();
    for run in runs {
        let mut report = run.report;
        for error in &mut report.errors {
            if kind == FailureKind::LintFailure && error.kind == FailureKind::CompileError {
                error.kind = kind;
            }
        }
        // That it failed is known; what it was is not.
        let vague = [console::UNNAMED, JOB_FAILED];
        report.errors.retain(|error| !vague.contains(&error.error_type.as_str()));
        named.append(&mut report.errors);
        if !began {
            let red = report.tests.into_iter().filter(|test| test.outcome.is_red());
            named.extend(red.map(named_failure));
        }
    }
    named
}

/// Why a test is red; of one that is only named, that it is.
fn named_failure(test: TestCase) -> Failure {
    test.failure.map_or_else(
        || {
            let said = "the log does not say why it failed";
            let mut failure = Failure::new(FailureKind::TestFailure, "Failure", said);
            failure.test = Some(test.id);
            failure
        },
        |failure| *failure,
    )
}

fn died_of(signal: i32) -> (FailureKind, String, String) {
    let name = SIGNALS
        .iter()
        .find(|(number, _)| *number == signal)
        .map_or_else(|| format!("signal {signal}"), |(_, name)| (*name).to_owned());
    let headline = format!("died of {name}");
    (FailureKind::RuntimeError, name, headline)
}

/// A shell says that its child died of a signal with an exit code above 128.
fn shell_signal(code: i32) -> Option<i32> {
    let signal = code - SHELL_SIGNAL_BASE;
    SIGNALS.iter().any(|(number, _)| *number == signal).then_some(signal)
}

fn in_flight(unfinished: &[String]) -> String {
    let named: Vec<&str> = unfinished.iter().take(NAMED_TESTS).map(String::as_str).collect();
    match unfinished.len() {
        0 => String::new(),
        count if count > named.len() => {
            format!(
                " while these were running: {} and {} more",
                named.join(", "),
                count - named.len()
            )
        }
        1 => format!(" while {} was running", named.join(", ")),
        _ => format!(" while these were running: {}", named.join(", ")),
    }
}

fn last_lines(console: &str) -> Vec<&str> {
    let mut lines: Vec<&str> =
        console.lines().rev().filter(|line| !line.trim().is_empty()).take(LAST_LINES).collect();
    lines.reverse();
    lines
}

/// The last lines that say why a runner fails whose tests pass, else those that look like errors;
/// where none does, the last lines.
pub(crate) fn error_lines(console: &str) -> Vec<&str> {
    let last = last_lines(console);
    for reason in [Sign::Coverage, Sign::Snapshots] {
        let said = |line: &&str| sign(line) == Some(reason);
        let reasons: Vec<&str> = last.iter().copied().filter(said).take(ERROR_LINES).collect();
        if !reasons.is_empty() {
            return reasons;
        }
    }
    let looks_wrong = |line: &&&str| {
        let small = line.to_lowercase();
        ERROR_WORDS.iter().any(|word| small.contains(word)) && !counts_none(&small)
    };
    let mut found: Vec<&str> =
        last.iter().rev().filter(looks_wrong).take(ERROR_LINES).copied().collect();
    if found.is_empty() {
        found = last.iter().rev().take(ERROR_LINES).copied().collect();
    }
    found.reverse();
    found
}

/// Whether a line only says that there were none of them: `0 failed`, `fail 0`, `failures=0`.
fn counts_none(small: &str) -> bool {
    let words: Vec<&str> =
        small.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let none = |at: usize| words.get(at) == Some(&"0");
    let bad = |word: &str| word.starts_with("fail") || word.starts_with("error");
    let mut found = words.iter().enumerate().filter(|(_, word)| bad(word)).peekable();
    found.peek().is_some() && found.all(|(at, _)| at > 0 && none(at - 1) || none(at + 1))
}

/// `path:line` at the beginning of a line, as compilers and linters write it.
fn location_in(line: &str, material: &RunMaterial<'_>) -> Option<Location> {
    let word = line.split_whitespace().next()?;
    let mut parts = word.split(':');
    let (file, line) = (parts.next()?, parts.next()?);
    let looks_like_a_file = file.contains('.') && !file.contains("//");
    let line = line.parse().ok().filter(|_| looks_like_a_file)?;
    material.places().location(file, Some(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_that_tell_why_are_chosen() {
        let cases = [
            ("ℹ pass 1\nℹ fail 0\nError: EINVAL\n    at x\n", "Error: EINVAL"),
            ("12 passed, 0 failed\n1 failed\n", "1 failed"),
            ("0 errors\nbye\n", "0 errors|bye"),
            (
                "error: x\nERROR: Coverage for lines (5%) does not meet threshold (9%)\nnpm error code 1\n",
                "ERROR: Coverage for lines (5%) does not meet threshold (9%)",
            ),
            (" › 1 snapshot obsolete.\nnpm error code 1\n", " › 1 snapshot obsolete."),
        ];
        for (console, wanted) in cases {
            assert_eq!(error_lines(console).join("|"), wanted, "{console}");
        }
    }
}
