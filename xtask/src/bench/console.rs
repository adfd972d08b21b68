//! Reading console logs.

use std::time::Duration;

use super::Setting;
use super::measure::milliseconds;
use super::table::{Quantity, Row};
use crate::Failure;
use crate::project::{capture, cargo};

const PACKAGE: &str = "redgreen-frameworks";
const EXAMPLE: &str = "console_bench";
/// How much of each log is read, in megabytes.
const MEGABYTES: u32 = 100;
/// The least that is read in a second, in megabytes.
const MEGABYTES_A_SECOND: u32 = 200;

/// A log of CI that is mostly noise, against the time that it may take. The example of the crate makes
/// the log, takes the medians, and says how long splitting the same bytes into lines takes.
pub fn noise(_: &Setting) -> Result<Row, Failure> {
    row("noise")
}

/// A log of nothing but results, each test another one.
pub fn results(_: &Setting) -> Result<Row, Failure> {
    row("results")
}

fn row(name: &str) -> Result<Row, Failure> {
    let megabytes = MEGABYTES.to_string();
    let args = ["run", "--release", "--package", PACKAGE, "--example", EXAMPLE, "--", &megabytes];
    let table = capture(&mut cargo(&args))?;
    eprint!("{table}");
    Ok(Row {
        ours: Quantity::Time(milliseconds(name, &table)?),
        against: "200 MB/s",
        theirs: Quantity::Time(Duration::from_secs(1) * MEGABYTES / MEGABYTES_A_SECOND),
        target_ratio: 1.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_the_example_are_read() {
        let table = "100 MB each, median of 5\n\
                     noise         216.8 ms     461 MB/s  line splitting    4335 MB/s\n\
                     results       517.5 ms     193 MB/s  line splitting    4261 MB/s\n";
        assert_eq!(milliseconds("noise", table), Ok(Duration::from_micros(216_800)));
        assert_eq!(milliseconds("results", table), Ok(Duration::from_micros(517_500)));
        assert!(milliseconds("coloured", table).is_err());
    }
}
