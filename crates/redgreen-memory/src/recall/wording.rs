//! What memory says, as text for an agent: short, the most useful first, never cut in the middle of
//! a sentence.

use std::fmt::Write as _;

use redgreen_model::debug_memory::AGENT_SAID;
use redgreen_model::diff::Focus;
use redgreen_model::text::bound_end;

use super::brief::{Brief, Note, Scope};
use super::past::PastSession;
use super::tries::{Alike, Detail, failure_lines, folded};
use crate::changes::excerpt;
use crate::learn::{Pattern, SeenHabit};

/// About so many characters make a token.
pub(crate) const TOKEN_CHARS: usize = 4;
/// So much of a message, a name or a description is shown.
const PART_CHARS: usize = 120;
/// So many changed lines of a template are shown.
const TEMPLATE_LINES: usize = 6;
/// So many failures of one session are shown.
const FAILURES_SHOWN: usize = 2;

/// Stands behind what redgreen has not seen itself.
pub(super) const UNVERIFIED: &str = ", unverified";

/// Text up to a limit, made of parts that fit as a whole or are left out.
pub(super) struct Bounded {
    text: String,
    chars_max: usize,
}

/// How much of its bound a text takes: letters beyond ASCII are tokens of their own.
fn weight(text: &str) -> usize {
    text.chars().map(|letter| if letter.is_ascii() { 1 } else { TOKEN_CHARS }).sum()
}

impl Bounded {
    pub(super) fn new(chars_max: usize) -> Self {
        Self { text: String::new(), chars_max }
    }

    /// Adds a part with a line break if it fits; says whether it did.
    pub(super) fn add(&mut self, part: &str) -> bool {
        let part = self.without_repeats(part);
        let fits = weight(&self.text) + weight(&part) < self.chars_max;
        if fits {
            self.text.push_str(&part);
            self.text.push('\n');
        }
        fits
    }

    /// A part without what an agent said that stands above, word for word: agents say the same of every edit.
    fn without_repeats(&self, part: &str) -> String {
        let mut lines: Vec<&str> = Vec::new();
        for line in part.split('\n') {
            let said = line.find(AGENT_SAID).map(|at| line.split_at(at));
            let is_above = |said: &str| {
                lines.iter().copied().chain(self.text.lines()).any(|above| above.ends_with(said))
            };
            lines.push(match said {
                Some((before, said)) if is_above(said) => before,
                _ => line,
            });
        }
        lines.join("\n")
    }

    /// How much there is.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Takes away what was added since there was so much.
    pub(super) fn cut(&mut self, len: usize) {
        self.text.truncate(len);
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

impl Brief {
    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        let nothing_learned = self.habits.is_empty() && self.pattern.is_none();
        nothing_learned && self.note.is_none() && self.sessions.is_empty()
    }

    /// The brief in at most so many tokens; empty where there is nothing to say.
    pub fn text(&self, tokens_max: usize) -> String {
        let mut text = Bounded::new(tokens_max.saturating_mul(TOKEN_CHARS));
        if self.is_empty() || !text.add("From the debug memory of this project:") {
            return String::new();
        }
        let head = text.len();
        for habit in &self.habits {
            text.add(&habit_line(habit));
        }
        // What is above is not said again; what did not fit is not above.
        let above = self.pattern.as_ref().filter(|pattern| add_pattern(&mut text, pattern));
        if let Some(note) = &self.note {
            text.add(&note_line(note));
        }
        let mut heading = None;
        let said = |(scope, session): &'_ (Scope, PastSession)| {
            (*scope, session_words(session, above, Detail::Lines))
        };
        for alike in folded(self.sessions.iter().map(|near| (said(near), &near.1))) {
            let scope = alike.said.0;
            let above_them = if heading == Some(scope) { "" } else { self.heading(scope) };
            let added = [Detail::Lines, Detail::Words].into_iter().any(|detail| {
                text.add(&format!("{above_them}{}", session_line(&alike, above, detail)))
            });
            if !added {
                break;
            }
            heading = Some(scope);
        }
        if text.len() == head { String::new() } else { text.finish() }
    }

