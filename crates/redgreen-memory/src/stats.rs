//! What is in a memory.

use std::fs;
use std::path::PathBuf;

use redgreen_model::debug_memory::Record;
use serde::Serialize;

use crate::file::read_record;
use crate::index::{Effort, Index, IndexError};
use crate::moment::rfc3339;
use crate::record::read;
use crate::{Memory, MemoryError};

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
    /// Those of them that redgreen wrote.
    pub seen: u32,
    /// Files that cannot.
    pub unreadable: Vec<Unreadable>,
    /// Different causes of failures.
    pub causes: u32,
    /// Patterns that are offered.
    pub offered: u32,
    /// When the oldest record was written, RFC 3339.
    pub oldest: Option<String>,
    /// When the newest was.
    pub newest: Option<String>,
    /// Files with a session that a newer file holds, too: they are not counted.
    pub doubled: u32,
    /// The size of the index, with its log.
    pub index_bytes: u64,
}

/// What there is for an id, or for the beginning of one.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// No record.
    Nothing,
    /// The record of one session, and its file.
    Record(PathBuf, Box<Record>),
    /// Records of several sessions: some of their ids, the newest first, and how many there are.
    Several(Vec<String>, usize),
}

/// So many sessions are named where an id could mean several.
const NAMED_MAX: usize = 10;

impl Memory {
    /// What is in the memory.
    pub fn stats(&mut self) -> Result<Stats, MemoryError> {
        let mut stats = self.ask(Effort::Thorough, counted)?;
        for unreadable in &mut stats.unreadable {
            unreadable.path = self.layout.root().join(&unreadable.path);
        }
        let size = |path: PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len());
        stats.index_bytes = size(self.layout.index()) + size(self.layout.index_log());
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
            [] => return Ok(Shown::Nothing),
            [one] => one,
            several => {
                let named = several.iter().take(NAMED_MAX).map(|(session, _)| session.clone());
                return Ok(Shown::Several(named.collect(), several.len()));
            }
        };
        let path = self.layout.root().join(name);
        let read = read_record(&path).and_then(|(bytes, _)| read(&bytes, name));
        read.map(|record| Shown::Record(path, Box::new(record)))
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
    Ok(Stats {
        records: number("SELECT count(*) FROM records")?,
        seen: number("SELECT count(*) FROM records WHERE seen = 1")?,
        unreadable: unreadable.collect::<Result<_, _>>()?,
        causes: number("SELECT count(*) FROM causes")?,
        offered: number("SELECT count(*) FROM patterns WHERE offered = 1")?,
        doubled: number("SELECT count(*) FROM files WHERE shadowed IS NOT NULL")?,
        oldest: oldest.map(rfc3339),
        newest: newest.map(rfc3339),
        index_bytes: 0,
    })
}
