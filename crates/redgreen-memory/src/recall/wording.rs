//! What memory says, as text for an agent: short, the most useful first, never cut in the middle of
//! a sentence.

use std::fmt::Write as _;

use redgreen_model::text::bound_end;

use super::brief::{Brief, Scope, Told};
use super::past::{PastFailure, PastSession, Tried, Worked};
use crate::learn::Pattern;

/// About so many characters make a token.
pub(crate) const TOKEN_CHARS: usize = 4;
/// So much of a message, a name or a description is shown.
const PART_CHARS: usize = 120;
/// A template of more lines is not shown: its description is.
const DIFF_LINES: usize = 12;
const DIFF_CHARS: usize = 500;

/// Text up to a limit, made of parts that fit as a whole or are left out.
pub(super) struct Bounded {
    text: String,
    chars_max: usize,
}

impl Bounded {
    pub(super) fn new(chars_max: usize) -> Self {
        Self { text: String::new(), chars_max }
    }

    /// Adds a part with a line break if it fits; says whether it did.
    pub(super) fn add(&mut self, part: &str) -> bool {
        let fits = self.text.chars().count() + part.chars().count() < self.chars_max;
        if fits {
            self.text.push_str(part);
            self.text.push('\n');
        }
        fits
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

impl Brief {
    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.pattern.is_none() && self.told.is_none() && self.sessions.is_empty()
    }

    /// The fingerprints of the failures that it warns of.
    pub fn warns_of(&self) -> Vec<String> {
        let failures = self.sessions.iter().flat_map(|(_, session)| &session.failures);
        let mut all: Vec<String> = failures.map(|failure| failure.fingerprint.clone()).collect();
        all.extend(self.pattern.as_ref().map(|pattern| pattern.fingerprint.clone()));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The brief in at most so many tokens; empty where there is nothing to say.
    pub fn text(&self, tokens_max: usize) -> String {
        let mut text = Bounded::new(tokens_max.saturating_mul(TOKEN_CHARS));
        if self.is_empty() || !text.add("From the debug memory of this project:") {
            return String::new();
        }
        if let Some(pattern) = &self.pattern {
            add_pattern(&mut text, pattern);
        }
        if let Some(told) = &self.told {
            text.add(&told_line(told));
        }
        let mut heading = None;
        for (scope, session) in &self.sessions {
            let mut part = String::new();
            if heading != Some(*scope) {
                let _ = writeln!(part, "{}", scope_heading(*scope));
            }
            part.push_str(&session_line(session));
            if !text.add(&part) {
                break;
            }
            heading = Some(*scope);
        }
        text.finish()
    }
}

fn scope_heading(scope: Scope) -> &'static str {
    match scope {
        Scope::File => "Earlier sessions on these files:",
        Scope::Folder => "In the same folder:",
        Scope::Project => "Elsewhere in the project:",
    }
}

/// A pattern that is offered: what happens, how often, and what helps.
pub(super) fn add_pattern(text: &mut Bounded, pattern: &Pattern) {
    let mut part = format!(
        "Known failure: {} (seen in {}",
        error(&pattern.error_type, &pattern.message),
        count(pattern.occurrences, "session"),
    );
    if let Some(function) = &pattern.function {
        let _ = write!(part, ", in {}", shown(function));
    }
    if let Some(file) = pattern.files.first() {
        let _ = write!(part, ", last in {}", shown(file));
    }
    part.push(')');
    if let Some(fix) = &pattern.fix {
        let _ = write!(
            part,
            "\n  What helped {} of {} times: {}",
            pattern.worked,
            pattern.worked + pattern.failed,
            shown(fix)
        );
    }
    text.add(&part);
    if let Some(diff) = pattern.diff.as_deref().filter(|diff| is_short(diff)) {
        let lines: Vec<String> = diff.lines().map(|line| format!("    {line}")).collect();
        text.add(&lines.join("\n"));
    }
}

fn is_short(diff: &str) -> bool {
    diff.lines().count() <= DIFF_LINES && diff.chars().count() <= DIFF_CHARS
}

fn told_line(told: &Told) -> String {
    let mut line =
        format!("Noted, not verified: {} ({})", shown(&told.pattern), times(told.frequency));
    if let Some(fix) = &told.fix {
        let _ = write!(line, "; said to help: {}", shown(fix));
    }
    line
}

fn session_line(session: &PastSession) -> String {
    let mut line = format!("- {} {}", crate::moment::day(session.at_ms), shown(&session.file));
    match session.status.as_deref() {
        Some("passed") => {
            let _ = write!(line, ", passed after {}", count(session.attempts, "attempt"));
        }
        Some("in_progress") | None => {}
        Some(status) => {
            let _ = write!(line, ", {status} after {}", count(session.attempts, "attempt"));
        }
    }
    if !session.seen {
        line.push_str(TOLD);
    }
    for failure in session.failures.iter().take(2) {
        let _ = write!(line, "\n  {}", failure_line(failure, session.seen));
    }
    line
}

/// Stands behind what redgreen has not seen itself.
pub(super) const TOLD: &str = ", as it was told";

/// A failure, and what was tried against it; whether redgreen saw it.
pub(super) fn failure_line(failure: &PastFailure, seen: bool) -> String {
    let mut line =
        format!("{}: {}", shown(&failure.test), error(&failure.error_type, &failure.message));
    for tried in &failure.tried {
        let _ = write!(line, "; {}", tried_words(tried, seen));
    }
    line
}

/// A fix, and whether it helped.
fn tried_words(tried: &Tried, seen: bool) -> String {
    let others = if seen { "" } else { "others say: " };
    let word = match tried.worked {
        Worked::Yes => "this worked",
        Worked::No => "this did NOT work",
        Worked::Unknown => "tried, result not seen",
    };
    format!("{others}{word}: {}", shown(&tried.description))
}

pub(super) fn error(error_type: &str, message: &str) -> String {
    if message.is_empty() || message.starts_with(error_type) {
        return shown(if message.is_empty() { error_type } else { message });
    }
    shown(&format!("{error_type}: {message}"))
}

pub(super) fn shown(text: &str) -> String {
    bound_end(text, PART_CHARS)
}

pub(super) fn count(number: u32, word: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {word}{ending}")
}

fn times(number: u32) -> String {
    if number == 1 { "once".to_owned() } else { format!("{number} times") }
}
