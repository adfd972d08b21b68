//! What one run says, put together as its lines come.

use std::borrow::Cow;
use std::iter;

use redgreen_model::report::{Failure, FailureKind, Report, TestCase, TestOutcome};
use redgreen_model::text::{BLOCK_CHARS, LINE_CHARS, MESSAGE_CHARS, clean_line, cleaned_block};

use super::UNNAMED;
use super::index::{HalfDigest, Index};
use crate::identity::{clean_id, is_simple};
use crate::place::Places;
use crate::stream::FailureRecord;

/// How many failures outside of tests are kept of one run.
const ERRORS: usize = 200;
/// How many remarks are kept of one run.
const NOTES: usize = 100;
/// How many tests that ended are looked for together among those before them, at least.
const WAITING: usize = 128;

/// A file and a line, as a log names them.
pub(super) type LogLocation<'text> = (&'text str, Option<u32>);

/// How many tests a summary counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Claimed {
    pub passed: u64,
    pub red: u64,
    pub skipped: u64,
}

/// What a whole run said.
pub(super) struct Said {
    pub report: Report,
    pub duration_ms: u64,
    pub unnamed_passes: u64,
}

/// A run that is being read.
pub(super) struct Run<'paths> {
    pub places: Places<'paths>,
    report: Report,
    by_id: Index,
    /// The digests of the last tests of the report, which ended and may have been there before.
    waiting: Vec<HalfDigest>,
    repeated: usize,
    more_errors: usize,
    claimed: Claimed,
    duration_ms: u64,
    progress: u64,
    started: bool,
    whole_ms: Option<u64>,
    unnamed: (u64, &'static str),
}

impl<'paths> Run<'paths> {
    pub fn new(places: Places<'paths>) -> Self {
        Self {
            places,
            report: Report::default(),
            by_id: Index::default(),
            waiting: Vec::new(),
            repeated: 0,
            more_errors: 0,
            claimed: Claimed::default(),
            duration_ms: 0,
            progress: 0,
            started: false,
            whole_ms: None,
            unnamed: (0, ""),
        }
    }

    /// A test ended. Where it had ended before, the last end counts, and that is said.
    pub fn ended(&mut self, id: &str, outcome: TestOutcome, duration_ms: u64) {
        self.progress += 1;
        let id = cleaned(id);
        self.waiting.push(HalfDigest::of(&id));
        // A box is handed over in registers, and the test made where it stays: what is read back
        // from memory would wait for all bytes of the id to be written.
        let id: Box<str> = id.into();
        let case = || TestCase { id: id.into(), outcome, duration_ms, failure: None };
        self.report.tests.extend(iter::once_with(case));
        // So that what is repeated never takes more memory than what is not.
        if self.waiting.len() >= WAITING && self.waiting.len() * 2 >= self.report.tests.len() {
            self.settle();
        }
    }

    /// Looks for the tests that wait among those before them.
    fn settle(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let tests = &self.report.tests;
        let first = tests.len() - self.waiting.len();
        let is_same = |one: usize, other: usize| tests[one].id == tests[other].id;
        let repeated = self.by_id.add_all(&self.waiting, first, is_same);
        if !repeated.is_empty() {
            self.merge(first, &repeated);
        }
        self.waiting.clear();
    }

    /// What ended again is where it was, and what waits behind it moves up.
    fn merge(&mut self, first: usize, repeated: &[(usize, usize)]) {
        let tests = &mut self.report.tests;
        for (at, known) in repeated {
            let (outcome, duration_ms) = (tests[*at].outcome, tests[*at].duration_ms);
            let case = &mut tests[*known];
            (case.outcome, case.duration_ms) = (outcome, duration_ms);
            if !outcome.is_red() {
                case.failure = None;
            }
        }
        self.repeated += repeated.len();
        let mut gone = repeated.iter().map(|(at, _)| *at).peekable();
        let mut settled = first;
        for (at, half) in (first..).zip(&self.waiting) {
            if gone.next_if_eq(&at).is_some() {
                continue;
            }
            if settled < at {
                tests.swap(settled, at);
                self.by_id.moved(*half, at, settled);
            }
            settled += 1;
        }
        tests.truncate(settled);
    }

    /// A list names a test that may have been named before: nothing new if it was, but that a red
    /// one is red.
    pub fn listed(&mut self, id: &str, outcome: TestOutcome) {
        self.progress += 1;
        let (case, is_new) = self.case(id, outcome);
        if !is_new && outcome.is_red() && !case.outcome.is_red() {
            case.outcome = outcome;
        }
    }

