//! CTRF, as its schema has it.

use redgreen_model::report::TestOutcome;
use serde_json::{Map, Value, json};

use crate::standard_report::{WholeRun, WrittenCase, outcome_name};

/// Writes an execution as a CTRF document; `version` is that of redgreen.
pub fn write(run: &WholeRun<'_>, version: &str) -> String {
    let checks = run.checks();
    let mut tests = Vec::new();
    let mut counts: Map<String, Value> = Map::new();
    for status in ["passed", "failed", "pending", "skipped", "other"] {
        counts.insert(status.to_owned(), 0.into());
    }
    for check in &checks {
        for case in &check.cases {
            let status = status(case.outcome);
            let count = counts.get(status).and_then(Value::as_u64).unwrap_or(0);
            counts.insert(status.to_owned(), (count + 1).into());
            tests.push(test(check.name, case, status));
        }
    }
    let start = epoch_milliseconds(&run.execution.started_at).unwrap_or(0);
    let mut summary = Map::from_iter([("tests".to_owned(), Value::from(tests.len()))]);
    summary.append(&mut counts);
    summary.insert("start".to_owned(), start.into());
    summary.insert("stop".to_owned(), (start + run.execution.duration_ms).into());
    let document = json!({
        "reportFormat": "CTRF",
        "specVersion": "0.0.0",
        "results": {
            "tool": {"name": "redgreen", "version": version},
            "summary": summary,
            "tests": tests,
            "extra": {"redgreen": {"verdict": run.verdict, "reasons": run.reasons}},
        },
    });
    format!("{document:#}\n")
}

fn test(check: &str, case: &WrittenCase<'_>, status: &str) -> Value {
    let mut test = json!({
        "name": case.name,
        "status": status,
        "duration": case.duration_ms,
        "suite": check,
        "rawStatus": outcome_name(case.outcome),
    });
    let own = json!({
        "check": check,
        "test": case.name,
        "outcome": case.outcome,
        "error_type": case.error_type,
    });
    let Some(fields) = test.as_object_mut() else { return test };
    let mut put = |name: &str, value: &str| {
        if !value.is_empty() {
            fields.insert(name.to_owned(), value.into());
        }
    };
    put("message", &case.message);
    put("trace", case.stack);
    if let Some(place) = case.failure.and_then(|failure| failure.test_location.as_ref()) {
        put("filePath", &place.file);
        if let Some(line) = place.line {
            fields.insert("line".to_owned(), line.into());
        }
    }
    fields.insert("extra".to_owned(), json!({"redgreen": own}));
    test
}

fn status(outcome: TestOutcome) -> &'static str {
    match outcome {
        TestOutcome::Passed | TestOutcome::UnexpectedPass => "passed",
        TestOutcome::Failed | TestOutcome::Errored => "failed",
        TestOutcome::Skipped | TestOutcome::ExpectedFailure => "skipped",
    }
}

/// `2026-11-15T13:59:57.5Z` in milliseconds since 1970.
fn epoch_milliseconds(time: &str) -> Option<u64> {
    let (date, clock) = time.strip_suffix('Z')?.split_once('T')?;
    let mut date = date.splitn(3, '-').map(str::parse::<u64>);
    let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let mut clock = clock.splitn(3, ':').map(str::parse::<u64>);
    let (hour, minute, second) = (clock.next()?.ok()?, clock.next()?.ok()?, clock.next()?.ok()?);
    if !(1970..10_000).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // The year begins in March, so that the leap day is its last.
    let (shifted, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400;
    let days = days + (153 * month + 2) / 5 + day - 1 - 719_468;
    let milliseconds: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    Some(((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + milliseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_from_1970() {
        let cases = [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2000-02-29T12:00:00.5Z", Some(951_825_600_500)),
            ("2026-11-15T13:59:57.123456Z", Some(1_794_751_197_123)),
            ("yesterday", None),
            ("2026-13-15T13:59:57Z", None),
        ];
        for (time, wanted) in cases {
            assert_eq!(epoch_milliseconds(time), wanted, "{time}");
        }
    }
}
