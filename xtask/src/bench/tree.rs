//! The hash of a large tree that has not changed.

use std::time::Duration;

use super::Setting;
use super::table::{Quantity, Row};
use crate::Failure;
use crate::project::{capture, cargo};

const PACKAGE: &str = "redgreen-workspace";
const EXAMPLE: &str = "tree_bench";

/// The tree hash of an unchanged repository of 50,000 files against `git status --porcelain` on it.
/// The example of the crate makes the repository and takes the medians: it can call the hash itself.
pub fn unchanged_tree(_: &Setting) -> Result<Row, Failure> {
    let args = ["run", "--release", "--package", PACKAGE, "--example", EXAMPLE];
    let output = capture(&mut cargo(&args))?;
    let last = output.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    let [ours, theirs] = times(last)[..] else {
        return Err(format!(
            "the last line of {EXAMPLE} must hold two times, ours and git's, but is {last:?}"
        ));
    };
    Ok(Row {
        ours: Quantity::Time(ours),
        against: "git status",
        theirs: Quantity::Time(theirs),
        target_ratio: 1.5,
    })
}

/// The times in a line, such as `tree hash 95.1 ms, git status 80ms, ratio 1.19`.
fn times(line: &str) -> Vec<Duration> {
    let mut times = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let number = &rest[start..];
        let end = number.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(number.len());
        rest = &number[end..];
        let unit: String = rest.trim_start().chars().take_while(|c| c.is_alphabetic()).collect();
        let seconds = match unit.as_str() {
            "ms" => 1e-3,
            "s" => 1.0,
            _ => continue,
        };
        let value = number[..end].parse::<f64>().ok();
        times.extend(value.and_then(|value| Duration::try_from_secs_f64(value * seconds).ok()));
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_from_other_numbers() {
        let expected = [Duration::from_millis(95), Duration::from_millis(1250)];
        let line =
            "50000 files, 11 runs: tree hash 95.0 ms, git status 1.25s, ratio 1.19 (max 1.5)";
        assert_eq!(times(line), expected);
        assert_eq!(times("ratio 1.19"), []);
    }
}
