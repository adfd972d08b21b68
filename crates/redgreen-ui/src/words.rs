//! Times and counts, as people say them.

use jiff::{SignedDuration, Timestamp};
use redgreen_model::report::Counts;
use serde::Serialize;

const SECONDS_OF_A_MINUTE: i64 = 60;
const SECONDS_OF_AN_HOUR: i64 = 60 * SECONDS_OF_A_MINUTE;
const SECONDS_OF_A_DAY: i64 = 24 * SECONDS_OF_AN_HOUR;

/// A moment, for people and for the page's own clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Moment {
    /// RFC 3339.
    pub(crate) at: String,
    /// How long ago.
    pub(crate) ago: String,
}

/// A moment that was written down.
pub(crate) fn moment(at: &str, now: Timestamp) -> Moment {
    let then = at.parse::<Timestamp>().unwrap_or(now);
    Moment { at: at.to_owned(), ago: span(now.duration_since(then)) }
}

/// How long something takes, in one or two units.
pub(crate) fn span(duration: SignedDuration) -> String {
    let seconds = duration.as_secs().max(0);
    let two = |one: i64, unit: &str, rest: i64, lesser: &str| match rest {
        0 => format!("{one} {unit}"),
        rest => format!("{one} {unit} {rest} {lesser}"),
    };
    if seconds < SECONDS_OF_A_MINUTE {
        format!("{seconds} s")
    } else if seconds < SECONDS_OF_AN_HOUR {
        two(seconds / 60, "min", seconds % 60, "s")
    } else if seconds < SECONDS_OF_A_DAY {
        two(seconds / SECONDS_OF_AN_HOUR, "h", seconds / 60 % 60, "min")
    } else {
        two(seconds / SECONDS_OF_A_DAY, "d", seconds / SECONDS_OF_AN_HOUR % 24, "h")
    }
}

/// Between two moments that were written down; none where one cannot be read.
pub(crate) fn between(from: &str, to: &str) -> Option<String> {
    let (from, to) = (from.parse::<Timestamp>().ok()?, to.parse::<Timestamp>().ok()?);
    Some(span(to.duration_since(from)))
}

/// How long a run took.
pub(crate) fn millis(milliseconds: u64) -> String {
    if milliseconds < 1_000 {
        return format!("{milliseconds} ms");
    }
    if milliseconds < 60_000 {
        return format!("{}.{} s", milliseconds / 1_000, milliseconds / 100 % 10);
    }
    span(SignedDuration::from_secs(i64::try_from(milliseconds / 1_000).unwrap_or(i64::MAX)))
}

/// What came of some tests.
pub(crate) fn counts(counts: Counts) -> String {
    let red = counts.failed + counts.errors;
    let parts = [(counts.passed, "passed"), (red, "red"), (counts.skipped, "skipped")];
    let said: Vec<String> = parts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
    if said.is_empty() { "no test".to_owned() } else { said.join(", ") }
}

/// One of something, or many.
pub(crate) fn many(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

/// A word of a document, for people.
pub(crate) fn spaced(word: &str) -> String {
    word.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_has_the_units_that_matter() {
        for (seconds, words) in [
            (-5, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (61, "1 min 1 s"),
            (3_600, "1 h"),
            (3_720, "1 h 2 min"),
            (90_000, "1 d 1 h"),
        ] {
            assert_eq!(span(SignedDuration::from_secs(seconds)), words);
        }
        assert_eq!(millis(999), "999 ms");
        assert_eq!(millis(1_250), "1.2 s");
        assert_eq!(millis(61_000), "1 min 1 s");
    }
}
