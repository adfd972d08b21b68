use std::collections::BTreeSet;

use super::*;

/// What is found for the example of an entry.
fn found(entries: &'static [Entry], entry: &Entry) -> Vec<&'static Entry> {
    fitting(entries, entry.error, entry.example)
}

fn tables() -> impl Iterator<Item = &'static [Entry]> {
    LANGUAGES.iter().map(|(_, entries)| *entries)
}

#[test]
fn there_are_many_and_each_is_found_first_by_its_example() {
    assert!(tables().map(<[Entry]>::len).sum::<usize>() >= 120);
    for entries in tables() {
        for entry in entries {
            let found = found(entries, entry);
            assert_eq!(found.first(), Some(&entry), "{} {}", entry.error, entry.example);
        }
    }
}

#[test]
fn each_way_of_being_wrong_is_found_by_two_values() {
    for entry in wrong_values::ENTRIES {
        let (expected, actual) = entry.example.split_once('|').unwrap();
        let mut failure = Failure::new(FailureKind::TestFailure, "AssertionError", "not equal");
        failure.expected = Some(expected.to_owned());
        failure.actual = Some(actual.to_owned());
        assert!(known(&failure, "").contains(&entry), "{} {}", entry.error, entry.example);
    }
}

#[test]
fn a_cause_says_more_than_the_message() {
    let words = |text: &str| -> BTreeSet<String> {
        let split = text.split(|it: char| !it.is_alphanumeric()).filter(|word| word.len() > 3);
        split.map(str::to_lowercase).collect()
    };
    for entry in tables().flatten().chain(wrong_values::ENTRIES) {
        let (cause, message) = (words(entry.cause), words(entry.example));
        let new = cause.difference(&message).count();
        assert!(new >= 2, "{}: {}", entry.example, entry.cause);
        for text in [entry.cause, entry.strategy] {
            assert!(text.ends_with('.') && text.len() > 8, "{text}");
            assert!(!text.contains("  "), "{text}");
        }
    }
}

#[test]
fn what_is_in_no_row_is_not_known() {
    let mut failure = Failure::new(FailureKind::TestFailure, "FrobnicationError", "no flux");
    failure.error_class = ErrorClass::Other;
    assert_eq!(known(&failure, ""), Vec::<&Entry>::new());
}

#[test]
fn a_language_has_its_own_rows() {
    let mut failure = Failure::new(FailureKind::TestFailure, "TypeError", "x is not iterable");
    failure.error_class = ErrorClass::TypeError;
    let place = |file: &str| Location { file: file.to_owned(), line: Some(1), function: None };
    failure.location = Some(place("src/a.ts"));
    assert!(known(&failure, "").iter().all(|entry| javascript::ENTRIES.contains(entry)));
    failure.location = Some(place("src/a.py"));
    assert!(known(&failure, "").iter().all(|entry| python::ENTRIES.contains(entry)));
}
