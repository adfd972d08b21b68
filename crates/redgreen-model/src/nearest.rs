//! Finding the word somebody probably meant.

/// Longer words are not compared: the cost of a comparison grows with both lengths.
const LONGEST_WORD_CHARS: usize = 64;

/// Longer names are not compared either.
const LONGEST_NAME_CHARS: usize = 300;
/// How many names are compared.
const MOST_NAMES: usize = 5000;

/// The candidate nearest to `word`, if one is near enough to be worth suggesting.
///
/// Upper and lower case, `-` and `_` count as equal; of two equally near candidates the first wins.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    if length == 0 || length > LONGEST_WORD_CHARS {
        return None;
    }
    let wanted = folded(word);
    // A third of the letters may differ, and one always may.
    let reach = (length / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&wanted, &folded(candidate)), candidate))
        // A word of one or two letters is near to everything: more must agree than differ.
        .filter(|(distance, _)| *distance <= reach && *distance * 2 < length.max(2))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The candidates that are most like a name, such as a test's id, the nearest first: those that differ in no more than
/// half of its letters.
pub fn nearest_names<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    count: usize,
) -> Vec<&'a str> {
    let length = name.chars().count();
    if length > LONGEST_NAME_CHARS {
        return Vec::new();
    }
    let wanted = folded(name);
    let mut near: Vec<(usize, &str)> = candidates
        .into_iter()
        .take(MOST_NAMES)
        // The lengths alone differ by more, so the letters need not be looked at.
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= length / 2)
        .map(|candidate| (strsim::levenshtein(&wanted, &folded(candidate)), candidate))
        .filter(|(distance, _)| *distance <= length / 2)
        .collect();
    near.sort();
    near.dedup();
    near.into_iter().take(count).map(|(_, candidate)| candidate).collect()
}

fn folded(word: &str) -> String {
    word.to_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::{nearest, nearest_names};

    #[test]
    fn names_that_are_most_alike_come_first() {
        let names = ["elsewhere", "tests/test_a.py::test_sums", "tests/test_a.py::test_sum"];
        let found = nearest_names("tests/test_a.py::test_smu", names, 5);
        assert_eq!(found, ["tests/test_a.py::test_sum", "tests/test_a.py::test_sums"]);
        assert_eq!(nearest_names("tests/test_a.py::test_sumz", names, 1).len(), 1);
        assert!(nearest_names(&"a".repeat(1_000_000), names, 5).is_empty());
    }

    #[test]
    fn suggests_what_is_near_and_nothing_else() {
        let words = ["max_attempts", "backoff", "jest", "vitest", "go_test"];
        for (word, expected) in [
            ("max_attemps", Some("max_attempts")),
            ("Max-Attempts", Some("max_attempts")),
            ("jst", Some("jest")),
            ("bakcoff", Some("backoff")),
            ("gotest", Some("go_test")),
            ("unrelated", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, words), expected, "{word}");
        }
        assert_eq!(nearest(&"a".repeat(1_000_000), words), None);
    }
}
