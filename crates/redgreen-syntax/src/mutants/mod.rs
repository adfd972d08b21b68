//! Small edits of a source: if the tests still pass, none of them notices what is edited.
//!
//! An edit is worth something only if somebody could see it: what is said to people, what is measured and how long
//! something waits stays as it is (`silent`).

mod at_once;
mod edits;
mod silent;
#[cfg(test)]
mod tests;

use std::ops::Range;

use redgreen_model::mutants::MutantKind;

use crate::language::Language;
use crate::statements::statement_of;
use crate::tree::{Node, Tree};
use edits::Edit;

/// A source with one small edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// What is edited.
    pub kind: MutantKind,
    /// The line where the edit begins, from 1.
    pub line: u32,
    range: Range<usize>,
    text: String,
}

impl Mutant {
    /// The whole source with the edit.
    pub fn applied(&self, source: &str) -> String {
        let before = source.get(..self.range.start).unwrap_or_default();
        let after = source.get(self.range.end..).unwrap_or_default();
        format!("{before}{}{after}", self.text)
    }

    /// The lines before and after, as a diff.
    pub fn diff(&self, source: &str) -> String {
        let start = source.get(..self.range.start).and_then(|it| it.rfind('\n'));
        let start = start.map_or(0, |at| at + 1);
        let rest = source.get(self.range.end..).unwrap_or_default();
        let end = self.range.end + rest.find('\n').unwrap_or(rest.len());
        let old = source.get(start..end).unwrap_or_default();
        let inner =
            Self { range: self.range.start - start..self.range.end - start, ..self.clone() };
        let new = inner.applied(old);
        let marked = |mark: char, text: &str| {
            let lines = text.lines().map(|line| format!("{mark} {}", line.trim_end()));
            lines.collect::<Vec<_>>()
        };
        // What is put in front of a line leaves that line as it is.
        match new.strip_suffix(old) {
            Some(added) => marked('+', added.trim_end()).join("\n"),
            None => [marked('-', old), marked('+', &new)].concat().join("\n"),
        }
    }
}

/// The small edits of some statements, those first that say most, and not more than `max` of them. `is_wanted` is asked
/// with the line and the column where a statement begins; `whole` is the line of a function that is edited as a whole, too.
pub fn mutants(
    language: Language,
    source: &str,
    is_wanted: &dyn Fn(u32, u32) -> bool,
    (whole, max): (Option<u32>, usize),
) -> Vec<Mutant> {
    let Some(tree) = Tree::parse(language, source).filter(|tree| !tree.is_broken()) else {
        return Vec::new();
    };
    let wanted =
        |node: &Node<'_>| statement_of(*node).is_some_and(|it| is_wanted(it.line(), it.column()));
    let still_read = |mutant: &Mutant| {
        Tree::parse(language, &mutant.applied(source)).is_some_and(|tree| !tree.is_broken())
    };
    let nodes = tree.root().below().filter(|node| node.is_named() && !node.is_comment());
    let mut small: Vec<Mutant> = nodes
        .flat_map(|node| edits::of(node, language).map(move |edit| (node, edit)))
        .filter(|(node, _)| wanted(node) && !silent::is_silent(*node))
        .map(|(_, edit)| mutant(&tree, edit))
        .collect();
    small.sort_by_key(|mutant| mutant.kind);
    let at_once = whole.and_then(|line| at_once::answering_at_once(&tree, source, line));
    let mut found: Vec<Mutant> = small.into_iter().filter(still_read).take(max).collect();
    found.extend(at_once.filter(still_read));
    found.sort_by_key(|mutant| mutant.kind);
    found
}

fn mutant(tree: &Tree<'_>, edit: Edit) -> Mutant {
    let Edit { kind, range, text } = edit;
    Mutant { kind, line: tree.line_of(range.start), range, text }
}
