//! Which causes the file of patterns does not tell of as they are now: so that the end of a loop writes those, and
//! not all that was ever learned.

use rusqlite::Connection;

use super::refresh::{know_place, known_place};
use super::{Index, IndexError};
use crate::file::{Stamp, clock_ns};

/// The file of patterns among the places whose stamps are known.
const PATTERNS: &str = "patterns file";

/// What is to be written, by one who is about to.
pub(crate) struct PatternsBacklog {
    /// The file as it was when all but these was in it; none if that is not known.
    pub(crate) of: Option<Stamp>,
    /// The causes that are not.
    pub(crate) causes: Vec<i64>,
    /// Who writes now.
    writer: Stamp,
}

impl Index {
    /// Takes what is to be written. Until that is done the file is unknown, so that nothing is lost if it never is.
    pub(crate) fn take_unwritten(&mut self) -> Result<PatternsBacklog, IndexError> {
        let pid = i64::from(std::process::id());
        // No file has such a size.
        let writer = Stamp { size: -2, modified_ns: clock_ns(), inode: pid };
        let transaction = self.begin()?;
        let of = known_place(&transaction, PATTERNS)?;
        let causes: Vec<i64> = transaction
            .prepare_cached("SELECT cause FROM unwritten ORDER BY cause")?
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        transaction.prepare_cached("DELETE FROM unwritten")?.execute([])?;
        know_place(&transaction, PATTERNS, Some(writer))?;
        transaction.commit()?;
        Ok(PatternsBacklog { of, causes, writer })
    }

    /// The file is written, and looks like this; unless somebody else has begun to write it since.
    pub(crate) fn wrote_patterns(
        &mut self,
        taken: &PatternsBacklog,
        file: Option<Stamp>,
    ) -> Result<(), IndexError> {
        let transaction = self.begin()?;
        if known_place(&transaction, PATTERNS)? == Some(taken.writer) {
            know_place(&transaction, PATTERNS, file)?;
        }
        transaction.commit()?;
        Ok(())
    }
}

/// The sums of a cause are others now.
pub(crate) fn leave_unwritten(connection: &Connection, cause: i64) -> Result<(), rusqlite::Error> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO unwritten (cause) VALUES (?1)")?
        .execute([cause])
        .map(drop)
}

/// A cause is gone, and its name with it: the whole file is to be written.
pub(crate) fn forget_patterns(connection: &Connection) -> Result<(), rusqlite::Error> {
    know_place(connection, PATTERNS, None)
}
