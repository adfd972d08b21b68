//! Our own analysis: what was seen, where, and whether the change touches it.

use crate::square::{CHANGED_EXPECTATION, NOT_SHOWN, UNTESTED_CHANGE};
use redgreen_model::analysis::{Analysis, AnalysisSource};
use redgreen_model::report::{Failure, FailureKind, Location};
use redgreen_model::square::FindingKind;
use redgreen_model::text::{LINE_CHARS, bound_end};
use redgreen_model::tree::{FileChange, diff_summary};

use super::NAMED_TESTS_MAX;
use crate::classes::{FLAKY, TEST_VANISHED};
use crate::judge::CheckFailure;

/// What our own analysis is made from.
pub struct Evidence<'state> {
    /// The attempt that was judged.
    pub attempt: u32,
    /// Its failures.
    pub failures: &'state [CheckFailure],
    /// What the attempt changed.
    pub changes: &'state [FileChange],
    /// The latest attempt before that failed in the same tests with the same messages; 0 for the
    /// baseline.
    pub same_as: Option<u32>,
}

/// Our own analysis: what was seen, where, and whether the change touches it. It does not claim
/// to know more than that.
pub fn builtin(evidence: &Evidence<'_>) -> Option<Analysis> {
    let lead = leading_failure(evidence)?;
    let failure = &lead.failure;
    let place = match failure.in_tests {
        true => failure.test_location.as_ref().or(failure.location.as_ref()),
        false => failure.location.as_ref().or(failure.test_location.as_ref()),
    };
    let hunk = place.and_then(|place| changed_hunk(place, evidence.changes));
    Some(Analysis {
        root_cause: root_cause(evidence, lead, place, hunk.as_deref()),
        fix_strategy: fix_strategy(evidence, failure, place, hunk.as_deref()),
        confidence: confidence(failure, place, hunk.as_deref(), evidence.same_as.is_some()),
        tests: evidence
            .failures
            .iter()
            .map(|failure| failure.name().to_owned())
            .take(NAMED_TESTS_MAX)
            .collect(),
        source: AnalysisSource::Builtin,
        location: place.cloned(),
        changed_hunk: hunk,
        suspects: Vec::new(),
    })
}

/// The failure to look at first: a broken build hides everything else; then one that lies in
/// changed lines; then the first.
fn leading_failure<'state>(evidence: &Evidence<'state>) -> Option<&'state CheckFailure> {
    let in_change = |failure: &Failure| {
        failure
            .location
            .as_ref()
            .is_some_and(|place| changed_hunk(place, evidence.changes).is_some())
    };
    let failures = evidence.failures;
    failures
        .iter()
        .find(|failure| failure.failure.kind == FailureKind::CompileError)
        .or_else(|| failures.iter().find(|failure| in_change(&failure.failure)))
        .or_else(|| failures.first())
}

/// The changed lines that the place lies in, as `src/a.py:10-14`.
fn changed_hunk(place: &Location, changes: &[FileChange]) -> Option<String> {
    let line = place.line?;
    let change = changes.iter().find(|change| change.path == place.file)?;
    let hunk = change.hunks.iter().find(|hunk| hunk.contains(line))?;
    Some(format!("{}:{}-{}", change.path, hunk.start, hunk.start + hunk.count.saturating_sub(1)))
}

fn root_cause(
    evidence: &Evidence<'_>,
    lead: &CheckFailure,
    place: Option<&Location>,
    hunk: Option<&str>,
) -> String {
    let failure = &lead.failure;
    let summary = failure.summary();
    let mut text = format!(
        "After attempt {}, {}: {}",
        evidence.attempt,
        bound_end(lead.name(), LINE_CHARS),
        bound_end(&summary, LINE_CHARS)
    );
    if let Some(place) = place {
        text.push_str(&format!(", at {place}"));
        if let Some(function) = &place.function {
            text.push_str(&format!(" in {function}"));
        }
    }
    match hunk {
        Some(hunk) => text.push_str(&format!(
            ", inside lines that attempt {} changed ({hunk})",
            evidence.attempt
        )),
        None if place.is_some() && !evidence.changes.is_empty() => {
            text.push_str(&format!(", outside the lines that attempt {} changed", evidence.attempt))
        }
        None => {}
    }
    text.push('.');
    if let (Some(expected), Some(actual)) = (&failure.expected, &failure.actual)
        && !(summary.contains(expected.as_str()) && summary.contains(actual.as_str()))
    {
        text.push_str(&format!(
            " Expected {}, got {}.",
            bound_end(expected, LINE_CHARS),
            bound_end(actual, LINE_CHARS)
        ));
    }
    let others = evidence.failures.len() - 1;
    if others > 0 {
        text.push_str(&format!(" {others} more failed."));
    }
    if evidence.changes.is_empty() {
        text.push_str(&format!(" Attempt {} edited nothing.", evidence.attempt));
    } else if let Some(same_as) = evidence.same_as {
        let verb = if same_as + 1 == evidence.attempt { "left" } else { "brought back" };
        let whose =
            if same_as == 0 { "the baseline".to_owned() } else { format!("attempt {same_as}") };
        text.push_str(&format!(
            " The change of attempt {} ({}) {verb} the same failures as {whose}.",
            evidence.attempt,
            diff_summary(evidence.changes)
        ));
    }
    text
}

