//! How errors of Python look.

use super::frames;
use super::words::typed;
use crate::stream::FailureRecord;

/// A failure from the traceback that pytest or unittest prints for it.
pub(super) fn described(text: &str) -> FailureRecord {
    let end = text.find("\n-----").filter(|at| {
        text.get(at + 1..)
            .and_then(|rest| rest.lines().next())
            .is_some_and(|line| line.contains(" Captured "))
    });
    let own = end.and_then(|end| text.get(..end)).unwrap_or(text);
    let message = error_lines(own);
    let first = message.lines().next().unwrap_or("");
    let named = typed(first).map(|(name, _)| name);
    let last = own.lines().rev().find_map(|line| {
        line.rsplit_once(": ").map(|(_, word)| word).filter(|word| !word.contains(' '))
    });
    let error_type = named.or(last.filter(|_| own.contains("\nE "))).unwrap_or("AssertionError");
    let message = match typed(first) {
        Some((name, _)) => message.get(name.len() + 1..).unwrap_or("").trim_start(),
        None => &message,
    };
    let (actual, expected) = sides(message);
    FailureRecord {
        error_type: error_type.to_owned(),
        message: message.to_owned(),
        expected,
        actual,
        stack: Some(text.trim_matches('\n').to_owned()),
        frames: frames::python(own),
        phase: None,
    }
}

/// The lines that pytest marks with `E`, and in a native traceback what follows the last frame.
fn error_lines(text: &str) -> String {
    let marked: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix('E').filter(|rest| rest.starts_with(' ')))
        .collect();
    if let Some(first) = marked.first() {
        let margin = first.len() - first.trim_start().len();
        let cut = |line: &&str| line.get(margin..).unwrap_or(line.trim_start()).to_owned();
        return marked.iter().map(cut).collect::<Vec<_>>().join("\n").trim_end().to_owned();
    }
    let lines: Vec<&str> = text.lines().collect();
    let last_frame = lines.iter().rposition(|line| line.starts_with("  File \""));
    let after = last_frame.and_then(|at| lines.get(at + 1..)).unwrap_or_default();
    let from = after.iter().position(|line| !line.starts_with("    ")).unwrap_or(after.len());
    after.get(from..).unwrap_or_default().join("\n").trim().to_owned()
}

/// The sides of pytest's `assert 4 == 3` and of unittest's `4 != 3`, the one that was there first.
fn sides(message: &str) -> (Option<String>, Option<String>) {
    let first = message.lines().next().unwrap_or("");
    let compared = match first.strip_prefix("assert ") {
        Some(compared) => compared.split_once(" == ").filter(|(_, right)| !right.contains(" == ")),
        None => first.split_once(" != ").filter(|(_, right)| !right.contains(" != ")),
    };
    let owned = |text: &str| Some(text.to_owned());
    compared.map_or((None, None), |(actual, expected)| (owned(actual), owned(expected)))
}
