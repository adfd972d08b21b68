//! A pattern: a cause that was seen, and what is known to help.

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::Serialize;

use super::sums::share;
use crate::cause::{digest, error_pattern};
use crate::index::Effort;
use crate::moment::rfc3339;
use crate::{Memory, MemoryError};

/// A fix is offered if it helped more often than that.
pub const OFFERED_ABOVE: f64 = 0.7;
/// And after it helped that often.
pub const OFFERED_AFTER: u32 = 2;
/// So many of the latest tries tell whether a fix still works.
pub const RECENT: u32 = 5;

/// A cause that was seen, and what is known to help.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pattern {
    /// Its name, the same in every memory.
    pub id: String,
    /// The cause.
    pub fingerprint: String,
    /// The language's name of the error.
    pub error_type: String,
    /// The function of the project's own code, where it is known.
    pub function: Option<String>,
    /// What was said.
    pub message: String,
    /// A regular expression that finds it.
    pub error_pattern: String,
    /// In how many sessions redgreen saw it.
    pub occurrences: u32,
    /// In how many more others say that it was.
    #[serde(rename = "told")]
    pub unverified: u32,
    /// How many fixes made it pass, in re-runs that redgreen saw.
    pub worked: u32,
    /// How often one of those did not, at another time.
    pub failed: u32,
    /// The share of those that did; none where nothing was tried.
    pub success_rate: Option<f64>,
    /// The same, or that of the latest tries if it is less.
    pub effectiveness: f64,
    /// Whether it is worth offering.
    pub offered: bool,
    /// What made it pass, in words.
    pub fix: Option<String>,
    /// The smallest diff that did.
    pub diff: Option<String>,
    /// When it was last seen, RFC 3339; unverified, where redgreen never saw it.
    pub last_seen: String,
    /// The files it was seen in, the latest first; unverified, where redgreen never saw it.
    pub files: Vec<String>,
}

/// So many sightings are looked at for where a cause occurs, and so many files are named.
const LOOKED_AT: u32 = 50;
const FILES_MAX: usize = 5;

const SELECT: &str = "SELECT patterns.cause, causes.fingerprint, error.text, function.text,
    patterns.message, sessions, worked, failed, effectiveness, offered, description, diff, last_seen,
    told
    FROM patterns JOIN causes ON causes.id = patterns.cause
    JOIN names AS error ON error.id = causes.error_name
    LEFT JOIN names AS function ON function.id = causes.function";

impl Memory {
    /// Every pattern, what is offered first, then by how well and how often it helped.
    pub fn patterns(&mut self) -> Result<Vec<Pattern>, MemoryError> {
        self.ask(Effort::Thorough, |index| {
            // One session may show several: their order is the same however the index was made.
            let mut statement = index.connection.prepare_cached(
                "SELECT cause FROM patterns JOIN causes ON causes.id = cause
                 ORDER BY offered DESC, effectiveness DESC, sessions DESC, told DESC, last_seen DESC,
                 fingerprint",
            )?;
            let causes: Vec<i64> =
                statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            let mut patterns = Vec::new();
            for cause in causes {
                patterns.extend(pattern_of(&index.connection, cause)?);
            }
            Ok(patterns)
        })
    }
}

/// The pattern of a cause.
pub(crate) fn pattern_of(
    connection: &Connection,
    cause: i64,
) -> Result<Option<Pattern>, rusqlite::Error> {
    let found = connection
        .prepare_cached(&format!("{SELECT} WHERE patterns.cause = ?1"))?
        .query_row([cause], read)
        .optional()?;
    found.map(|pattern| with_files(connection, cause, pattern)).transpose()
}

/// The best pattern that is offered for one of these causes.
pub(crate) fn offered_among(
    connection: &Connection,
    causes: &[i64],
) -> Result<Option<Pattern>, rusqlite::Error> {
    let mut best: Option<(f64, u32, i64, i64)> = None;
    let mut statement = connection.prepare_cached(
        "SELECT effectiveness, sessions, last_seen, cause FROM patterns
         WHERE cause = ?1 AND offered = 1",
    )?;
    for cause in causes {
        let found = statement
            .query_row([cause], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
            .optional()?;
        if let Some(found) = found
            && best.is_none_or(|best| found > best)
        {
            best = Some(found);
        }
    }
    match best {
        Some((.., cause)) => pattern_of(connection, cause),
        None => Ok(None),
    }
}

/// The best pattern of all that are offered.
pub(crate) fn best_of_project(connection: &Connection) -> Result<Option<Pattern>, rusqlite::Error> {
    let cause: Option<i64> = connection
        .prepare_cached(
            "SELECT cause FROM patterns WHERE offered = 1
             ORDER BY effectiveness DESC, sessions DESC, last_seen DESC LIMIT 1",
        )?
        .query_row([], |row| row.get(0))
        .optional()?;
    match cause {
        Some(cause) => pattern_of(connection, cause),
        None => Ok(None),
    }
}

fn read(row: &Row<'_>) -> Result<Pattern, rusqlite::Error> {
    let fingerprint: String = row.get(1)?;
    let message: String = row.get(4)?;
    let (worked, failed): (u32, u32) = (row.get(6)?, row.get(7)?);
    Ok(Pattern {
        id: format!("rg-{}", digest(fingerprint.as_bytes())),
        fingerprint,
        error_type: row.get(2)?,
        function: row.get(3)?,
        error_pattern: error_pattern(&message),
        message,
        occurrences: row.get(5)?,
        unverified: row.get(13)?,
        worked,
        failed,
        success_rate: (worked + failed > 0).then(|| share(worked, worked + failed)),
        effectiveness: row.get(8)?,
        offered: row.get(9)?,
        fix: row.get(10)?,
        diff: row.get(11)?,
        last_seen: rfc3339(row.get(12)?),
        files: Vec::new(),
    })
}

fn with_files(
    connection: &Connection,
    cause: i64,
    mut pattern: Pattern,
) -> Result<Pattern, rusqlite::Error> {
    let mut statement = connection.prepare_cached(
        "SELECT records.file_path FROM (
            SELECT record FROM sightings WHERE cause = ?1 AND seen = ?2 ORDER BY at DESC LIMIT ?3
         ) JOIN records ON records.id = record",
    )?;
    let (seen, file) = (pattern.occurrences > 0, |row: &Row<'_>| row.get::<_, String>(0));
    for file in statement.query_map(params![cause, seen, LOOKED_AT], file)? {
        let file = file?;
        if pattern.files.len() < FILES_MAX && !file.is_empty() && !pattern.files.contains(&file) {
            pattern.files.push(file);
        }
    }
    Ok(pattern)
}
