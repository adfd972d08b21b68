//! The rows of one record: put in, and taken out again.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::names::{Names, number_of};
use crate::facts::{Facts, Sighting};
use crate::file::Stamp;

/// What is written into the index in one go.
#[derive(Default)]
pub(super) struct Batch {
    names: Names,
    /// Causes whose sums have to be made anew.
    pub(super) touched: BTreeSet<i64>,
}

impl Batch {
    /// Puts a file in, in the place of what it said before; `read` is what its record says now, or
    /// why it cannot be read.
    pub(super) fn put(
        &mut self,
        connection: &Connection,
        name: &str,
        stamp: Stamp,
        read: &Result<Facts, String>,
    ) -> Result<(), rusqlite::Error> {
        let reason = read.as_ref().err();
        let values = params![name, stamp.size, stamp.modified_ns, stamp.inode, reason];
        let file = match file_named(connection, name)? {
            Some(file) => {
                self.take_out_facts(connection, file)?;
                connection
                    .prepare_cached(
                        "UPDATE files SET size = ?2, modified = ?3, inode = ?4, reason = ?5
                         WHERE name = ?1",
                    )?
                    .execute(values)?;
                file
            }
            None => connection
                .prepare_cached(
                    "INSERT INTO files (name, size, modified, inode, reason)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .insert(values)?,
        };
        match read {
            Ok(facts) => self.put_facts(connection, file, facts),
            Err(_) => Ok(()),
        }
    }

    /// Takes a file out, with everything that its record said.
    pub(super) fn take_out(
        &mut self,
        connection: &Connection,
        name: &str,
    ) -> Result<(), rusqlite::Error> {
        if let Some(file) = file_named(connection, name)? {
            self.take_out_facts(connection, file)?;
            connection.prepare_cached("DELETE FROM files WHERE id = ?1")?.execute([file])?;
        }
        Ok(())
    }

    /// Leaves the sums of what was touched for later.
    pub(super) fn leave_sums(&self, connection: &Connection) -> Result<(), rusqlite::Error> {
        let mut statement =
            connection.prepare_cached("INSERT OR IGNORE INTO unsummed (cause) VALUES (?1)")?;
        self.touched.iter().try_for_each(|cause| statement.execute([cause]).map(|_| ()))
    }

    fn take_out_facts(
        &mut self,
        connection: &Connection,
        file: i64,
    ) -> Result<(), rusqlite::Error> {
        let mut causes: BTreeSet<i64> = BTreeSet::new();
        for select in [
            "SELECT DISTINCT cause FROM sightings WHERE record = ?1",
            "SELECT DISTINCT cause FROM tries WHERE record = ?1",
        ] {
            let mut statement = connection.prepare_cached(select)?;
            for cause in statement.query_map([file], |row| row.get(0))? {
                causes.insert(cause?);
            }
        }
        for cause in &causes {
            // Its diff may be another one now.
            connection
                .prepare_cached(
                    "UPDATE patterns SET best_record = NULL WHERE cause = ?1 AND best_record = ?2",
                )?
                .execute([cause, &file])?;
        }
        self.touched.append(&mut causes);
        take_out_texts(connection, file)?;
        for delete in [
            "DELETE FROM keys WHERE record = ?1",
            "DELETE FROM sightings WHERE record = ?1",
            "DELETE FROM tries WHERE record = ?1",
            "DELETE FROM told WHERE record = ?1",
            "DELETE FROM records WHERE id = ?1",
        ] {
            connection.prepare_cached(delete)?.execute([file])?;
        }
        Ok(())
    }

    fn put_facts(
        &mut self,
        connection: &Connection,
        record: i64,
        facts: &Facts,
    ) -> Result<(), rusqlite::Error> {
        connection
            .prepare_cached(
                "INSERT INTO records (id, session, file_path, at, status, attempts, agent, framework,
                 code_type, seen, reused, coverage_met, learned)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            )?
            .execute(params![
                record,
                facts.session,
                facts.file_path,
                facts.at,
                facts.status.map(|status| status.as_str()),
                facts.attempts,
                facts.agent,
                facts.framework,
                facts.code_type,
                facts.seen,
                facts.reused,
                facts.coverage_met,
                facts.learned,
            ])?;
        for (key, text) in &facts.keys {
            let name = self.names.number(connection, text)?;
            connection
                .prepare_cached(
                    "INSERT INTO keys (kind, name, at, record) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![*key as i64, name, facts.at, record])?;
        }
        self.put_causes(connection, record, facts)?;
        self.put_told(connection, record, facts)?;
        put_texts(connection, record, facts)
    }

    fn put_causes(
        &mut self,
        connection: &Connection,
        record: i64,
        facts: &Facts,
    ) -> Result<(), rusqlite::Error> {
        for sighting in &facts.sightings {
            let cause = self.cause(connection, sighting)?;
            let test = self.names.number(connection, &sighting.test)?;
            connection
                .prepare_cached(
                    "INSERT INTO sightings (record, cause, test, at, open)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![record, cause, test, facts.at, sighting.open])?;
            self.touched.insert(cause);
        }
        for tried in &facts.tries {
            let description = self.names.number(connection, &tried.description)?;
            connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO tries
                     (record, cause, attempt, outcome, seen, at, description, diff_lines)
                     SELECT ?1, id, ?3, ?4, ?5, ?6, ?7, ?8 FROM causes WHERE fingerprint = ?2",
                )?
                .execute(params![
                    record,
                    tried.fingerprint,
                    tried.attempt,
                    tried.outcome as i64,
                    facts.seen,
                    tried.at,
                    description,
                    tried.diff_lines,
                ])?;
        }
        Ok(())
    }

    fn cause(
        &mut self,
        connection: &Connection,
        sighting: &Sighting,
    ) -> Result<i64, rusqlite::Error> {
        let known: Option<(i64, String)> = connection
            .prepare_cached("SELECT id, message FROM causes WHERE fingerprint = ?1")?
            .query_row([&sighting.fingerprint], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        if let Some((cause, message)) = known {
            // The least of all messages: it does not depend on the order in which they came.
            if sighting.message < message {
                connection
                    .prepare_cached("UPDATE causes SET message = ?2 WHERE id = ?1")?
                    .execute(params![cause, sighting.message])?;
            }
            return Ok(cause);
        }
        let error_name = self.names.number(connection, &sighting.error_name)?;
        let function = match &sighting.function {
            Some(function) => Some(self.names.number(connection, function)?),
            None => None,
        };
        connection
            .prepare_cached(
                "INSERT INTO causes (fingerprint, error_name, function, message)
                 VALUES (?1, ?2, ?3, ?4)",
            )?
            .insert(params![sighting.fingerprint, error_name, function, sighting.message])
    }

    fn put_told(
        &mut self,
        connection: &Connection,
        record: i64,
        facts: &Facts,
    ) -> Result<(), rusqlite::Error> {
        for pattern in &facts.told {
            let name = self.names.number(connection, &pattern.pattern)?;
            connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO told (record, name, frequency, template, effectiveness)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![
                    record,
                    name,
                    pattern.frequency,
                    pattern.fix_template,
                    pattern.effectiveness
                ])?;
        }
        Ok(())
    }
}

/// Some causes whose sums were left for later; whoever takes them makes the sums.
pub(super) fn left_sums(
    connection: &Connection,
    limit: usize,
) -> Result<BTreeSet<i64>, rusqlite::Error> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let causes: BTreeSet<i64> = connection
        .prepare_cached("SELECT cause FROM unsummed LIMIT ?1")?
        .query_map([limit], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut statement = connection.prepare_cached("DELETE FROM unsummed WHERE cause = ?1")?;
    causes.iter().try_for_each(|cause| statement.execute([cause]).map(|_| ()))?;
    Ok(causes)
}

fn file_named(connection: &Connection, name: &str) -> Result<Option<i64>, rusqlite::Error> {
    connection
        .prepare_cached("SELECT id FROM files WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()
}

fn put_texts(connection: &Connection, record: i64, facts: &Facts) -> Result<(), rusqlite::Error> {
    for body in &facts.texts {
        let number = number_of(body);
        let known: Option<i64> = connection
            .prepare_cached("SELECT id FROM texts WHERE number = ?1")?
            .query_row([number], |row| row.get(0))
            .optional()?;
        let text = match known {
            Some(text) => text,
            None => {
                let text = connection
                    .prepare_cached("INSERT INTO texts (number, body) VALUES (?1, ?2)")?
                    .insert(params![number, body])?;
                connection
                    .prepare_cached("INSERT INTO words (rowid, body) VALUES (?1, ?2)")?
                    .execute(params![text, body])?;
                text
            }
        };
        connection
            .prepare_cached(
                "INSERT OR IGNORE INTO text_records (text, at, record) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![text, facts.at, record])?;
    }
    Ok(())
}

/// A text goes with the last record that says it.
fn take_out_texts(connection: &Connection, record: i64) -> Result<(), rusqlite::Error> {
    let texts: Vec<i64> = connection
        .prepare_cached("SELECT text FROM text_records WHERE record = ?1")?
        .query_map([record], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    connection.prepare_cached("DELETE FROM text_records WHERE record = ?1")?.execute([record])?;
    for text in texts {
        let said: bool = connection
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM text_records WHERE text = ?1)")?
            .query_row([text], |row| row.get(0))?;
        if !said {
            connection
                .prepare_cached(
                    "INSERT INTO words (words, rowid, body)
                     SELECT 'delete', id, body FROM texts WHERE id = ?1",
                )?
                .execute([text])?;
            connection.prepare_cached("DELETE FROM texts WHERE id = ?1")?.execute([text])?;
        }
    }
    Ok(())
}
