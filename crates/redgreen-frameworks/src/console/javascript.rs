//! How errors of JavaScript look, in every runner for it.

use super::words::{self, place, trim, trim_start, typed};
use super::{diff, frames};
use crate::stream::{FailureRecord, Frame};

/// Where frames are that nobody wrote for this project.
const FOREIGN: [&str; 4] = ["node:", "ext:", "internal/", "<anonymous>"];

/// A failure from the lines that a runner prints for it.
pub(crate) fn described(text: &str) -> FailureRecord {
    let lines = words::lines(text);
    let said: Vec<&str> = lines
        .iter()
        .skip_while(|line| trim_start(line).is_empty() || is_code(line))
        .take_while(|line| !is_code(line) && frame_text(line).is_none())
        .copied()
        .collect();
    let message = dedented(&said);
    let message = message.trim_start();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let first = message.lines().next().unwrap_or("");
    let (error_type, message) = match typed(first) {
        Some((name, _)) => {
            let rest = message.split_once(':').map_or("", |(_, rest)| rest).trim_start();
            (name, rest)
        }
        None if first.starts_with("expect(") => ("AssertionError", message),
        None => ("Error", message),
    };
    let (expected, actual) = values(&lines);
    FailureRecord {
        error_type: error_type.to_owned(),
        message: message.trim_end().to_owned(),
        expected,
        actual,
        stack: Some(dedented(&lines)),
        frames: frames_in(&lines),
        phase: None,
    }
}

/// What was wanted and what was there: named, or in a diff.
fn values(lines: &[&str]) -> (Option<String>, Option<String>) {
    let named = |words: &[&str]| {
        lines.iter().find_map(|line| {
            let line = trim(line);
            let value = words.iter().find_map(|word| line.strip_prefix(word))?;
            Some(value.trim().trim_end_matches(',').to_owned()).filter(|value| !value.is_empty())
        })
    };
    let (expected, actual) =
        (named(&["Expected:", "expected:"]), named(&["Received:", "Actual:", "actual:"]));
    match diff::sides(lines) {
        Some((expected, actual)) => (Some(expected), Some(actual)),
        None if expected.is_some() && actual.is_some() => (expected, actual),
        None => (None, None),
    }
}

/// ` > 12 | code`, `12 | code`, `   | ^`: what a runner shows of the source.
fn is_code(line: &str) -> bool {
    let line = trim_start(line);
    let line = trim_start(line.strip_prefix('>').unwrap_or(line));
    let rest = line.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    rest.starts_with('|') && (rest.len() == 1 || rest.starts_with("| ")) || line == "^"
}

fn frame_text(line: &str) -> Option<&str> {
    let line = trim_start(line);
    line.strip_prefix("at ")
        .or_else(|| line.strip_prefix("❯ "))
        .filter(|rest| rest.contains(':') || rest.contains('('))
}

/// The frames, outermost first; JavaScript prints the innermost one first.
pub(super) fn frames_in(lines: &[&str]) -> Vec<Frame> {
    let mut frames: Vec<Frame> =
        lines.iter().filter_map(|line| frame(frame_text(line)?)).take(frames::FRAMES).collect();
    frames.reverse();
    frames
}

fn frame(text: &str) -> Option<Frame> {
    let text = text.trim_end().trim_end_matches(" {");
    let (function, location) = match text.strip_suffix(')').and_then(|text| text.rsplit_once(" ("))
    {
        Some((function, location)) => (Some(function), location),
        None => match text.rsplit_once(' ') {
            Some((function, location)) if place(location).is_some() && !function.contains('/') => {
                (Some(function), location)
            }
            _ => (None, text),
        },
    };
    let location = location.strip_prefix("file://").unwrap_or(location);
    let (file, line, _) = place(location)?;
    let foreign = FOREIGN.iter().any(|start| file.starts_with(start));
    let function = function.map(|name| name.trim_start_matches("async ").to_owned());
    (!foreign).then(|| Frame { file: file.to_owned(), line: Some(line), function })
}

/// The lines without the margin that all of them have.
pub(super) fn dedented(lines: &[&str]) -> String {
    let margin = |line: &&str| {
        let rest = trim_start(line).len();
        (rest > 0).then(|| line.len() - rest)
    };
    let margin = lines.iter().filter_map(margin).min().unwrap_or(0);
    let mut text = String::with_capacity(
        lines.iter().map(|line| line.len() + 1 - margin.min(line.len())).sum(),
    );
    for line in lines {
        text.push_str(line.get(margin..).unwrap_or(""));
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    let blank = text.bytes().take_while(|byte| *byte == b'\n').count();
    text.drain(..blank);
    text
}
