//! The compiler of TypeScript, with and without its pretty output.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use redgreen_model::report::FailureKind;

use super::super::dialects::{Dialect, Signs};
use super::super::words::{number, place};
use super::{Finding, Findings, Line, shows_source};

pub(crate) const DIALECT: Dialect = Dialect {
    program: "tsc",
    runs_tests: false,
    signs: Signs {
        first: "e",
        last: "",
        places: &["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "json", "vue"],
    },
    begins: |line| finding(line).is_some(),
    reader: || Box::new(Findings::new(FailureKind::CompileError, false, read)),
};

fn read(line: &str, is_open: bool) -> Line<'_> {
    if let Some(found) = finding(line) {
        return Line::Finding(found);
    }
    let count = line.strip_prefix("Found ").and_then(number);
    match count {
        Some((count, rest)) if rest.starts_with(" error") => Line::Last(Some(count.into())),
        _ if is_open && (line.is_empty() || shows_source(line) || numbered(line)) => Line::More,
        _ => Line::Other,
    }
}

/// `a.ts(1,7): error TS2322: Type …`, and pretty `a.ts:1:7 - error TS2322: Type …`.
fn finding(line: &str) -> Option<Finding<'_>> {
    static ERROR: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("error TS"));
    let at = ERROR.find(line.as_bytes())?;
    let (head, rest) = (line.get(..at)?, line.get(at + "error ".len()..)?);
    let (code, message) = rest.split_once(": ")?;
    if let Some(head) = head.strip_suffix(" - ") {
        let (file, line, rest) = place(head)?;
        return rest.is_empty().then_some(Finding { file, line, code, message, fails: true });
    }
    if head.is_empty() {
        return Some(Finding { file: "", line: 0, code, message, fails: true });
    }
    let (file, position) = head.strip_suffix("): ")?.rsplit_once('(')?;
    let (line, _) = number(position)?;
    (!file.starts_with(' ')).then_some(Finding { file, line, code, message, fails: true })
}

/// `3   return b.nope;`
fn numbered(line: &str) -> bool {
    number(line).is_some_and(|(_, rest)| rest.starts_with(' '))
}