    /// How a test ended so far.
    pub fn outcome_of(&mut self, id: &str) -> Option<TestOutcome> {
        self.settle();
        let id = cleaned(id);
        let tests = &self.report.tests;
        let is = |slot: usize| tests.get(slot).is_some_and(|case| case.id == *id);
        self.by_id
            .find(HalfDigest::of(&id), is)
            .and_then(|slot| tests.get(slot))
            .map(|case| case.outcome)
    }

    /// Why a test is red; it is red by that, whether or not it was named before. Where there is a
    /// reason already, the more telling one stays.
    pub fn because(
        &mut self,
        id: &str,
        outcome: TestOutcome,
        record: FailureRecord,
        place: Option<LogLocation<'_>>,
    ) {
        let places = self.places;
        let (case, _) = self.case(id, outcome);
        if !case.outcome.is_red() {
            case.outcome = outcome;
        }
        let failure = described(&case.id, case.outcome, record, place, places);
        match &case.failure {
            Some(known)
                if known.stack.len() + known.message.len()
                    > failure.stack.len() + failure.message.len() => {}
            _ => case.failure = Some(Box::new(failure)),
        }
    }

    /// Something failed outside of a test.
    pub fn error(
        &mut self,
        kind: FailureKind,
        record: FailureRecord,
        place: Option<LogLocation<'_>>,
    ) {
        let located = self.places.locate(&record.frames, place);
        let mut failure = bounded(kind, record);
        failure.location = located.test_location.filter(|_| place.is_some()).or(located.location);
        self.push_error(failure);
    }

    /// A failure outside of a test, ready made.
    pub fn push_error(&mut self, failure: Failure) {
        if self.report.errors.contains(&failure) {
            return;
        }
        if self.report.errors.len() < ERRORS {
            self.report.errors.push(failure);
        } else {
            self.more_errors += 1;
        }
    }

    /// A summary counts so many tests, beside those of earlier summaries of this run.
    pub fn claims(&mut self, claimed: Claimed) {
        self.progress += 1;
        self.claimed.passed += claimed.passed;
        self.claimed.red += claimed.red;
        self.claimed.skipped += claimed.skipped;
        self.report.complete = true;
    }

    /// The passes that a summary counted and that are not what became of these tests.
    pub fn claims_fewer_passes(&mut self, count: u64) {
        self.claimed.passed = self.claimed.passed.saturating_sub(count);
    }

    /// It is sure that something runs, although nothing of it has ended yet.
    pub fn started(&mut self) {
        self.started = true;
    }

    /// Whether something is known to run.
    pub fn has_started(&self) -> bool {
        self.started
    }

    /// How much was said so far: more with every end of a test and every summary.
    pub fn progress(&self) -> u64 {
        self.progress
    }

    /// Whether any test has a name.
    pub fn names_tests(&self) -> bool {
        !self.report.tests.is_empty()
    }

    /// Groups of tests passed as a whole, and none of their tests is named.
    pub fn passed_unnamed(&mut self, count: u64, one: &'static str, many: &'static str) {
        self.progress += u64::from(self.unnamed.0 != count);
        self.unnamed = (count, if count == 1 { one } else { many });
    }

    /// The run failed: where nothing else says why, this does.
    pub fn needs_error(&mut self, message: &str) {
        let record = FailureRecord {
            error_type: UNNAMED.to_owned(),
            message: message.to_owned(),
            ..FailureRecord::default()
        };
        self.needs_failure(FailureKind::Unknown, record);
    }

    /// The run failed: where nothing else says why, this does.
    pub fn needs_failure(&mut self, kind: FailureKind, record: FailureRecord) {
        self.settle();
        let red = self.report.tests.iter().any(|case| case.outcome.is_red());
        if !red && self.report.errors.is_empty() {
            self.error(kind, record, None);
        }
    }

    /// Whether the run came to its end.
    pub fn complete(&mut self, complete: bool) {
        self.progress += u64::from(self.report.complete != complete);
        self.report.complete = complete;
    }

    /// How long it took, beside what was said before.
    pub fn took(&mut self, duration_ms: u64) {
        self.duration_ms = self.duration_ms.saturating_add(duration_ms);
    }

    /// How long all of it took; what was said of parts does not count then.
    pub fn took_whole(&mut self, duration_ms: u64) {
        self.whole_ms = Some(duration_ms);
    }

    /// The report of a reader that knows the whole document.
    pub fn adopt(&mut self, report: Report) {
        self.settle();
        self.report = Report { began: false, ..report };
    }

    /// Something to know when reading the result.
    pub fn note(&mut self, note: String) {
        let note = clean_line(&note, LINE_CHARS);
        let known = &mut self.report.diagnostics;
        if known.len() < NOTES && !known.contains(&note) {
            known.push(note);
        }
    }

