//! The tests of a run as a short strip: in their order, many of them in one letter where there are many.

use redgreen_model::report::TestOutcome;

/// The most letters of a strip.
const LETTERS_MAX: usize = 160;

/// A letter for each place of the strip, the worst first.
const RED: u8 = b'r';
const GREEN: u8 = b'g';
const SKIPPED: u8 = b's';

/// What is seen of a run's tests, as they end.
#[derive(Debug, Default)]
pub(crate) struct Strip {
    letters: Vec<u8>,
    /// How many tests are in one letter.
    width: usize,
    tests: usize,
}

impl Strip {
    /// Adds a test.
    pub(crate) fn push(&mut self, outcome: TestOutcome) {
        self.width = self.width.max(1);
        let letter = letter(outcome);
        if self.tests.is_multiple_of(self.width) {
            self.letters.push(letter);
        } else if let Some(last) = self.letters.last_mut() {
            *last = worse(*last, letter);
        }
        self.tests += 1;
        if self.letters.len() > LETTERS_MAX {
            self.letters = self
                .letters
                .chunks(2)
                .map(|two| two.iter().copied().fold(SKIPPED, worse))
                .collect();
            self.width *= 2;
        }
    }

    /// The letters.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.letters).into_owned()
    }
}

fn letter(outcome: TestOutcome) -> u8 {
    match outcome {
        outcome if outcome.is_red() => RED,
        TestOutcome::Skipped | TestOutcome::ExpectedFailure => SKIPPED,
        _ => GREEN,
    }
}

/// One red test must not disappear among green ones, nor a green one among skipped ones.
fn worse(one: u8, other: u8) -> u8 {
    match (one, other) {
        (RED, _) | (_, RED) => RED,
        (GREEN, _) | (_, GREEN) => GREEN,
        _ => SKIPPED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_red_test_is_seen_among_ten_thousand() {
        for red in [0, 1, 4_999, 9_999] {
            let mut strip = Strip::default();
            for test in 0..10_000 {
                strip.push(if test == red { TestOutcome::Errored } else { TestOutcome::Passed });
            }
            let text = strip.text();
            assert!(text.len() <= LETTERS_MAX && text.len() > LETTERS_MAX / 4, "{text}");
            assert_eq!(text.matches('r').count(), 1, "{text}");
            let place = text.find('r').unwrap_or_default() * 10_000 / text.len();
            assert!(place.abs_diff(red) < 10_000 / 40, "{place} for {red}");
        }
    }

    #[test]
    fn few_tests_are_a_letter_each() {
        let mut strip = Strip::default();
        for outcome in [TestOutcome::Passed, TestOutcome::Failed, TestOutcome::Skipped] {
            strip.push(outcome);
        }
        assert_eq!(strip.text(), "grs");
    }
}
