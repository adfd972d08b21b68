//! What is in a memory.

use std::fs;
use std::path::PathBuf;

use redgreen_model::debug_memory::Record;
use rusqlite::Connection;
use serde::Serialize;

use crate::index::{Effort, Index, IndexError};
use crate::moment::rfc3339;
use crate::{Memory, MemoryError, Origin};

/// A file that should be a record and cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unreadable {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub reason: String,
}

/// What is in a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Records that can be read.
    pub records: u32,
    /// Those of them that redgreen saw: sealed with a key that counts.
    pub seen: u32,
    /// Those without a seal.
    #[serde(rename = "told")]
    pub unverified: u32,
    /// Those sealed with a key that is not known.
    pub by_unknown_keys: u32,
    /// Those whose seal does not fit.
    pub broken_seals: u32,
    /// The own key, as others name it beside theirs; none if there is none yet.
    pub own_key: Option<String>,
    /// Some of the keys that are not known, the most frequent first.
    pub unknown_keys: Vec<UnknownKey>,
    /// Files that cannot.
    pub unreadable: Vec<Unreadable>,
    /// Different causes of failures that redgreen saw.
    pub causes: u32,
    /// Those that others recorded, and it did not see.
    #[serde(rename = "told_causes")]
    pub unverified_causes: u32,
    /// Patterns that are offered.
    pub offered: u32,
    /// When the oldest record was written, RFC 3339.
    pub oldest: Option<String>,
    /// When the newest was.
    pub newest: Option<String>,
    /// Files with a session that a newer file holds, too: they are not counted.
    pub doubled: u32,
    /// The index, if one is kept.
    pub index_file: Option<PathBuf>,
    /// Its size, with its log.
    pub index_bytes: u64,
}

/// A key that is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnknownKey {
    /// The key, as who knows it would name it.
    pub key: String,
    /// How many records are sealed with it.
    pub records: u32,
}

/// What there is for an id, or for the beginning of one.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// No record.
    Nothing,
    /// The record of one session, its file, and where it comes from.
    Record(PathBuf, Box<Record>, Origin),
    /// The same, from the archive: it is no longer remembered.
    Archived(PathBuf, Box<Record>, Origin),
    /// Records of several sessions: some of their ids, the newest first, and how many there are.
    Several(Vec<String>, usize),
}

/// So many sessions are named where an id could mean several.
pub(crate) const NAMED_MAX: usize = 10;
/// So many keys that are not known are named.
const KEYS_MAX: u32 = 5;

impl Memory {
    /// What is in the memory.
    pub fn stats(&mut self) -> Result<Stats, MemoryError> {
        let mut stats = self.ask(Effort::Thorough, counted)?;
        for unreadable in &mut stats.unreadable {
            unreadable.path = self.layout.root().join(&unreadable.path);
        }
        let size = |path: PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len());
        stats.own_key = self.reader.notary.own_key();
        stats.index_file = self.index_file().filter(|file| file.is_file());
        if let (Some(file), Ok(home)) = (&stats.index_file, self.layout.index()) {
            stats.index_bytes = size(file.clone()) + size(home.log());
        }
        let unignored = self.unignored();
        self.notes.extend(unignored);
        Ok(stats)
    }

    /// Makes the index anew from the records.
    pub fn rebuild(&mut self) -> Result<Stats, MemoryError> {
        self.clear_index()?;
        self.stats()
    }

    /// The record of a session, by its id or the beginning of it.
    pub fn show(&mut self, session: &str) -> Result<Shown, MemoryError> {
        let wanted = session.trim_start_matches("session-").to_owned();
        if wanted.is_empty() {
            return Ok(Shown::Nothing);
        }
        let mut found: Vec<(String, String)> = self.ask(Effort::Thorough, |index| {
            let mut statement = index.connection.prepare_cached(
                "SELECT session, name FROM records JOIN files ON files.id = records.id
                 WHERE substr(session, 1, length(?1)) = ?1 ORDER BY session = ?1 DESC, at DESC",
            )?;
            let rows = statement.query_map([&wanted], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })?;
        // An id is itself, whatever others begin with it.
        if found.first().is_some_and(|(session, _)| *session == wanted) {
            found.truncate(1);
        }
        let (session, name) = match &found[..] {
            [] => return self.show_archived(&wanted),
            [one] => one,
            several => {
                let named = several.iter().take(NAMED_MAX).map(|(session, _)| session.clone());
                return Ok(Shown::Several(named.collect(), several.len()));
            }
        };
        let path = self.layout.root().join(name);
        self.reader
            .record(name)
            .map(|read| Shown::Record(path, Box::new(read.record), read.shown.origin))
            .map_err(|reason| MemoryError::Record { session: session.clone(), reason })
    }
}

fn counted(index: &mut Index) -> Result<Stats, IndexError> {
    let connection = &index.connection;
    let number = |query: &str| connection.query_row(query, [], |row| row.get::<_, u32>(0));
    let mut statement = connection
        .prepare("SELECT name, reason FROM files WHERE reason IS NOT NULL ORDER BY name")?;
    let unreadable = statement.query_map([], |row| {
        Ok(Unreadable { path: PathBuf::from(row.get::<_, String>(0)?), reason: row.get(1)? })
    })?;
    let (oldest, newest): (Option<i64>, Option<i64>) =
        connection.query_row("SELECT min(at), max(at) FROM records", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    let from = |origin: Origin| {
        let query =
            "SELECT count(*) FROM records JOIN files ON files.id = records.id WHERE origin = ?1";
        connection.query_row(query, [origin as i64], |row| row.get::<_, u32>(0))
    };
    Ok(Stats {
        records: number("SELECT count(*) FROM records")?,
        seen: from(Origin::Seen)?,
        unverified: from(Origin::Unverified)?,
        by_unknown_keys: from(Origin::Unknown)?,
        broken_seals: from(Origin::Broken)?,
        own_key: None,
        unknown_keys: unknown_keys(connection)?,
        unreadable: unreadable.collect::<Result<_, _>>()?,
        causes: number("SELECT count(*) FROM patterns WHERE sessions > 0")?,
        unverified_causes: number("SELECT count(*) FROM patterns WHERE sessions = 0")?,
        offered: number("SELECT count(*) FROM patterns WHERE offered = 1")?,
        doubled: number("SELECT count(*) FROM files WHERE shadowed IS NOT NULL")?,
        oldest: oldest.map(rfc3339),
        newest: newest.map(rfc3339),
        index_file: None,
        index_bytes: 0,
    })
}

fn unknown_keys(connection: &Connection) -> Result<Vec<UnknownKey>, rusqlite::Error> {
    let mut statement = connection.prepare(
        "SELECT text, count(*) FROM records JOIN files ON files.id = records.id
         JOIN names ON names.id = files.sealed_by WHERE origin = ?1
         GROUP BY text ORDER BY count(*) DESC, text LIMIT ?2",
    )?;
    let rows = statement.query_map([Origin::Unknown as i64, i64::from(KEYS_MAX)], |row| {
        Ok(UnknownKey { key: row.get(0)?, records: row.get(1)? })
    })?;
    rows.collect()
}
