//! What became of sessions of the past.

use rusqlite::{Connection, OptionalExtension as _, params};
use serde::Serialize;

use crate::facts::{Edit, Said};
use crate::moment::rfc3339;

/// A session of the past.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PastSession {
    /// Its id.
    pub session: String,
    /// The file that was worked on most.
    pub file: String,
    /// When it was last seen, RFC 3339.
    pub at: String,
    /// What became of it.
    pub status: Option<String>,
    /// How many attempts it took.
    pub attempts: u32,
    /// Whether redgreen itself saw it; what others recorded is unverified.
    pub seen: bool,
    /// What failed in it.
    pub failures: Vec<PastFailure>,
    #[serde(skip)]
    pub(crate) at_ms: i64,
}

/// A failure of the past, and what was tried against it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PastFailure {
    /// The cause.
    pub fingerprint: String,
    /// One test that showed it.
    pub test: String,
    /// The language's name of the error.
    pub error_type: String,
    /// What was said.
    pub message: String,
    /// The edit that brought it, where redgreen saw one do it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brought_by: Option<BroughtBy>,
    /// What was tried: what worked first, then the latest.
    pub tried: Vec<Tried>,
    #[serde(skip)]
    pub(crate) cause: i64,
}

/// An edit that brought a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BroughtBy {
    /// The files that it changed, in words.
    pub files: String,
    /// The changed lines that are nearest to the failure, as in a diff; none where nobody kept a diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
}

impl BroughtBy {
    fn unpacked(text: &str) -> Self {
        let Edit { files, lines } = Edit::unpacked(text);
        Self { files, lines }
    }
}

/// A fix of the past.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tried {
    /// What was changed, in words.
    pub description: String,
    /// The first of the changed lines, as in a diff; none where nobody kept a diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// Whether it helped.
    pub worked: Worked,
    /// The failures that came or showed after it, or the tests that it helped instead, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub others: Option<String>,
    /// When that was seen, RFC 3339.
    pub at: String,
}

/// Whether a fix helped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Worked {
    /// What failed passed after it.
    Yes,
    /// The failure was still there.
    No,
    /// It was gone, and others had come that were not there before.
    Broke,
    /// It was gone, and others showed, that may have been there before.
    Uncovered,
    /// It was about other failures, which were gone after it.
    Elsewhere,
    /// Nobody saw.
    Unknown,
}

impl Worked {
    /// In words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Yes => "this worked",
            Self::No => "this did NOT work",
            Self::Broke => "this caused other failures",
            Self::Uncovered => "after this, others failed",
            Self::Elsewhere => "this changed nothing here",
            Self::Unknown => "tried, result not seen",
        }
    }
}

/// The most causes and tries of one session that are looked at.
const FAILURES_MAX: i64 = 3;
const TRIES_MAX: u32 = 3;

/// Which failures of a session are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meant {
    /// The one with this cause.
    Cause(i64),
    /// The first.
    First,
    /// The first few.
    Some,
}

/// A session with what failed in it; none if the record is gone.
pub(crate) fn past_session(
    connection: &Connection,
    record: i64,
    meant: Meant,
) -> Result<Option<PastSession>, rusqlite::Error> {
    let found = connection
        .prepare_cached(
            "SELECT session, file_path, at, status, attempts, seen FROM records WHERE id = ?1",
        )?
        .query_row([record], |row| {
            let at_ms = row.get(2)?;
            Ok(PastSession {
                session: row.get(0)?,
                file: row.get(1)?,
                at: rfc3339(at_ms),
                at_ms,
                status: row.get(3)?,
                attempts: row.get(4)?,
                seen: row.get(5)?,
                failures: Vec::new(),
            })
        })
        .optional()?;
    let Some(mut session) = found else { return Ok(None) };
    session.failures = failures_of(connection, record, meant)?;
    Ok(Some(session))
}

/// The failures of a session, in the order in which they came, in the words that they had there. SQLite takes the
/// rest from the row with the least position.
fn failures_of(
    connection: &Connection,
    record: i64,
    meant: Meant,
) -> Result<Vec<PastFailure>, rusqlite::Error> {
    let (which, number) = match meant {
        Meant::Cause(cause) => ("AND cause = ?2 GROUP BY cause", cause),
        Meant::First => ("GROUP BY cause ORDER BY position LIMIT ?2", 1),
        Meant::Some => ("GROUP BY cause ORDER BY position LIMIT ?2", FAILURES_MAX),
    };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT causes.id, fingerprint, test.text, said.text, brought.text
         FROM (SELECT cause, test, said, brought, min(position) AS position FROM sightings
               WHERE record = ?1 {which}) AS sighted
         JOIN causes ON causes.id = sighted.cause
         JOIN names AS test ON test.id = sighted.test
         JOIN names AS said ON said.id = sighted.said
         LEFT JOIN names AS brought ON brought.id = sighted.brought
         ORDER BY sighted.position",
    ))?;
    let rows = statement.query_map(params![record, number], |row| {
        let said = Said::unpacked(&row.get::<_, String>(3)?);
        Ok(PastFailure {
            cause: row.get(0)?,
            fingerprint: row.get(1)?,
            test: row.get(2)?,
            error_type: said.error_name,
            message: said.message,
            brought_by: row.get::<_, Option<String>>(4)?.as_deref().map(BroughtBy::unpacked),
            tried: Vec::new(),
        })
    })?;
    let mut failures: Vec<PastFailure> = rows.collect::<Result<_, _>>()?;
    for failure in &mut failures {
        failure.tried = tries_of(connection, record, failure.cause)?;
    }
    Ok(failures)
}

fn tries_of(
    connection: &Connection,
    record: i64,
    cause: i64,
) -> Result<Vec<Tried>, rusqlite::Error> {
    let mut statement = connection.prepare_cached(
        "SELECT description.text, outcome, at, lines.text, others.text FROM tries
         JOIN names AS description ON description.id = tries.description
         LEFT JOIN names AS lines ON lines.id = tries.lines
         LEFT JOIN names AS others ON others.id = tries.others
         WHERE record = ?1 AND cause = ?2 ORDER BY outcome = 1 DESC, run DESC LIMIT ?3",
    )?;
    let rows = statement.query_map(params![record, cause, TRIES_MAX], |row| {
        let worked = match row.get::<_, i64>(1)? {
            1 => Worked::Yes,
            2 => Worked::No,
            3 => Worked::Broke,
            4 => Worked::Uncovered,
            5 => Worked::Elsewhere,
            _ => Worked::Unknown,
        };
        let at = rfc3339(row.get(2)?);
        let (description, lines, others) = (row.get(0)?, row.get(3)?, row.get(4)?);
        Ok(Tried { description, lines, worked, others, at })
    })?;
    rows.collect()
}
