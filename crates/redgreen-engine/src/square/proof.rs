//! Tests that were red on the old code, for the right reason, and are green on the new.

use redgreen_model::error_class::ErrorClass;
use redgreen_model::execution::{Ended, Execution, TestId};
use redgreen_model::report::{Failure, FailureKind, Location};
use redgreen_model::square::{CornerSeen, Proof, SquareRow, Standing};

use super::Context;

/// The proofs among the tests that do not simply stay green.
pub(super) fn proofs(rows: &[SquareRow], context: &Context<'_>) -> Vec<Proof> {
    rows.iter()
        .filter(|row| row.run == Standing::Green)
        .filter_map(|row| proof(row, context))
        .collect()
}

fn proof(row: &SquareRow, context: &Context<'_>) -> Option<Proof> {
    // The test that was there and is green now in its old form: red on the old code as it was.
    if row.baseline == Standing::Red && row.referee == Standing::Green {
        return shown_by(&context.baseline.execution, &row.test);
    }
    let CornerSeen::Ran { execution, .. } = &context.facts.proof else { return None };
    let tests = if row.became.is_empty() { std::slice::from_ref(&row.test) } else { &row.became };
    tests.iter().find_map(|test| shown_by(execution, test))
}

/// Whether a test is red on the old code for the right reason.
pub(super) fn is_shown(context: &Context<'_>, test: &TestId) -> bool {
    let CornerSeen::Ran { execution, .. } = &context.facts.proof else { return false };
    shown_by(execution, test).is_some()
}

fn shown_by(execution: &Execution, test: &TestId) -> Option<Proof> {
    let run = execution.checks.iter().find(|run| run.check == test.check)?;
    if run.report.unfinished.contains(&test.test) {
        let failure = never_ended(&run.ended)?;
        return Some(Proof { test: test.clone(), failure });
    }
    let case = run.report.tests.iter().find(|case| case.id == test.test)?;
    let failure = case.failure.as_deref().filter(|_| case.outcome.is_red())?;
    right_reason(failure).then(|| Proof { test: test.clone(), failure: failure.summary() })
}

/// How a test that was begun kept itself from ending.
fn never_ended(ended: &Ended) -> Option<String> {
    match ended {
        Ended::TimedOut { limit_seconds } => {
            Some(format!("it did not end within {limit_seconds} s"))
        }
        Ended::OutOfMemory { limit_mib } => {
            Some(format!("it used more than {limit_mib} MiB of memory"))
        }
        Ended::Signalled { .. } => Some(format!("its process was {ended}")),
        Ended::Exited { .. } => Some(format!("its process ended with {ended}")),
        Ended::Stopped | Ended::NotStarted { .. } | Ended::Lost => None,
    }
}

/// Its assertion, or an error out of the code; not a name that the old code does not have.
pub(super) fn right_reason(failure: &Failure) -> bool {
    match failure.error_class {
        ErrorClass::SyntaxError => false,
        ErrorClass::ReferenceError => !is_at_the_test(failure),
        _ => failure.kind != FailureKind::CompileError,
    }
}

/// Whether the test itself calls something that is not there. JavaScript has the same error for that as for a value
/// of another type.
pub(super) fn calls_what_is_gone(failure: &Failure) -> bool {
    const GONE: [&str; 2] = ["is not a function", "is not a constructor"];
    GONE.iter().any(|words| failure.message.contains(words)) && is_at_the_test(failure)
}

/// Whether nothing of the code is between the test and its error.
fn is_at_the_test(failure: &Failure) -> bool {
    let file = |place: &Option<Location>| place.as_ref().map(|place| place.file.clone());
    failure.location.is_none() || file(&failure.location) == file(&failure.test_location)
}
