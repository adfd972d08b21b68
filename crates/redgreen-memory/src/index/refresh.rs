//! Whether the index still says what the records say; and if not, what changed.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{Connection, OptionalExtension as _, params};

use super::keys::{are_keys_known, doubt_other_keys};
use super::rows::{Batch, left_sums};
use super::{Index, IndexError};
use crate::facts::Facts;
use crate::file::{Stamp, clock_ns, names};
use crate::layout::Shelf;
use crate::learn::sum_up;
use crate::reader::Reader;

/// How much is looked at before a question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// The folders, and some files: what an agent waits for.
    Quick,
    /// Every file.
    Thorough,
}

/// Up to so many files are all looked at for edits in place by a quick refresh. Of more it is the
/// newest, and some from somewhere else each time.
const SMALL: i64 = 500;
const NEWEST: i64 = 16;
const ELSEWHERE: i64 = 48;
/// More records than that are many.
const BATCH: usize = 1_000;
/// So many of many records are written in one transaction: every one of them touches pages all over
/// the index, and each page is written once for each transaction.
const LARGE_BATCH: usize = 20_000;
/// So many records are worth a thread of their own to read them.
const READ_ALONE: usize = 64;

/// A file as the index knows it.
struct IndexedFile {
    name: String,
    stamp: Stamp,
}

impl Index {
    /// Takes over what changed in the records since the last time.
    pub(crate) fn refresh(&mut self, effort: Effort) -> Result<(), IndexError> {
        let mark = Stamp::at(&self.reader.layout.stale_mark()).unwrap_or(Stamp::UNSETTLED);
        let keys = self.reader.keys();
        let (same_keys, behind, changed, edited) = {
            // One look at the index for all of it: each by itself would have to lock it.
            let reading = self.reading()?;
            let same_keys = are_keys_known(&reading, keys)?;
            let behind = known_place(&reading, STALE_MARK)? != Some(mark);
            let mut changed = Vec::new();
            for shelf in Shelf::ALL {
                if effort == Effort::Thorough || behind || self.changed(shelf)? {
                    changed.push(shelf);
                }
            }
            let edited = if changed.is_empty() { self.edited_in_place()? } else { Vec::new() };
            (same_keys, behind, changed, edited)
        };
        if !same_keys {
            self.weigh_again(keys)?;
        }
        for shelf in changed {
            self.look_through(shelf)?;
        }
        if behind {
            know_place(&self.connection, STALE_MARK, Some(mark))?;
        }
        self.read_again(&edited)
    }

    /// Those of some records that were edited in place.
    pub(crate) fn edited_among(
        &self,
        records: impl Iterator<Item = i64>,
    ) -> Result<Vec<String>, rusqlite::Error> {
        let mut known = Vec::new();
        for record in records {
            let query = "SELECT name, size, modified, inode FROM files WHERE id = ?1";
            known.extend(files(&self.connection, query, [record])?);
        }
        Ok(self.not_as_known(known))
    }

    /// Whether a file was added, removed or replaced in a folder.
    fn changed(&self, shelf: Shelf) -> Result<bool, rusqlite::Error> {
        let stamp = Stamp::at(&self.reader.layout.shelf(shelf)).unwrap_or(Stamp::UNSETTLED);
        Ok(known_place(&self.connection, shelf.prefix())? != Some(stamp))
    }

    fn look_through(&mut self, shelf: Shelf) -> Result<(), IndexError> {
        let looked = clock_ns();
        let folder = self.reader.layout.shelf(shelf);
        // The stamp comes first: what is added while we look changes the next one.
        let stamp = Stamp::at(&folder);
        let mut known = known_files(&self.connection, shelf)?;
        let mut changed = Vec::new();
        for name in names(&folder)?.into_iter().filter(|name| shelf.holds(name)) {
            let found = Stamp::of_record(&folder.join(&name));
            let name = format!("{}{name}", shelf.prefix());
            if known.remove(&name) != found {
                changed.push(name);
            }
        }
        changed.extend(known.into_keys());
        self.read_again(&changed)?;
        self.sum_up_rest()?;
        let stamp = stamp.unwrap_or(Stamp::UNSETTLED);
        know_place(
            &self.connection,
            shelf.prefix(),
            Some(stamp).filter(|stamp| stamp.settled(looked)),
        )?;
        Ok(())
    }

    /// Some files that do not look as they did when they were read; all of them in a small memory.
    fn edited_in_place(&self) -> Result<Vec<String>, rusqlite::Error> {
        let last: i64 = self
            .connection
            .prepare_cached("SELECT coalesce(max(id), 0) FROM files")?
            .query_row([], |row| row.get(0))?;
        let from =
            "SELECT name, size, modified, inode FROM files WHERE id >= ?1 ORDER BY id LIMIT ?2";
        if last <= SMALL {
            return Ok(self.not_as_known(files(&self.connection, from, [0, SMALL])?));
        }
        let mut looked_at = files(&self.connection, from, [last - NEWEST, NEWEST + 1])?;
        // Another part each time: nothing has to be written down for it.
        let start = clock_ns().rem_euclid(last - NEWEST);
        looked_at.extend(files(&self.connection, from, [start, ELSEWHERE])?);
        let mut edited = self.not_as_known(looked_at);
        edited.sort_unstable();
        edited.dedup();
        Ok(edited)
    }

    fn not_as_known(&self, files: Vec<IndexedFile>) -> Vec<String> {
        let root = self.reader.layout.root();
        let is_edited =
            |known: &IndexedFile| Stamp::of_record(&root.join(&known.name)) != Some(known.stamp);
        files.into_iter().filter(is_edited).map(|known| known.name).collect()
    }

