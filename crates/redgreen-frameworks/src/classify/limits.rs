//! Tests that their framework ended at a time limit of its own.

use redgreen_model::report::Failure;

/// What frameworks say, from the first word on: the error's name, how the message begins, and what
/// follows the number.
const LIMITS: &[(&str, &str, &str)] = &[
    ("Failed", "Timeout >", "s"),
    ("Failed", "Timeout (>", "s"),
    ("Error", "Exceeded timeout of ", " ms for a "),
    ("string", "Exceeded timeout of ", " ms for a "),
    ("Error", "thrown: \"Exceeded timeout of ", " ms for a "),
    ("Error", "Test timed out in ", "ms."),
    ("Error", "Hook timed out in ", "ms."),
    ("Error", "Timeout of ", "ms exceeded."),
    ("panic", "test timed out after ", "s"),
];

/// Whether the framework itself ended the test. A test that fails because something in it took
/// too long is a failed test: words like "timed out" alone say nothing.
pub(crate) fn is_a_time_limit(failure: &Failure) -> bool {
    LIMITS.iter().any(|(name, start, end)| {
        failure.error_type == *name
            && failure.message.trim_start().strip_prefix(start).is_some_and(|rest| {
                let number = rest.trim_start_matches(|next: char| {
                    next.is_ascii_digit() || next == '.' || next == 'm' && *end == "s"
                });
                number.len() < rest.len() && number.starts_with(end)
            })
    })
}

#[cfg(test)]
mod tests {
    use redgreen_model::report::FailureKind;

    use super::*;

    #[test]
    fn only_the_frameworks_own_words_are_a_limit() {
        let cases = [
            ("Failed", "Timeout >1.0s", true),
            ("Failed", "Timeout (>1.0s) from pytest-timeout.", true),
            ("Error", "Exceeded timeout of 5000 ms for a test.\nAdd a timeout value", true),
            ("string", "Exceeded timeout of 54 ms for a test.\nAdd a timeout value", true),
            ("Error", "thrown: \"Exceeded timeout of 5000 ms for a hook.", true),
            ("Error", "Test timed out in 5000ms.", true),
            ("Error", "Timeout of 2000ms exceeded. For async tests", true),
            ("panic", "test timed out after 1m0s", true),
            ("Error", "request timed out in 5000ms", false),
            ("AssertionError", "Test timed out in 5000ms.", false),
            ("Error", "Timeout of the job exceeded.", false),
            ("TimeoutError", "Timeout >1.0s", false),
        ];
        for (name, message, wanted) in cases {
            let failure = Failure::new(FailureKind::TestFailure, name, message);
            assert_eq!(is_a_time_limit(&failure), wanted, "{message}");
        }
    }
}
