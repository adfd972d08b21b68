//! What a program of GoogleTest says of its tests while they run: a line for each event, as
//! `event=TestStart&name=Adds`.

use std::collections::BTreeSet;

use redgreen_model::report::{FailureKind, TestOutcome};

use super::listing::case_id;
use crate::stream::{FailureRecord, Frame, Outside, StreamEvent};

/// The variable that names the socket to say it to.
pub const STREAM_TO: &str = "GTEST_STREAM_RESULT_TO";
/// The variable that names the report at the end.
pub const OUTPUT: &str = "GTEST_OUTPUT";
/// The variable that names the only tests to run.
pub const FILTER: &str = "GTEST_FILTER";
/// What every program that was built with GoogleTest has in it.
pub const MARK: &[u8] = b"gtest_streaming_protocol_version";

/// The tests of one program, as far as they are known.
pub struct GtestRun {
    run: String,
    program: String,
    suite: String,
    /// The test that runs.
    running: Option<Case>,
    /// Tests that did not pass, and may have been skipped: the events do not say which.
    held: Vec<Case>,
    began: bool,
    ended: bool,
    red: bool,
}

#[derive(Default)]
struct Case {
    /// `Suite.Name`
    name: String,
    parts: Vec<Part>,
    ms: Option<u64>,
}

#[derive(Default)]
struct Part {
    file: String,
    line: Option<u32>,
    message: String,
}

impl GtestRun {
    /// A program that has said nothing yet; `run` is that of the stream.
    pub fn new(run: String, program: &str) -> Self {
        Self {
            run,
            program: program.to_owned(),
            suite: String::new(),
            running: None,
            held: Vec::new(),
            began: false,
            ended: false,
            red: false,
        }
    }

    /// Whether it began to run its tests.
    pub fn began(&self) -> bool {
        self.began
    }

    /// Whether something in it is red.
    pub fn is_red(&self) -> bool {
        self.red
    }

