//! gcc and clang, and the compilers that write as they do.

use redgreen_model::report::FailureKind;

use super::super::dialects::{ANY_FILE, Dialect, Signs};
use super::super::words::place;
use super::{Finding, Findings, Line, shows_source};

pub(crate) const DIALECT: Dialect = Dialect {
    program: "cc",
    runs_tests: false,
    signs: Signs { first: "", last: "", places: &[ANY_FILE] },
    begins: |line| finding(line).is_some_and(|finding| finding.fails),
    reader: || Box::new(Findings::new(FailureKind::CompileError, false, read)),
};

/// Files that other readers know better.
const OTHERS: [&str; 6] = [".py", ".pyi", ".java", ".go", ".rs", ".ts"];

fn read(line: &str, is_open: bool) -> Line<'_> {
    match finding(line) {
        Some(found) if found.message.is_empty() => Line::More,
        Some(found) => Line::Finding(found),
        None if is_open && shows_source(line) => Line::More,
        None => Line::Other,
    }
}

/// `bad.c:2:10: error: ‘x’ undeclared [-Werror=y]`
fn finding(line: &str) -> Option<Finding<'_>> {
    let (file, at, rest) = place(line)?;
    if line.starts_with(' ')
        || OTHERS.iter().any(|extension| file.ends_with(extension))
        || !file.contains('.')
    {
        return None;
    }
    let rest = rest.strip_prefix(": ")?;
    let (fails, text) =
        match rest.strip_prefix("error: ").or_else(|| rest.strip_prefix("fatal error: ")) {
            Some(text) => (true, text),
            None => (false, rest.strip_prefix("warning: ")?),
        };
    let coded = text.strip_suffix(']').and_then(|text| text.rsplit_once(" [-W"));
    let (message, code) = coded
        .map_or((text, "error"), |(message, code)| (message, code.trim_start_matches("error=")));
    Some(Finding { file, line: at, code, message, fails })
}
