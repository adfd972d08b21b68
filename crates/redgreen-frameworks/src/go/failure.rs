//! Why a test failed, from what it printed. Only explains: that it failed is known from go's events.

use std::path::Path;

use redgreen_model::text::bound_middle;

use super::comparison::{example_sides, sides};
use super::event::is_framing;
use super::trace::Trace;
use super::transcript::Transcript;
use crate::stream::{FailureRecord, Frame};

/// Words that make a line of a test's log look like a complaint, in small letters.
const COMPLAINTS: &[&str] = &[
    "want",
    "expect",
    "got",
    "error",
    "fail",
    "unexpected",
    "mismatch",
    "differ",
    "should",
    "must",
    "not equal",
    "invalid",
    "missing",
    "wrong",
    "cannot",
];

/// The most characters of a message or a value in an event, and of a stack: even where each of them
/// is escaped, the line stays below what the stream's reader takes.
pub const EVENT_MESSAGE_CHARS: usize = 8_000;
pub const EVENT_STACK_CHARS: usize = 24_000;

/// The failure with texts that are short enough for an event.
pub fn bounded(mut failure: FailureRecord) -> FailureRecord {
    let bound = |text: Option<String>, chars| text.map(|text| bound_middle(&text, chars));
    failure.message = bound_middle(&failure.message, EVENT_MESSAGE_CHARS);
    failure.expected = bound(failure.expected, EVENT_MESSAGE_CHARS);
    failure.actual = bound(failure.actual, EVENT_MESSAGE_CHARS);
    failure.stack = bound(failure.stack, EVENT_STACK_CHARS);
    failure
}

/// A test that failed.
#[derive(Clone, Copy, Debug)]
pub struct FailedTest<'run> {
    /// The import path of its package.
    pub package: &'run str,
    /// The folder of its package.
    pub folder: &'run Path,
    /// Its name.
    pub name: &'run str,
    /// What it printed.
    pub output: &'run Transcript,
}

/// Why it failed, and where the test is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// Why.
    pub failure: FailureRecord,
    /// The file with the test, and the line in it where the failure showed.
    pub place: Option<(String, u32)>,
    /// Whether the process died with it.
    pub died: bool,
}

/// The function that a test is, as traces name it.
pub fn function(package: &str, test: &str) -> String {
    let name = test.split('/').next().unwrap_or(test);
    format!("{package}.{name}")
}

impl Explanation {
    /// The process died without a trace.
    pub fn of_death(how: &str) -> Self {
        let failure = FailureRecord {
            error_type: "crash".to_owned(),
            message: format!("the test binary ended while this test ran: {how}"),
            phase: Some("crash".to_owned()),
            ..FailureRecord::default()
        };
        Self { failure, place: None, died: true }
    }
}

