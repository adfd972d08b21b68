//! The sums for each cause, made anew when a record that tells of it comes, changes or goes.

use std::collections::BTreeSet;

use redgreen_model::text::bound_middle;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::pattern::{OFFERED_ABOVE, OFFERED_AFTER, RECENT};
use crate::facts::Said;
use crate::index::{forget_patterns, leave_unwritten, number_of};
use crate::reader::Reader;

/// A larger diff is no template.
const DIFF_CHARS: usize = 2_000;

/// How the fixes against a cause went.
struct Tally {
    worked: u32,
    failed: u32,
    recent_worked: u32,
    recent: u32,
}

impl Tally {
    /// How sure it is that the fix helps: of all, or of the last few if that is less. So it falls
    /// soon when the fix stops working, however often it helped before.
    fn effectiveness(&self) -> f64 {
        share(self.worked, self.worked + self.failed).min(share(self.recent_worked, self.recent))
    }

    fn is_offered(&self) -> bool {
        self.worked >= OFFERED_AFTER && self.effectiveness() > OFFERED_ABOVE
    }
}

pub(super) fn share(part: u32, whole: u32) -> f64 {
    if whole == 0 { 0.0 } else { f64::from(part) / f64::from(whole) }
}

/// Makes the sums of these causes anew.
pub(crate) fn sum_up(
    connection: &Connection,
    reader: &Reader,
    causes: &BTreeSet<i64>,
) -> Result<(), rusqlite::Error> {
    for cause in causes {
        sum_up_cause(connection, reader, *cause)?;
    }
    Ok(())
}

fn sum_up_cause(
    connection: &Connection,
    reader: &Reader,
    cause: i64,
) -> Result<(), rusqlite::Error> {
    let seen = sessions_with(connection, cause, true)?;
    let unverified = sessions_with(connection, cause, false)?;
    // What redgreen saw says what it is; what is unverified, only where that is all there is.
    let (is_seen, last) = (seen.last.is_some(), seen.last.or(unverified.last));
    let Some(last) = last else {
        for delete in ["DELETE FROM patterns WHERE cause = ?1", "DELETE FROM causes WHERE id = ?1"]
        {
            connection.prepare_cached(delete)?.execute([cause])?;
        }
        return forget_patterns(connection);
    };
    let said = said_last(connection, cause, is_seen, last)?;
    call(connection, cause, &said, is_seen)?;
    let tally = tally(connection, cause)?;
    let best = best_try(connection, cause)?;
    let (description, diff) = match &best {
        Some(best) => template(connection, reader, cause, best)?,
        None => (None, None),
    };
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO patterns (cause, message, sessions, told, worked, failed,
             recent_worked, recent, last_seen, offered, effectiveness, description, diff,
             best_record, best_run)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        )?
        .execute(params![
            cause,
            said.message,
            seen.count,
            unverified.count,
            tally.worked,
            tally.failed,
            tally.recent_worked,
            tally.recent,
            last,
            tally.is_offered(),
            tally.effectiveness(),
            description,
            diff,
            best.as_ref().map(|best| best.record),
            best.as_ref().map(|best| best.run),
        ])?;
    leave_unwritten(connection, cause)
}

/// The sessions in which a cause was seen, or is unverified.
struct Sessions {
    count: u32,
    /// When the last of them was.
    last: Option<i64>,
}

fn sessions_with(
    connection: &Connection,
    cause: i64,
    seen: bool,
) -> Result<Sessions, rusqlite::Error> {
    connection
        .prepare_cached(
            "SELECT count(DISTINCT record), max(at) FROM sightings WHERE cause = ?1 AND seen = ?2",
        )?
        .query_row(params![cause, seen], |row| {
            Ok(Sessions { count: row.get(0)?, last: row.get(1)? })
        })
}

/// The words of the last sighting; the first of equals, so that it does not matter which came first.
fn said_last(
    connection: &Connection,
    cause: i64,
    seen: bool,
    at: i64,
) -> Result<Said, rusqlite::Error> {
    connection
        .prepare_cached(
            "SELECT min(names.text) FROM sightings JOIN names ON names.id = said
             WHERE cause = ?1 AND seen = ?2 AND at = ?3",
        )?
        .query_row(params![cause, seen, at], |row| row.get::<_, String>(0))
        .map(|text| Said::unpacked(&text))
}

