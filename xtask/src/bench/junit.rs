//! Reading a large JUnit report, against its peers, and the memory that it takes.

use std::sync::OnceLock;

use super::Setting;
use super::measure::{milliseconds, number};
use super::table::{Quantity, Row};
use crate::Failure;
use crate::project::{capture, cargo};

const PACKAGE: &str = "redgreen-frameworks";
const EXAMPLE: &str = "junit_bench";
const OURS: &str = "junit::read_xml";

/// At least three times as fast as the crate that reads JUnit.
pub fn against_junit_parser(_: &Setting) -> Result<Row, Failure> {
    against("junit-parser", 1.0 / 3.0)
}

/// Not far from going through the file and doing nothing.
pub fn against_plain_events(_: &Setting) -> Result<Row, Failure> {
    against("quick-xml events", 1.5)
}

/// What reading takes, its result included, against the result.
pub fn memory(_: &Setting) -> Result<Row, Failure> {
    let table = table()?;
    Ok(Row {
        ours: Quantity::Memory(bytes(number("memory while reading", " MiB", table)?)),
        against: "result's size",
        theirs: Quantity::Memory(bytes(number("the result's own size", " MiB", table)?)),
        target_ratio: 3.0,
    })
}

fn against(peer: &'static str, target_ratio: f64) -> Result<Row, Failure> {
    let table = table()?;
    Ok(Row {
        ours: Quantity::Time(milliseconds(OURS, table)?),
        against: peer,
        theirs: Quantity::Time(milliseconds(peer, table)?),
        target_ratio,
    })
}

/// All of it is measured in one run, each side in processes of its own, in turns.
fn table() -> Result<&'static str, Failure> {
    static TABLE: OnceLock<Result<String, Failure>> = OnceLock::new();
    let args = ["run", "--release", "--package", PACKAGE, "--example", EXAMPLE];
    let table = TABLE.get_or_init(|| capture(&mut cargo(&args)));
    table.as_ref().map(String::as_str).map_err(Clone::clone)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some MiB")]
fn bytes(mebibytes: f64) -> u64 {
    (mebibytes * 1024.0 * 1024.0).max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_rows_of_the_example_are_read() {
        let table = "25000000 bytes, 170000 cases\nmemory while reading     50.5 MiB\n\
                     junit::read_xml             40.5 ms\n";
        assert_eq!(milliseconds(OURS, table), Ok(Duration::from_micros(40_500)));
        assert_eq!(number("memory while reading", " MiB", table), Ok(50.5));
        assert!(number("junit-parser", " ms", table).is_err());
    }
}
