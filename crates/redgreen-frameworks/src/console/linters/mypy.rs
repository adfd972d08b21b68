//! mypy.

use redgreen_model::report::FailureKind;

use super::super::dialects::{Dialect, Signs};
use super::super::words::{number, place};
use super::{Finding, Findings, Line};

pub(crate) const DIALECT: Dialect = Dialect {
    program: "mypy",
    runs_tests: false,
    signs: Signs { first: "S", last: "", places: &["py", "pyi"] },
    begins: |line| {
        finding(line).is_some_and(|finding| finding.fails)
            || line.starts_with("Success: no issues found in ")
    },
    reader: || Box::new(Findings::new(FailureKind::LintFailure, true, read)),
};

fn read(line: &str, is_open: bool) -> Line<'_> {
    if let Some(found) = finding(line) {
        return Line::Finding(found);
    }
    if line.starts_with("Success: no issues found in ") {
        return Line::Last(None);
    }
    let count = line.strip_prefix("Found ").and_then(number);
    match count {
        Some((count, rest)) if rest.contains(" in ") && rest.contains("(checked ") => {
            Line::Last(Some(count.into()))
        }
        _ if is_open && line.starts_with("    ") => Line::More,
        _ => Line::Other,
    }
}

/// `src/a.py:6: error: Incompatible return value type  [return-value]`
fn finding(line: &str) -> Option<Finding<'_>> {
    let (file, at, rest) = place(line)?;
    let (fails, text) = match rest.strip_prefix(": error: ") {
        Some(text) => (true, text),
        None => {
            (false, rest.strip_prefix(": note: ").or_else(|| rest.strip_prefix(": warning: "))?)
        }
    };
    let coded = text.strip_suffix(']').and_then(|text| text.rsplit_once("  ["));
    let (message, code) = coded.unwrap_or((text, "error"));
    let is_python = file.ends_with(".py") || file.ends_with(".pyi");
    (is_python && !line.starts_with(' ')).then_some(Finding {
        file,
        line: at,
        code,
        message,
        fails,
    })
}
