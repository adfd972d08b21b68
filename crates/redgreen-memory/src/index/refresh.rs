//! Whether the index still says what the records say; and if not, what changed.

use std::collections::HashMap;
use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::rows::Batch;
use super::{Index, IndexError};
use crate::facts::Facts;
use crate::file::{Stamp, clock_ns, names, read_record};
use crate::layout::{Layout, Shelf};
use crate::record;

/// How much is looked at before a question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// The folders, and some files: what an agent waits for.
    Quick,
    /// Every file.
    Thorough,
}

/// So many files are looked at for edits in place by a quick refresh: the newest, and so many more
/// from somewhere else each time.
const NEWEST: i64 = 100;
const ELSEWHERE: i64 = 400;
/// So many records are written in one transaction: others get their turn in between.
const BATCH: usize = 1_000;

/// A file as the index knows it.
struct Known {
    name: String,
    stamp: Stamp,
}

impl Index {
    /// Takes over what changed in the records since the last time.
    pub(crate) fn refresh(&mut self, effort: Effort) -> Result<(), IndexError> {
        let mark = Stamp::at(&self.layout.stale_mark()).unwrap_or(Stamp::UNSETTLED);
        let behind = known_place(&self.connection, STALE_MARK)? != Some(mark);
        for shelf in Shelf::ALL {
            if effort == Effort::Thorough || behind || self.changed(shelf)? {
                self.look_through(shelf)?;
            }
        }
        if behind {
            know_place(&self.connection, STALE_MARK, Some(mark))?;
        }
        if effort == Effort::Thorough {
            return Ok(());
        }
        let edited = self.edited_in_place()?;
        self.read_again(&edited)
    }

    /// Whether one of these records was edited in place; then it has been read again.
    pub(crate) fn reread_edited(&mut self, records: &[i64]) -> Result<bool, IndexError> {
        let mut known = Vec::new();
        for record in records {
            known.extend(files(
                &self.connection,
                "SELECT name, size, modified, inode FROM files WHERE id = ?1",
                [record],
            )?);
        }
        let edited = self.not_as_known(known);
        self.read_again(&edited)?;
        Ok(!edited.is_empty())
    }

    /// Whether a file was added, removed or replaced in a folder.
    fn changed(&self, shelf: Shelf) -> Result<bool, rusqlite::Error> {
        let stamp = Stamp::at(&self.layout.shelf(shelf)).unwrap_or(Stamp::UNSETTLED);
        Ok(known_place(&self.connection, shelf.prefix())? != Some(stamp))
    }

    fn look_through(&mut self, shelf: Shelf) -> Result<(), IndexError> {
        let looked = clock_ns();
        let folder = self.layout.shelf(shelf);
        // The stamp comes first: what is added while we look changes the next one.
        let stamp = Stamp::at(&folder);
        let mut known = known_files(&self.connection, shelf)?;
        let mut changed = Vec::new();
        for name in names(&folder)?.into_iter().filter(|name| shelf.holds(name)) {
            let found = Stamp::at(&folder.join(&name));
            let name = format!("{}{name}", shelf.prefix());
            if known.remove(&name) != found {
                changed.push(name);
            }
        }
        changed.extend(known.into_keys());
        self.read_again(&changed)?;
        let stamp = stamp.unwrap_or(Stamp::UNSETTLED);
        know_place(
            &self.connection,
            shelf.prefix(),
            Some(stamp).filter(|stamp| stamp.settled(looked)),
        )?;
        Ok(())
    }

    /// Some files that do not look as they did when they were read.
    fn edited_in_place(&self) -> Result<Vec<String>, rusqlite::Error> {
        let last: i64 = self
            .connection
            .prepare_cached("SELECT coalesce(max(id), 0) FROM files")?
            .query_row([], |row| row.get(0))?;
        // Another part each time: nothing has to be written down for it.
        let start = if last <= ELSEWHERE { 0 } else { clock_ns().rem_euclid(last) };
        let mut looked_at = files(
            &self.connection,
            "SELECT name, size, modified, inode FROM files ORDER BY id DESC LIMIT ?1",
            [NEWEST],
        )?;
        looked_at.extend(files(
            &self.connection,
            "SELECT name, size, modified, inode FROM files WHERE id >= ?1 ORDER BY id LIMIT ?2",
            [start, ELSEWHERE],
        )?);
        let mut edited = self.not_as_known(looked_at);
        edited.sort_unstable();
        edited.dedup();
        Ok(edited)
    }