    /// What a line means.
    pub fn take(&mut self, line: &str) -> Vec<StreamEvent> {
        let said: Vec<(&str, String)> = line
            .trim_end()
            .split('&')
            .filter_map(|pair| pair.split_once('=').map(|(name, value)| (name, decoded(value))))
            .collect();
        let field = |name: &str| {
            let found = said.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let passed = field("passed") == "1";
        match field("event").as_str() {
            "TestProgramStart" => self.began = true,
            "TestCaseStart" | "TestSuiteStart" => self.suite = field("name"),
            "TestStart" => {
                let name = format!("{}.{}", self.suite, field("name"));
                let test = self.id(&name);
                self.running = Some(Case { name, ..Case::default() });
                return vec![StreamEvent::Start {
                    run: self.run.clone(),
                    test,
                    file: None,
                    line: None,
                }];
            }
            "TestPartResult" => {
                let line = field("line").parse().ok();
                let part = Part { file: field("file"), line, message: field("message") };
                match &mut self.running {
                    Some(case) => case.parts.push(part),
                    None => return vec![self.outside(part)],
                }
            }
            "TestEnd" => {
                let Some(mut case) = self.running.take() else { return Vec::new() };
                case.ms = field("elapsed_time").trim_end_matches("ms").parse().ok();
                if passed {
                    return vec![self.end(case, TestOutcome::Passed, None)];
                }
                let test = self.id(&case.name);
                self.held.push(case);
                return vec![StreamEvent::Paused { run: self.run.clone(), test, parts: false }];
            }
            // All of its tests passed or were skipped.
            "TestCaseEnd" | "TestSuiteEnd" if passed => return self.skip_held(),
            "TestProgramEnd" => self.ended = true,
            _ => {}
        }
        Vec::new()
    }

    /// The program has ended, in these words if not by itself with status 0; `left_out` are the tests that its own report
    /// says were skipped or are not to run.
    pub fn finish(&mut self, death: Option<&str>, left_out: &BTreeSet<String>) -> Vec<StreamEvent> {
        let mut events = Vec::new();
        let mut known = BTreeSet::new();
        for case in std::mem::take(&mut self.held) {
            known.insert(case.name.clone());
            let skipped = left_out.contains(&case.name);
            let failure = (!skipped).then(|| record(&case.parts));
            let outcome = if skipped { TestOutcome::Skipped } else { TestOutcome::Failed };
            events.push(self.end(case, outcome, failure));
        }
        for name in left_out.difference(&known) {
            let case = Case { name: name.clone(), ..Case::default() };
            events.push(self.end(case, TestOutcome::Skipped, None));
        }
        let how = death.unwrap_or("ended with status 0");
        if let Some(case) = self.running.take() {
            let failure = FailureRecord {
                error_type: "crash".to_owned(),
                message: format!("the program {how} while this test ran"),
                phase: Some("crash".to_owned()),
                ..record(&case.parts)
            };
            events.push(self.end(case, TestOutcome::Errored, Some(failure)));
        } else if self.began && !self.ended {
            let message = format!("{} {how} before its tests did", self.program);
            events.push(self.outside(Part { message, ..Part::default() }));
        }
        events
    }

    fn id(&self, name: &str) -> String {
        case_id(&self.program, name)
    }

    fn skip_held(&mut self) -> Vec<StreamEvent> {
        let of_suite = format!("{}.", self.suite);
        let (of_this, before): (Vec<_>, Vec<_>) = std::mem::take(&mut self.held)
            .into_iter()
            .partition(|case| case.name.starts_with(&of_suite));
        self.held = before;
        of_this.into_iter().map(|case| self.end(case, TestOutcome::Skipped, None)).collect()
    }

    fn end(
        &mut self,
        case: Case,
        outcome: TestOutcome,
        failure: Option<FailureRecord>,
    ) -> StreamEvent {
        self.red |= outcome.is_red();
        let place = case.parts.first().filter(|part| failure.is_some() && part.line.is_some());
        StreamEvent::End {
            run: self.run.clone(),
            test: self.id(&case.name),
            outcome,
            ms: case.ms,
            failure,
            file: place.map(|part| part.file.clone()),
            line: place.and_then(|part| part.line),
        }
    }

    /// A failure of a suite's or the program's own set-up or end.
    fn outside(&mut self, part: Part) -> StreamEvent {
        self.red = true;
        StreamEvent::Error(Box::new(Outside {
            run: self.run.clone(),
            kind: FailureKind::RuntimeError,
            error_type: error_type(&part.message).to_owned(),
            message: part.message,
            file: part.line.map(|_| part.file),
            line: part.line,
            stack: None,
            frames: Vec::new(),
            test: None,
        }))
    }
}

/// Why a test is red: its first failed assertion; all of them are the stack.
fn record(parts: &[Part]) -> FailureRecord {
    let Some(first) = parts.first() else { return FailureRecord::default() };
    let (expected, actual) = compared(&first.message).unzip();
    let shown = parts.iter().map(|part| match part.line {
        Some(line) => format!("{}:{line}: {}\n", part.file, part.message),
        None => format!("{}\n", part.message),
    });
    let frame = |part: &Part| {
        part.line.map(|line| Frame { file: part.file.clone(), line: Some(line), function: None })
    };
    FailureRecord {
        error_type: error_type(&first.message).to_owned(),
        message: first.message.clone(),
        expected,
        actual,
        stack: Some(shown.collect()),
        frames: frame(first).into_iter().collect(),
        phase: None,
    }
}

fn error_type(message: &str) -> &'static str {
    match message {
        _ if message.starts_with("C++ exception")
            || message.starts_with("Unknown C++ exception") =>
        {
            "exception"
        }
        _ if message.starts_with("Death test") => "death test",
        _ => "Failure",
    }
}

/// What an assertion wanted and what it got.
fn compared(message: &str) -> Option<(String, String)> {
    if let Some(rest) = message.strip_prefix("Expected equality of these values:\n") {
        return equality(rest);
    }
    // `Expected: (a) > (b), actual: 1 vs 2`
    let first = message.lines().next().unwrap_or_default();
    if let Some((wanted, got)) =
        first.strip_prefix("Expected: ").and_then(|rest| rest.rsplit_once(", actual: "))
    {
        return Some((wanted.to_owned(), got.to_owned()));
    }
    // `Value of: x`, then both, each on a line.
    let line = |mark: &str| {
        let found = message.lines().find_map(|line| line.trim_start().strip_prefix(mark));
        found.map(str::to_owned)
    };
    line("Expected: ").zip(line("Actual: "))
}

/// Two expressions, each with its value behind it unless it is one itself: that one is what was wanted, and the first where
/// both or none are.
fn equality(rest: &str) -> Option<(String, String)> {
    let mut sides: Vec<(String, bool)> = Vec::new();
    for line in rest.lines() {
        if let Some(value) = line.strip_prefix("    Which is: ") {
            *sides.last_mut()? = (value.to_owned(), false);
        } else if sides.len() < 2 && line.starts_with("  ") {
            sides.push((line.trim().to_owned(), true));
        } else {
            break;
        }
    }
    let [(first, is_value), (second, other_is_value)] = <[_; 2]>::try_from(sides).ok()?;
    let swapped = other_is_value && !is_value;
    Some(if swapped { (second, first) } else { (first, second) })
}

/// `%0A` and the like, as they were.
fn decoded(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests;
