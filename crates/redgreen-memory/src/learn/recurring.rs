//! Tests that fail in one session after the other.

use redgreen_model::debug_memory::{RecurringFailure, Resolution};
use rusqlite::Connection;
use serde::Serialize;

use crate::index::Effort;
use crate::moment::rfc3339;
use crate::{Memory, MemoryError};

/// A test that redgreen saw fail in more than one session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recurring {
    /// The test.
    pub test: String,
    /// In how many sessions it failed.
    pub sessions: u32,
    /// Whether it is still to be expected.
    pub resolution: Resolution,
    /// When it last failed, RFC 3339.
    pub last_seen: String,
}

impl From<Recurring> for RecurringFailure {
    fn from(recurring: Recurring) -> Self {
        Self {
            test: Some(recurring.test),
            occurrences: Some(recurring.sessions),
            resolution: Some(recurring.resolution),
            notes: None,
        }
    }
}

impl Memory {
    /// The tests that failed in more than one session, the most frequent first.
    pub fn recurring(&mut self) -> Result<Vec<Recurring>, MemoryError> {
        self.ask(Effort::Thorough, |index| {
            let connection = &index.connection;
            let mut statement = connection.prepare_cached(
                "SELECT test FROM sightings WHERE seen = 1
                 GROUP BY test HAVING count(DISTINCT record) > 1",
            )?;
            let tests: Vec<i64> =
                statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            let mut all = Vec::new();
            for test in tests {
                all.extend(recurring_test(connection, test)?);
            }
            all.sort_by(|left, right| {
                (right.sessions, &left.test).cmp(&(left.sessions, &right.test))
            });
            Ok(all)
        })
    }
}

/// What is known of a test, if redgreen saw it fail in more than one session.
pub(super) fn recurring_test(
    connection: &Connection,
    test: i64,
) -> Result<Option<Recurring>, rusqlite::Error> {
    let (sessions, last_seen): (u32, Option<i64>) = connection
        .prepare_cached(
            "SELECT count(DISTINCT record), max(at) FROM sightings WHERE test = ?1 AND seen = 1",
        )?
        .query_row([test], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let Some(last_seen) = last_seen.filter(|_| sessions > 1) else { return Ok(None) };
    // Of several at one moment, it is as it is where it is worst.
    let (is_open, is_escalated): (bool, bool) = connection
        .prepare_cached(
            "SELECT max(open), coalesce(max(open AND status = 'escalated'), 0)
             FROM sightings JOIN records ON records.id = record
             WHERE test = ?1 AND sightings.seen = 1 AND sightings.at = ?2",
        )?
        .query_row([test, last_seen], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let name = connection
        .prepare_cached("SELECT text FROM names WHERE id = ?1")?
        .query_row([test], |row| row.get(0))?;
    // Green is the whole suite: a session that passed later has seen this test pass.
    let passed_later: bool = connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM records
             WHERE at > ?1 AND status = 'passed' AND seen = 1)",
        )?
        .query_row([last_seen], |row| row.get(0))?;
    let resolution = match is_open && !passed_later {
        false => Resolution::Resolved,
        true if is_escalated => Resolution::Escalated,
        true => Resolution::Pending,
    };
    Ok(Some(Recurring { test: name, sessions, resolution, last_seen: rfc3339(last_seen) }))
}
