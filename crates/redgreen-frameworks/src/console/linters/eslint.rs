//! ESLint with its stylish formatter, and the linters that took it over.

use redgreen_model::report::FailureKind;

use super::super::dialects::{Dialect, Signs};
use super::super::words::number;
use super::{Finding, Findings, Line};

pub(crate) const DIALECT: Dialect = Dialect {
    program: "eslint",
    runs_tests: false,
    signs: Signs::first("0123456789✖"),
    begins: |line| finding(line).is_some() || problems(line).is_some(),
    reader: || Box::new(Findings::new(FailureKind::LintFailure, true, read)),
};

fn read(line: &str, _is_open: bool) -> Line<'_> {
    if let Some(found) = finding(line) {
        return Line::Finding(found);
    }
    if let Some(errors) = problems(line) {
        return Line::Last(Some(errors));
    }
    let is_file = !line.starts_with([' ', '\t'])
        && line.contains(['/', '\\'])
        && line.contains('.')
        && !line.contains(": ");
    if is_file {
        Line::File(line.trim_end())
    } else if line.is_empty() {
        Line::File("")
    } else {
        Line::Other
    }
}

/// `  1:5   error    'a' is assigned a value but never used  no-unused-vars`
fn finding(line: &str) -> Option<Finding<'_>> {
    let (at, rest) = number(line.strip_prefix("  ")?.trim_start())?;
    let (_, rest) = number(rest.strip_prefix(':')?)?;
    let rest = rest.trim_start();
    let (fails, text) = match rest.strip_prefix("error ") {
        Some(text) => (true, text),
        None => (false, rest.strip_prefix("warning ")?),
    };
    let text = text.trim();
    let ruled = text.rsplit_once("  ").filter(|(_, rule)| !rule.contains(' '));
    let (message, code) =
        ruled.map_or((text, "error"), |(message, rule)| (message.trim_end(), rule));
    Some(Finding { file: "", line: at, code, message, fails })
}

/// The errors of `✖ 6 problems (5 errors, 1 warning)`.
fn problems(line: &str) -> Option<u64> {
    let (_, rest) = number(line.strip_prefix("✖ ")?)?;
    let (errors, rest) = number(rest.trim_start().strip_prefix("problem")?.split_once('(')?.1)?;
    rest.contains("error").then_some(errors.into())
}
