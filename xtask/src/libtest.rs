//! Counting the tests in what `cargo test` prints.

/// How many tests passed and failed, over all test binaries and doc tests.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// Reads the output of `cargo test` line by line.
///
/// The output of a failed test is shown between `failures:` and the binary's own result, and for
/// a product that runs test suites it may well hold results of other runs. The binary's own is the
/// one that accounts for as many tests as the binary announced.
#[derive(Debug, Default)]
pub struct Counter {
    tally: Tally,
    announced: Option<u64>,
    in_failures: bool,
}

impl Counter {
    /// Takes the next line.
    pub fn line(&mut self, line: &str) {
        let line = line.trim_end();
        if line == "failures:" {
            self.in_failures = true;
        } else if let Some(count) = announcement(line) {
            if !self.in_failures {
                self.announced = Some(count);
            }
        } else if let Some(result) = result(line)
            && self.announced == Some(result.total)
        {
            self.tally.passed += result.passed;
            self.tally.failed += result.failed;
            self.announced = None;
            self.in_failures = false;
        }
    }

    /// What was counted.
    pub fn tally(&self) -> Tally {
        self.tally
    }
}

/// `running 12 tests`
fn announcement(line: &str) -> Option<u64> {
    let count = line.strip_prefix("running ")?;
    count.strip_suffix(" tests").or_else(|| count.strip_suffix(" test"))?.parse().ok()
}

struct BinaryResult {
    passed: u64,
    failed: u64,
    total: u64,
}

/// `test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s`
fn result(line: &str) -> Option<BinaryResult> {
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let count = |name: &str| -> Option<u64> {
        counts.split("; ").find_map(|part| part.strip_suffix(name)?.trim_end().parse().ok())
    };
    let (passed, failed) = (count("passed")?, count("failed")?);
    let total = passed + failed + count("ignored")? + count("measured")?;
    Some(BinaryResult { passed, failed, total })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(output: &str) -> Tally {
        let mut counter = Counter::default();
        output.lines().for_each(|line| counter.line(line));
        counter.tally()
    }

    #[test]
    fn the_results_of_all_binaries_are_added_up() {
        let output = "\n\
            running 3 tests\n\
            test a ... ok\n\
            test b ... ignored\n\
            test c ... ok\n\n\
            test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.01s\n\n\
            running 0 tests\n\n\
            test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n\
            running 1 test\n\
            test d ... FAILED\n\n\
            failures:\n\n\
            failures:\n    d\n\n\
            test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        assert_eq!(count(output).to_string(), "2 passed, 1 failed");
    }

    #[test]
    fn results_in_the_output_of_a_failed_test_are_not_ours() {
        let output = "\
            running 2 tests\n\
            failures:\n\n\
            ---- runs_a_suite stdout ----\n\
            running 40 tests\n\
            test result: ok. 40 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n\
            failures:\n    runs_a_suite\n\n\
            test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        assert_eq!(count(output), Tally { passed: 1, failed: 1 });
    }

    #[test]
    fn a_binary_that_dies_does_not_hide_the_next_one() {
        let output = "\
            running 5 tests\n\
            test a ... ok\n\
            running 1 test\n\
            test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        assert_eq!(count(output), Tally { passed: 1, failed: 0 });
    }

    #[test]
    fn other_text_counts_nothing() {
        assert_eq!(
            count("running late\ntest result: unknown\n9 passed; 1 failed\n"),
            Tally::default()
        );
    }
}
