//! pyright and basedpyright.

use redgreen_model::report::FailureKind;

use super::super::dialects::{Dialect, Signs};
use super::super::words::{number, place};
use super::{Finding, Findings, Line};

pub(crate) const DIALECT: Dialect = Dialect {
    program: "pyright",
    runs_tests: false,
    signs: Signs { first: "0123456789", last: "", places: &["py", "pyi"] },
    begins: |line| finding(line).is_some_and(|finding| finding.fails) || count(line).is_some(),
    reader: || Box::new(Findings::new(FailureKind::LintFailure, true, read)),
};

fn read(line: &str, is_open: bool) -> Line<'_> {
    if let Some(found) = finding(line) {
        return Line::Finding(found);
    }
    if let Some(count) = count(line) {
        return Line::Last(Some(count));
    }
    if is_open && line.starts_with("    ") { Line::More } else { Line::Other }
}

/// `  /home/me/src/a.py:6:12 - error: Type "int" is not … (reportReturnType)`
fn finding(line: &str) -> Option<Finding<'_>> {
    let (file, at, rest) = place(line.trim_start())?;
    let (fails, text) = match rest.strip_prefix(" - error: ") {
        Some(text) => (true, text),
        None => (
            false,
            rest.strip_prefix(" - warning: ").or_else(|| rest.strip_prefix(" - information: "))?,
        ),
    };
    let coded = text.strip_suffix(')').and_then(|text| text.rsplit_once(" (report"));
    let code = coded
        .and_then(|(message, _)| text.get(message.len() + 2..text.len() - 1))
        .unwrap_or("error");
    let message = coded.map_or(text, |(message, _)| message);
    let is_python = file.ends_with(".py") || file.ends_with(".pyi");
    is_python.then_some(Finding { file, line: at, code, message, fails })
}

/// `2 errors, 0 warnings, 0 informations`
fn count(line: &str) -> Option<u64> {
    let (count, rest) = number(line)?;
    let rest = rest.strip_prefix(" errors, ").or_else(|| rest.strip_prefix(" error, "))?;
    (rest.contains(" warning") && rest.contains(" information")).then_some(count.into())
}
