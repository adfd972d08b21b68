//! The blocks of YAML below test points, read for the few keys that say why.

use std::collections::HashMap;

use crate::stack::frames_in;
use crate::stream::{FailureRecord, Frame};
use crate::wordings::sides;

/// The most lines of one block that are looked at.
const LINES: usize = 5_000;

/// The scalars of a block, by their keys; of two with one key, the first.
pub(super) struct Block {
    values: HashMap<String, String>,
}

impl Block {
    /// Reads the lines between `---` and `...`. Maps inside of maps are taken apart: their keys are
    /// as good as the outer ones.
    pub(super) fn read(lines: &[&str]) -> Self {
        let mut values = HashMap::new();
        let mut rest = lines.iter().take(LINES).copied().peekable();
        while let Some(line) = rest.next() {
            let indent = line.len() - line.trim_start().len();
            let Some((key, value)) = line.trim().split_once(':') else { continue };
            let key = key.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
            let value = value.trim();
            let value = match value.as_bytes().first() {
                Some(b'|' | b'>') => {
                    let mut block = Vec::new();
                    let deeper = |next: &&str| {
                        next.trim().is_empty() || next.len() - next.trim_start().len() > indent
                    };
                    while let Some(next) = rest.next_if(deeper) {
                        block.push(next);
                    }
                    without_indentation(&block)
                }
                _ => unquoted(value),
            };
            if !value.is_empty() {
                values.entry(key).or_insert(value);
            }
        }
        Self { values }
    }

    fn first(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|key| self.values.get(*key)).cloned()
    }

    /// How long the test took.
    pub(super) fn milliseconds(&self) -> u64 {
        let digits = self.first(&["duration_ms"]);
        let whole = digits.and_then(|digits| digits.split('.').next()?.parse().ok());
        whole.unwrap_or(0)
    }

    /// Where the test or its failure is: `at: {file, line}`, `location: 'a.js:3:5'`.
    pub(super) fn place(&self) -> Option<(String, Option<u32>)> {
        if let Some(file) = self.first(&["file", "filename"]) {
            let line = self.first(&["line", "linenumber"]);
            return Some((file, line.and_then(|line| line.parse().ok())));
        }
        let text = self.first(&["location", "at"])?;
        let text = text.rsplit_once('(').map_or(text.as_str(), |(_, place)| place);
        let text = text.trim_end_matches(')').trim_start_matches("file://");
        let mut parts = text.rsplitn(3, ':');
        let (last, middle) = (parts.next()?, parts.next()?);
        let (file, line) = match (parts.next(), middle.parse::<u32>()) {
            (Some(file), Ok(line)) => (file, line),
            _ => (middle, last.parse().ok()?),
        };
        (!file.is_empty()).then(|| (file.to_owned(), Some(line)))
    }

    /// Why the test is red.
    pub(super) fn record(&self) -> FailureRecord {
        let stack = self.first(&["stack", "trace"]);
        let message = self.first(&["message", "error", "reason"]).unwrap_or_default();
        let (mut expected, mut actual) = (
            self.first(&["expected", "expect", "wanted"]),
            self.first(&["actual", "got", "found"]),
        );
        if expected.is_none() && actual.is_none() {
            (expected, actual) = sides(&message);
        }
        let mut frames = frames_in(stack.as_deref().unwrap_or(""));
        if let Some((file, line)) = self.place().filter(|_| frames.is_empty()) {
            frames.push(Frame { file, line, function: None });
        }
        let error_type = self
            .first(&["name", "type"])
            .filter(|name| name.ends_with("Error") || name.ends_with("Exception"))
            .or_else(|| self.first(&["code", "operator"]));
        FailureRecord {
            error_type: error_type.unwrap_or_default(),
            message,
            expected,
            actual,
            stack,
            frames,
            phase: None,
        }
    }
}

fn unquoted(value: &str) -> String {
    let inner = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    if let Some(text) = inner('"') {
        let quoted = format!("\"{text}\"");
        return serde_json::from_str(&quoted).unwrap_or_else(|_| text.to_owned());
    }
    inner('\'').map_or_else(|| value.to_owned(), |text| text.replace("''", "'"))
}

fn without_indentation(lines: &[&str]) -> String {
    let filled = lines.iter().filter(|line| !line.trim().is_empty());
    let indent = filled.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|line| line.get(indent..).unwrap_or("")).collect();
    lines.join("\n").trim_end().to_owned()
}
