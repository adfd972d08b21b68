//! Times in records, as they are compared: milliseconds since 1970.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// The milliseconds of a time that a record says; none if it is no time. A time without a zone is
/// read as UTC, a date is its beginning.
pub(crate) fn milliseconds(text: &str) -> Option<i64> {
    let text = text.trim();
    let zoned = || text.parse::<Timestamp>().ok();
    let local = || text.parse::<DateTime>().ok().and_then(in_utc);
    let date = || text.parse::<Date>().ok().map(DateTime::from).and_then(in_utc);
    zoned().or_else(local).or_else(date).map(Timestamp::as_millisecond)
}

fn in_utc(time: DateTime) -> Option<Timestamp> {
    TimeZone::UTC.to_timestamp(time).ok()
}

/// The day of a time, as people read it.
pub(crate) fn day(milliseconds: i64) -> String {
    let time = Timestamp::from_millisecond(milliseconds).unwrap_or_default();
    time.strftime("%Y-%m-%d").to_string()
}

/// A time in RFC 3339.
pub(crate) fn rfc3339(milliseconds: i64) -> String {
    Timestamp::from_millisecond(milliseconds).unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_the_forms_that_people_write() {
        let wanted = Some(1_769_335_200_000);
        for text in ["2026-01-25T10:00:00Z", " 2026-01-25T11:00:00+01:00", "2026-01-25 10:00:00"] {
            assert_eq!(milliseconds(text), wanted, "{text}");
        }
        assert_eq!(milliseconds("2026-01-25").map(day).as_deref(), Some("2026-01-25"));
        for text in ["", "yesterday", "ISO-8601"] {
            assert_eq!(milliseconds(text), None, "{text}");
        }
        assert_eq!(rfc3339(1_769_335_200_000), "2026-01-25T10:00:00Z");
    }
}
