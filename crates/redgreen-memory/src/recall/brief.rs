//! What to know before touching files: from narrow to wide, and short.

use rusqlite::{Connection, OptionalExtension as _, params};
use serde::Serialize;

use super::at_failure::Recollection;
use super::past::{Meant, PastSession, past_session};
use crate::facts::{Key, folder_of};
use crate::index::{Index, IndexError, name_of};
use crate::learn::{Pattern, SeenHabit, best_of_project, habits_seen, offered_among};

/// What a brief is asked for.
#[derive(Clone, Debug, Default)]
pub struct BriefRequest {
    /// The files that are going to be touched, from the root of the work tree.
    pub files: Vec<String>,
    /// The session that asks: what it wrote itself is no news.
    pub asking_session: Option<String>,
}

/// How near a session of the past is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// It touched one of the files.
    File,
    /// It touched a file in one of their folders.
    Folder,
    /// It is of the same project.
    Project,
}

/// What to know before touching files.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Brief {
    /// Mistakes that were made in more than one place, and what would have prevented them.
    pub habits: Vec<SeenHabit>,
    /// The one pattern that is most worth knowing.
    pub pattern: Option<Pattern>,
    /// What other tools' records say helps, where redgreen has seen nothing itself.
    #[serde(rename = "told")]
    pub note: Option<Note>,
    /// How many records were looked at.
    pub looked_at: usize,
    /// Sessions in which something failed, with how near they are: those that redgreen saw, the nearest first, then
    /// those that are unverified.
    pub sessions: Vec<(Scope, PastSession)>,
    /// Whether it was asked for files, and not for the whole project.
    #[serde(skip)]
    pub(crate) of_files: bool,
}

impl Brief {
    /// What is left to say beside what is shown of failures that were just seen.
    #[must_use]
    pub fn without(mut self, shown: &[&Recollection]) -> Self {
        let is_offered = |pattern: &Pattern| {
            shown.iter().any(|known| known.pattern.as_ref().is_some_and(|it| it.id == pattern.id))
        };
        self.pattern = self.pattern.filter(|pattern| !is_offered(pattern));
        self.habits.retain(|habit| {
            !shown.iter().any(|known| known.habits.iter().any(|it| it.habit == habit.habit))
        });
        for (_, session) in &mut self.sessions {
            session
                .failures
                .retain(|failure| !shown.iter().any(|known| known.tells_of(&failure.fingerprint)));
        }
        self.sessions.retain(|(_, session)| !session.failures.is_empty());
        self
    }
}

/// A pattern that somebody noted, and nobody verified.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Note {
    /// What it is.
    pub pattern: String,
    /// How often it was noted.
    pub frequency: u32,
    /// What is said to help.
    pub fix: Option<String>,
}

/// So many habits are told: more would not be read.
const HABITS_MAX: usize = 3;

impl Index {
    /// The brief for some files; at most `lookback` records are looked at.
    pub(crate) fn brief(
        &mut self,
        request: &BriefRequest,
        lookback: usize,
    ) -> Result<Brief, IndexError> {
        let of_files = !request.files.is_empty();
        let edited = {
            let reading = self.reading()?;
            let near = near_records(&reading, request, lookback)?;
            let edited = self.edited_among(near.iter().map(|(_, record)| *record))?;
            if edited.is_empty() {
                return Ok(Brief { of_files, ..tell(&reading, &near)? });
            }
            edited
        };
        self.read_again(&edited)?;
        let reading = self.reading()?;
        let near = near_records(&reading, request, lookback)?;
        Ok(Brief { of_files, ..tell(&reading, &near)? })
    }
}

