//! The part of a report that tells of the square.

use std::fmt::Write as _;

use redgreen_model::square::Square;

use super::{LISTED_MAX, one_line};

/// The tests by corner, and everything that follows from them.
pub(super) fn section(text: &mut String, square: &Square) {
    let _ = writeln!(text, "\n### Judged with the tests as they were\n");
    rows(text, square);
    for finding in &square.findings {
        let waived = finding
            .waived
            .as_ref()
            .map(|waiver| format!(" Waived by {} at {}: {}", waiver.by, waiver.at, waiver.reason));
        let what = format!("{}{}", finding.message, waived.unwrap_or_default());
        let _ = writeln!(
            text,
            "- finding `{}` ({}, {}): {}",
            finding.id,
            finding.kind.as_str(),
            finding.corner,
            one_line(&what)
        );
    }
    for expectation in &square.expectations {
        let declared = match &expectation.declared {
            Some(declared) => format!("declared by {}: {}", declared.by, declared.reason),
            None => "not declared".to_owned(),
        };
        let _ = writeln!(
            text,
            "- changed expectation ({}) of `{}`, {}",
            expectation.kind.as_str(),
            one_line(&expectation.test.test),
            one_line(&declared)
        );
    }
    if let Some(figures) = &square.coverage {
        let _ = writeln!(text, "- {figures}");
    }
    for change in &square.untested {
        let declared = match &change.declared {
            Some(declared) => format!(" Declared by {}: {}", declared.by, declared.reason),
            None => String::new(),
        };
        let what = format!("{}: {}{declared}", change.headline(), change.texts());
        let _ = writeln!(text, "- {}", one_line(&what));
    }
    for found in square.matches.iter().take(LISTED_MAX) {
        let new: Vec<String> = found.new.iter().map(|test| one_line(&test.test)).collect();
        let (old, why) = (one_line(&found.old.test), found.why.as_str());
        let _ = writeln!(text, "- matched: `{old}` is `{}` ({why})", new.join("`, `"));
    }
    for proof in square.proofs.iter().take(LISTED_MAX) {
        let (test, failure) = (one_line(&proof.test.test), one_line(&proof.failure));
        let _ = writeln!(text, "- proof: `{test}` was red on the old code: {failure}");
    }
    for warning in &square.warnings {
        let place = format!("{}:{}", warning.file, warning.line);
        let (place, line) = (one_line(&place), one_line(&warning.text));
        let _ = writeln!(text, "- warning: `{place}` {}: `{line}`", warning.what);
    }
    for remark in &square.remarks {
        let _ = writeln!(text, "- {}", one_line(remark));
    }
    for doubt in &square.doubts {
        let _ = writeln!(text, "- doubt: {}", one_line(doubt));
    }
}

fn rows(text: &mut String, square: &Square) {
    if !square.rows.is_empty() {
        let _ = writeln!(
            text,
            "| test | old code, old tests | new code, old tests | old code, new tests | new code, new tests |\n|---|---|---|---|---|"
        );
    }
    for row in square.rows.iter().take(LISTED_MAX) {
        let (test, words) = (one_line(&row.test.test), row.words());
        let _ = writeln!(text, "| `{test}` | {} |", words.join(" | "));
    }
    let more = square.rows.len().saturating_sub(LISTED_MAX);
    let more = if more > 0 { format!("{more} more, and ") } else { String::new() };
    let steady = match square.steady {
        1 => "1 test is green wherever it ran".to_owned(),
        steady => format!("{steady} tests are green wherever they ran"),
    };
    let _ = writeln!(text, "\n{more}{steady}.\n");
}