    /// Everything that was said; none where there was nothing but the beginning of a run.
    pub fn finish(mut self, program: &str) -> Option<Said> {
        self.settle();
        if !self.started
            && !self.report.complete
            && self.report.tests.is_empty()
            && self.report.errors.is_empty()
        {
            return None;
        }
        let (mut green, mut red, mut skipped) = (0, self.report.errors.len() as u64, 0);
        for case in &self.report.tests {
            green += u64::from(case.outcome.is_green());
            red += u64::from(case.outcome.is_red());
            skipped += u64::from(is_skipped(case.outcome));
        }
        let mut notes = Vec::new();
        for (claimed, named, word) in [
            (self.claimed.passed, green, "passed"),
            (self.claimed.red, red, "failed"),
            (self.claimed.skipped, skipped, "skipped"),
        ] {
            if claimed > named {
                let missing = claimed - named;
                notes.push(format!(
                    "{missing} {word} {} not named in the log",
                    if missing == 1 { "is" } else { "are" }
                ));
            }
        }
        if self.claimed.red > 0 && red == 0 {
            let message =
                format!("{program} counts {} failed, and the log names none", self.claimed.red);
            self.report.errors.push(Failure::new(FailureKind::TestFailure, UNNAMED, message));
        }
        if let (count @ 1.., word) = self.unnamed {
            notes.push(format!("{count} {word} passed, and no test of them is named in the log"));
        }
        if self.repeated > 0 {
            notes.push(format!(
                "{} ended more than once: the last end counts",
                tests(self.repeated)
            ));
        }
        if self.more_errors > 0 {
            notes.push(format!("{} more findings are left out", self.more_errors));
        }
        self.report.diagnostics.append(&mut notes);
        self.report.tests.shrink_to_fit();
        Some(Said {
            report: self.report,
            duration_ms: self.whole_ms.unwrap_or(self.duration_ms),
            unnamed_passes: self.claimed.passed.saturating_sub(green) + self.unnamed.0,
        })
    }

    /// The test of that id, and whether it is new.
    fn case(&mut self, id: &str, outcome: TestOutcome) -> (&mut TestCase, bool) {
        self.settle();
        let id = cleaned(id);
        let tests = &self.report.tests;
        let known = self.by_id.find_or_add(HalfDigest::of(&id), tests.len(), |slot| {
            tests.get(slot).is_some_and(|case| case.id == *id)
        });
        let slot = known.unwrap_or(tests.len());
        if known.is_none() {
            let id = id.into_owned();
            self.report.tests.push(TestCase { id, outcome, duration_ms: 0, failure: None });
        }
        (&mut self.report.tests[slot], known.is_none())
    }
}

fn tests(count: usize) -> String {
    format!("{count} {}", if count == 1 { "test" } else { "tests" })
}

fn is_skipped(outcome: TestOutcome) -> bool {
    matches!(outcome, TestOutcome::Skipped | TestOutcome::ExpectedFailure)
}

fn cleaned(id: &str) -> Cow<'_, str> {
    if is_simple(id) { Cow::Borrowed(id) } else { Cow::Owned(clean_id(id)) }
}

fn described(
    id: &str,
    outcome: TestOutcome,
    record: FailureRecord,
    place: Option<LogLocation<'_>>,
    places: Places<'_>,
) -> Failure {
    let kind = match outcome {
        TestOutcome::Errored => FailureKind::RuntimeError,
        _ => FailureKind::TestFailure,
    };
    let located = places.locate(&record.frames, place);
    let mut failure = bounded(kind, record);
    failure.test = Some(id.to_owned());
    failure.location = located.location;
    failure.test_location = located.test_location;
    failure.frames = located.frames;
    failure
}

fn bounded(kind: FailureKind, record: FailureRecord) -> Failure {
    let block = |mut text: String, most: usize| {
        text.truncate(text.trim_end().len());
        cleaned_block(text, most)
    };
    let or = |text: String, default: &'static str| {
        if text.trim().is_empty() { default.to_owned() } else { text }
    };
    let mut failure = Failure::new(
        kind,
        clean_line(&or(record.error_type, "Failure"), LINE_CHARS),
        block(or(record.message, "the log gives no message"), MESSAGE_CHARS),
    );
    failure.expected = record.expected.map(|text| block(text, MESSAGE_CHARS));
    failure.actual = record.actual.map(|text| block(text, MESSAGE_CHARS));
    failure.stack = block(record.stack.unwrap_or_default(), BLOCK_CHARS);
    failure
}