    fn heading(&self, scope: Scope) -> &'static str {
        match scope {
            Scope::File => "Earlier sessions on these files:\n",
            Scope::Folder => "In the same folder:\n",
            Scope::Project if self.of_files => "Elsewhere in the project:\n",
            Scope::Project => "In this project:\n",
        }
    }
}

/// A pattern that is offered: what happens, how often, and what helps. Whether it fits.
pub(super) fn add_pattern(text: &mut Bounded, pattern: &Pattern) -> bool {
    let mut part = format!(
        "Known failure: {} (seen in {}",
        error(&pattern.error_type, &pattern.message),
        count(pattern.occurrences, "session"),
    );
    if pattern.unverified > 0 {
        let _ = write!(part, ", unverified in {} more", pattern.unverified);
    }
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
            "\n  A fix worked {} of {} times; the smallest: {}",
            pattern.worked,
            pattern.worked + pattern.failed,
            shown(fix)
        );
    }
    let added = text.add(&part);
    let lines =
        pattern.diff.as_deref().map(|diff| excerpt(diff, &Focus::default(), TEMPLATE_LINES));
    if let Some(lines) = lines.filter(|lines| added && !lines.is_empty()) {
        let lines: Vec<String> = lines.lines().map(|line| format!("    {line}")).collect();
        text.add(&lines.join("\n"));
    }
    added
}

/// A habit that is offered: what would prevent it, and how often that was seen.
pub(super) fn habit_line(habit: &SeenHabit) -> String {
    let SeenHabit { name, advice, places, worked, failed, .. } = habit;
    let advice = advice[..1].to_uppercase() + &advice[1..];
    let tries = worked + failed;
    let places = count(*places, "place");
    format!(
        "{advice}. A known mistake here: {name} ({places}; mending it like that worked {worked} of {tries} times)."
    )
}

/// What somebody tells is told on, and not what they would do about it: nobody saw that it helps.
fn note_line(note: &Note) -> String {
    format!("Unverified note: {} ({})", shown(&note.pattern), times(note.frequency))
}

/// Sessions that say the same: when that was, and what they say.
fn session_line(
    alike: &Alike<'_, (Scope, String)>,
    above: Option<&Pattern>,
    detail: Detail,
) -> String {
    let colon = if alike.count == 1 { "" } else { ":" };
    let words = session_words(alike.last, above, detail);
    format!("- {}{colon} {words}", alike.when(""))
}

/// What a session says, whenever it was.
fn session_words(session: &PastSession, above: Option<&Pattern>, detail: Detail) -> String {
    let mut words = shown(&session.file);
    match session.status.as_deref() {
        Some("passed") => {
            let _ = write!(words, ", passed after {}", count(session.attempts, "attempt"));
        }
        Some("in_progress") | None => {}
        Some(status) => {
            let _ = write!(words, ", {status} after {}", count(session.attempts, "attempt"));
        }
    }
    if !session.seen {
        words.push_str(UNVERIFIED);
    }
    for failure in session.failures.iter().take(FAILURES_SHOWN) {
        let _ = write!(words, "\n  {}", failure_lines(failure, session.seen, above, detail));
    }
    words
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_agent_said_is_said_once() {
        let mut text = Bounded::new(400);
        let part = |file: &str, said: &str| format!("- edit of {file}; the agent said: {said}");
        assert!(text.add(&format!("{}\n{}", part("a.py", "done"), part("b.py", "done"))));
        assert!(text.add(&part("c.py", "done")) && text.add(&part("d.py", "all done")));
        let wanted = format!(
            "{}\n- edit of b.py\n- edit of c.py\n{}\n",
            part("a.py", "done"),
            part("d.py", "all done")
        );
        assert_eq!(text.finish(), wanted);
    }

    #[test]
    fn letters_beyond_ascii_take_more_of_the_bound() {
        let mut text = Bounded::new(40);
        assert!(text.add("語語語"));
        assert!(!text.add(&"語".repeat(10)), "ten letters are ten tokens");
        assert!(text.add("ten are few here"));
    }
}
