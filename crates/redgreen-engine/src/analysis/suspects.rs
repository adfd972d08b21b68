//! Where the fault is: the statements that the failing tests ran, ranked by what tells them apart.
//!
//! ```text
//! lines of failing and passing tests (Ochiai) ─┐
//! the change since the tests passed            ├─▶ a weight for each statement ─▶ ranked places, each with its reasons
//! stack · expected and actual · names · syntax ┘
//! ```

mod candidates;
mod hints;
mod shape;

use redgreen_model::analysis::Suspect;
use redgreen_model::execution::Turning;
use redgreen_model::report::Location;

use super::Evidence;
pub(crate) use candidates::Candidate;
use candidates::{Since, candidates};
pub(super) use shape::Shape;

/// The most places that are named.
const SUSPECTS_MAX: usize = 5;
/// What is left of the suspicion of code that did not change since the tests passed.
const UNCHANGED: f64 = 0.12;
/// The same where nobody saw the tests pass: they are new, and what they ask for may never have been right.
const UNCHANGED_BUT_NEW: f64 = 0.7;
/// The same of code that changed before the last edit, where the tests failed already.
const CHANGED_EARLIER: f64 = 0.8;
/// What is left of a place that was edited because it was suspected, and the same tests fail as before.
const TRIED: f64 = 0.3;
/// What is left of a change without which a test is as red as with it, as was tried.
const TURNS_NOTHING: f64 = 0.05;
/// How far the suspicion of the first place has to stand out for being sure of it.
const SHARPNESS: i32 = 4;
/// How much who ran a place counts against everything else.
const SPECTRUM: f64 = 1.5;

/// The places that may be the ones to mend, and how sure the first of them is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ranked {
    pub(crate) suspects: Vec<Suspect>,
    /// How the first stands to all that were looked at, from 0 to 1.
    pub(crate) certainty: f64,
    /// The text of the first, where it is known.
    pub(crate) text: String,
    /// Whether it was seen who ran the first.
    pub(crate) is_seen: bool,
    /// Whether the last edit changed the first.
    pub(crate) is_changed: bool,
}

/// Ranks the places in code that may be wrong.
pub(crate) fn ranked(evidence: &Evidence<'_>) -> Ranked {
    let found = candidates(evidence);
    let hints = hints::Hints::of(evidence.failures);
    let mut weighed: Vec<(f64, Vec<String>, Candidate)> = found
        .into_iter()
        .map(|candidate| {
            let (weight, reasons) = weigh(evidence, &hints, &candidate);
            (weight, reasons, candidate)
        })
        .filter(|(weight, ..)| *weight > 0.0)
        .collect();
    weighed.sort_by(|one, other| {
        other.0.total_cmp(&one.0).then_with(|| one.2.place().cmp(&other.2.place()))
    });
    let Some((top, _, first)) = weighed.first() else { return Ranked::default() };
    let (top, text) = (*top, first.text.clone());
    let (is_seen, is_changed) = (first.seen.is_some(), first.changed == Since::LastEdit);
    let sharp = |weight: f64| (weight / top).powi(SHARPNESS);
    let all: f64 = weighed.iter().map(|(weight, ..)| sharp(*weight)).sum();
    let suspects = weighed.into_iter().take(SUSPECTS_MAX).map(|(weight, reasons, candidate)| {
        let function = Some(candidate.function).filter(|name| !name.is_empty());
        Suspect {
            place: Location { file: candidate.file, line: Some(candidate.first), function },
            score: (weight / top * 100.0).round() / 100.0,
            reasons,
        }
    });
    Ranked { suspects: suspects.collect(), certainty: 1.0 / all, text, is_seen, is_changed }
}

/// What trying the parts of a change showed.
fn in_words(turning: &Turning) -> String {
    let tests = if turning.tests.len() == 1 { "the test" } else { "the tests" };
    match turning.parts.len() {
        1 => format!(
            "of the {} parts of the change this one alone turns {tests} red, as was tried",
            turning.of
        ),
        parts => format!(
            "it is one of the {parts} parts of the change, of {}, that turn {tests} red, as was tried",
            turning.of
        ),
    }
}

/// How suspicious a place is, and why.
fn weigh(
    evidence: &Evidence<'_>,
    hints: &hints::Hints<'_>,
    candidate: &Candidate,
) -> (f64, Vec<String>) {
    let (mut weight, mut reasons) = (candidate.spectrum.powf(SPECTRUM), Vec::new());
    let turning = evidence.turning();
    let turns = turning.is_some_and(|it| it.holds(&candidate.file, candidate.lines()));
    if let Some(turning) = turning.filter(|_| turns) {
        reasons.push(in_words(turning));
    }
    let changed = match candidate.changed {
        _ if turns => 1.0,
        Since::LastEdit | Since::Start if turning.is_some() => TURNS_NOTHING,
        Since::LastEdit => {
            reasons.push(format!("attempt {} changed it", evidence.attempt));
            1.0
        }
        Since::Start if evidence.was_green() => UNCHANGED,
        Since::Start => {
            reasons.push("it was changed since the work began".to_owned());
            CHANGED_EARLIER
        }
        Since::Never if !evidence.changes_code() => 1.0,
        Since::Never if evidence.has_regressed() => UNCHANGED,
        Since::Never => UNCHANGED_BUT_NEW,
    };
    weight *= changed;
    if let Some(seen) = &candidate.seen {
        reasons.push(seen.in_words());
    }
    for (factor, reason) in hints.of_candidate(candidate) {
        weight *= factor;
        reasons.extend(reason);
    }
    if let Some(attempt) = evidence.tried_at(candidate) {
        weight *= TRIED;
        reasons.push(format!("attempt {attempt} edited it, and the same tests fail"));
    }
    (weight, reasons)
}
