//! What was read from a report or a log, in words.

use redgreen_model::reading::{ReadFailure, Reading};
use redgreen_model::report::FailureKind;
use redgreen_model::text::{bound_end, clean_line};

use super::comparison::compared;
use super::wording::seconds;

/// The most failures that are shown of one run.
const FAILURES_SHOWN: usize = 20;
/// The widest line of what others wrote.
const WIDTH: usize = 160;

/// One run: what is red, then the counts, then what is to be known about them.
pub fn reading(reading: &Reading) -> String {
    let mut lines: Vec<String> =
        reading.failures.iter().take(FAILURES_SHOWN).flat_map(failure).collect();
    if let Some(more) = reading.failures.len().checked_sub(FAILURES_SHOWN).filter(|more| *more > 0)
    {
        lines.push(format!("and {more} more, see --json"));
    }
    let program = reading.program.as_deref().unwrap_or(&reading.format);
    let lane = reading.lane.as_ref().map(|lane| format!(" {lane}")).unwrap_or_default();
    let time = match reading.test_results.duration_ms {
        0 => String::new(),
        ms => format!(" in {}", seconds(ms)),
    };
    lines.push(format!(
        "{}: {}{time} ({program}{lane}, {})",
        reading.status.as_str(),
        reading.test_results.counts,
        clean_line(&reading.source, WIDTH)
    ));
    lines
        .extend(reading.diagnostics.iter().map(|note| format!("  {}", bound_end(note, 3 * WIDTH))));
    lines.join("\n")
}

fn failure(failure: &ReadFailure) -> Vec<String> {
    let place = match (&failure.test_file, failure.line_number) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.clone(),
        _ => String::new(),
    };
    let kind = match failure.kind {
        FailureKind::Unknown => "outside of any test",
        kind => kind.as_str(),
    };
    let name = failure.test_name.as_deref().unwrap_or(kind);
    let place = if place.is_empty() { place } else { format!(" ({place})") };
    let said = failure.error_message.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let mut lines = vec![
        format!("{}{place}", clean_line(name, WIDTH)),
        format!(
            "    {}",
            bound_end(&format!("{}: {}", failure.error_type, said.trim()), 2 * WIDTH)
        ),
    ];
    lines.extend(compared(failure.expected.as_deref(), failure.actual.as_deref()));
    lines
}
