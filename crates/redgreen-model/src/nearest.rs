//! Finding the word somebody probably meant.

/// Longer words are not compared: the cost of a comparison grows with both lengths.
const LONGEST_WORD_CHARS: usize = 64;

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

fn folded(word: &str) -> String {
    word.to_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::nearest;

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
