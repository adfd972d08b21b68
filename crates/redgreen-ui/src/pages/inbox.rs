//! The inbox: what waits for a person, and what they type.
//!
//! The page itself takes no answer. `redgreen answer` is for a person at a terminal; an address in a browser is no such
//! thing, because an agent runs as the same user and can read what the browser keeps of it.

use jiff::Timestamp;
use minijinja::Value;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_runner::people::{self, Case};
use serde::Serialize;

use crate::render::part;
use crate::watch::Watched;
use crate::words::{Moment, moment, spaced};

/// The answer that only a loop can do something with.
const MORE: &str = "--more 2";
/// The most failures that are named of one case.
const NAMED_MAX: usize = 5;

#[derive(Serialize)]
struct View {
    cases: Vec<Waiting>,
}

/// A case as it is shown.
#[derive(Serialize)]
pub(crate) struct Waiting {
    session: String,
    project: String,
    folder: String,
    task: String,
    at: Moment,
    reason: String,
    detail: String,
    attempts: String,
    red: Vec<(String, String)>,
    more: u64,
    next: String,
    commands: Vec<Command>,
    deliveries: Vec<String>,
}

/// What a person can type.
#[derive(Serialize)]
struct Command {
    what: &'static str,
    line: String,
}

pub(crate) fn body(watched: &Watched, now: Timestamp) -> Value {
    let cases = people::outbox().map(|outbox| outbox.cases()).unwrap_or_default();
    let open = cases.iter().rev().filter(|case| case.is_open());
    let is_gated = |case: &Case| {
        let session = &case.escalation.session;
        watched.look(|overview| overview.card(session).is_some_and(|card| card.gated))
    };
    let cases = open.map(|case| waiting(case, is_gated(case), now)).collect();
    part("inbox.html", &View { cases })
}

/// What a session waits with; none where it does not.
pub(crate) fn of(session: &str, gated: bool, now: Timestamp) -> Option<Waiting> {
    let case = people::outbox()?.case(session).filter(Case::is_open)?;
    Some(waiting(&case, gated, now))
}

fn waiting(case: &Case, gated: bool, now: Timestamp) -> Waiting {
    let it = &case.escalation;
    let folder = clean_line(&case.project.to_string_lossy(), LINE_CHARS);
    let named = it.failures.iter().take(NAMED_MAX);
    Waiting {
        session: it.session.clone(),
        project: case.project.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        task: it.task.clone(),
        at: moment(&it.at, now),
        reason: it.reason.map(|reason| spaced(reason.as_str())).unwrap_or_default(),
        detail: it.detail.clone(),
        attempts: format!("{} of {} attempts", it.attempt_count, it.max_attempts),
        red: named
            .map(|red| (red.test.clone(), first_line(&red.error_type, &red.message)))
            .collect(),
        more: it.failures.len().saturating_sub(NAMED_MAX) as u64 + it.failures_left_out,
        next: it.follow_up.clone(),
        commands: commands(&folder, &it.session, gated),
        deliveries: case
            .deliveries
            .iter()
            .map(|it| format!("{} {}", it.settings.channel, it.standing.as_str()))
            .collect(),
        folder,
    }
}

fn first_line(name: &str, message: &str) -> String {
    let message = message.lines().next().unwrap_or_default();
    if name.is_empty() { message.to_owned() } else { format!("{name}: {message}") }
}

/// The answers that fit: the agent of a gated session comes back by itself, or does not.
fn commands(folder: &str, session: &str, gated: bool) -> Vec<Command> {
    let answers = [
        ("Go on, with a hint", "--hint '…'"),
        ("Go on, with more attempts", MORE),
        ("Accept the code as it is", "--accept '…'"),
        ("Put back what was before", "--reject '…'"),
        ("Take it over yourself", "--take-over"),
    ];
    let folder = quoted(folder);
    let command = |(what, option)| {
        let line = format!("cd {folder} && redgreen answer {session} {option}");
        Command { what, line }
    };
    answers.into_iter().filter(|(_, option)| !gated || *option != MORE).map(command).collect()
}

/// A word that no shell takes for anything else.
fn quoted(word: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "/._-+".contains(it);
    if word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_one_word_for_the_shell() {
        assert_eq!(quoted("/home/me/a-b_1.0"), "/home/me/a-b_1.0");
        assert_eq!(quoted("/tmp/$(id) 'x'"), r"'/tmp/$(id) '\''x'\'''");
    }
}
