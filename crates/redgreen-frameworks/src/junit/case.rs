//! One `<testcase>`, from its attributes and elements to a test.

use std::borrow::Cow;

use redgreen_model::report::TestOutcome;
use redgreen_xml::unescaped;

use super::trace::{Sources, frames};
use crate::stream::FailureRecord;
use crate::wordings::sides;

/// The most bytes of one element's text that are kept.
const TEXT_BYTES: usize = 256 * 1024;
/// The most elements of one case that are kept.
const PARTS: usize = 50;

/// What an element of a case says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartKind {
    Failure,
    Error,
    Skipped,
    /// It failed, and failed again when it was repeated.
    Rerun,
    /// It failed, and passed when it was repeated.
    Flaky,
}

impl PartKind {
    pub(super) fn of(element: &str) -> Option<Self> {
        Some(match element {
            "failure" => Self::Failure,
            "error" => Self::Error,
            "skipped" | "skip" | "disabled" | "ignored" => Self::Skipped,
            "rerunFailure" | "rerunError" => Self::Rerun,
            "flakyFailure" | "flakyError" => Self::Flaky,
            _ => return None,
        })
    }
}

/// An element of a case.
#[derive(Debug)]
pub(super) struct Part<'text> {
    pub(super) kind: PartKind,
    pub(super) error_type: &'text str,
    pub(super) message: Option<&'text str>,
    pub(super) text: Cow<'text, str>,
}

impl<'text> Part<'text> {
    pub(super) fn new(kind: PartKind) -> Self {
        Self { kind, error_type: "", message: None, text: Cow::Borrowed("") }
    }

    pub(super) fn push(&mut self, text: Cow<'text, str>) {
        if self.text.trim_ascii().is_empty() {
            self.text = text;
        } else if self.text.len() + text.len() <= TEXT_BYTES {
            self.text.to_mut().push_str(&text);
        }
    }
}

/// A case, as far as it was read. Values are raw, with entities.
#[derive(Debug, Default)]
pub(super) struct Case<'text> {
    pub(super) name: &'text str,
    pub(super) class: Option<&'text str>,
    pub(super) time: &'text str,
    pub(super) file: Option<&'text str>,
    pub(super) line: &'text str,
    pub(super) status: &'text str,
    pub(super) parts: Vec<Part<'text>>,
}

impl<'text> Case<'text> {
    pub(super) fn set(&mut self, attribute: &'text str, value: &'text str) {
        match attribute {
            "name" => self.name = value,
            "classname" | "class" => self.class = Some(value),
            "time" | "duration" => self.time = value,
            "file" | "filepath" => self.file = Some(value),
            "line" | "lineno" => self.line = value,
            "status" | "result" if !matches!(value, "run" | "completed") => self.status = value,
            _ => {}
        }
    }

    pub(super) fn add(&mut self, part: Part<'text>) -> bool {
        let room = self.parts.len() < PARTS;
        if room {
            self.parts.push(part);
        }
        room
    }

    fn part(&self, kind: PartKind) -> Option<&Part<'text>> {
        self.parts.iter().find(|part| part.kind == kind)
    }

    /// The element that makes the case red.
    pub(super) fn decisive(&self) -> Option<&Part<'text>> {
        self.part(PartKind::Failure)
            .or_else(|| self.part(PartKind::Error))
            .or_else(|| self.part(PartKind::Rerun))
    }

    pub(super) fn outcome(&self) -> TestOutcome {
        if self.parts.is_empty() && self.status.is_empty() {
            return TestOutcome::Passed;
        }
        match self.decisive().map(|part| part.kind) {
            Some(PartKind::Error) => return TestOutcome::Errored,
            Some(_) => return TestOutcome::Failed,
            None => {}
        }
        if let Some(skipped) = self.part(PartKind::Skipped) {
            let expected =
                skipped.error_type == "pytest.xfail" || self.status == "expected_failure";
            return if expected { TestOutcome::ExpectedFailure } else { TestOutcome::Skipped };
        }
        match self.status.to_ascii_lowercase().as_str() {
            "fail" | "failed" | "failure" => TestOutcome::Failed,
            "error" | "errored" | "broken" => TestOutcome::Errored,
            "notrun" | "skipped" | "disabled" | "ignored" | "suppressed" | "pending" => {
                TestOutcome::Skipped
            }
            "unexpected_pass" => TestOutcome::UnexpectedPass,
            _ => TestOutcome::Passed,
        }
    }

    /// Passed only when it was repeated.
    pub(super) fn is_flaky(&self) -> bool {
        self.part(PartKind::Flaky).is_some() && self.decisive().is_none()
    }
}

