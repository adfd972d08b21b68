//! The hash of a large tree that has not changed.

use std::time::Duration;

use super::Setting;
use super::table::{Quantity, Row};
use crate::Failure;
use crate::project::{capture, cargo};

const PACKAGE: &str = "redgreen-workspace";
const EXAMPLE: &str = "tree_bench";

/// The rows of its table that are compared. Ours is the one that opens the repository as well, as
/// git has to.
const OURS: &str = "discover() and tree()";
const THEIRS: &str = "git status --porcelain";

/// The tree hash of an unchanged repository of 50,000 files against `git status --porcelain` on it.
/// The example of the crate makes the repository and takes the medians: it can call the hash itself.
pub fn unchanged_tree(_: &Setting) -> Result<Row, Failure> {
    let args = ["run", "--release", "--package", PACKAGE, "--example", EXAMPLE];
    let table = capture(&mut cargo(&args))?;
    Ok(Row {
        ours: Quantity::Time(time_of(OURS, &table)?),
        against: "git status",
        theirs: Quantity::Time(time_of(THEIRS, &table)?),
        target_ratio: 1.5,
    })
}

/// The time in the row that begins with `name`: `name   12.3 ms  ratio 1.02`.
fn time_of(name: &str, table: &str) -> Result<Duration, Failure> {
    let row = table.lines().find_map(|line| line.strip_prefix(name));
    let number = row.and_then(|row| row.split_once(" ms")?.0.trim().parse::<f64>().ok());
    number
        .and_then(|milliseconds| Duration::try_from_secs_f64(milliseconds / 1e3).ok())
        .ok_or_else(|| format!("{EXAMPLE} printed no row `{name}` with a time in ms:\n{table}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_the_example_are_read() {
        let table = "50000 files; first tree: 900.0 ms\n\
                     git status --porcelain          80.0 ms\n\
                     tree()                          70.1 ms  ratio 0.88\n\
                     discover() and tree()           95.5 ms  ratio 1.19\n";
        assert_eq!(time_of(THEIRS, table), Ok(Duration::from_millis(80)));
        assert_eq!(time_of(OURS, table), Ok(Duration::from_micros(95_500)));
        assert!(time_of("tree() after", table).is_err());
    }
}
