//! Taking time.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::Failure;
use crate::project::capture;

/// What a comparison found.
pub struct Medians {
    /// Of ours.
    pub ours: Duration,
    /// Of the peer.
    pub theirs: Duration,
    /// How often each side was executed, warm-up included.
    pub executions: usize,
}

/// The number in the row of a table that begins with `name`: `name   12.3 ms …`.
pub fn number(name: &str, unit: &str, table: &str) -> Result<f64, Failure> {
    let row = table.lines().find_map(|line| line.strip_prefix(name));
    row.and_then(|row| row.split_once(unit)?.0.trim().parse().ok())
        .ok_or_else(|| format!("the example printed no row `{name}` in{unit}:\n{table}"))
}

/// The same for a time.
pub fn milliseconds(name: &str, table: &str) -> Result<Duration, Failure> {
    let number = number(name, " ms", table)?;
    Duration::try_from_secs_f64(number / 1e3).map_err(|error| format!("{name}: {error}"))
}

/// The time from start to end; another exit code than 0 is a failure.
pub fn time(command: &mut Command) -> Result<Duration, Failure> {
    let started = Instant::now();
    capture(command)?;
    Ok(started.elapsed())
}

/// The same for a program that reads a file from its standard input.
pub fn time_with_input(command: &mut Command, input: &Path) -> Result<Duration, Failure> {
    let input = File::open(input).map_err(|error| format!("{}: {error}", input.display()))?;
    let started = Instant::now();
    let output = command.stdin(input).output();
    let took = started.elapsed();
    match output {
        Ok(output) if output.status.success() => Ok(took),
        Ok(output) => Err(format!("{command:?} ended with {}", output.status)),
        Err(error) => Err(format!("{command:?} cannot be started: {error}")),
    }
}

/// Measures both in turns, after one execution of each that does not count. Which one goes first
/// changes from turn to turn, so that neither always finds the caches as the other left them.
pub fn compare(
    runs: usize,
    mut ours: impl FnMut() -> Result<Duration, Failure>,
    mut theirs: impl FnMut() -> Result<Duration, Failure>,
) -> Result<Medians, Failure> {
    theirs()?;
    ours()?;
    let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
    for turn in 0..runs {
        if turn % 2 == 0 {
            our_times.push(ours()?);
            their_times.push(theirs()?);
        } else {
            their_times.push(theirs()?);
            our_times.push(ours()?);
        }
    }
    Ok(Medians {
        ours: median(&mut our_times)?,
        theirs: median(&mut their_times)?,
        executions: runs + 1,
    })
}

fn median(times: &mut [Duration]) -> Result<Duration, Failure> {
    times.sort_unstable();
    let middle = times.len() / 2;
    match (times.get(middle), times.len() % 2) {
        (None, _) => Err("nothing was measured".into()),
        (Some(&upper), 0) => Ok((times[middle - 1] + upper) / 2),
        (Some(&middle), _) => Ok(middle),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(times: &[u64]) -> Vec<Duration> {
        times.iter().copied().map(Duration::from_millis).collect()
    }

    #[test]
    fn the_median_is_the_middle_one_or_between_the_two() {
        assert_eq!(median(&mut milliseconds(&[9, 1, 2])), Ok(Duration::from_millis(2)));
        assert_eq!(median(&mut milliseconds(&[9, 1, 4, 2])), Ok(Duration::from_millis(3)));
        assert!(median(&mut []).is_err());
    }

    #[test]
    fn the_first_execution_does_not_count() {
        let mut our_times = milliseconds(&[900, 1, 2, 3]).into_iter();
        let mut their_times = milliseconds(&[900, 4, 5, 6]).into_iter();
        let medians = compare(
            3,
            || our_times.next().ok_or("one too many".into()),
            || their_times.next().ok_or("one too many".into()),
        )
        .expect("three runs");
        assert_eq!(medians.ours, Duration::from_millis(2));
        assert_eq!(medians.theirs, Duration::from_millis(5));
        assert_eq!(medians.executions, 4);
    }

    #[test]
    fn a_program_that_fails_is_not_measured() {
        assert!(time(&mut Command::new("false")).is_err());
    }
}
