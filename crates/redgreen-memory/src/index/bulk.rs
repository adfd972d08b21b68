//! Many records taken in at once: a history that somebody brought, or an index that is made anew.
//!
//! Row by row every record would touch pages all over the index. So rows whose table is in another order than that
//! of the records wait in tables of their own, and go in sorted; some indexes are made at the end, and the words
//! are taken apart then. All of it is one transaction: killed on the way, nothing has happened.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use rusqlite::Connection;

use super::keys::doubt_other_keys;
use super::refresh::{Read, read_file};
use super::rows::Batch;
use super::{Index, IndexError, schema};
use crate::file::clock_ns;
use crate::reader::Reader;

/// Where keys and the records of texts wait.
pub(super) const STAGED_KEYS: &str = "temp.staged_keys";
pub(super) const STAGED_TEXTS: &str = "temp.staged_texts";

const STAGES: &str = "
CREATE TABLE temp.staged_keys (
    kind INTEGER, name INTEGER, seen INTEGER, at INTEGER, record INTEGER
);
CREATE TABLE temp.staged_texts (text INTEGER, seen INTEGER, at INTEGER, record INTEGER);
";

/// A record may have gone again: its session was in a newer file.
const MERGE: &str = "
INSERT OR IGNORE INTO keys (kind, name, seen, at, record)
    SELECT kind, name, seen, at, record FROM temp.staged_keys
    WHERE record IN (SELECT id FROM records) ORDER BY kind, name, seen, at, record;
DROP TABLE temp.staged_keys;
INSERT OR IGNORE INTO text_records (text, seen, at, record)
    SELECT text, seen, at, record FROM temp.staged_texts
    WHERE record IN (SELECT id FROM records) ORDER BY text, seen, at, record;
DROP TABLE temp.staged_texts;
";

/// So many files are read in one piece.
const PIECE: usize = 64;
/// So many pieces may wait for each thread that reads.
const WAITING: usize = 4;

impl Index {
    /// Whether these files are so many that what is there weighs little against them.
    pub(super) fn is_little_beside(&self, changed: usize) -> Result<bool, rusqlite::Error> {
        let known: i64 = self
            .connection
            .prepare_cached("SELECT count(*) FROM (SELECT 1 FROM files LIMIT ?1)")?
            .query_row([i64::try_from(changed).unwrap_or(i64::MAX)], |row| row.get(0))?;
        Ok(usize::try_from(known).is_ok_and(|known| known < changed / 4))
    }

    /// Reads many files and puts in what they say; returns the sessions that may be in other files, too.
    pub(super) fn take_in(&mut self, changed: &[String]) -> Result<Batch, IndexError> {
        let reader = self.reader.clone();
        let transaction = self.begin()?;
        doubt_other_keys(&transaction, reader.keys())?;
        transaction.execute_batch(STAGES)?;
        schema::drop_late(&transaction)?;
        let first_new: i64 =
            transaction
                .query_row("SELECT coalesce(max(id), 0) + 1 FROM texts", [], |row| row.get(0))?;
        let mut batch = Batch::staged();
        read_ahead(&reader, changed, |name, read| put(&transaction, &mut batch, name, read))?;
        transaction.execute_batch(MERGE)?;
        schema::make_late(&transaction)?;
        transaction.execute(
            "INSERT INTO words (rowid, body) SELECT id, body FROM texts WHERE id >= ?1",
            [first_new],
        )?;
        // A cause comes again in many records: the sums are made once, at the end.
        batch.leave_sums(&transaction)?;
        transaction.commit()?;
        Ok(batch)
    }
}

fn put(
    connection: &Connection,
    batch: &mut Batch,
    name: &str,
    read: Read,
) -> Result<(), rusqlite::Error> {
    match read {
        Some((stamp, facts)) => batch.put(connection, name, stamp, &facts),
        None => batch.take_out(connection, name),
    }
}

/// Hands every file to `take`, in order, while threads read those that follow.
fn read_ahead<E>(
    reader: &Reader,
    names: &[String],
    mut take: impl FnMut(&str, Read) -> Result<(), E>,
) -> Result<(), E> {
    let looked = clock_ns();
    let pieces: Vec<&[String]> = names.chunks(PIECE).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let (sender, receiver) = sync_channel::<Piece>(threads * WAITING);
    let (pieces, next) = (&pieces, &next);
    let read = move |piece: &[String]| -> Vec<Read> {
        piece.iter().map(|name| read_file(reader, name, looked)).collect()
    };
    std::thread::scope(|scope| {
        let work = |sender: SyncSender<Piece>| {
            move || {
                while let Some((number, piece)) = taken(pieces, next) {
                    // Who takes them may have failed.
                    if sender.send((number, read(piece))).is_err() {
                        break;
                    }
                }
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work(sender.clone()))).collect();
        drop(sender);
        let mut early: BTreeMap<usize, Vec<Read>> = BTreeMap::new();
        let mut take_all = || {
            for (number, piece) in pieces.iter().enumerate() {
                let found = loop {
                    if let Some(found) = early.remove(&number) {
                        break found;
                    }
                    match receiver.recv() {
                        Ok((number, found)) => early.insert(number, found),
                        // A reader never panics; if it does, the files are read here.
                        Err(_) => early.insert(number, read(piece)),
                    };
                };
                piece.iter().zip(found).try_for_each(|(name, read)| take(name, read))?;
            }
            Ok(())
        };
        let all = take_all();
        // Nobody waits for them any more.
        drop(receiver);
        for worker in workers {
            let _ = worker.join();
        }
        all
    })
}

/// A piece of the files that was read, with its number.
type Piece = (usize, Vec<Read>);

/// The next piece that nobody reads yet.
fn taken<'a>(pieces: &[&'a [String]], next: &AtomicUsize) -> Option<(usize, &'a [String])> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    pieces.get(number).map(|piece| (number, *piece))
}
