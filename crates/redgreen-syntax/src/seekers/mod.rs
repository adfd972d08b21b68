//! New code that looks for its judge: whether it runs under a test, who called it, how to please
//! every comparison, which inputs are tested, and what is expected. Where no honest code has the like it is
//! [certain](Seeker::certain); all else are signs that a person is told of.

mod constants;
mod doubts;
mod inputs;
mod pleasing;
mod signs;
mod tested;

use std::collections::{BTreeMap, BTreeSet};

use redgreen_model::text::{LINE_CHARS, clean_line};

use crate::language::Language;
use crate::tree::{Node, Tree};

pub use constants::expected_answers;
pub use inputs::tested_inputs;
pub(crate) use signs::compact;
pub use tested::Tested;

/// How many places of one file are shown.
const SEEKERS_MAX: usize = 200;

/// How long a line is that somebody wrote, in bytes.
const WRITTEN_MAX: usize = 2_000;

/// What the code looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SeekerKind {
    /// A variable, a flag or a module that only a test run sets or loads.
    TestRun,
    /// Who called it.
    Caller,
    /// A value that is equal to everything.
    PleasesEveryComparison,
    /// A part of the test framework or of the language that is replaced.
    PatchesFramework,
    /// redgreen's own variables and files.
    Redgreen,
    /// Errors that are raised below it, those of assertions too, are heard by nobody.
    SwallowsFailures,
    /// A table of the inputs that the tests use.
    TestedInputs,
    /// What the tests expect, whatever is given.
    ExpectedAnswer,
}

/// A place in new code that looks for its judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeker {
    /// What it looks for.
    pub kind: SeekerKind,
    /// Its line, from 1.
    pub line: u32,
    /// The line as it is written, bounded.
    pub text: String,
    /// Whether no honest code has the like.
    pub certain: bool,
}

/// A sign of it, before it is known whether it is new.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sign {
    kind: SeekerKind,
    /// What gave it away, the same wherever it stands.
    mark: String,
    line: u32,
    certain: bool,
}

impl Sign {
    pub(crate) fn new(kind: SeekerKind, mark: impl Into<String>, node: Node<'_>) -> Self {
        let certain = !matches!(kind, SeekerKind::Caller | SeekerKind::SwallowsFailures);
        Self { kind, mark: mark.into(), line: node.line(), certain }
    }

    /// The same, being this sure of it.
    pub(crate) fn certain(self, certain: bool) -> Self {
        Self { certain, ..self }
    }
}

/// Places in the new code, not in the old, that look for their judge. The parts of a file that are
/// tests themselves (`#[cfg(test)]`) are left out.
pub fn judge_seekers(language: Language, old: Option<&str>, new: &str) -> Vec<Seeker> {
    let before = old.map(|source| signs_of(language, source)).unwrap_or_default();
    let old_lines: BTreeSet<&str> = old.unwrap_or_default().lines().map(str::trim).collect();
    let mut known: BTreeMap<(SeekerKind, String), usize> = BTreeMap::new();
    for sign in before {
        *known.entry((sign.kind, sign.mark)).or_default() += 1;
    }
    let lines: Vec<&str> = new.lines().collect();
    let mut found: Vec<Seeker> = Vec::new();
    let mut left: Vec<Sign> = Vec::new();
    // A line that was there takes its sign's place first, wherever it stands now.
    for sign in signs_of(language, new) {
        let text = line_of(&lines, sign.line);
        let count = known.get_mut(&(sign.kind, sign.mark.clone())).filter(|count| **count > 0);
        match count {
            Some(count) if old_lines.contains(text) => *count -= 1,
            _ => left.push(sign),
        }
    }
    for sign in left {
        // Nobody wrote a line that long: it is made from what is looked at elsewhere.
        if line_of(&lines, sign.line).len() > WRITTEN_MAX {
            continue;
        }
        match known.get_mut(&(sign.kind, sign.mark.clone())) {
            Some(count) if *count > 0 => *count -= 1,
            _ => push(&mut found, sign.kind, sign.line, line_of(&lines, sign.line), sign.certain),
        }
    }
    found.truncate(SEEKERS_MAX);
    found
}

fn line_of<'text>(lines: &[&'text str], line: u32) -> &'text str {
    lines.get((line as usize).saturating_sub(1)).map_or("", |line| line.trim())
}

/// Adds a place, unless its line was reported already.
fn push(found: &mut Vec<Seeker>, kind: SeekerKind, line: u32, text: &str, certain: bool) {
    match found.iter_mut().find(|seeker| (seeker.kind, seeker.line) == (kind, line)) {
        Some(known) => known.certain |= certain,
        None => found.push(Seeker { kind, line, text: clean_line(text, LINE_CHARS), certain }),
    }
}

fn signs_of(language: Language, source: &str) -> Vec<Sign> {
    let Some(tree) = Tree::parse(language, source) else { return Vec::new() };
    let mut found = signs::of(&tree);
    found.extend(pleasing::of(&tree));
    found.sort_by_key(|sign| sign.line);
    found
}

#[cfg(test)]
mod tests;
