//! Each of these was wrong once.

use redgreen_model::report::{Failure, FailureKind, Location};

use super::*;
use crate::judge::CheckFailure;

fn place(file: &str, line: u32) -> Option<Location> {
    Some(Location { file: file.to_owned(), line: Some(line), function: None })
}

/// Our analysis of one failure, of which nothing is known but itself.
fn alone(failure: &Failure) -> redgreen_model::analysis::Analysis {
    let failures = [CheckFailure { check: "unit".to_owned(), failure: failure.clone() }];
    let evidence = Evidence {
        attempt: 1,
        failures: &failures,
        changes: &[],
        diff: "",
        judged: None,
        before: None,
        earlier: &[],
        same_as: None,
    };
    builtin(&evidence).unwrap()
}

#[test]
fn what_helps_tests_is_never_the_place_to_mend() {
    let mut failure = Failure::new(FailureKind::TestFailure, "panic", "left: 1, right: 2");
    failure.location = place("tests/testenv/mod.rs", 274);
    failure.test_location = place("tests/story.rs", 12);
    assert_eq!(alone(&failure).location, failure.location);
    failure.in_tests = true;
    let analysis = alone(&failure);
    assert_eq!(analysis.location, failure.test_location);
    assert!(analysis.fix_strategy.contains("the code that"), "{}", analysis.fix_strategy);
}

#[test]
fn what_is_not_known_is_said_to_be_not_known() {
    let mut failure = Failure::new(FailureKind::TestFailure, "FluxError", "no flux");
    failure.error_class = redgreen_model::error_class::ErrorClass::Other;
    failure.test_location = place("tests/test_a.py", 12);
    failure.in_tests = true;
    let analysis = alone(&failure);
    assert!(analysis.root_cause.ends_with("Why is not known."), "{}", analysis.root_cause);
    assert!(!analysis.root_cause.contains("no flux"), "{}", analysis.root_cause);
    assert!(analysis.confidence <= 0.1);
}
