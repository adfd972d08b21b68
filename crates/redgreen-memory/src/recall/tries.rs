//! What was tried against a failure of the past, as text.

use super::past::{PastFailure, PastSession, Tried, Worked};
use super::wording::{error, shown};
use crate::learn::Pattern;

/// How much is said of a fix: what does not fit with its lines may fit without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    Lines,
    Words,
}

/// A failure, and what was tried against it. What the pattern above it says is not said again.
pub(super) fn failure_lines(
    failure: &PastFailure,
    seen: bool,
    above: Option<&Pattern>,
    detail: Detail,
) -> String {
    let above = above.filter(|pattern| pattern.fingerprint == failure.fingerprint);
    let said = error(&failure.error_type, &failure.message);
    let text = match above {
        Some(above) if above.message == failure.message => "the known failure above".to_owned(),
        Some(_) => format!("the known failure above, with {said}"),
        None => format!("{}: {said}", shown(&failure.test)),
    };
    text + &tried_lines(failure, seen, above, detail)
}

/// Which edit brought a failure, and what was tried against it, each thing once, on lines of their own; and whether
/// redgreen saw it.
pub(super) fn tried_lines(
    failure: &PastFailure,
    seen: bool,
    above: Option<&Pattern>,
    detail: Detail,
) -> String {
    let is_above = |tried: &Tried| {
        let fix = above.filter(|pattern| pattern.fingerprint == failure.fingerprint);
        tried.worked == Worked::Yes
            && fix.is_some_and(|pattern| pattern.fix.as_ref() == Some(&tried.description))
    };
    let mut said: Vec<String> = Vec::new();
    for tried in failure.tried.iter().filter(|tried| !is_above(tried)) {
        let words = tried_words(tried, seen, detail);
        if !said.contains(&words) {
            said.push(words);
        }
    }
    brought_lines(failure, detail) + &said.concat()
}

/// The edit that brought a failure.
fn brought_lines(failure: &PastFailure, detail: Detail) -> String {
    let Some(edit) = &failure.brought_by else { return String::new() };
    format!(
        "\n    caused by an edit of {}{}",
        shown(&edit.files),
        lines(edit.lines.as_deref(), detail)
    )
}

/// Changed lines, where they are shown.
fn lines(lines: Option<&str>, detail: Detail) -> String {
    let lines = lines.filter(|_| detail == Detail::Lines);
    lines.into_iter().flat_map(str::lines).map(|line| format!("\n      {line}")).collect()
}

fn tried_words(tried: &Tried, seen: bool, detail: Detail) -> String {
    let others = if seen { "" } else { "others say: " };
    let word = tried.worked.words();
    let came = tried.others.as_ref().map(|came| format!(" ({})", shown(came)));
    format!(
        "\n    {others}{word}{}: {}{}",
        came.unwrap_or_default(),
        shown(&tried.description),
        lines(tried.lines.as_deref(), detail)
    )
}

/// Sessions that say the same to whoever reads of them.
pub(super) struct Alike<'a, K> {
    /// What they say.
    pub(super) said: K,
    /// The first of them, which is the latest.
    pub(super) last: &'a PastSession,
    /// How many there are.
    pub(super) count: u32,
}

impl<K> Alike<'_, K> {
    /// The day, or how many sessions and the last day.
    pub(super) fn when(&self, before_one: &str) -> String {
        let day = crate::moment::day(self.last.at_ms);
        match self.count {
            1 => format!("{before_one}{day}"),
            count => format!("{count} sessions, last {before_one}{day}"),
        }
    }
}

/// Folds sessions that say the same, in the order of the first of each.
pub(super) fn folded<'a, K: PartialEq>(
    sessions: impl Iterator<Item = (K, &'a PastSession)>,
) -> Vec<Alike<'a, K>> {
    let mut all: Vec<Alike<'a, K>> = Vec::new();
    for (said, session) in sessions {
        match all.iter_mut().find(|alike| alike.said == said) {
            Some(alike) => alike.count += 1,
            None => all.push(Alike { said, last: session, count: 1 }),
        }
    }
    all
}
