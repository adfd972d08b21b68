//! The index: derived from the records, and worth nothing by itself. Deleting or damaging it costs
//! a rebuild.
//!
//! Who looks something up first asks whether the folders of the records have changed
//! ([`refresh`](Index::refresh)). A folder's stamp tells whether a file was added, removed or replaced, so a
//! memory of any size costs two questions to the file system as long as nothing happens. What
//! redgreen itself writes goes into the index with its file, under the index's own lock, and leaves the
//! stamps right. Files that were edited in place show in no folder: some are looked at each time,
//! all of them in a memory of ordinary size.

mod bulk;
mod damage;
mod home;
mod keys;
mod leftovers;
mod names;
mod number_list;
mod patterns_backlog;
mod refresh;
mod rows;
mod schema;
mod write;

use std::os::unix::fs::MetadataExt as _;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::MemoryError;
use crate::reader::Reader;

pub(crate) use damage::{Trouble, replace_damaged, trouble};
pub(crate) use home::IndexHome;
pub(crate) use names::{name_of, number_of};
pub(crate) use patterns_backlog::{PatternsBacklog, forget_patterns, leave_unwritten};
pub(crate) use refresh::Effort;

/// What went wrong in the index, or beside it.
#[derive(Debug)]
pub(crate) enum IndexError {
    Sql(rusqlite::Error),
    Other(MemoryError),
}

impl From<rusqlite::Error> for IndexError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<MemoryError> for IndexError {
    fn from(error: MemoryError) -> Self {
        Self::Other(error)
    }
}

/// An open index.
pub(crate) struct Index {
    pub(crate) connection: Connection,
    reader: Reader,
    /// The file that is open, to tell whether somebody replaced it since.
    inode: Option<u64>,
    /// What it says in itself that it is of.
    id: i32,
    patience: Duration,
    wrote: bool,
}

/// More statements than we have: none is ever read twice.
const STATEMENTS_MAX: usize = 128;

/// A log of so many bytes is worth the time that it takes to empty it, even for one who only asked.
const LOG_BYTES_MAX: u64 = 1024 * 1024;

/// Whoever opens the index first has to read its log. So who wrote empties it at the end; who did not
/// leaves it, and does not wait for the disk.
impl Drop for Index {
    fn drop(&mut self) {
        let log = self.reader.layout.index().map(IndexHome::log);
        let is_long = || {
            log.is_ok_and(|log| std::fs::metadata(log).is_ok_and(|log| log.len() > LOG_BYTES_MAX))
        };
        if self.inode.is_some() && (self.wrote || is_long()) {
            self.empty_log();
        }
    }
}

impl Index {
    /// Opens the index, and makes it if it is not there, of another version or another memory's. Nothing is checked
    /// or migrated here: a cold query must not cost more than its question.
    pub(crate) fn open(
        reader: &Reader,
        home: &IndexHome,
        patience: Duration,
    ) -> Result<Self, rusqlite::Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let path = home.file();
        let connection = Connection::open_with_flags(&path, flags)?;
        connection.busy_timeout(patience)?;
        // We say ourselves when it is worth waiting for the disk.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        let inode = std::fs::metadata(&path).ok().map(|metadata| metadata.ino());
        let reader = reader.clone();
        let id = home.id();
        let mut index = Self { connection, reader, inode, id, patience, wrote: false };
        index.prepare(true)?;
        Ok(index)
    }

    /// An index that nobody else sees, for a memory whose index can be kept nowhere.
    pub(crate) fn in_memory(reader: &Reader) -> Result<Self, rusqlite::Error> {
        let connection = Connection::open_in_memory()?;
        let reader = reader.clone();
        let patience = Duration::ZERO;
        let mut index = Self { connection, reader, inode: None, id: 0, patience, wrote: false };
        index.prepare(false)?;
        Ok(index)
    }

    fn prepare(&mut self, on_disk: bool) -> Result<(), rusqlite::Error> {
        self.connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
        // Otherwise every new value of a limit makes SQLite plan the statement again.
        self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        self.connection.pragma_update(None, "synchronous", "NORMAL")?;
        let id = self.id;
        if schema::is_current(&self.connection, id)? {
            return Ok(());
        }
        if on_disk {
            self.connection.pragma_update(None, "journal_mode", "WAL")?;
        }
        let transaction = self.begin()?;
        // Another process may have made it in the meantime.
        if !schema::is_current(&transaction, id)? {
            schema::make(&transaction, id)?;
        }
        transaction.commit()
    }

    /// Throws everything away.
    pub(crate) fn clear(&mut self) -> Result<(), rusqlite::Error> {
        let id = self.id;
        let transaction = self.begin()?;
        schema::make(&transaction, id)?;
        transaction.commit()?;
        // The space goes back to the file system; if others are at work, it is used again.
        let _ = self.connection.execute_batch("VACUUM");
        self.empty_log();
        Ok(())
    }

    /// The file that is open.
    pub(crate) fn inode(&self) -> Option<u64> {
        self.inode
    }

    /// Begins to read: everything until it is dropped is of the same moment, and locked once.
    pub(crate) fn reading(&self) -> Result<Transaction<'_>, rusqlite::Error> {
        self.connection.unchecked_transaction()
    }

    /// More of the index in memory (in KiB), and fewer waits for the disk (in pages).
    fn prepare_for_many(&self) -> Result<(), rusqlite::Error> {
        self.connection.pragma_update(None, "cache_size", -128 * 1024)?;
        self.connection.pragma_update(None, "wal_autocheckpoint", 64 * 1024)
    }

    /// As it was; and the words in one piece, so that a search looks in one place.
    fn prepare_for_few(&self) -> Result<(), rusqlite::Error> {
        self.connection.execute_batch("INSERT INTO words (words) VALUES ('optimize')")?;
        self.connection.pragma_update(None, "cache_size", -2 * 1024)?;
        self.connection.pragma_update(None, "wal_autocheckpoint", 1_000)?;
        self.empty_log();
        Ok(())
    }

    /// Moves the log into the index, unless others are at work: then they will.
    fn empty_log(&self) {
        let _ = self.connection.busy_timeout(Duration::ZERO);
        // The pragma answers with a row.
        let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        let _ = self.connection.busy_timeout(self.patience);
    }

    /// Begins to write: nobody else does until the transaction ends.
    fn begin(&mut self) -> Result<Transaction<'_>, rusqlite::Error> {
        self.wrote = true;
        self.connection.transaction_with_behavior(TransactionBehavior::Immediate)
    }
}
