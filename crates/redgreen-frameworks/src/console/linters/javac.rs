//! javac, also below Gradle.

use redgreen_model::report::FailureKind;

use super::super::dialects::{Dialect, Signs};
use super::super::words::{number, place};
use super::{Finding, Findings, Line};

pub(crate) const DIALECT: Dialect = Dialect {
    program: "javac",
    runs_tests: false,
    signs: Signs { first: "", last: "", places: &["java"] },
    begins: |line| finding(line).is_some_and(|finding| finding.fails),
    reader: || Box::new(Findings::new(FailureKind::CompileError, false, read)),
};

fn read(line: &str, is_open: bool) -> Line<'_> {
    if let Some(found) = finding(line) {
        return Line::Finding(found);
    }
    match number(line).map(|(_, rest)| rest) {
        Some(" error" | " errors") => Line::Last(None),
        _ if is_open && line.starts_with(' ') => Line::More,
        _ => Line::Other,
    }
}

/// `A.java:2: error: incompatible types: …`
fn finding(line: &str) -> Option<Finding<'_>> {
    let (file, at, rest) = place(line)?;
    let (fails, message) = match rest.strip_prefix(": error: ") {
        Some(message) => (true, message),
        None => (false, rest.strip_prefix(": warning: ")?),
    };
    (file.ends_with(".java") && !file.starts_with(' ')).then_some(Finding {
        file,
        line: at,
        code: "error",
        message,
        fails,
    })
}