/// Why a case is red.
pub(super) fn record(part: &Part<'_>, class: &str, sources: &mut Sources<'_>) -> FailureRecord {
    let text = part.text.trim();
    let head = head_of(text);
    let said = part.message.map(unescaped).unwrap_or_default();
    let said = said.trim();
    let error_type = match unescaped(part.error_type).trim() {
        "" => type_in(if said.is_empty() { head } else { said }).unwrap_or_default(),
        named => named.to_owned(),
    };
    let message = if said.is_empty() { without_type(head, &error_type) } else { said };
    let (mut expected, mut actual) = sides(message);
    if expected.is_none() {
        (expected, actual) = sides(head);
    }
    FailureRecord {
        error_type: short_type(&error_type).to_owned(),
        message: message.to_owned(),
        expected,
        actual,
        stack: (!text.is_empty()).then(|| text.to_owned()),
        frames: frames(text, class, sources),
        phase: None,
    }
}

/// What stands before the first frame.
fn head_of(text: &str) -> &str {
    let frame = ["\n\tat ", "\n    at ", "\n   at ", "\nTraceback (most recent"];
    let begins = |end: &usize| {
        let rest = text.get(*end..).unwrap_or_default();
        frame.iter().any(|start| rest.starts_with(start))
    };
    let end = memchr::memchr_iter(b'\n', text.as_bytes()).find(begins);
    end.and_then(|end| text.get(..end)).unwrap_or(text).trim_end()
}

/// The type at the beginning of a text: `java.lang.IllegalStateException: closed`.
fn type_in(text: &str) -> Option<String> {
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    let word = line.trim().split([':', ' ']).next()?;
    let plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '$' | '\\');
    let looks_like_one = ["Error", "Exception", "Failure", "Failed", "Warning", "Interrupt"]
        .iter()
        .any(|end| word.ends_with(end));
    (looks_like_one && word.chars().all(plain)).then(|| word.to_owned())
}

fn without_type<'text>(head: &'text str, error_type: &str) -> &'text str {
    let rest = head.strip_prefix(error_type).and_then(|rest| rest.strip_prefix(':'));
    rest.map(str::trim).filter(|rest| !rest.is_empty() && !error_type.is_empty()).unwrap_or(head)
}

/// The name without its package or outer class.
fn short_type(name: &str) -> &str {
    let plain = !name.contains([' ', '/', ':']);
    let short = name.rsplit(['.', '$', '\\']).next().unwrap_or(name);
    if plain && !short.is_empty() { short } else { name }
}

/// Seconds, as reports write them, in milliseconds: `0.004`, `1,234.5`, `0,004`, `1.2E-4`.
pub(super) fn milliseconds(time: &str) -> u64 {
    plain_milliseconds(time.as_bytes()).or_else(|| odd_milliseconds(time)).unwrap_or(0)
}

fn plain_milliseconds(time: &[u8]) -> Option<u64> {
    // As most are written.
    if let [seconds, b'.', fraction @ ..] = time
        && let [first @ b'0'..=b'9', second @ b'0'..=b'9', third @ b'0'..=b'9'] = fraction
        && seconds.is_ascii_digit()
    {
        let digits = [seconds, first, second, third];
        return Some(digits.iter().fold(0, |all, digit| all * 10 + u64::from(*digit - b'0')));
    }
    let point = time.iter().position(|byte| *byte == b'.').unwrap_or(time.len());
    let (seconds, fraction) = time.split_at_checked(point)?;
    if seconds.is_empty() || seconds.len() > 9 || fraction.len() > 12 {
        return None;
    }
    let digit = |byte: u8| byte.is_ascii_digit().then(|| u64::from(byte - b'0'));
    let mut total = 0;
    for byte in seconds {
        total = total * 10 + digit(*byte)?;
    }
    let fraction = fraction.get(1..).unwrap_or_default();
    for place in 0..3 {
        total = total * 10 + fraction.get(place).map_or(Some(0), |byte| digit(*byte))?;
    }
    let rounded = fraction.get(3).map_or(Some(0), |byte| digit(*byte))? >= 5;
    fraction.iter().all(u8::is_ascii_digit).then_some(total + u64::from(rounded))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded before")]
fn odd_milliseconds(time: &str) -> Option<u64> {
    let time = time.trim().trim_end_matches('s').trim_end();
    let time = match (time.contains(','), time.contains('.')) {
        (true, true) => time.replace(',', ""),
        (true, false) => time.replace(',', "."),
        _ => time.to_owned(),
    };
    let seconds: f64 = time.parse().ok()?;
    (0.0..1e12).contains(&seconds).then(|| (seconds * 1000.0).round() as u64)
}
