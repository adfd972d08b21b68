//! From when on.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::failure::Failure;

/// From when on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// So many hours back.
    Hours(i64),
    /// From the beginning of a day on, in UTC.
    Day(Date),
}

const HOURS_OF_A_DAY: i64 = 24;
const DAYS_OF_A_WEEK: i64 = 7;

/// A time as people write it.
pub fn parse(text: &str) -> Result<Since, String> {
    let expected = || "expected a time like 12h, 30d or 8w, or a day like 2026-01-25".to_owned();
    if let Ok(day) = text.parse::<Date>() {
        return Ok(Since::Day(day));
    }
    let unit = text.chars().next_back().ok_or_else(expected)?;
    let hours = match unit {
        'h' => 1,
        'd' => HOURS_OF_A_DAY,
        'w' => HOURS_OF_A_DAY * DAYS_OF_A_WEEK,
        _ => return Err(expected()),
    };
    let number: u32 =
        text.strip_suffix(unit).and_then(|number| number.parse().ok()).ok_or_else(expected)?;
    if number == 0 {
        return Err("expected at least 1".to_owned());
    }
    Ok(Since::Hours(i64::from(number) * hours))
}

impl Since {
    /// The moment that it means.
    pub fn before(self, now: Timestamp) -> Result<Timestamp, Failure> {
        let moment = match self {
            Self::Hours(hours) => now.checked_sub(SignedDuration::from_hours(hours)),
            Self::Day(day) => TimeZone::UTC.to_timestamp(day.at(0, 0, 0, 0)),
        };
        moment.map_err(|_| Failure::usage("--since is too long ago"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        let now: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
        let before = |text: &str| parse(text).map(|since| since.before(now).unwrap().to_string());
        for (text, wanted) in [
            ("12h", "2026-01-31T00:00:00Z"),
            ("30d", "2026-01-01T12:00:00Z"),
            ("1w", "2026-01-24T12:00:00Z"),
            ("2026-01-25", "2026-01-25T00:00:00Z"),
        ] {
            assert_eq!(before(text).as_deref(), Ok(wanted));
        }
        for text in ["", "d", "30", "-1d", "0d", "1.5d", "30 d", "5€", "99999999999d", "2026-02-30"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse("4294967295w").unwrap().before(now).is_err());
    }
}
