//! The hash of a large tree that has not changed.

use super::Setting;
use super::measure::milliseconds;
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
        ours: Quantity::Time(milliseconds(OURS, &table)?),
        against: "git status",
        theirs: Quantity::Time(milliseconds(THEIRS, &table)?),
        target_ratio: 1.5,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_rows_of_the_example_are_read() {
        let table = "50000 files; first tree: 900.0 ms\n\
                     git status --porcelain          80.0 ms\n\
                     tree()                          70.1 ms  ratio 0.88\n\
                     discover() and tree()           95.5 ms  ratio 1.19\n";
        assert_eq!(milliseconds(THEIRS, table), Ok(Duration::from_millis(80)));
        assert_eq!(milliseconds(OURS, table), Ok(Duration::from_micros(95_500)));
        assert!(milliseconds("tree() after", table).is_err());
    }
}
