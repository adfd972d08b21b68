//! What is in a memory.

use std::fs;
use std::path::PathBuf;

use redgreen_model::debug_memory::Record;
use rusqlite::OptionalExtension as _;
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
    /// The size of the index.
    pub index_bytes: u64,
}

impl Memory {
    /// What is in the memory.
    pub fn stats(&mut self) -> Result<Stats, MemoryError> {
        let mut stats = self.ask(Effort::Thorough, counted)?;
        for unreadable in &mut stats.unreadable {
            unreadable.path = self.layout.root().join(&unreadable.path);
        }
        let index = self.layout.index();
        stats.index_bytes = fs::metadata(index).map_or(0, |metadata| metadata.len());
        Ok(stats)
    }

    /// Makes the index anew from the records.
    pub fn rebuild(&mut self) -> Result<Stats, MemoryError> {
        self.clear_index()?;
        self.stats()
    }

    /// The record of a session, by its id or the beginning of it, and its file. None if there is none;
    /// the newest if there are several.
    pub fn show(&mut self, session: &str) -> Result<Option<(PathBuf, Record)>, MemoryError> {
        let wanted = session.trim_start_matches("session-").to_owned();
        let name = self.ask(Effort::Thorough, |index| {
            let found: Option<String> = index
                .connection
                .prepare_cached(
                    "SELECT name FROM files JOIN records ON records.id = files.id
                     WHERE session = ?1 OR substr(session, 1, length(?1)) = ?1
                     ORDER BY session = ?1 DESC, at DESC LIMIT 1",
                )?
                .query_row([&wanted], |row| row.get(0))
                .optional()?;
            Ok(found)
        })?;
        let Some(name) = name.filter(|_| !wanted.is_empty()) else { return Ok(None) };
        let path = self.layout.root().join(&name);
        let read = read_record(&path).and_then(|(bytes, _)| read(&bytes, &name));
        read.map(|record| Some((path, record)))
            .map_err(|reason| MemoryError::Record { session: wanted, reason })
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
        oldest: oldest.map(rfc3339),
        newest: newest.map(rfc3339),
        index_bytes: 0,
    })
}
