//! What to know at a failure: the nearest failures of the past, and what was tried against them.

use redgreen_model::report::Failure;
use redgreen_model::text::{LINE_CHARS, clean_line};
use rusqlite::{Connection, OptionalExtension as _, params};
use serde::Serialize;

use super::past::{Meant, PastSession, past_session};
use crate::cause::first_line;
use crate::habits::Habit;
use crate::index::{Index, IndexError, name_of};
use crate::learn::{Pattern, SeenHabit, habits_seen, pattern_of};
use crate::search::{records_saying, telling_words};

/// How near a failure of the past is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Nearness {
    /// It has the same cause.
    SameCause,
    /// The same test failed.
    SameTest,
    /// The same sort of error came from the same function.
    SameFunction,
    /// Its words are alike.
    AlikeWords,
}

/// What is known about a failure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recollection {
    /// The failing test, where there is one.
    pub test: Option<String>,
    /// The cause.
    pub fingerprint: String,
    /// What is known to help.
    pub pattern: Option<Pattern>,
    /// Mistakes that it may come from, which were made and mended in other places.
    pub habits: Vec<SeenHabit>,
    /// Sessions in which it, or something like it, failed: those that redgreen saw, the nearest first, then those
    /// that are unverified. Each has the one failure
    /// that is meant.
    pub past: Vec<(Nearness, PastSession)>,
    /// What it says now.
    #[serde(skip)]
    pub(crate) message: String,
}

/// So many sessions are shown for one failure.
const PAST_MAX: usize = 3;
/// So many failures are looked up: the others of a broken build say the same.
const FAILURES_MAX: usize = 20;
/// So many causes with the same error and function are looked at.
const CAUSES_MAX: u32 = 10;

impl Index {
    /// What is known about each of these failures; those of which nothing is known are left out.
    pub(crate) fn at_failure(
        &mut self,
        failures: &[Failure],
        asking_session: Option<&str>,
    ) -> Result<Vec<Recollection>, IndexError> {
        let reading = self.reading()?;
        let mut known: Vec<Recollection> = Vec::new();
        for failure in failures.iter().take(FAILURES_MAX) {
            // Several tests show one cause.
            let is_there = |known: &Recollection| {
                !failure.fingerprint.is_empty() && known.fingerprint == failure.fingerprint
            };
            if !known.iter().any(is_there) {
                known.extend(recollect(&reading, failure, asking_session)?);
            }
        }
        Ok(known)
    }
}

fn recollect(
    connection: &Connection,
    failure: &Failure,
    asking_session: Option<&str>,
) -> Result<Option<Recollection>, rusqlite::Error> {
    let mut found = Found {
        connection,
        past: Vec::new(),
        records: Vec::new(),
        sessions: asking_session.into_iter().map(str::to_owned).collect(),
    };
    let cause = cause_of(connection, &failure.fingerprint)?;
    // What others tell has what is left: however much it is, it hides nothing that redgreen saw.
    for seen in [true, false] {
        found.look(failure, cause, seen)?;
    }
    let pattern = match cause {
        Some(cause) => pattern_of(connection, cause)?.filter(|pattern| pattern.offered),
        None => None,
    };
    let past = found.past;
    let habits = offered_habits(connection, failure)?;
    let recollection = Recollection {
        test: failure.test.clone(),
        fingerprint: failure.fingerprint.clone(),
        pattern,
        habits,
        past,
        message: clean_line(first_line(&failure.message), LINE_CHARS),
    };
    Ok((!recollection.is_empty()).then_some(recollection))
}

/// The habits that a failure may come from by what it says.
fn offered_habits(
    connection: &Connection,
    failure: &Failure,
) -> Result<Vec<SeenHabit>, rusqlite::Error> {
    let saying = Habit::saying(&failure.error_type, &failure.message);
    if saying.is_empty() {
        return Ok(Vec::new());
    }
    let mut habits = habits_seen(connection)?;
    habits.retain(|habit| habit.offered && saying.contains(&habit.habit));
    Ok(habits)
}

/// A record in which a cause was seen; none where the whole record is meant.
struct SightingRow {
    record: i64,
    cause: Option<i64>,
}

/// What was found so far: each session once, where it is nearest.
struct Found<'a> {
    connection: &'a Connection,
    past: Vec<(Nearness, PastSession)>,
    sessions: Vec<String>,
    /// Records that were looked at.
    records: Vec<i64>,
}