    /// Reads files and puts in what they say now; those that are gone are taken out.
    pub(crate) fn read_again(&mut self, changed: &[String]) -> Result<(), IndexError> {
        let uncovered = self.read_once(changed)?;
        let mut shadowed = Vec::new();
        for session in uncovered {
            shadowed.extend(shadowed_by(&self.connection, &session)?);
        }
        // They have nothing in the index that could uncover more.
        if shadowed.is_empty() { Ok(()) } else { self.read_once(&shadowed).map(drop) }
    }

    /// The same, but for the files that hold the same session as others; returns the sessions of which a
    /// record is no longer there.
    fn read_once(&mut self, changed: &[String]) -> Result<BTreeSet<String>, IndexError> {
        let many = changed.len() > BATCH;
        if many {
            self.prepare_for_many()?;
        }
        let uncovered = if many && self.is_little_beside(changed.len())? {
            self.take_in(changed)?.uncovered
        } else {
            self.read_in_parts(changed, many)?
        };
        if many {
            self.prepare_for_few()?;
        }
        Ok(uncovered)
    }

    fn read_in_parts(
        &mut self,
        changed: &[String],
        many: bool,
    ) -> Result<BTreeSet<String>, IndexError> {
        let mut uncovered = BTreeSet::new();
        for part in changed.chunks(if many { LARGE_BATCH } else { BATCH }) {
            let reader = self.reader.clone();
            let transaction = self.begin()?;
            doubt_other_keys(&transaction, reader.keys())?;
            let mut batch = Batch::default();
            for part in part.chunks(BATCH) {
                for (name, read) in part.iter().zip(read_files(&reader, part)) {
                    match read {
                        Some((stamp, facts)) => batch.put(&transaction, name, stamp, &facts)?,
                        None => batch.take_out(&transaction, name)?,
                    }
                }
            }
            if many {
                // A cause comes again in every batch: the sums are made once, at the end.
                batch.leave_sums(&transaction)?;
            } else {
                sum_up(&transaction, &reader, &batch.touched)?;
            }
            transaction.commit()?;
            uncovered.append(&mut batch.uncovered);
        }
        Ok(uncovered)
    }

    /// Makes the sums that were left for later, here or by a process that was killed.
    pub(super) fn sum_up_rest(&mut self) -> Result<(), IndexError> {
        loop {
            let reader = self.reader.clone();
            let transaction = self.begin()?;
            let causes = left_sums(&transaction, BATCH)?;
            if causes.is_empty() {
                return Ok(());
            }
            sum_up(&transaction, &reader, &causes)?;
            transaction.commit()?;
        }
    }
}

/// Reads files, by several threads where there are many.
fn read_files(reader: &Reader, names: &[String]) -> Vec<Read> {
    let looked = clock_ns();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let each = names.len().div_ceil(threads).max(READ_ALONE);
    let read = |part: &[String]| -> Vec<Read> {
        part.iter().map(|name| read_file(reader, name, looked)).collect()
    };
    if names.len() <= each {
        return read(names);
    }
    std::thread::scope(|scope| {
        let read = &read;
        let workers: Vec<_> =
            names.chunks(each).map(|part| (part, scope.spawn(move || read(part)))).collect();
        // A reader never panics; if it does, the files are read here.
        workers
            .into_iter()
            .flat_map(|(part, worker)| worker.join().unwrap_or_else(|_| read(part)))
            .collect()
    })
}

/// A file's stamp, and what it says or why it does not; none if it is gone.
pub(super) type Read = Option<(Stamp, Result<Facts, String>)>;

pub(super) fn read_file(reader: &Reader, name: &str, looked_ns: i64) -> Read {
    let here = Stamp::of_record(&reader.layout.root().join(name))?;
    let (stamp, facts) = match reader.read(name) {
        Ok((read, stamp)) => (stamp, read.map(|read| Facts::of(&read, stamp.milliseconds()))),
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

/// Remembers the stamp of a place everything of which is in the index; none if that cannot be known.
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

/// The files that hold a session of which a newer one was there.
fn shadowed_by(connection: &Connection, session: &str) -> Result<Vec<String>, rusqlite::Error> {
    let mut statement = connection.prepare_cached("SELECT name FROM files WHERE shadowed = ?1")?;
    statement.query_map([session], |row| row.get(0))?.collect()
}

fn known_files(
    connection: &Connection,
    shelf: Shelf,
) -> Result<HashMap<String, Stamp>, rusqlite::Error> {
    // `0` follows `/`: the names in a folder are those between the two.
    let query = match shelf {
        Shelf::Sessions => {
            "SELECT name, size, modified, inode FROM files
             WHERE name >= 'sessions/' AND name < 'sessions0'"
        }
        Shelf::Flat => {
            "SELECT name, size, modified, inode FROM files
             WHERE name < 'sessions/' OR name >= 'sessions0'"
        }
    };
    let known = files(connection, query, [])?;
    Ok(known.into_iter().map(|known| (known.name, known.stamp)).collect())
}

fn files(
    connection: &Connection,
    query: &str,
    numbers: impl rusqlite::Params,
) -> Result<Vec<IndexedFile>, rusqlite::Error> {
    let mut statement = connection.prepare_cached(query)?;
    let rows = statement.query_map(numbers, |row| {
        Ok(IndexedFile {
            name: row.get(0)?,
            stamp: Stamp { size: row.get(1)?, modified_ns: row.get(2)?, inode: row.get(3)? },
        })
    })?;
    rows.collect()
}
