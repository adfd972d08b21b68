//! The rows of one record: put in, and taken out again.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{Connection, OptionalExtension as _, params};

use super::bulk::{STAGED_KEYS, STAGED_TEXTS};
use super::names::{Numbers, digest_of, name_for};
use super::number_list::{pack, unpack};
use crate::facts::{Edit, Facts, Said, Sighting};
use crate::file::Stamp;
use crate::seal::Origin;

/// What is written into the index in one go.
#[derive(Default)]
pub(super) struct Batch {
    names: Numbers,
    texts: Numbers,
    /// Causes by their fingerprints.
    causes: HashMap<String, i64>,
    /// Causes whose sums have to be made anew.
    pub(super) touched: BTreeSet<i64>,
    /// Sessions whose record was taken out: another file may hold them, too.
    pub(super) uncovered: BTreeSet<String>,
    /// So many rows come that those in the order of other things are sorted first.
    staged: bool,
}

impl Batch {
    /// One of so many rows that some wait to be sorted.
    pub(super) fn staged() -> Self {
        Self { staged: true, ..Self::default() }
    }

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
        let shown = read.as_ref().ok().map(|facts| &facts.shown);
        let origin = shown.map_or(Origin::Unverified, |shown| shown.origin) as i64;
        let sealed_by = self.name_if(connection, shown.and_then(|shown| shown.key.as_deref()))?;
        let values =
            params![name, stamp.size, stamp.modified_ns, stamp.inode, reason, origin, sealed_by];
        let file = match file_named(connection, name)? {
            Some(file) => {
                self.take_out_facts(connection, file)?;
                connection
                    .prepare_cached(
                        "UPDATE files SET size = ?2, modified = ?3, inode = ?4, reason = ?5,
                         origin = ?6, sealed_by = ?7, shadowed = NULL WHERE name = ?1",
                    )?
                    .execute(values)?;
                file
            }
            None => connection
                .prepare_cached(
                    "INSERT INTO files (name, size, modified, inode, reason, origin, sealed_by)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                )?
                .insert(values)?,
        };
        match read {
            Ok(facts) if self.is_the_newest(connection, file, name, facts)? => {
                self.put_facts(connection, file, facts)
            }
            _ => Ok(()),
        }
    }

