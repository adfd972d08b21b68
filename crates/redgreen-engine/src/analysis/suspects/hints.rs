//! What the failures say of the place: the stack, what was expected and what came, names, and what a statement does.

use std::collections::BTreeSet;

use redgreen_model::error_class::ErrorClass;
use redgreen_model::report::{Failure, FailureKind};

use super::Candidate;
use super::shape::Shape;
use crate::analysis::values::{Difference, values};
use crate::judge::CheckFailure;

/// Factors of suspicion.
const RAISED_HERE: f64 = 1.4;
const ON_THE_STACK: f64 = 1.3;
const FITS_THE_VALUES: f64 = 1.35;
const GIVES_THE_VALUE: f64 = 1.5;
const SAME_ELSEWHERE: f64 = 0.6;
const NAMED: f64 = 1.4;
/// What is added for a function that all failing tests are named after.
const TESTED_BY_NAME: f64 = 0.3;
/// Names that are shorter tell nothing.
const NAME_CHARS_MIN: usize = 3;

/// What the failures say.
pub(super) struct Hints<'a> {
    failures: Vec<&'a Failure>,
    differences: Vec<Difference>,
    names: BTreeSet<&'a str>,
    tests: Vec<String>,
}

/// The words of a text: names and numbers.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_alphanumeric() && it != '_').filter(|word| !word.is_empty())
}

impl<'a> Hints<'a> {
    pub(super) fn of(failures: &'a [CheckFailure]) -> Self {
        let failures: Vec<&Failure> = failures.iter().map(|it| &it.failure).collect();
        let raised = failures.iter().filter(|it| it.error_class != ErrorClass::AssertionError);
        let tests = failures.iter().filter_map(|it| it.test.as_deref());
        Self {
            differences: failures.iter().filter_map(|failure| difference(failure)).collect(),
            names: raised.flat_map(|it| quoted(&it.message)).collect(),
            tests: tests.map(|test| squeezed(test.rsplit("::").next().unwrap_or(test))).collect(),
            failures,
        }
    }

    /// The factors for a place, those worth a word with it.
    pub(super) fn of_candidate(&self, candidate: &Candidate) -> Vec<(f64, Option<String>)> {
        let mut found = Vec::new();
        match self.depth(candidate) {
            Some(0) => found.push((RAISED_HERE, Some("the error comes from here".to_owned()))),
            Some(_) => found.push((ON_THE_STACK, Some("it is on the stack".to_owned()))),
            None => {}
        }
        let named = |name: &&&str| words(&candidate.text).any(|it| it == **name);
        if let Some(name) = self.names.iter().find(named) {
            found.push((NAMED, Some(format!("the error names `{name}`"))));
        }
        let shape = Shape::of(&candidate.text);
        found.push((shape.factor(), None));
        let gives = self.gives(&candidate.text);
        let elsewhere = candidate.seen.as_ref().is_some_and(|seen| seen.elsewhere);
        match (shape.is_constant, elsewhere) {
            // It is the same for the tests that pass.
            (true, true) => found.push((SAME_ELSEWHERE, None)),
            (true, false) if gives => {
                found.push((GIVES_THE_VALUE, Some("it gives the value that came".to_owned())));
            }
            _ => {}
        }
        if let Some(reason) = self.fits(&shape) {
            found.push((FITS_THE_VALUES, Some(reason.to_owned())));
        }
        let own = squeezed(candidate.function.rsplit([':', '.']).next().unwrap_or_default());
        if own.len() >= NAME_CHARS_MIN && !self.tests.is_empty() {
            let tests = self.tests.iter().filter(|test| test.contains(&own)).count();
            #[expect(clippy::cast_precision_loss, reason = "there are not that many tests")]
            let share = tests as f64 / self.tests.len() as f64;
            found.push((TESTED_BY_NAME.mul_add(share, 1.0), None));
        }
        found
    }

    /// How far up the stack a place is, the nearest to the error first.
    fn depth(&self, candidate: &Candidate) -> Option<usize> {
        let depth = |failure: &&Failure| {
            let own = failure.location.iter().filter(|_| !failure.in_tests);
            let mut own = own.chain(&failure.frames).filter_map(|it| Some((&it.file, it.line?)));
            let first = own.next();
            let holds = |(file, line): (&String, u32)| candidate.holds(file, line);
            match first.is_some_and(holds) {
                true => Some(0),
                false => own.any(holds).then_some(1),
            }
        };
        self.failures.iter().filter_map(depth).min()
    }

    /// Whether a statement can make the difference that was seen.
    fn fits(&self, shape: &Shape) -> Option<&'static str> {
        self.differences.iter().find_map(|difference| match difference {
            Difference::Truth | Difference::Nothing | Difference::Something
                if shape.decides || shape.has_truth =>
            {
                Some("it decides, and the outcome is the opposite")
            }
            Difference::ByOne if shape.compares || shape.has_number => {
                Some("the value is one off, and a bound or a number stands here")
            }
            Difference::Number | Difference::Sign | Difference::Factor | Difference::Rounding
                if shape.calculates =>
            {
                Some("the number is wrong, and it is calculated here")
            }
            _ => None,
        })
    }

    /// Whether the value that came is written in a statement.
    fn gives(&self, text: &str) -> bool {
        let bare = |text: &'a str| text.trim_matches(['"', '\'', '`', ' ']);
        self.failures.iter().any(|failure| {
            let Some((expected, actual)) = values(failure) else { return false };
            let (expected, actual) = (bare(expected), bare(actual));
            let mut parts = words(actual);
            let is_word = parts.next() == Some(actual) && parts.next().is_none();
            is_word && actual != expected && words(text).any(|it| it == actual)
        })
    }
}

/// How the values of a failure differ.
fn difference(failure: &Failure) -> Option<Difference> {
    let (expected, actual) =
        values(failure).filter(|_| failure.kind == FailureKind::TestFailure)?;
    Difference::of(expected, actual)
}

/// The names that a message has in quotes.
fn quoted(message: &str) -> Vec<&str> {
    let is_name = |part: &&str| {
        let whole = part.chars().all(|it| it.is_alphanumeric() || it == '_');
        part.len() >= NAME_CHARS_MIN && whole
    };
    let between = |quote| message.split(quote).skip(1).step_by(2).filter(is_name);
    ['\'', '"', '`'].into_iter().flat_map(between).collect()
}

/// A name without what separates its words.
fn squeezed(name: &str) -> String {
    name.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
