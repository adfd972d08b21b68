//! Suites and tests as an indented tree.

use redgreen_model::report::TestOutcome;

use super::words::duration_ms;

/// The suites around a line of the tree.
#[derive(Default)]
pub(super) struct Tree {
    open: Vec<(usize, String)>,
}

impl Tree {
    /// A suite begins, this far indented.
    pub fn suite(&mut self, indent: usize, title: &str) {
        self.open.retain(|(outer, _)| *outer < indent);
        self.open.push((indent, title.to_owned()));
    }

    /// The path of what is this far indented: the suites around it, then its name.
    pub fn path(&mut self, indent: usize, name: &str) -> String {
        self.open.retain(|(outer, _)| *outer < indent);
        let mut path = String::new();
        for (_, suite) in &self.open {
            path.push_str(suite);
            path.push_str(" > ");
        }
        path.push_str(name);
        path
    }

    /// Whether the innermost suite has this title at this indent.
    pub fn closes(&self, indent: usize, title: &str) -> bool {
        self.open.iter().any(|(at, open)| *at == indent && open == title)
    }

    /// No suite is open any more.
    pub fn clear(&mut self) {
        self.open.clear();
    }
}

/// A line of the tree that ends a test: how far it is indented, how it ended, its name and its time.
pub(super) struct Leaf<'line> {
    pub indent: usize,
    pub outcome: TestOutcome,
    pub name: &'line str,
    pub duration_ms: u64,
    /// Whether a time stands behind the name.
    pub timed: bool,
}

/// The marks that runners put before a name.
const MARKS: [(&str, TestOutcome); 12] = [
    ("✓ ", TestOutcome::Passed),
    ("✔ ", TestOutcome::Passed),
    ("√ ", TestOutcome::Passed),
    ("✕ ", TestOutcome::Failed),
    ("✖ ", TestOutcome::Failed),
    ("× ", TestOutcome::Failed),
    ("✗ ", TestOutcome::Failed),
    ("✘ ", TestOutcome::Failed),
    ("○ ", TestOutcome::Skipped),
    ("↓ ", TestOutcome::Skipped),
    ("﹣ ", TestOutcome::Skipped),
    ("□ ", TestOutcome::Skipped),
];

/// Reads `    ✓ adds (5 ms)`, with or without the time.
pub(super) fn leaf(line: &str) -> Option<Leaf<'_>> {
    let text = line.trim_ascii_start();
    if text.is_ascii() {
        return None;
    }
    let (name, outcome) =
        MARKS.iter().find_map(|(mark, outcome)| Some((text.strip_prefix(mark)?, *outcome)))?;
    let whole = name.trim();
    let (name, duration_ms) = timed(whole);
    let timed = name.len() < whole.len();
    Some(Leaf { indent: line.len() - text.len(), outcome, name, duration_ms, timed })
}

/// A name and the time behind it: `adds (5 ms)`, `adds 5ms`, `adds [5.00ms]`.
pub(super) fn timed(text: &str) -> (&str, u64) {
    let bracketed = text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once(" ("))
        .or_else(|| text.strip_suffix(']').and_then(|text| text.rsplit_once(" [")));
    let spaced = || {
        text.rsplit_once(' ')
            .filter(|(_, time)| time.starts_with(|first: char| first.is_ascii_digit()))
    };
    match bracketed.or_else(spaced) {
        Some((name, time)) => duration_ms(time).map_or((text, 0), |ms| (name.trim_end(), ms)),
        None => (text, 0),
    }
}
