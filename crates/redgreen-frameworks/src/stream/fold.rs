//! From events to a report.

use std::collections::{BTreeSet, HashMap};

use redgreen_model::report::{Failure, FailureKind, Location, Report, TestCase, TestOutcome};
use redgreen_model::text::{
    BLOCK_CHARS, LINE_CHARS, MESSAGE_CHARS, clean_block, clean_line, cleaned_block,
};

use super::{FailureRecord, Outside, StreamEvent, StreamReader};
use crate::identity::clean_id;
use crate::place::Places;

/// The message of a failure that came without one.
pub(crate) const NO_MESSAGE: &str = "the runner gave no message";
/// How many oddities of one stream are listed.
const NOTES: usize = 20;
/// How many failures outside of tests are kept.
const ERRORS: usize = 200;

/// What is needed to read a stream: where the project is.
pub type StreamContext<'paths> = Places<'paths>;

/// Reads a whole stream. Never fails; see the module for the rules.
pub fn read_stream(bytes: &[u8], context: StreamContext<'_>) -> Report {
    let mut reader = StreamReader::new();
    let events = reader.feed(bytes);
    let mut fold = Fold::new(context);
    for event in events {
        fold.take(event);
    }
    fold.finish(reader.finish())
}

/// The report of events that are no stream yet, with what their reader could not make sense of.
pub(crate) fn read_events(
    events: impl IntoIterator<Item = StreamEvent>,
    diagnostics: Vec<String>,
    context: StreamContext<'_>,
) -> Report {
    let mut fold = Fold::new(context);
    for event in events {
        fold.take(event);
    }
    fold.finish(diagnostics)
}

#[derive(Default)]
struct Run {
    said_bye: bool,
}

#[derive(Default)]
struct Test {
    in_flight: BTreeSet<String>,
    started: bool,
    /// It began and does not run.
    paused: bool,
    /// Its parts are the tests.
    parts: bool,
    ended: Option<TestCase>,
    place: Option<(String, Option<u32>)>,
}

struct Fold<'paths> {
    context: StreamContext<'paths>,
    runs: HashMap<String, Run>,
    order: Vec<String>,
    tests: HashMap<String, Test>,
    errors: Vec<Failure>,
    notes: Vec<String>,
    more_notes: usize,
}

impl<'paths> Fold<'paths> {
    fn new(context: StreamContext<'paths>) -> Self {
        Self {
            context,
            runs: HashMap::new(),
            order: Vec::new(),
            tests: HashMap::new(),
            errors: Vec::new(),
            notes: Vec::new(),
            more_notes: 0,
        }
    }

    fn take(&mut self, event: StreamEvent) {
        match event {
            StreamEvent::Hello { run, .. } => {
                if self.runs.insert(run.clone(), Run::default()).is_some() {
                    self.note(format!("run {run} said hello twice"));
                }
            }
            StreamEvent::Bye { run, .. } => match self.runs.get_mut(&run) {
                Some(known) => known.said_bye = true,
                None => self.note(format!("run {run} said bye and never hello")),
            },
            StreamEvent::Collected { test, .. } => {
                self.test(&test);
            }
            StreamEvent::Start { run, test, file, line } => {
                let state = self.test(&test);
                state.started = true;
                state.paused = false;
                state.in_flight.insert(run);
                state.place = file.map(|file| (file, line)).or(state.place.take());
            }
            StreamEvent::Paused { run, test, parts } => {
                let state = self.test(&test);
                state.in_flight.remove(&run);
                state.paused = true;
                state.parts |= parts;
            }
            StreamEvent::End { run, test, outcome, ms, failure, file, line } => {
                let place = file.map(|file| (file, line));
                self.end(&run, &test, Ending { outcome, ms, failure, place });
            }
            StreamEvent::Failure { test, failure, file, line, .. } => {
                self.late_failure(&test, failure, file.map(|file| (file, line)));
            }
            StreamEvent::Error(outside) => self.error(&outside),
            StreamEvent::Note { run, message } => self.note(format!("{run}: {message}")),
        }
    }

    fn test(&mut self, raw: &str) -> &mut Test {
        let id = clean_id(raw);
        if !self.tests.contains_key(&id) {
            self.order.push(id.clone());
        }
        self.tests.entry(id).or_default()
    }

    fn end(&mut self, run: &str, test: &str, ending: Ending) {
        let believed = self.runs.get(run).is_some_and(|run| !run.said_bye);
        if !believed && !ending.outcome.is_red() {
            self.note(format!("{test} ended in run {run}, which is not open: not believed"));
            return;
        }
        let context = self.context;
        let id = clean_id(test);
        let state = self.test(test);
        state.in_flight.remove(run);
        state.place = ending.place.clone().or(state.place.take());
        let case = ending.case(id, context, state.place.as_ref());
        let earlier = state.ended.take();
        let twice = earlier.is_some();
        state.ended = Some(match earlier {
            Some(earlier) if severity(earlier.outcome) >= severity(case.outcome) => earlier,
            _ => case,
        });
        if twice {
            self.note(format!("{test} ended more than once: the worse outcome counts"));
        }
    }

    /// Details for a test that ended red; they cannot make one red that is not.
    fn late_failure(
        &mut self,
        test: &str,
        record: FailureRecord,
        reported: Option<(String, Option<u32>)>,
    ) {
        let context = self.context;
        let id = clean_id(test);
        match self.tests.get_mut(&id) {
            Some(Test { ended: Some(case), place, .. }) if case.outcome.is_red() => {
                let failure = Some(record);
                let ending = Ending {
                    outcome: case.outcome,
                    ms: Some(case.duration_ms),
                    failure,
                    place: None,
                };
                *place = reported.or(place.take());
                *case = ending.case(id, context, place.as_ref());
            }
            _ => self.note(format!("details for {test}, which did not end red")),
        }
    }

