//! Our own analysis: where the fault is, why it fails, and what to do about it.

use redgreen_model::analysis::{Analysis, AnalysisSource, Suspect};
use redgreen_model::report::{Failure, FailureKind, Location};
use redgreen_model::square::FindingKind;
use redgreen_model::text::{LINE_CHARS, bound_end};
use redgreen_model::tree::{FileChange, diff_summary};

use super::evidence::Evidence;
use super::knowledge::{Entry, known};
use super::suspects::{Ranked, ranked};
use super::{NAMED_TESTS_MAX, confidence};
use crate::classes::{FLAKY, TEST_VANISHED, TREE_CHANGED};
use crate::judge::CheckFailure;
use crate::square::{CHANGED_EXPECTATION, NOT_SHOWN, UNTESTED_CHANGE};

/// The most characters of a statement in a sentence.
const STATEMENT_CHARS: usize = 100;
/// The most places that are named behind the first.
const OTHERS_MAX: usize = 4;

/// What else to do, one after the other, where all that is known was said.
const OTHER_WAYS: [&str; 4] = [
    " Do something else than before: print the values on the way from the test's input to the check, and change the first one that is not as the test needs it.",
    " Start again from the test: write down what it asks for step by step, and compare the code with that from its first call on, not from where the last edit was.",
    " Undo the edits that did not help, and make the smallest change that can satisfy this test alone; then look at the others.",
    " Question what was taken for granted: that the edited file is the one that runs, that the data is as it looks, and that the names mean what they say.",
];

/// The same where nothing builds: there are no values yet.
const OTHER_WAYS_TO_BUILD: [&str; 4] = [
    " Look at the lines before it, too: what is open there ends here.",
    " Take the last edit back until it builds, and make it again in smaller steps.",
    " Read the whole message again: the first error is the one that counts, the others follow from it.",
    " Look whether the name, the version or the setting that it complains about is there at all: in the sources, in the manifest, in what is installed.",
];

/// Our own analysis. What is not known, it says is not known.
pub fn builtin(evidence: &Evidence<'_>) -> Option<Analysis> {
    let lead = leading_failure(evidence)?;
    let ranked = if is_located(&lead.failure) { Ranked::default() } else { ranked(evidence) };
    let view = View::of(evidence, lead, ranked);
    let location = view.location().cloned();
    Some(Analysis {
        root_cause: view.root_cause(),
        fix_strategy: view.fix_strategy(),
        confidence: view.confidence(),
        tests: evidence
            .failures
            .iter()
            .map(|failure| failure.name().to_owned())
            .take(NAMED_TESTS_MAX)
            .collect(),
        source: AnalysisSource::Builtin,
        changed_hunk: location.as_ref().and_then(|place| changed_hunk(place, evidence.changes)),
        location,
        suspects: view.ranked.suspects,
    })
}

/// Whether who reported a failure knows the place: a compiler, a linter, redgreen itself.
fn is_located(failure: &Failure) -> bool {
    matches!(failure.kind, FailureKind::CompileError | FailureKind::LintFailure)
        || is_our_own(failure)
}

/// Whether redgreen itself says what is wrong: then nothing that it quotes tells why.
fn is_our_own(failure: &Failure) -> bool {
    square_strategy(&failure.error_type, "").is_some()
        || [FLAKY, TEST_VANISHED, TREE_CHANGED].contains(&failure.error_type.as_str())
}

/// What an analysis says: a place, a cause, and what they are taken from.
struct View<'view> {
    evidence: &'view Evidence<'view>,
    failure: &'view Failure,
    name: &'view str,
    ranked: Ranked,
    /// Which of the suspects it is about.
    chosen: usize,
    cause: Option<&'static Entry>,
    /// Where a changed file cannot be read.
    broken: Option<Location>,
    /// How many analyses of the same tests there were before.
    told: usize,
    /// Whether all that is known was said before.
    is_exhausted: bool,
}

