//! What the test harness says through channels of its own: its list and its log.

use std::collections::{HashSet, VecDeque};

use redgreen_model::report::TestOutcome;

/// Words that every libtest carries in its help, and the symbol of one that is linked dynamically.
const MARKS: &[&[u8]] = &[b"List all tests", b"test_main_static"];
/// Words of the help of a harness that can write a log.
const LOG_MARKS: &[&[u8]] = &[b"Write logs to the specified file", b"test_main_static"];

/// Whether a program carries a harness that can list its tests. One that cannot must not be asked:
/// it would run.
pub fn can_list(program: &[u8]) -> bool {
    contains_any(program, MARKS)
}

/// Whether a program carries a harness that can write a log of results.
pub fn can_log(program: &[u8]) -> bool {
    contains_any(program, LOG_MARKS)
}

fn contains_any(haystack: &[u8], needles: &[&[u8]]) -> bool {
    needles.iter().any(|needle| contains(haystack, needle))
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    let Some((first, rest)) = needle.split_first() else { return true };
    let mut from = haystack;
    while let Some(at) = from.iter().position(|byte| byte == first) {
        from = from.get(at + 1..).unwrap_or_default();
        if from.starts_with(rest) {
            return true;
        }
    }
    false
}

/// The names in the answer to `--list --format terse`; none if it is no such answer.
pub fn parse_list(output: &str) -> Option<Vec<String>> {
    let lines = output.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let name = line.strip_suffix(": test").or_else(|| line.strip_suffix(": benchmark"))?;
            Some(name.to_owned())
        })
        .collect()
}

/// A test that ended, from the harness's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    /// The test's name in the harness.
    pub name: String,
    /// How it ended.
    pub outcome: TestOutcome,
    /// What the harness adds.
    pub detail: Option<String>,
}

/// Reads the log of a harness while it is written: `ok NAME`, `failed NAME`, `failed: WHY NAME`,
/// `ignored NAME`, `ignored: WHY NAME`, each with ` <0.1s>` at its end where times are asked for.
#[derive(Debug, Default)]
pub struct LogReader {
    names: HashSet<String>,
    partial: Vec<u8>,
    record: String,
}

impl LogReader {
    /// A reader for a harness that runs these tests. Without names every rest of a line is one.
    pub fn new(names: &[String]) -> Self {
        Self { names: names.iter().cloned().collect(), ..Self::default() }
    }

    /// Takes the next bytes and gives the tests that ended.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Logged> {
        let mut found = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.partial.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let line = String::from_utf8_lossy(&std::mem::take(&mut self.partial)).into_owned();
                found.extend(self.line(line.trim_end_matches(['\n', '\r'])));
            }
        }
        found
    }

    /// A reason can have line breaks: the record goes on until a line ends with a name.
    fn line(&mut self, line: &str) -> Option<Logged> {
        if !self.record.is_empty() && begins_record(line) && self.split(line).is_some() {
            self.record.clear();
        }
        if !self.record.is_empty() {
            self.record.push('\n');
        }
        self.record.push_str(line);
        let logged = self.split(&self.record)?;
        self.record.clear();
        Some(logged)
    }

    fn split(&self, record: &str) -> Option<Logged> {
        let record = without_time(record);
        let (word, rest) = record.split_once(' ')?;
        let (outcome, reasoned) = match word {
            "ok" => (TestOutcome::Passed, false),
            "failed" => (TestOutcome::Failed, false),
            "failed:" => (TestOutcome::Failed, true),
            "ignored" => (TestOutcome::Skipped, false),
            "ignored:" => (TestOutcome::Skipped, true),
            "bench:" => (TestOutcome::Passed, true),
            _ => return None,
        };
        let late = rest.strip_prefix("(time limit exceeded) ");
        let (detail, name) = match late {
            Some(name) => (Some("time limit exceeded".to_owned()), self.known(name)?),
            None if reasoned => {
                let (detail, name) = self.reason_and_name(rest)?;
                (Some(detail.to_owned()), name)
            }
            None => (None, self.known(rest)?),
        };
        Some(Logged { name: name.to_owned(), outcome, detail })
    }

    fn known<'text>(&self, name: &'text str) -> Option<&'text str> {
        (self.names.is_empty() || self.names.contains(name)).then_some(name)
    }

    /// The longest known name at the end; names can have spaces.
    fn reason_and_name<'text>(&self, text: &'text str) -> Option<(&'text str, &'text str)> {
        let mut breaks = text.char_indices().filter(|(_, character)| character.is_whitespace());
        if self.names.is_empty() {
            return text.rsplit_once(' ');
        }
        breaks.find_map(|(at, character)| {
            let name = text.get(at + character.len_utf8()..)?;
            self.names.contains(name).then(|| (text.get(..at).unwrap_or_default(), name))
        })
    }
}

fn begins_record(line: &str) -> bool {
    ["ok ", "failed ", "failed: ", "ignored ", "ignored: "]
        .iter()
        .any(|word| line.starts_with(word))
}

fn without_time(record: &str) -> &str {
    match record.rsplit_once(" <") {
        Some((head, time)) if time.ends_with("s>") => head,
        _ => record,
    }
}

/// Which tests are running, from the order of the list and the tests that ended: the harness starts
/// tests in that order, as many at a time as it has threads.
#[derive(Debug)]
pub struct Schedule {
    waiting: VecDeque<String>,
    running: HashSet<String>,
    threads: usize,
}

impl Schedule {
    /// A run of these tests, that many at a time.
    pub fn new(names: &[String], threads: usize) -> Self {
        Self {
            waiting: names.iter().cloned().collect(),
            running: HashSet::new(),
            threads: threads.max(1),
        }
    }

    /// The tests that have begun since the last call.
    pub fn begin(&mut self) -> Vec<String> {
        let free = self.threads.saturating_sub(self.running.len()).min(self.waiting.len());
        let begun: Vec<String> = self.waiting.drain(..free).collect();
        self.running.extend(begun.iter().cloned());
        begun
    }

    /// A test ended; those before it in the list have begun as well.
    pub fn end(&mut self, name: &str) -> Vec<String> {
        let mut begun = Vec::new();
        if let Some(at) = self.waiting.iter().position(|waiting| waiting == name) {
            begun.extend(self.waiting.drain(..=at));
            self.running.extend(begun.iter().cloned());
        }
        self.running.remove(name);
        begun
    }

    /// The tests that are running, in no order.
    pub fn running(&self) -> impl Iterator<Item = &str> {
        self.running.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests;