impl Found<'_> {
    fn has_room(&self) -> bool {
        self.past.len() < PAST_MAX
    }

    /// Looks for failures like one from near to far: those that redgreen saw, or those that are unverified.
    fn look(
        &mut self,
        failure: &Failure,
        cause: Option<i64>,
        seen: bool,
    ) -> Result<(), rusqlite::Error> {
        let connection = self.connection;
        if let Some(cause) = cause {
            self.add(Nearness::SameCause, &sightings_of_cause(connection, cause, seen)?)?;
        }
        if let Some(test) = failure.test.as_deref().filter(|_| self.has_room()) {
            self.add(Nearness::SameTest, &sightings_of_test(connection, test, seen)?)?;
        }
        let function = failure.location.as_ref().and_then(|place| place.function.as_deref());
        if let Some(function) = function.filter(|_| self.has_room()) {
            let sightings = sightings_in_function(connection, function, &failure.error_type, seen)?;
            self.add(Nearness::SameFunction, &sightings)?;
        }
        if self.has_room() {
            let words = telling_words(&failure.message);
            let records = records_saying(connection, &words, seen, LOOKED_AT)?;
            let sightings: Vec<SightingRow> =
                records.into_iter().map(|record| SightingRow { record, cause: None }).collect();
            self.add(Nearness::AlikeWords, &sightings)?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        nearness: Nearness,
        sightings: &[SightingRow],
    ) -> Result<(), rusqlite::Error> {
        for seen in sightings {
            if !self.has_room() {
                break;
            }
            if self.records.contains(&seen.record) {
                continue;
            }
            self.records.push(seen.record);
            let meant = seen.cause.map_or(Meant::First, Meant::Cause);
            let found = past_session(self.connection, seen.record, meant)?;
            let Some(session) = found else { continue };
            if !session.failures.is_empty() && !self.sessions.contains(&session.session) {
                self.sessions.push(session.session.clone());
                self.past.push((nearness, session));
            }
        }
        Ok(())
    }
}

fn cause_of(connection: &Connection, fingerprint: &str) -> Result<Option<i64>, rusqlite::Error> {
    connection
        .prepare_cached("SELECT id FROM causes WHERE fingerprint = ?1")?
        .query_row([fingerprint], |row| row.get(0))
        .optional()
}

/// More than are shown: a session may be there for several tests, and the one that asks is, too.
const LOOKED_AT: u32 = 12;

fn sightings_of_cause(
    connection: &Connection,
    cause: i64,
    is_seen: bool,
) -> Result<Vec<SightingRow>, rusqlite::Error> {
    seen(
        connection,
        "SELECT record, cause FROM sightings WHERE cause = ?1 AND seen = ?2
         ORDER BY at DESC, record DESC LIMIT ?3",
        params![cause, is_seen, LOOKED_AT],
    )
}

fn sightings_of_test(
    connection: &Connection,
    test: &str,
    is_seen: bool,
) -> Result<Vec<SightingRow>, rusqlite::Error> {
    let Some(test) = name_of(connection, test)? else { return Ok(Vec::new()) };
    seen(
        connection,
        "SELECT record, cause FROM sightings WHERE test = ?1 AND seen = ?2
         ORDER BY at DESC, record DESC LIMIT ?3",
        params![test, is_seen, LOOKED_AT],
    )
}

fn sightings_in_function(
    connection: &Connection,
    function: &str,
    error_type: &str,
    is_seen: bool,
) -> Result<Vec<SightingRow>, rusqlite::Error> {
    let names = (name_of(connection, function)?, name_of(connection, error_type)?);
    let (Some(function), Some(error)) = names else { return Ok(Vec::new()) };
    let mut statement = connection.prepare_cached(
        "SELECT id FROM causes WHERE function = ?1 AND error_name = ?2 AND seen >= ?3
         ORDER BY id DESC LIMIT ?4",
    )?;
    let causes: Vec<i64> = statement
        .query_map(params![function, error, is_seen, CAUSES_MAX], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut found = Vec::new();
    for cause in causes {
        found.extend(sightings_of_cause(connection, cause, is_seen)?);
    }
    Ok(found)
}

fn seen(
    connection: &Connection,
    query: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<SightingRow>, rusqlite::Error> {
    let mut statement = connection.prepare_cached(query)?;
    let rows = statement.query_map(values, |row| {
        Ok(SightingRow { record: row.get(0)?, cause: Some(row.get(1)?) })
    })?;
    rows.collect()
}
