//! Words that say something: what two analyses have in common, and what one says beyond the error.

use std::collections::BTreeSet;

/// Shorter words say nothing.
const CHARS_MIN: usize = 3;

/// Words that say nothing about any one failure.
const EMPTY: &[&str] = &[
    "again",
    "all",
    "and",
    "any",
    "are",
    "attempt",
    "because",
    "been",
    "before",
    "bug",
    "but",
    "cannot",
    "cause",
    "caused",
    "change",
    "changed",
    "changes",
    "changing",
    "check",
    "code",
    "correct",
    "debug",
    "does",
    "doing",
    "edit",
    "error",
    "errors",
    "everything",
    "fail",
    "failed",
    "failing",
    "fails",
    "failure",
    "fix",
    "fixed",
    "fixes",
    "fixing",
    "for",
    "from",
    "get",
    "gets",
    "give",
    "gives",
    "green",
    "guess",
    "has",
    "have",
    "here",
    "how",
    "into",
    "issue",
    "its",
    "just",
    "look",
    "looks",
    "made",
    "make",
    "makes",
    "maybe",
    "mend",
    "might",
    "must",
    "need",
    "needs",
    "not",
    "only",
    "pass",
    "passed",
    "passes",
    "passing",
    "place",
    "probably",
    "problem",
    "random",
    "randomly",
    "red",
    "repair",
    "right",
    "run",
    "runs",
    "see",
    "should",
    "some",
    "somehow",
    "something",
    "somewhere",
    "still",
    "tell",
    "tells",
    "test",
    "tests",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "things",
    "this",
    "try",
    "trying",
    "until",
    "use",
    "was",
    "way",
    "were",
    "what",
    "when",
    "where",
    "which",
    "while",
    "why",
    "will",
    "with",
    "work",
    "working",
    "works",
    "would",
    "wrong",
    "you",
    "your",
];

/// The words of a text that say something, each once, in lower case.
pub(super) fn telling(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let words = words.map(str::to_lowercase).filter(|word| word.chars().count() >= CHARS_MIN);
    words.filter(|word| EMPTY.binary_search(&word.as_str()).is_err()).collect()
}

/// Which part of all the words of two texts they share.
pub(super) fn shared(left: &BTreeSet<String>, right: &BTreeSet<String>) -> f64 {
    let (both, all) = (left.intersection(right).count(), left.union(right).count());
    #[expect(clippy::cast_precision_loss, reason = "there are not that many words")]
    let part = both as f64 / all.max(1) as f64;
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_say_nothing_are_passed_over() {
        assert!(EMPTY.is_sorted(), "they are searched by halves");
        assert_eq!(telling("change random things until it works"), BTreeSet::new());
        let said = telling("The year is read before the month");
        assert_eq!(said.into_iter().collect::<Vec<_>>(), ["month", "read", "year"]);
        assert!(
            (shared(&telling("year month"), &telling("month day year")) - 2.0 / 3.0).abs() < 0.01
        );
    }
}