/// The records to look at: those that redgreen saw, the nearest first, the newest of equally near ones first; and in
/// what is left those that are unverified, in the same order. However many those are, they hide nothing that was seen.
fn near_records(
    connection: &Connection,
    request: &BriefRequest,
    lookback: usize,
) -> Result<Vec<(Scope, i64)>, rusqlite::Error> {
    let files = || request.files.iter().map(|file| file.trim_start_matches("./"));
    let mut near: Vec<(Scope, i64)> = Vec::new();
    let mut sessions: Vec<String> = request.asking_session.clone().into_iter().collect();
    let mut add = |scope, found: Vec<(i64, i64, String)>| {
        for (_, record, session) in found {
            if near.len() < lookback && !sessions.contains(&session) {
                sessions.push(session);
                near.push((scope, record));
            }
        }
        near.len() >= lookback
    };
    let limit = i64::try_from(lookback + 1).unwrap_or(i64::MAX);
    let by_key = |key: Key, seen: bool, texts: &mut dyn Iterator<Item = &str>| {
        let mut found = Vec::new();
        for text in texts {
            found.extend(records_by_key(connection, key, text, seen, limit)?);
        }
        found.sort_unstable_by(|left: &(i64, i64, String), right| right.cmp(left));
        Ok::<_, rusqlite::Error>(found)
    };
    for seen in [true, false] {
        let full = add(Scope::File, by_key(Key::File, seen, &mut files())?)
            || add(Scope::Folder, by_key(Key::Folder, seen, &mut files().map(folder_of))?)
            // Those that are near already are among the newest, too.
            || add(Scope::Project, newest_records(connection, seen, limit.saturating_mul(2))?);
        if full {
            break;
        }
    }
    Ok(near)
}

fn newest_records(
    connection: &Connection,
    seen: bool,
    limit: i64,
) -> Result<Vec<(i64, i64, String)>, rusqlite::Error> {
    let mut statement = connection.prepare_cached(
        "SELECT at, id, session FROM records WHERE seen = ?1 ORDER BY at DESC LIMIT ?2",
    )?;
    let rows = statement
        .query_map(params![seen, limit], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    rows.collect()
}

fn records_by_key(
    connection: &Connection,
    key: Key,
    text: &str,
    seen: bool,
    limit: i64,
) -> Result<Vec<(i64, i64, String)>, rusqlite::Error> {
    let Some(name) = name_of(connection, text)? else { return Ok(Vec::new()) };
    let mut statement = connection.prepare_cached(
        "SELECT keys.at, keys.record, records.session FROM keys
         JOIN records ON records.id = keys.record
         WHERE kind = ?1 AND name = ?2 AND keys.seen = ?3
         ORDER BY keys.at DESC, keys.record DESC LIMIT ?4",
    )?;
    let rows = statement.query_map(params![key as i64, name, seen, limit], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    })?;
    rows.collect()
}

fn tell(connection: &Connection, near: &[(Scope, i64)]) -> Result<Brief, rusqlite::Error> {
    let mut brief = Brief { looked_at: near.len(), ..Brief::default() };
    for (scope, record) in near {
        let session = past_session(connection, *record, Meant::Some)?;
        // One that passed at once teaches nothing.
        brief.sessions.extend(
            session.filter(|session| !session.failures.is_empty()).map(|session| (*scope, session)),
        );
    }
    brief.habits = habits_seen(connection)?;
    brief.habits.retain(|habit| habit.offered);
    brief.habits.truncate(HABITS_MAX);
    for scope in [Scope::File, Scope::Folder] {
        let causes: Vec<i64> = brief
            .sessions
            .iter()
            .filter(|(near, _)| *near == scope)
            .flat_map(|(_, session)| session.failures.iter().map(|failure| failure.cause))
            .collect();
        if brief.pattern.is_none() {
            brief.pattern = offered_among(connection, &causes)?;
        }
    }
    if brief.pattern.is_none() {
        brief.pattern = best_of_project(connection)?;
    }
    if brief.pattern.is_none() {
        for (_, record) in near {
            brief.note = brief.note.or(note_in(connection, *record)?);
        }
    }
    Ok(brief)
}

fn note_in(connection: &Connection, record: i64) -> Result<Option<Note>, rusqlite::Error> {
    connection
        .prepare_cached(
            "SELECT names.text, frequency, template FROM told JOIN names ON names.id = told.name
             WHERE record = ?1 ORDER BY frequency DESC, names.text LIMIT 1",
        )?
        .query_row([record], |row| {
            Ok(Note { pattern: row.get(0)?, frequency: row.get(1)?, fix: row.get(2)? })
        })
        .optional()
}