/// Calls a cause what it was called last: it is found by that, too.
fn call(
    connection: &Connection,
    cause: i64,
    said: &Said,
    seen: bool,
) -> Result<(), rusqlite::Error> {
    let error = number_of(connection, &said.error_name)?;
    let function = said.function.as_deref().map(|name| number_of(connection, name)).transpose()?;
    connection
        .prepare_cached(
            "UPDATE causes SET error_name = ?2, function = ?3, seen = ?4
             WHERE id = ?1 AND (error_name <> ?2 OR function IS NOT ?3 OR seen <> ?4)",
        )?
        .execute(params![cause, error, function, seen])
        .map(drop)
}

/// What counts for or against the fixes of a cause: those that helped, and those that did not although the
/// same change had helped. That something else was tried first says nothing about them; where nothing ever
/// helped, all of it counts.
const COUNTED: &str = "cause = ?1 AND seen = 1 AND (outcome = 1 OR outcome = 2 AND (
    fix IN (SELECT fix FROM tries WHERE cause = ?1 AND seen = 1 AND outcome = 1)
    OR NOT EXISTS (SELECT 1 FROM tries WHERE cause = ?1 AND seen = 1 AND outcome = 1)))";

/// Only what redgreen itself saw counts.
fn tally(connection: &Connection, cause: i64) -> Result<Tally, rusqlite::Error> {
    let (worked, failed) = connection
        .prepare_cached(&format!(
            "SELECT count(*) FILTER (WHERE outcome = 1), count(*) FILTER (WHERE outcome = 2)
             FROM tries WHERE {COUNTED}",
        ))?
        .query_row([cause], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (recent_worked, recent) = connection
        .prepare_cached(&format!(
            "SELECT count(*) FILTER (WHERE outcome = 1), count(*) FROM (
                SELECT outcome FROM tries WHERE {COUNTED} ORDER BY at DESC, outcome DESC LIMIT ?2
             )",
        ))?
        .query_row(params![cause, RECENT], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(Tally { worked, failed, recent_worked, recent })
}

/// The fix with the smallest diff of those that helped; the oldest of equals.
struct Best {
    record: i64,
    run: u32,
}

fn best_try(connection: &Connection, cause: i64) -> Result<Option<Best>, rusqlite::Error> {
    connection
        .prepare_cached(
            "SELECT record, run FROM tries WHERE cause = ?1 AND outcome = 1 AND seen = 1
             ORDER BY diff_lines, at, fix LIMIT 1",
        )?
        .query_row([cause], |row| Ok(Best { record: row.get(0)?, run: row.get(1)? }))
        .optional()
}

/// The description and the diff of a fix. The diff is in the record alone, which is read only if the
/// best fix is another one than before.
fn template(
    connection: &Connection,
    reader: &Reader,
    cause: i64,
    best: &Best,
) -> Result<(Option<String>, Option<String>), rusqlite::Error> {
    let known = connection
        .prepare_cached(
            "SELECT description, diff FROM patterns
             WHERE cause = ?1 AND best_record = ?2 AND best_run = ?3",
        )?
        .query_row(params![cause, best.record, best.run], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    if let Some(known) = known {
        return Ok(known);
    }
    let (name, description): (String, String) = connection
        .prepare_cached(
            "SELECT files.name, names.text FROM tries
             JOIN files ON files.id = tries.record JOIN names ON names.id = tries.description
             WHERE tries.record = ?1 AND tries.cause = ?2 AND tries.run = ?3",
        )?
        .query_row(params![best.record, cause, best.run], |row| Ok((row.get(0)?, row.get(1)?)))?;
    // It may be another one by now: what is offered as redgreen's is under its seal.
    let read = reader.record(&name).ok().filter(|read| read.shown.origin.is_seen());
    let diff = read.and_then(|read| {
        let run = read.record.executions.into_iter().nth(usize::try_from(best.run).ok()?)?;
        run.fix_applied?.diff
    });
    Ok((Some(description), diff.map(|diff| bound_middle(&diff, DIFF_CHARS))))
}
