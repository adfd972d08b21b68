//! What is known about failures, as text for an agent.

use redgreen_model::debug_memory::SimilarIssue;
use redgreen_model::text::{LINE_CHARS, clean_line};

use super::at_failure::{Nearness, Recollection};
use super::past::PastSession;
use super::tries::{Alike, Detail, failure_lines, folded, tried_lines};
use super::wording::{
    Bounded, TOKEN_CHARS, UNVERIFIED, add_pattern, count, error, habit_line, shown,
};
use crate::learn::Pattern;

impl Recollection {
    /// What is known about some failures, in at most so many tokens; empty where nothing is.
    pub fn text(all: &[Self], tokens_max: usize) -> String {
        Self::text_and_shown(all, tokens_max).0
    }

    /// The same, and those of them that it tells of. Each thing is said once, of the first failure that it is
    /// known of.
    pub fn text_and_shown(all: &[Self], tokens_max: usize) -> (String, Vec<&Self>) {
        let mut text = Bounded::new(tokens_max.saturating_mul(TOKEN_CHARS));
        let mut shown_before: Vec<&Self> = Vec::new();
        for group in grouped(all) {
            let before = text.len();
            let news = group[0].without(&shown_before);
            if !news.is_empty() {
                if shown_before.is_empty() {
                    text.add("The debug memory of this project knows failures like these:");
                }
                if !text.add(&subject(&group)) || !news.add_to(&mut text) {
                    text.cut(before);
                    break;
                }
            }
            shown_before.extend(group);
        }
        (text.finish(), shown_before)
    }

    /// The nearest sessions that these failures are like, at most so many, for the record of the session that saw
    /// them: which one it was, and whether what was tried there helped.
    pub fn similar(all: &[Self], issues_max: usize) -> Vec<SimilarIssue> {
        let mut past: Vec<&(Nearness, PastSession)> =
            all.iter().flat_map(|known| &known.past).collect();
        past.sort_by_key(|(nearness, _)| *nearness);
        let mut similar: Vec<SimilarIssue> = Vec::new();
        for (_, session) in past {
            let is_known =
                |issue: &SimilarIssue| issue.session_id.as_ref() == Some(&session.session);
            if similar.len() < issues_max && !similar.iter().any(is_known) {
                similar.push(similar_issue(session));
            }
        }
        similar
    }

    /// Whether redgreen saw the failure itself before: its cause, or its test. Others are alike, or unverified.
    pub fn is_known(&self) -> bool {
        let itself = [Nearness::SameCause, Nearness::SameTest];
        let mut past = self.past.iter();
        self.pattern.is_some()
            || past.any(|(nearness, session)| session.seen && itself.contains(nearness))
    }

    /// Whether it tells of a failure with this cause.
    pub(super) fn tells_of(&self, fingerprint: &str) -> bool {
        let mut failures = self.past.iter().flat_map(|(_, session)| &session.failures);
        failures.any(|failure| failure.fingerprint == fingerprint)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pattern.is_none() && self.habits.is_empty() && self.past.is_empty()
    }

    /// What is left to say after this was shown.
    fn without(&self, shown_before: &[&Self]) -> Self {
        let mut left = self.clone();
        left.pattern = left.pattern.filter(|pattern| {
            !shown_before
                .iter()
                .any(|known| known.pattern.as_ref().is_some_and(|it| it.id == pattern.id))
        });
        left.habits.retain(|habit| !shown_before.iter().any(|known| known.habits.contains(habit)));
        let said = |session: &PastSession| {
            let mut past = shown_before.iter().flat_map(|known| &known.past);
            past.any(|(_, other)| {
                other.session == session.session && other.failures == session.failures
            })
        };
        left.past.retain(|(_, session)| !said(session));
        left
    }