impl<'view> View<'view> {
    /// The first place and cause that were not said before.
    fn of(evidence: &'view Evidence<'view>, lead: &'view CheckFailure, ranked: Ranked) -> Self {
        let causes = match is_our_own(&lead.failure) {
            true => Vec::new(),
            false => known(&lead.failure, &ranked.text),
        };
        let told = |place: Option<&Location>, cause: &Option<&'static Entry>| {
            evidence.told().any(|told| {
                let same_place = match place {
                    Some(place) => told.location.as_ref() == Some(place),
                    None => true,
                };
                same_place && cause.is_none_or(|it| told.root_cause.contains(it.cause))
            })
        };
        let mut all: Vec<Option<&'static Entry>> = causes.into_iter().map(Some).collect();
        if all.is_empty() {
            all.push(None);
        }
        let places = ranked.suspects.iter().map(|suspect| Some(&suspect.place)).enumerate();
        let mut places: Vec<(usize, Option<&Location>)> = places.collect();
        if places.is_empty() {
            places.push((0, None));
        }
        let pairs = places.iter().flat_map(|place| all.iter().map(move |cause| (place, cause)));
        let fresh = pairs.into_iter().find(|((_, place), cause)| !told(*place, cause));
        let (chosen, cause, is_exhausted) = match fresh {
            Some(((chosen, _), cause)) => (*chosen, *cause, false),
            None => (0, None, true),
        };
        Self {
            evidence,
            failure: &lead.failure,
            name: lead.name(),
            chosen,
            cause,
            broken: evidence.broken(),
            told: evidence.told().count(),
            is_exhausted,
            ranked,
        }
    }

    fn suspect(&self) -> Option<&Suspect> {
        self.ranked.suspects.get(self.chosen)
    }

    /// The place that it is about: the suspect, else the one that the failure itself has.
    fn location(&self) -> Option<&Location> {
        self.suspect().map(|suspect| &suspect.place).or_else(|| self.reported())
    }

    fn reported(&self) -> Option<&Location> {
        let Failure { location, test_location, in_tests, kind, .. } = self.failure;
        // Some say only which test imports what cannot be read.
        let names_it = |place: &Location| place.line.is_some() && !in_tests;
        if *kind == FailureKind::CompileError
            && !location.as_ref().is_some_and(names_it)
            && let Some(broken) = &self.broken
        {
            return Some(broken);
        }
        match in_tests {
            true => test_location.as_ref().or(location.as_ref()),
            false => location.as_ref().or(test_location.as_ref()),
        }
    }

    fn is_in_test(&self) -> bool {
        self.suspect().is_none()
            && in_the_test(self.failure)
            && self.failure.kind == FailureKind::TestFailure
    }

    fn confidence(&self) -> f64 {
        match self.suspect() {
            Some(_) if self.chosen > 0 => confidence::of_another(&self.ranked),
            Some(_) => confidence::of_first(&self.ranked),
            None => confidence::of_report(self.failure, self.location(), self.is_in_test()),
        }
    }

    fn root_cause(&self) -> String {
        let mut text = bound_end(self.name, LINE_CHARS);
        match (self.suspect(), self.location()) {
            (Some(suspect), _) => self.say_suspect(suspect, &mut text),
            (None, Some(place)) if self.is_in_test() => text.push_str(&format!(
                " fails at its check, {place}; which line of the code is wrong was not seen."
            )),
            (None, Some(place)) => {
                text.push_str(&format!(": {}, at {place}", self.said()));
                if let Some(function) = &place.function {
                    text.push_str(&format!(" in {function}"));
                }
                text.push('.');
            }
            (None, None) => text.push_str(&format!(": {}. No place was seen.", self.said())),
        }
        if is_located(self.failure) && self.cause.is_none() {
            self.say_history(&mut text);
            return text;
        }
        match self.cause {
            Some(cause) => text.push_str(&format!(" {}", cause.cause)),
            None if self.is_exhausted => text.push_str(&format!(
                " Why is not known: {} so far did not help.",
                counted(self.told, "analysis", "analyses")
            )),
            None => text.push_str(" Why is not known."),
        }
        self.say_history(&mut text);
        text
    }

    fn said(&self) -> String {
        bound_end(&self.failure.summary(), LINE_CHARS)
    }

    fn say_suspect(&self, suspect: &Suspect, text: &mut String) {
        let how = match (self.chosen, self.ranked.certainty) {
            (0, certainty) if certainty > 0.5 => "most likely because of",
            (0, _) => "maybe because of",
            _ => "and what was tried did not help; next to look at is",
        };
        text.push_str(&format!(" fails, {how} {}", suspect.place));
        if let Some(function) = &suspect.place.function {
            text.push_str(&format!(" in {function}"));
        }
        if self.chosen == 0 && !self.ranked.text.is_empty() {
            text.push_str(&format!(" (`{}`)", bound_end(&self.ranked.text, STATEMENT_CHARS)));
        }
        if !suspect.reasons.is_empty() {
            text.push_str(&format!(": {}", suspect.reasons.join("; ")));
        }
        text.push('.');
        let others = self.ranked.suspects.iter().enumerate();
        let others = others.filter(|(index, _)| *index != self.chosen);
        let others: Vec<String> =
            others.map(|(_, suspect)| suspect.place.to_string()).take(OTHERS_MAX).collect();
        if !others.is_empty() {
            text.push_str(&format!(" If not there: {}.", others.join(", ")));
        }
    }

    /// What is known of the attempts before.
    fn say_history(&self, text: &mut String) {
        let evidence = self.evidence;
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
    }

    fn fix_strategy(&self) -> String {
        let place = self
            .location()
            .map_or_else(|| "the code that the failing test calls".to_owned(), ToString::to_string);
        if let Some(strategy) = square_strategy(&self.failure.error_type, &place) {
            return strategy;
        }
        let mut text = match self.failure.error_type.as_str() {
            FLAKY => "Find what differs from run to run (order, time, shared state, randomness), and make it the same every time.".to_owned(),
            TEST_VANISHED => "Put the test back as it was, and make the code pass it.".to_owned(),
            TREE_CHANGED => format!("Have the tests write elsewhere than into code or tests, a temporary folder say; if {place} is made by them, let git ignore it. If somebody was editing, run them once more."),
            _ => self.of_cause(&place),
        };
        if self.is_exhausted {
            let ways = match self.failure.kind {
                FailureKind::CompileError => OTHER_WAYS_TO_BUILD,
                _ => OTHER_WAYS,
            };
            let other = ways.get(self.told.saturating_sub(1) % ways.len());
            text.push_str(other.copied().unwrap_or_default());
        }
        let checks = self.failure.test_location.as_ref();
        let new_check = checks.and_then(|check| changed_hunk(check, self.evidence.changes));
        if let Some(hunk) = new_check.filter(|_| self.failure.kind == FailureKind::TestFailure) {
            text.push_str(&format!(
                " The check that fails is new ({hunk}): see whether it is right."
            ));
        }
        text
    }

    fn of_cause(&self, place: &str) -> String {
        let at_place = match self.is_in_test() {
            true => format!("In the code that is called at {place}: "),
            false => format!("At {place}: "),
        };
        match (self.cause, self.failure.kind) {
            (Some(cause), FailureKind::TestFailure) => {
                format!("{at_place}{} Leave the test as it is.", cause.strategy)
            }
            (Some(cause), _) => format!("{at_place}{}", cause.strategy),
            (None, FailureKind::CompileError) => {
                format!("Make it build first: correct {place}; no test has run on this tree.")
            }
            (None, FailureKind::Timeout) => {
                "Find what never ends, or waits for ever, in the test that was running, and make it end.".to_owned()
            }
            (None, FailureKind::RuntimeError) => format!(
                "Find out why the process died at {place}, and handle that case instead of dying."
            ),
            (None, FailureKind::LintFailure) => {
                format!("Correct what the tool complains about at {place}, not the tool's configuration.")
            }
            (None, FailureKind::Unknown | FailureKind::ToolingError) => {
                "Read what the check printed, find out what it complains about, and correct that.".to_owned()
            }
            (None, FailureKind::TestFailure) if self.is_in_test() => format!(
                "Correct the code that the test calls at {place}, and leave the test as it is."
            ),
            (None, FailureKind::TestFailure) => format!(
                "Correct {place}, so that it gives what the test expects; leave the test as it is."
            ),
        }
    }
}

fn counted(count: usize, one: &str, more: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {more}") }
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