fn fix_strategy(
    evidence: &Evidence<'_>,
    failure: &Failure,
    place: Option<&Location>,
    hunk: Option<&str>,
) -> String {
    let place = place
        .map_or_else(|| "the code that the failing test calls".to_owned(), ToString::to_string);
    if let Some(strategy) = square_strategy(&failure.error_type, &place) {
        return strategy;
    }
    if evidence.same_as.is_some() && !evidence.changes.is_empty() {
        return format!(
            "Do not repeat what attempt {} did: the failures are still the same. Follow the value from {place} back to where it comes from, and change it there.",
            evidence.attempt
        );
    }
    match failure.error_type.as_str() {
        FLAKY => {
            return "Find what differs from run to run (order, time, shared state, randomness), and make it the same every time.".to_owned();
        }
        TEST_VANISHED => {
            return "Put the test back as it was, and make the code pass it.".to_owned();
        }
        _ => {}
    }
    match (failure.kind, hunk) {
        (FailureKind::CompileError, _) => {
            format!("Make it build first: correct {place}; no test has run on this tree.")
        }
        (FailureKind::Timeout, _) => {
            "Find what never ends, or waits for ever, in the test that was running, and make it end."
                .to_owned()
        }
        (FailureKind::RuntimeError, _) => format!(
            "Find out why the process died at {place}, and handle that case instead of dying."
        ),
        (FailureKind::LintFailure, _) => {
            format!("Correct what the tool complains about at {place}, not the tool's configuration.")
        }
        (FailureKind::Unknown | FailureKind::ToolingError, _) => {
            "Read what the check printed, find out what it complains about, and correct that."
                .to_owned()
        }
        (_, Some(hunk)) if in_the_test(failure) => {
            format!("The check that fails is new ({hunk}): see whether it or the code is wrong.")
        }
        (_, Some(hunk)) => {
            format!("Correct the new lines {hunk}, so that they give what the test expects.")
        }
        _ if in_the_test(failure) => format!(
            "The check at {place} fails on what the code gave it: correct the code that the test calls there, and leave the test as it is."
        ),
        _ => format!(
            "Correct {place}, so that it gives what the test expects; leave the test as it is."
        ),
    }
}

/// What to do about something that the square shows.
fn square_strategy(error_type: &str, place: &str) -> Option<String> {
    if error_type == CHANGED_EXPECTATION {
        return Some("If the task asks for the new behaviour, say so with `redgreen declare`. If not, put the test back as it was, and make the code pass it.".to_owned());
    }
    if error_type == UNTESTED_CHANGE {
        return Some(format!(
            "Write a test that runs the lines at {place} and checks what they do."
        ));
    }
    if error_type == NOT_SHOWN {
        return Some("The tests pass, but redgreen could not see whether the change is good: remove what prevents that.".to_owned());
    }
    let kind = FindingKind::ALL.into_iter().find(|kind| kind.as_str() == error_type)?;
    Some(match kind {
        FindingKind::GreenByEdit
        | FindingKind::RedRemoved
        | FindingKind::Hidden
        | FindingKind::Weakened => format!(
            "Put the tests back as they were before the change ({place}), and make the code pass them. If a test itself is wrong, ask a person: only a person can accept this."
        ),
        FindingKind::NoProof => {
            "Add a test that fails on the old code because of the bug, and passes with the fix."
                .to_owned()
        }
        FindingKind::ConfigurationChanged => {
            format!("Put {place} back as it was: only a person may change the rules.")
        }
        FindingKind::Untested => {
            format!("Write a test that runs the lines at {place} and checks what they do.")
        }
        FindingKind::MadeForTests => format!(
            "Write code that does what is asked whoever runs it and whatever it is given, in place of {place}. If that line is right, a person can accept it."
        ),
        FindingKind::TreeChanged => {
            "Make sure that the tests do not change code or tests while they run.".to_owned()
        }
    })
}

/// Whether the test and what helps it is all of the project's own code that the failure shows.
fn in_the_test(failure: &Failure) -> bool {
    if failure.in_tests {
        return true;
    }
    match (&failure.location, &failure.test_location) {
        (Some(place), Some(test)) => place.file == test.file,
        (place, _) => place.is_none(),
    }
}

/// How far the facts carry, on a coarse scale: a place inside the change is a good lead, no place
/// at all is hardly one, and a lead that already failed is worth half.
fn confidence(
    failure: &Failure,
    place: Option<&Location>,
    hunk: Option<&str>,
    same_as_before: bool,
) -> f64 {
    let base = match (failure.kind, place, hunk) {
        (FailureKind::CompileError, Some(_), _) => 0.9,
        (_, _, Some(_)) => 0.7,
        (_, Some(_), None) if in_the_test(failure) => 0.3,
        (_, Some(_), None) => 0.5,
        _ => 0.2,
    };
    if same_as_before { base / 2.0 } else { base }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_helps_tests_is_never_the_place_to_mend() {
        let place = |file: &str, line| {
            Some(Location { file: file.to_owned(), line: Some(line), function: None })
        };
        let mut failure = Failure::new(FailureKind::TestFailure, "panic", "left: 1, right: 2");
        failure.location = place("tests/testenv/mod.rs", 274);
        failure.test_location = place("tests/story.rs", 12);
        let advice = |failure: &Failure| {
            let failures = [CheckFailure { check: "unit".to_owned(), failure: failure.clone() }];
            let evidence =
                Evidence { attempt: 1, failures: &failures, changes: &[], same_as: None };
            builtin(&evidence).unwrap().fix_strategy
        };
        assert!(advice(&failure).starts_with("Correct tests/testenv/mod.rs:274"));
        failure.in_tests = true;
        assert!(
            advice(&failure)
                .starts_with("The check at tests/story.rs:12 fails on what the code gave it")
        );
    }
}
