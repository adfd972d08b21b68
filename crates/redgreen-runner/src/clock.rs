//! The time, asked for in one place.

use jiff::{SignedDuration, Timestamp};

/// Now, RFC 3339 with milliseconds.
pub fn now() -> String {
    format!("{:.3}", Timestamp::now())
}

/// Now, in seconds since 1970.
pub(crate) fn seconds() -> i64 {
    Timestamp::now().as_second()
}

/// Seconds since a moment that [`now`] wrote down; 0 if it cannot be read or lies ahead.
pub(crate) fn seconds_since(moment: &str) -> u64 {
    let elapsed = moment
        .parse::<Timestamp>()
        .map_or(SignedDuration::ZERO, |then| Timestamp::now().duration_since(then));
    u64::try_from(elapsed.as_secs()).unwrap_or(0)
}