    fn error(&mut self, outside: &Outside) {
        if self.errors.len() >= ERRORS {
            self.note("more failures outside of tests than are kept".to_owned());
            return;
        }
        let declared = outside.file.as_deref().map(|file| (file, outside.line));
        let mut failure = described(
            outside.kind,
            &outside.error_type,
            &outside.message,
            outside.stack.as_deref(),
        );
        failure.test = outside.test.as_deref().map(clean_id);
        let located = self.context.locate(&outside.frames, None);
        let declared = declared.and_then(|(file, line)| self.context.location(file, line));
        failure.frames = located.frames;
        // A file that cannot be read as a program is where it is, not where it was imported.
        let known = |place: &Location| {
            failure
                .frames
                .iter()
                .any(|frame| (&frame.file, frame.line) == (&place.file, place.line))
        };
        if let Some(place) = declared.clone().filter(|place| !known(place)) {
            failure.frames.insert(0, place);
        }
        failure.location = declared.or(located.location);
        if !self.errors.contains(&failure) {
            self.errors.push(failure);
        }
    }

    fn note(&mut self, what: String) {
        if self.notes.len() < NOTES {
            self.notes.push(format!("report stream: {}", clean_line(&what, LINE_CHARS)));
        } else {
            self.more_notes += 1;
        }
    }

    /// Every test lands in exactly one list: red, else unfinished, else ended, else not run.
    fn finish(mut self, mut diagnostics: Vec<String>) -> Report {
        let began = !self.runs.is_empty();
        let complete = began && self.runs.values().all(|run| run.said_bye);
        let mut report = Report { began, complete, errors: self.errors, ..Report::default() };
        for id in self.order {
            let Some(test) = self.tests.remove(&id) else { continue };
            let unfinished = !test.in_flight.is_empty();
            match test.ended {
                Some(case) if case.outcome.is_red() || !unfinished => report.tests.push(case),
                _ if unfinished => report.unfinished.push(id),
                _ if test.parts => {}
                _ if test.started && !test.paused => report.unfinished.push(id),
                _ => report.not_run.push(id),
            }
        }
        diagnostics.append(&mut self.notes);
        if self.more_notes > 0 {
            diagnostics.push(format!("… and {} more like these", self.more_notes));
        }
        report.diagnostics = diagnostics;
        report
    }
}

struct Ending {
    outcome: TestOutcome,
    ms: Option<u64>,
    failure: Option<FailureRecord>,
    place: Option<(String, Option<u32>)>,
}

impl Ending {
    fn case(
        self,
        id: String,
        context: StreamContext<'_>,
        place: Option<&(String, Option<u32>)>,
    ) -> TestCase {
        let failure = self.outcome.is_red().then(|| {
            let record = self.failure.unwrap_or_default();
            let test = place.map(|(file, line)| (file.as_str(), *line));
            Box::new(red_failure(&id, self.outcome, record, context, test))
        });
        TestCase { id, outcome: self.outcome, duration_ms: self.ms.unwrap_or(0), failure }
    }
}

/// Why a test is red: clean and bounded, with its places.
pub(crate) fn red_failure(
    id: &str,
    outcome: TestOutcome,
    record: FailureRecord,
    places: Places<'_>,
    test: Option<(&str, Option<u32>)>,
) -> Failure {
    let located = places.locate(&record.frames, test);
    let mut failure = describe_red(outcome, record);
    failure.test = Some(id.to_owned());
    failure.location = located.location;
    failure.test_location = located.test_location;
    failure.frames = located.frames;
    failure
}

fn describe_red(outcome: TestOutcome, record: FailureRecord) -> Failure {
    let kind = match outcome {
        _ if record.phase.as_deref() == Some("timeout") => FailureKind::Timeout,
        TestOutcome::Errored => FailureKind::RuntimeError,
        _ => FailureKind::TestFailure,
    };
    let error_type = if record.error_type.is_empty() { "Failure" } else { &record.error_type };
    let error_type = clean_line(error_type, LINE_CHARS);
    let message = if record.message.is_empty() { NO_MESSAGE.to_owned() } else { record.message };
    let value = |text: Option<String>| text.map(|text| cleaned_block(text, MESSAGE_CHARS));
    Failure {
        expected: value(record.expected),
        actual: value(record.actual),
        stack: cleaned_block(record.stack.unwrap_or_default(), BLOCK_CHARS),
        ..Failure::new(kind, error_type, cleaned_block(message, MESSAGE_CHARS))
    }
}

fn described(kind: FailureKind, error_type: &str, message: &str, stack: Option<&str>) -> Failure {
    let mut failure = Failure::new(
        kind,
        clean_line(error_type, LINE_CHARS),
        clean_block(message.as_bytes(), MESSAGE_CHARS),
    );
    failure.stack = clean_block(stack.unwrap_or("").as_bytes(), BLOCK_CHARS);
    failure
}

/// How bad an outcome is, where one test has two.
fn severity(outcome: TestOutcome) -> u8 {
    match outcome {
        TestOutcome::Passed => 0,
        TestOutcome::UnexpectedPass => 1,
        TestOutcome::ExpectedFailure => 2,
        TestOutcome::Skipped => 3,
        TestOutcome::Failed => 4,
        TestOutcome::Errored => 5,
    }
}
