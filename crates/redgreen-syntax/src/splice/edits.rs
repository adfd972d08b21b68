//! Replacements in a text.

use std::ops::Range;

/// Replacements that do not overlap.
#[derive(Debug, Default)]
pub(crate) struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    pub(crate) fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.0.push((range, text.into()));
    }

    pub(crate) fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.replace(at..at, text);
    }

    /// The text with all replacements made; none when two of them overlap.
    pub(crate) fn apply(mut self, text: &str) -> Option<String> {
        // Insertions at one place stay in the order in which they came.
        self.0.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for (range, new) in &self.0 {
            out.push_str(text.get(at..range.start)?);
            out.push_str(new);
            at = range.end;
        }
        out.push_str(text.get(at..)?);
        Some(out)
    }
}

/// From the first letter of the line at a position, if only blanks stand before it.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    let blank = before.trim_end_matches([' ', '\t']);
    if blank.is_empty() || blank.ends_with('\n') { blank.len() } else { at }
}

/// Past the line break after a position, if only blanks stand before that.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    let after = text.get(at..).unwrap_or_default();
    let rest = after.trim_start_matches([' ', '\t', '\r']);
    let blanks = after.len() - rest.len();
    if rest.starts_with('\n') { at + blanks + 1 } else { at }
}