impl FailedTest<'_> {
    /// Why it failed.
    pub fn explain(&self) -> Explanation {
        let text = plain_output(&self.output.text());
        let mut explained = self
            .output
            .trace()
            .and_then(Trace::read)
            .map(|trace| self.of_trace(&trace))
            .or_else(|| self.of_example(&text))
            .unwrap_or_else(|| self.of_log(&text));
        let stack = self.output.trace().filter(|_| explained.died).unwrap_or(&text);
        explained.failure.stack = Some(stack.to_owned()).filter(|text| !text.trim().is_empty());
        explained
    }

    /// What a trace says of this test.
    pub fn of_trace(&self, trace: &Trace) -> Explanation {
        let function = function(self.package, self.name);
        let race = trace.error_type == "data race";
        let phase = match (&trace.timed_out, race) {
            (Some(_), _) => "timeout",
            (None, true) => "call",
            (None, false) => "crash",
        };
        let error_type = match &trace.timed_out {
            Some(_) => "timeout".to_owned(),
            None => trace.error_type.clone(),
        };
        Explanation {
            failure: FailureRecord {
                error_type,
                message: trace.message.clone(),
                frames: trace.frames(&function),
                phase: Some(phase.to_owned()),
                ..FailureRecord::default()
            },
            place: trace.test_place(&function),
            died: !race,
        }
    }

    fn of_example(&self, text: &str) -> Option<Explanation> {
        let (actual, expected) =
            self.name.starts_with("Example").then(|| example_sides(text)).flatten()?;
        Some(Explanation {
            failure: FailureRecord {
                error_type: "example".to_owned(),
                message: format!("the output of {} is not what its comment says", self.name),
                expected: Some(expected),
                actual: Some(actual),
                phase: Some("call".to_owned()),
                ..FailureRecord::default()
            },
            ..Explanation::default()
        })
    }

    fn of_log(&self, text: &str) -> Explanation {
        let entries = entries(text);
        let complains = |entry: &&Entry| {
            let small = entry.text.to_lowercase();
            COMPLAINTS.iter().any(|word| small.contains(word))
        };
        let Some(entry) = entries.iter().find(complains).or(entries.last()) else {
            return self.without_log(text);
        };
        let place = self.folder.join(entry.file).to_string_lossy().into_owned();
        let mut frames =
            vec![Frame { file: place.clone(), line: Some(entry.line), function: None }];
        let (mut message, mut expected, mut actual) = (entry.text.trim().to_owned(), None, None);
        if let Some(block) = super::testify::read(&entry.text) {
            message = block.message;
            (expected, actual) = (block.expected, block.actual);
            let outer = block.trace.into_iter().rev();
            let traced: Vec<Frame> = outer
                .map(|(file, line)| Frame { file, line: Some(line), function: None })
                .collect();
            frames = if traced.is_empty() { frames } else { traced };
        } else if let Some(found) = sides(&message) {
            (actual, expected) = (Some(found.0), Some(found.1));
        }
        Explanation {
            failure: FailureRecord {
                error_type: "FAIL".to_owned(),
                message,
                expected,
                actual,
                frames,
                phase: Some("call".to_owned()),
                ..FailureRecord::default()
            },
            place: entry.file.ends_with("_test.go").then_some((place, entry.line)),
            died: false,
        }
    }

    fn without_log(&self, text: &str) -> Explanation {
        let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("");
        let message = match last.trim() {
            "" => "the test failed and said nothing".to_owned(),
            line => line.to_owned(),
        };
        Explanation {
            failure: FailureRecord {
                error_type: "FAIL".to_owned(),
                message,
                phase: Some("call".to_owned()),
                ..FailureRecord::default()
            },
            ..Explanation::default()
        }
    }
}

/// The output without go's own lines.
fn plain_output(text: &str) -> String {
    let own = |line: &&str| is_framing(line) || line.trim_start().starts_with("--- FAIL: ");
    let mut kept: String = text.lines().filter(|line| !own(line)).collect::<Vec<_>>().join("\n");
    kept.truncate(kept.trim_end().len());
    kept
}

/// What a test said with `t.Log`, `t.Error` and `t.Fatal`, which look the same.
struct Entry<'text> {
    file: &'text str,
    line: u32,
    text: String,
}

fn entries(text: &str) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        if let Some((file, number, said)) = entry_start(line) {
            entries.push(Entry { file, line: number, text: said.to_owned() });
            open = true;
        } else if let (true, Some(entry)) =
            (open && line.starts_with("        "), entries.last_mut())
        {
            entry.text.push('\n');
            entry.text.push_str(line.strip_prefix("        ").unwrap_or(line));
        } else {
            open = false;
        }
    }
    entries
}

/// `    calc_test.go:12: message`
fn entry_start(line: &str) -> Option<(&str, u32, &str)> {
    let said = line.strip_prefix("    ")?.trim_start_matches(' ');
    let (stem, rest) = said.split_once(".go:")?;
    let (number, message) = rest.split_once(':')?;
    let file = said.get(..stem.len() + ".go".len())?;
    let plain = !file.contains(char::is_whitespace);
    Some((
        file,
        number.parse().ok().filter(|_| plain)?,
        message.strip_prefix(' ').unwrap_or(message),
    ))
}

#[cfg(test)]
mod tests;
