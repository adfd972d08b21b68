//! How sure an analysis is of its place: how often places that stood out so far were the ones, in what was measured.

use redgreen_model::report::{Failure, FailureKind, Location};

use super::suspects::Ranked;

/// The least and the most that is claimed of a place that was found by comparing.
const LEAST: f64 = 0.1;
const MOST: f64 = 0.95;
/// The most that is claimed where nobody saw who ran the place: of one that was changed, and of any other.
const UNSEEN_CHANGED: f64 = 0.7;
const UNSEEN: f64 = 0.5;
/// What is left for a place behind the first.
const ANOTHER: f64 = 0.4;

/// How sure the first suspect is.
pub(super) fn of_first(ranked: &Ranked) -> f64 {
    let most = match (ranked.is_seen, ranked.is_changed) {
        (true, _) => MOST,
        (false, true) => UNSEEN_CHANGED,
        (false, false) => UNSEEN,
    };
    rounded(ranked.certainty.clamp(LEAST, most))
}

/// How sure one is that comes after it.
pub(super) fn of_another(ranked: &Ranked) -> f64 {
    rounded(((1.0 - ranked.certainty) * ANOTHER).clamp(LEAST, MOST))
}

/// How sure a place is that was reported: a compiler knows it, a check does not.
pub(super) fn of_report(failure: &Failure, place: Option<&Location>, in_test: bool) -> f64 {
    match (failure.kind, place) {
        (FailureKind::CompileError | FailureKind::LintFailure, Some(_)) => 0.9,
        (_, Some(_)) if in_test => 0.1,
        (_, Some(_)) => 0.5,
        (_, None) => 0.1,
    }
}

fn rounded(confidence: f64) -> f64 {
    (confidence * 100.0).round() / 100.0
}
