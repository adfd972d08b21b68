//! Which edit brought a failure, and which failures came with a fix.

use std::collections::BTreeSet;

use redgreen_model::debug_memory::{Execution, Failure, FixApplied, Record, Verification};
use redgreen_model::diff::{Focus, Side};
use redgreen_model::text::{LINE_CHARS, clean_line};

use super::Outcome;
use crate::cause::{error_name, fingerprint, first_line};
use crate::changes::excerpt;

/// So many changed lines of an edit that brought a failure.
const LINES_MAX: usize = 4;
/// So many of its files are named.
const FILES_NAMED: usize = 2;

/// An edit that brought a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The files that it changed, in words, the guiltiest first.
    pub(crate) files: String,
    /// The changed lines that are nearest to the failure; none where nobody kept a diff.
    pub(crate) lines: Option<String>,
}

impl Edit {
    /// An edit after which a failure was there.
    pub(super) fn that_brought(failure: &Failure, fix: &FixApplied) -> Self {
        let focus = Focus::default().and(Side::New, [failure]);
        let mut files: Vec<&str> = fix.files_changed.iter().map(String::as_str).collect();
        files.sort_by_key(|file| focus.rank(file));
        let more = files.len().saturating_sub(FILES_NAMED);
        let mut words = files[..files.len() - more].join(", ");
        if more > 0 {
            words.push_str(&format!(" and {more} more"));
        }
        let lines = fix.diff.as_deref().map(|diff| excerpt(diff, &focus, LINES_MAX));
        Self {
            files: clean_line(&words, LINE_CHARS),
            lines: lines.filter(|lines| !lines.is_empty()),
        }
    }

    /// All of it in one text.
    pub(crate) fn packed(&self) -> String {
        let lines = self.lines.as_deref().unwrap_or_default();
        format!("{}\n{lines}", self.files)
    }

    /// What was packed.
    pub(crate) fn unpacked(text: &str) -> Self {
        let (files, lines) = text.split_once('\n').unwrap_or((text, ""));
        let lines = Some(lines.to_owned()).filter(|lines| !lines.is_empty());
        Self { files: files.to_owned(), lines }
    }
}

/// The edit that an execution judged: it stands with the one before, unless that was of another attempt.
pub(super) fn judged_edit(record: &Record, index: usize) -> Option<&FixApplied> {
    let before = record.executions.get(index.checked_sub(1)?)?;
    let attempt = record.executions.get(index)?.attempt;
    let fix = before.fix_applied.as_ref()?;
    let is_judged = fix.verification == Some(Verification::Failed);
    let is_next = attempt == before.attempt || attempt == before.attempt.saturating_add(1);
    let is_edit = !fix.files_changed.is_empty() || fix.diff.is_some();
    (is_judged && is_next && is_edit).then_some(fix)
}

impl Outcome {
    /// Whether there were others instead of the failure.
    pub(super) fn has_others(self) -> bool {
        matches!(self, Self::Broke | Self::Uncovered)
    }
}

/// The failures after a fix that were not among those before it.
pub(super) struct Others<'a> {
    first: &'a Failure,
    more: usize,
    /// Whether one of them was seen not to be there before.
    pub(super) brought: bool,
}

impl<'a> Others<'a> {
    /// Those in the execution after a fix, other than these causes; those that the edit brought come first.
    pub(super) fn among(next: &'a Execution, causes: &BTreeSet<String>) -> Option<Self> {
        let is_other = |failure: &&Failure| !causes.contains(&fingerprint(failure));
        let all: Vec<&Failure> = next.failures.iter().filter(is_other).collect();
        let brought = all.iter().find(|failure| failure.brought_by_edit);
        let first = brought.or(all.first())?;
        Some(Self { first, more: all.len() - 1, brought: brought.is_some() })
    }

    /// The first of them, and how many more there are.
    pub(super) fn words(&self) -> String {
        let Failure { test_name, error_message, .. } = self.first;
        let (name, message) = (error_name(self.first), first_line(error_message));
        let error = if message.starts_with(name) {
            message.to_owned()
        } else {
            format!("{name}: {message}")
        };
        let more = match self.more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        // The number is not what is cut.
        let room = WORDS_CHARS.saturating_sub(more.len());
        clean_line(&format!("{test_name}: {error}"), room) + &more
    }
}

/// So much of what came after a fix is shown.
const WORDS_CHARS: usize = 120;
