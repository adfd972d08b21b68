//! How the value that came differs from the one that was expected.

use redgreen_model::report::Failure;

/// The part of a value up to which a difference may come from rounding.
const ROUNDING: f64 = 0.005;

/// How two values differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Difference {
    /// One is true, the other false.
    Truth,
    /// Nothing came where something was expected.
    Nothing,
    /// Something came where nothing was expected.
    Something,
    /// Two numbers, one apart.
    ByOne,
    /// The same number with the other sign.
    Sign,
    /// The same number but for rounding.
    Rounding,
    /// Another number by a whole factor.
    Factor,
    /// Two numbers.
    Number,
    /// A number and the same as a text.
    Kind,
    /// The same letters, larger or smaller.
    Case,
    /// The same but for spaces and line ends.
    Spaces,
    /// The same parts in another order.
    Order,
    /// Empty where something was expected.
    Empty,
    /// Something where it was to be empty.
    NotEmpty,
    /// The beginning or the end of what was expected.
    Short,
    /// More than was expected, at the beginning or the end.
    Long,
    /// Two texts or other values.
    Other,
}

impl Difference {
    /// Its name in the table of what is known.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Truth => "truth",
            Self::Nothing => "nothing",
            Self::Something => "something",
            Self::ByOne => "one off",
            Self::Sign => "sign",
            Self::Rounding => "rounding",
            Self::Factor => "factor",
            Self::Number => "number",
            Self::Kind => "kind",
            Self::Case => "case",
            Self::Spaces => "spaces",
            Self::Order => "order",
            Self::Empty => "empty",
            Self::NotEmpty => "not empty",
            Self::Short => "short",
            Self::Long => "long",
            Self::Other => "other",
        }
    }

    /// Of two values as they are printed.
    pub(super) fn of(expected: &str, actual: &str) -> Option<Self> {
        let (expected, actual) = (expected.trim(), actual.trim());
        if expected == actual || expected.is_empty() && actual.is_empty() {
            return None;
        }
        let one_of = |text: &str, known: &[&str]| known.contains(&text.to_lowercase().as_str());
        let nothing = |text: &str| one_of(text, &["none", "null", "undefined", "nil", "<nil>"]);
        let truth = |text: &str| one_of(text, &["true", "false"]);
        let number = |text: &str| text.replace('_', "").parse::<f64>().ok();
        Some(if nothing(actual) {
            Self::Nothing
        } else if nothing(expected) {
            Self::Something
        } else if truth(expected) && truth(actual) {
            Self::Truth
        } else if let (Some(one), Some(other)) = (number(expected), number(actual)) {
            Self::of_numbers(one, other)
        } else if bare(expected) == bare(actual) {
            Self::Kind
        } else {
            Self::of_texts(bare(expected), bare(actual))
        })
    }

    fn of_numbers(expected: f64, actual: f64) -> Self {
        let apart = (expected - actual).abs();
        let close = |one: f64, other: f64| (one - other).abs() < f64::EPSILON;
        if close(apart, 1.0) {
            Self::ByOne
        } else if close(expected, -actual) {
            Self::Sign
        } else if apart < expected.abs() * ROUNDING
            && (expected.fract() != 0.0 || actual.fract() != 0.0)
        {
            Self::Rounding
        } else if actual != 0.0 && expected != 0.0 && {
            let (high, low) = (expected.abs().max(actual.abs()), expected.abs().min(actual.abs()));
            high / low >= 10.0 && close((high / low).log10(), (high / low).log10().round())
        } {
            Self::Factor
        } else {
            Self::Number
        }
    }

    fn of_texts(expected: &str, actual: &str) -> Self {
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        let sorted = |text: &str| {
            let mut parts: Vec<&str> = parts(text).collect();
            parts.sort_unstable();
            parts.join(" ")
        };
        let empty = |text: &str| parts(text).next().is_none();
        if empty(actual) && !empty(expected) {
            Self::Empty
        } else if empty(expected) && !empty(actual) {
            Self::NotEmpty
        } else if expected.to_lowercase() == actual.to_lowercase() {
            Self::Case
        } else if squeezed(expected) == squeezed(actual) {
            Self::Spaces
        } else if sorted(expected) == sorted(actual) && !parts(expected).eq(parts(actual)) {
            Self::Order
        } else {
            let (one, other) = (inner(expected), inner(actual));
            if one.starts_with(other) || one.ends_with(other) {
                Self::Short
            } else if other.starts_with(one) || other.ends_with(one) {
                Self::Long
            } else {
                Self::Other
            }
        }
    }
}

/// The parts of a list or a text.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_alphanumeric() && it != '_').filter(|part| !part.is_empty())
}

/// A value without quotes.
fn bare(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`'])
}

/// What is in the brackets of a list.
fn inner(text: &str) -> &str {
    text.trim_matches(['[', ']', '(', ')', '{', '}', ' '])
}

/// What was expected and what came, where a failure tells.
pub(super) fn values(failure: &Failure) -> Option<(&str, &str)> {
    let known = failure.expected.as_deref().zip(failure.actual.as_deref());
    known.or_else(|| compared(&failure.message))
}

/// The two sides of `assert 6 == 5`: what was expected stands behind, as a rule.
fn compared(message: &str) -> Option<(&str, &str)> {
    let first = message.lines().next()?;
    let first = first.strip_prefix("AssertionError: ").unwrap_or(first);
    let first = first.strip_prefix("assert ")?;
    let (actual, expected) = first.split_once(" == ").or_else(|| first.split_once(" is "))?;
    Some((expected.trim(), actual.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_values_differ_in_one_way() {
        let cases = [
            ("True", "False", Difference::Truth),
            ("3", "None", Difference::Nothing),
            ("null", "\"a\"", Difference::Something),
            ("5", "6", Difference::ByOne),
            ("5", "-5", Difference::Sign),
            ("0.3", "0.30000000000000004", Difference::Rounding),
            ("5", "500", Difference::Factor),
            ("5", "8", Difference::Number),
            ("'5'", "5", Difference::Kind),
            ("'Ann'", "'ann'", Difference::Case),
            ("'a b'", "'ab '", Difference::Spaces),
            ("[1, 2, 3]", "[3, 1, 2]", Difference::Order),
            ("[1]", "[]", Difference::Empty),
            ("''", "'x'", Difference::NotEmpty),
            ("[1, 2, 3]", "[1, 2]", Difference::Short),
            ("'ab'", "'abc'", Difference::Long),
            ("'a,b'", "'a,b,'", Difference::Long),
            ("'ab'", "'xy'", Difference::Other),
        ];
        for (expected, actual, wanted) in cases {
            assert_eq!(Difference::of(expected, actual), Some(wanted), "{expected} {actual}");
        }
        assert_eq!(Difference::of("1", "1"), None);
    }

    #[test]
    fn an_assertion_of_python_has_both_values() {
        assert_eq!(compared("assert 6 == 5\n +  where 6 = add(2, 3)"), Some(("5", "6")));
        assert_eq!(compared("6 == 5"), None);
    }
}