    /// Adds what is known, as far as it fits; whether anything did.
    fn add_to(&self, text: &mut Bounded) -> bool {
        let mut added = false;
        for habit in &self.habits {
            added |= text.add(&habit_line(habit));
        }
        let above = self.pattern.as_ref().filter(|pattern| add_pattern(text, pattern));
        added |= above.is_some();
        for alike in self.alike(above) {
            added |= [Detail::Lines, Detail::Words]
                .into_iter()
                .any(|detail| text.add(&self.past_lines(&alike, above, detail)));
        }
        added
    }

    /// The sessions of the past, those that say the same folded.
    fn alike(&self, above: Option<&Pattern>) -> Vec<Alike<'_, (Nearness, String)>> {
        let said = |(nearness, session): &'_ (Nearness, PastSession)| {
            (*nearness, self.session_words(*nearness, session, above, Detail::Lines))
        };
        folded(self.past.iter().map(|near| (said(near), &near.1)))
    }

    fn past_lines(
        &self,
        alike: &Alike<'_, (Nearness, String)>,
        above: Option<&Pattern>,
        detail: Detail,
    ) -> String {
        let nearness = alike.said.0;
        let how = match nearness {
            Nearness::SameCause => "the same cause",
            Nearness::SameTest => "the same test",
            Nearness::SameFunction => "the same error in the same function",
            Nearness::AlikeWords => "a failure with a similar message",
        };
        let many = if alike.count == 1 { "" } else { " in" };
        let words = self.session_words(nearness, alike.last, above, detail);
        format!("- {how}{many} {}{words}", alike.when("on "))
    }

    /// What a session says, whenever it was. The error of the same cause stands where it failed now, unless an edit
    /// is named that brought it in other words.
    fn session_words(
        &self,
        nearness: Nearness,
        session: &PastSession,
        above: Option<&Pattern>,
        detail: Detail,
    ) -> String {
        let mark = if session.seen { "" } else { UNVERIFIED };
        let mut words = match session.status.as_deref() {
            Some(status) => {
                format!(" ({status} after {}{mark})", count(session.attempts, "attempt"))
            }
            None => mark.to_owned(),
        };
        for failure in &session.failures {
            if nearness == Nearness::SameCause {
                if failure.brought_by.is_some() && failure.message != self.message {
                    let said = error(&failure.error_type, &failure.message);
                    words.push_str(&format!("\n    it said: {said}"));
                }
                words.push_str(&tried_lines(failure, session.seen, above, detail));
            } else {
                words.push_str("\n  ");
                words.push_str(&failure_lines(failure, session.seen, above, detail));
            }
        }
        words
    }

    /// Whether the same is known of both.
    fn says_what(&self, other: &Self) -> bool {
        self.pattern == other.pattern && self.habits == other.habits && self.past == other.past
    }
}

fn similar_issue(session: &PastSession) -> SimilarIssue {
    let failure = session.failures.first();
    // What worked comes first.
    let resolution = failure.map(|failure| match failure.tried.first() {
        None => match &failure.brought_by {
            Some(edit) => format!("{}: caused by an edit of {}", failure.test, edit.files),
            None => format!("{}: nothing was tried", failure.test),
        },
        Some(tried) => {
            format!("{}: {}: {}", failure.test, tried.worked.words(), tried.description)
        }
    });
    SimilarIssue {
        session_id: Some(session.session.clone()),
        file: Some(session.file.clone()).filter(|file| !file.is_empty()),
        resolution: resolution.map(|words| clean_line(&words, LINE_CHARS)),
    }
}

/// Failures of which the same is known, together.
fn grouped(all: &[Recollection]) -> Vec<Vec<&Recollection>> {
    let mut groups: Vec<Vec<&Recollection>> = Vec::new();
    for known in all {
        match groups.iter_mut().find(|group| group[0].says_what(known)) {
            Some(group) => group.push(known),
            None => groups.push(vec![known]),
        }
    }
    groups
}

/// What is spoken of.
fn subject(group: &[&Recollection]) -> String {
    let first = group.first().and_then(|known| known.test.as_deref());
    let name = shown(first.unwrap_or("outside of any test"));
    match group.len() {
        0 | 1 => format!("{name}:"),
        all => format!("{name} and {} more:", all - 1),
    }
}