    fn not_as_known(&self, files: Vec<Known>) -> Vec<String> {
        let root = self.layout.root();
        let is_edited = |known: &Known| Stamp::at(&root.join(&known.name)) != Some(known.stamp);
        files.into_iter().filter(is_edited).map(|known| known.name).collect()
    }

    /// Reads files and puts in what they say now; those that are gone are taken out.
    fn read_again(&mut self, changed: &[String]) -> Result<(), IndexError> {
        for part in changed.chunks(BATCH) {
            let looked = clock_ns();
            let read: Vec<Read> =
                part.iter().map(|name| read_file(&self.layout, name, looked)).collect();
            let layout = self.layout.clone();
            let transaction = self.begin()?;
            let mut batch = Batch::default();
            for (name, read) in part.iter().zip(read) {
                match read {
                    Some((stamp, facts)) => batch.put(&transaction, name, stamp, &facts)?,
                    None => batch.take_out(&transaction, name)?,
                }
            }
            crate::learn::sum_up(&transaction, &layout, &batch.touched)?;
            transaction.commit()?;
        }
        Ok(())
    }
}

/// A file's stamp, and what it says or why it does not; none if it is gone.
type Read = Option<(Stamp, Result<Facts, String>)>;

fn read_file(layout: &Layout, name: &str, looked_ns: i64) -> Read {
    let path: PathBuf = layout.root().join(name);
    let here = Stamp::at(&path)?;
    let (stamp, facts) = match read_record(&path) {
        Ok((bytes, stamp)) => {
            let read = record::read(&bytes, name);
            (stamp, read.map(|record| Facts::of(&record, stamp.modified_ns / 1_000_000)))
        }
        Err(reason) => (here, Err(reason)),
    };
    // It may change once more within the same tick of the clock: then it is read again.
    let stamp = if stamp.settled(looked_ns) { stamp } else { Stamp::UNSETTLED };
    Some((stamp, facts))
}

/// The name of the mark among the places whose stamps are known.
const STALE_MARK: &str = "is behind";

/// The stamp of a place when everything of it was in the index.
pub(super) fn known_place(
    connection: &Connection,
    place: &str,
) -> Result<Option<Stamp>, rusqlite::Error> {
    connection
        .prepare_cached("SELECT size, modified, inode FROM folders WHERE name = ?1")?
        .query_row([place], |row| {
            Ok(Stamp { size: row.get(0)?, modified_ns: row.get(1)?, inode: row.get(2)? })
        })
        .optional()
}

/// Remembers the stamp of a place everything of which is in the index; none if that cannot be told.
pub(super) fn know_place(
    connection: &Connection,
    place: &str,
    stamp: Option<Stamp>,
) -> Result<(), rusqlite::Error> {
    match stamp {
        Some(stamp) => connection
            .prepare_cached(
                "INSERT OR REPLACE INTO folders (name, size, modified, inode) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![place, stamp.size, stamp.modified_ns, stamp.inode])?,
        None => {
            connection.prepare_cached("DELETE FROM folders WHERE name = ?1")?.execute([place])?
        }
    };
    Ok(())
}

fn known_files(
    connection: &Connection,
    shelf: Shelf,
) -> Result<HashMap<String, Stamp>, rusqlite::Error> {
    let all = files(connection, "SELECT name, size, modified, inode FROM files", [])?;
    let in_sessions = |name: &str| name.starts_with(Shelf::Sessions.prefix());
    let known =
        all.into_iter().filter(|known| in_sessions(&known.name) == (shelf == Shelf::Sessions));
    Ok(known.map(|known| (known.name, known.stamp)).collect())
}

fn files(
    connection: &Connection,
    query: &str,
    numbers: impl rusqlite::Params,
) -> Result<Vec<Known>, rusqlite::Error> {
    let mut statement = connection.prepare_cached(query)?;
    let rows = statement.query_map(numbers, |row| {
        Ok(Known {
            name: row.get(0)?,
            stamp: Stamp { size: row.get(1)?, modified_ns: row.get(2)?, inode: row.get(3)? },
        })
    })?;
    rows.collect()
}