    /// Of several files with one session only the newest counts, and none that is unverified if redgreen saw another; the
    /// others wait in its shadow.
    fn is_the_newest(
        &mut self,
        connection: &Connection,
        file: i64,
        name: &str,
        facts: &Facts,
    ) -> Result<bool, rusqlite::Error> {
        let other: Option<(i64, bool, i64, String)> = connection
            .prepare_cached(
                "SELECT records.id, seen, at, name FROM records JOIN files ON files.id = records.id
                 WHERE session = ?1",
            )?
            .query_row([&facts.session], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
            .optional()?;
        let Some((other, seen, at, other_name)) = other else { return Ok(true) };
        let is_newest = (facts.is_seen(), facts.at, name) > (seen, at, other_name.as_str());
        let older = if is_newest { other } else { file };
        if is_newest {
            self.take_out_facts(connection, other)?;
            self.uncovered.remove(&facts.session);
        }
        connection
            .prepare_cached("UPDATE files SET shadowed = ?2 WHERE id = ?1")?
            .execute(params![older, facts.session])?;
        Ok(is_newest)
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
        let known: Option<Listed> = connection
            .prepare_cached("SELECT session, at, keys, texts, seen FROM records WHERE id = ?1")?
            .query_row([file], |row| {
                Ok(Listed {
                    session: row.get(0)?,
                    at: row.get(1)?,
                    keys: row.get(2)?,
                    texts: row.get(3)?,
                    seen: row.get(4)?,
                })
            })
            .optional()?;
        let Some(listed) = known else { return Ok(()) };
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
        take_out_keys(connection, file, &listed)?;
        if !self.staged {
            take_out_texts(connection, file, &listed)?;
            self.texts.forget();
        }
        for delete in [
            "DELETE FROM sightings WHERE record = ?1",
            "DELETE FROM tries WHERE record = ?1",
            "DELETE FROM told WHERE record = ?1",
            "DELETE FROM records WHERE id = ?1",
        ] {
            connection.prepare_cached(delete)?.execute([file])?;
        }
        self.uncovered.insert(listed.session);
        Ok(())
    }

    fn put_facts(
        &mut self,
        connection: &Connection,
        record: i64,
        facts: &Facts,
    ) -> Result<(), rusqlite::Error> {
        let keys = self.put_keys(connection, record, facts)?;
        let texts = self.put_texts(connection, record, facts)?;
        connection
            .prepare_cached(
                "INSERT INTO records (id, session, file_path, at, status, attempts, agent, framework,
                 code_type, seen, reused, coverage_met, learned, counted, keys, texts)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
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
                facts.is_seen(),
                facts.reused,
                facts.coverage_met,
                facts.learned,
                facts.counted,
                keys,
                texts,
            ])?;
        self.put_causes(connection, record, facts)?;
        self.put_notes(connection, record, facts)
    }

    /// Puts the keys of a record in, and returns the list of them.
    fn put_keys(
        &mut self,
        connection: &Connection,
        record: i64,
        facts: &Facts,
    ) -> Result<Vec<u8>, rusqlite::Error> {
        let table = if self.staged { STAGED_KEYS } else { "keys" };
        let mut statement = connection.prepare_cached(&format!(
            "INSERT INTO {table} (kind, name, seen, at, record) VALUES (?1, ?2, ?3, ?4, ?5)"
        ))?;
        let mut listed = Vec::new();
        for (key, text) in &facts.keys {
            let name = name_for(connection, &mut self.names, text)?;
            statement.execute(params![*key as i64, name, facts.is_seen(), facts.at, record])?;
            listed.extend([*key as i64, name]);
        }
        Ok(pack(listed.into_iter()))
    }

    /// Puts the texts of a record in, and returns the list of them.
    fn put_texts(
        &mut self,
        connection: &Connection,
        record: i64,
        facts: &Facts,
    ) -> Result<Vec<u8>, rusqlite::Error> {
        let table = if self.staged { STAGED_TEXTS } else { "text_records" };
        let mut statement = connection.prepare_cached(&format!(
            "INSERT INTO {table} (text, seen, at, record) VALUES (?1, ?2, ?3, ?4)"
        ))?;
        let mut listed = BTreeSet::new();
        for body in &facts.texts {
            let digest = digest_of(body);
            let staged = self.staged;
            let text = self.texts.of(digest, || text_for(connection, digest, body, staged))?;
            if listed.insert(text) {
                statement.execute(params![text, facts.is_seen(), facts.at, record])?;
            }
        }
        Ok(pack(listed.into_iter()))
    }

    fn put_causes(
        &mut self,
        connection: &Connection,
        record: i64,
        facts: &Facts,
    ) -> Result<(), rusqlite::Error> {
        let mut causes: HashMap<&str, i64> = HashMap::new();
        for sighting in &facts.sightings {
            let cause = self.cause(connection, sighting, facts.is_seen())?;
            causes.insert(&sighting.fingerprint, cause);
            let test = name_for(connection, &mut self.names, &sighting.test)?;
            let said = name_for(connection, &mut self.names, &sighting.said.packed())?;
            let brought = sighting.brought.as_ref().map(Edit::packed);
            let brought = self.name_if(connection, brought.as_deref())?;
            connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO sightings
                     (record, cause, test, at, seen, open, position, said, brought)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                )?
                .execute(params![
                    record,
                    cause,
                    test,
                    facts.at,
                    facts.is_seen(),
                    sighting.open,
                    sighting.position,
                    said,
                    brought,
                ])?;
            self.touched.insert(cause);
        }
        for tried in &facts.tries {
            let Some(cause) = causes.get(tried.fingerprint.as_str()) else { continue };
            let description = name_for(connection, &mut self.names, &tried.description)?;
            let lines = self.name_if(connection, tried.lines.as_deref())?;
            let others = self.name_if(connection, tried.others.as_deref())?;
            let habit = tried.habit.map(|habit| habit as i64);
            let place = name_for(connection, &mut self.names, &tried.place)?;
            connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO tries
                     (record, cause, run, outcome, seen, at, description, diff_lines, fix, lines,
                      others, habit, place)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
                )?
                .execute(params![
                    record,
                    cause,
                    tried.run,
                    tried.outcome as i64,
                    facts.is_seen(),
                    tried.at,
                    description,
                    tried.diff_lines,
                    tried.fix,
                    lines,
                    others,
                    habit,
                    place,
                ])?;
        }
        Ok(())
    }

    /// The number of a name, where there is one.
    fn name_if(
        &mut self,
        connection: &Connection,
        text: Option<&str>,
    ) -> Result<Option<i64>, rusqlite::Error> {
        text.map(|text| name_for(connection, &mut self.names, text)).transpose()
    }

    fn cause(
        &mut self,
        connection: &Connection,
        sighting: &Sighting,
        seen: bool,
    ) -> Result<i64, rusqlite::Error> {
        if let Some(cause) = self.causes.get(&sighting.fingerprint) {
            return Ok(*cause);
        }
        let known = connection
            .prepare_cached("SELECT id FROM causes WHERE fingerprint = ?1")?
            .query_row([&sighting.fingerprint], |row| row.get(0))
            .optional()?;
        let cause = match known {
            Some(cause) => cause,
            None => self.new_cause(connection, sighting, seen)?,
        };
        self.causes.insert(sighting.fingerprint.clone(), cause);
        Ok(cause)
    }

    /// What it is called is said by the first sighting, until the sums are made: see there.
    fn new_cause(
        &mut self,
        connection: &Connection,
        sighting: &Sighting,
        seen: bool,
    ) -> Result<i64, rusqlite::Error> {
        let Said { error_name, function, .. } = &sighting.said;
        let error_name = name_for(connection, &mut self.names, error_name)?;
        let function = self.name_if(connection, function.as_deref())?;
        connection
            .prepare_cached(
                "INSERT INTO causes (fingerprint, error_name, function, seen)
                 VALUES (?1, ?2, ?3, ?4)",
            )?
            .insert(params![sighting.fingerprint, error_name, function, seen])
    }

    fn put_notes(
        &mut self,
        connection: &Connection,
        record: i64,
        facts: &Facts,
    ) -> Result<(), rusqlite::Error> {
        for pattern in &facts.notes {
            let name = name_for(connection, &mut self.names, &pattern.pattern)?;
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

/// What a record lists of what it put in.
struct Listed {
    session: String,
    at: i64,
    keys: Vec<u8>,
    texts: Vec<u8>,
    seen: bool,
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

/// The number of a text, which is in the index from now on; many that come at once are taken apart later.
fn text_for(
    connection: &Connection,
    digest: i64,
    body: &str,
    staged: bool,
) -> Result<i64, rusqlite::Error> {
    let known: Option<i64> = connection
        .prepare_cached("SELECT id FROM texts WHERE digest = ?1")?
        .query_row([digest], |row| row.get(0))
        .optional()?;
    if let Some(text) = known {
        return Ok(text);
    }
    let text = connection
        .prepare_cached("INSERT INTO texts (digest, body) VALUES (?1, ?2)")?
        .insert(params![digest, body])?;
    if !staged {
        connection
            .prepare_cached("INSERT INTO words (rowid, body) VALUES (?1, ?2)")?
            .execute(params![text, body])?;
    }
    Ok(text)
}

fn take_out_keys(
    connection: &Connection,
    record: i64,
    listed: &Listed,
) -> Result<(), rusqlite::Error> {
    let mut statement = connection.prepare_cached(
        "DELETE FROM keys WHERE kind = ?1 AND name = ?2 AND seen = ?3 AND at = ?4 AND record = ?5",
    )?;
    for key in unpack(&listed.keys).chunks_exact(2) {
        statement.execute(params![key[0], key[1], listed.seen, listed.at, record])?;
    }
    Ok(())
}

/// A text goes with the last record that says it.
fn take_out_texts(
    connection: &Connection,
    record: i64,
    listed: &Listed,
) -> Result<(), rusqlite::Error> {
    for text in unpack(&listed.texts) {
        connection
            .prepare_cached(
                "DELETE FROM text_records WHERE text = ?1 AND seen = ?2 AND at = ?3 AND record = ?4",
            )?
            .execute(params![text, listed.seen, listed.at, record])?;
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
