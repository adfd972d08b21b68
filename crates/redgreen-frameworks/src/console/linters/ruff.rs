//! ruff, with its full and its concise output.

use redgreen_model::report::FailureKind;

use super::super::dialects::{Dialect, Signs};
use super::super::words::{number, place};
use super::{Finding, Findings, Line, shows_source};

pub(crate) const DIALECT: Dialect = Dialect {
    program: "ruff",
    runs_tests: false,
    signs: Signs {
        first: "ABCDEFGHIJKLMNOPQRSTUVWXYZi",
        last: "",
        places: &["py", "pyi", "ipynb"],
    },
    begins: |line| concise(line).is_some() || full(line).is_some() || line == "All checks passed!",
    reader: || Box::new(Findings::new(FailureKind::LintFailure, true, read)),
};

fn read(line: &str, is_open: bool) -> Line<'_> {
    if let Some(found) = concise(line).or_else(|| full(line)) {
        return Line::Finding(found);
    }
    if line == "All checks passed!" {
        return Line::Last(None);
    }
    if let Some((count, rest)) = line.strip_prefix("Found ").and_then(number)
        && matches!(rest.split([' ', '.']).nth(1), Some("error" | "errors"))
    {
        return Line::Last(Some(count.into()));
    }
    if let Some((file, at, _)) =
        line.trim_start().strip_prefix("--> ").and_then(place).filter(|_| is_open)
    {
        return Line::Place(file, at);
    }
    if is_open && (shows_source(line) || line.is_empty() || line.starts_with("help: ")) {
        Line::More
    } else {
        Line::Other
    }
}

/// `src/a.py:1:8: F401 [*] `os` imported but unused`
fn concise(line: &str) -> Option<Finding<'_>> {
    let (file, at, rest) = place(line)?;
    let (code, message) = coded(rest.strip_prefix(": ")?)?;
    let is_python = [".py", ".pyi", ".ipynb"].iter().any(|extension| file.ends_with(extension));
    is_python.then_some(Finding { file, line: at, code, message, fails: true })
}

/// `F401 [*] `os` imported but unused`, with the place on the next line.
fn full(line: &str) -> Option<Finding<'_>> {
    let (code, message) = coded(line)?;
    Some(Finding { file: "", line: 0, code, message, fails: true })
}

/// A rule's code and what follows: `F401`, `PLR0913`, `invalid-syntax:`.
fn coded(text: &str) -> Option<(&str, &str)> {
    if let Some(message) = text.strip_prefix("invalid-syntax: ") {
        return Some(("invalid-syntax", message));
    }
    let (code, message) = text.split_once(' ')?;
    let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = code.len() - letters;
    let is_code = (1..=6).contains(&letters)
        && (3..=4).contains(&digits)
        && code.bytes().skip(letters).all(|byte| byte.is_ascii_digit());
    is_code.then(|| (code, message.strip_prefix("[*] ").unwrap_or(message)))
}
