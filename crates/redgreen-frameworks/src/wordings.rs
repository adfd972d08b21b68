//! What was expected and what was there, from the words that assertions use.

/// Longer messages than this are not searched: what is short enough to be read is.
const MESSAGE_BYTES: usize = 64 * 1024;

/// Expected and actual.
pub(crate) type Sides = (Option<String>, Option<String>);

/// Words before and between the two values, and what ends the second one; an empty end is the end
/// of the text. The first that fits is taken.
const BETWEEN: &[(&str, &str, &str)] = &[
    // JUnit 5, JUnit 4, TestNG, kotlin.test
    ("expected: <", "> but was: <", ">"),
    ("expected:<", "> but was:<", ">"),
    ("expected [", "] but found [", "]"),
    ("Expected <", ">, actual <", ">"),
    // Hamcrest, with its indentation
    ("Expected: ", "\n     but: was ", ""),
    ("Expected: ", "\n     but: ", ""),
    // AssertJ
    ("expected: ", "\n but was: ", ""),
    ("Expecting actual:\n  ", "\nto be equal to:\n  ", "\n"),
    ("Expecting:\n <", ">\nto be equal to:\n <", ">"),
    // NUnit, xUnit, testify
    ("Expected: ", "\n  But was:  ", "\n"),
    ("Expected: ", "\nActual:   ", "\n"),
    ("expected: ", "\nactual  : ", "\n"),
    // jest and vitest
    ("Expected: ", "\nReceived: ", "\n"),
    // JUnit 5 without values on one side
    ("expected: ", " but was: ", ""),
    ("Expected: ", " but was: ", ""),
];
/// AssertJ names the actual value first.
const ACTUAL_FIRST: &[&str] = &["Expecting actual:\n  ", "Expecting:\n <"];

/// The two sides of a failed comparison, where the message tells them.
pub(crate) fn sides(message: &str) -> Sides {
    if message.len() > MESSAGE_BYTES {
        return (None, None);
    }
    for (before, between, end) in BETWEEN {
        let Some((_, rest)) = message.split_once(before) else { continue };
        let Some((first, rest)) = rest.split_once(between) else { continue };
        let second = match *end {
            "" => Some(rest),
            "\n" => rest.lines().next(),
            end => rest.rsplit_once(end).map(|(value, _)| value),
        };
        let Some(second) = second else { continue };
        let (first, second) = (value(first), value(second));
        return if ACTUAL_FIRST.contains(before) { (second, first) } else { (first, second) };
    }
    python(message).or_else(|| phpunit(message)).unwrap_or_default()
}

fn value(text: &str) -> Option<String> {
    Some(text.trim_matches(['\n', '\r']).trim_end().to_owned())
}

/// `assert ACTUAL == EXPECTED`, by convention; the lines below explain.
fn python(message: &str) -> Option<Sides> {
    let line = message.lines().next()?;
    let (_, comparison) = line.split_once("assert ")?;
    let (actual, expected) = comparison.split_once(" == ")?;
    let looks_whole = !expected.contains(" == ") && line.split_once("assert ")?.0.len() < 40;
    looks_whole.then(|| (value(expected), value(actual)))
}

/// `Failed asserting that ACTUAL matches expected EXPECTED.`
fn phpunit(message: &str) -> Option<Sides> {
    let (_, rest) = message.split_once("Failed asserting that ")?;
    let (actual, expected) = rest.split_once(" matches expected ")?;
    let expected = expected.lines().next()?;
    Some((value(expected.strip_suffix('.').unwrap_or(expected)), value(actual)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_wordings_tell_both_sides() {
        let cases = [
            ("expected: <1> but was: <2>", "1", "2"),
            ("sum ==> expected: <a\nb> but was: <a\nc>", "a\nb", "a\nc"),
            ("expected:<fo[o]> but was:<fo[x]>", "fo[o]", "fo[x]"),
            ("expected: <[<1>]> but was: <[<2>]>", "[<1>]", "[<2>]"),
            ("expected: not equal but was: <2>", "not equal", "<2>"),
            ("\nexpected: \"x\"\n but was: \"y\"", "\"x\"", "\"y\""),
            ("Expecting actual:\n  2\nto be equal to:\n  1\nbut was not.", "1", "2"),
            ("Expecting:\n <2>\nto be equal to:\n <1>\nbut was not.", "1", "2"),
            ("\nExpected: is <3>\n     but: was <4>", "is <3>", "<4>"),
            ("expected [3] but found [4]", "3", "4"),
            ("Expected <3>, actual <4>.", "3", "4"),
            ("expect(received).toBe(expected)\n\nExpected: 3\nReceived: 4\n\nmore", "3", "4"),
            ("  Expected: 3\n  But was:  4\n", "3", "4"),
            ("Assert.Equal() Failure\nExpected: 3\nActual:   4\n", "3", "4"),
            ("AssertionError: assert 4 == 3\n +  where", "3", "4"),
            ("Failed asserting that 4 matches expected 3.", "3", "4"),
        ];
        for (message, expected, actual) in cases {
            let wanted = (Some(expected.to_owned()), Some(actual.to_owned()));
            assert_eq!(sides(message), wanted, "{message}");
        }
        for message in ["", "boom", "expected: <1>", "assert a == b == c", "I assert nothing"] {
            assert_eq!(sides(message), (None, None), "{message}");
        }
    }
}
