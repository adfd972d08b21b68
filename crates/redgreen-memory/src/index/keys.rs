//! Which keys counted when the records were taken in.
//!
//! A record that was sealed with a key counts or not, as the keys say at that time. When others count, those that it
//! makes a difference for are read again; all processes with the same keys leave them alone.

use rusqlite::Connection;

use super::refresh::{know_place, known_place};
use super::{Index, IndexError};
use crate::file::Stamp;
use crate::seal::Origin;

/// The name of the keys among the places whose stamps are known.
const KEYS: &str = "keys";

/// As often is looked whether others, for whom other keys count, took something in meanwhile.
const TRIES: u32 = 3;

/// Whether everything in the index was weighed with the keys that have this stamp.
pub(super) fn are_keys_known(
    connection: &Connection,
    stamp: Stamp,
) -> Result<bool, rusqlite::Error> {
    Ok(known_place(connection, KEYS)? == Some(stamp))
}

/// What is taken in now is weighed with these keys: if the rest was not, nobody can be sure of all of it.
pub(super) fn doubt_other_keys(
    connection: &Connection,
    stamp: Stamp,
) -> Result<(), rusqlite::Error> {
    if are_keys_known(connection, stamp)? { Ok(()) } else { know_place(connection, KEYS, None) }
}

impl Index {
    /// Reads the records again that count now and did not, or the other way round.
    pub(super) fn weigh_again(&mut self, stamp: Stamp) -> Result<(), IndexError> {
        for _ in 0..TRIES {
            let notary = self.reader.notary.clone();
            let transaction = self.begin()?;
            let sealed = sealed_files(&transaction)?;
            let misjudged = sealed.into_iter().filter(|file| notary.knows(&file.key) != file.seen);
            let names: Vec<String> = misjudged.map(|file| file.name).collect();
            if names.is_empty() {
                know_place(&transaction, KEYS, Some(stamp))?;
                return Ok(transaction.commit()?);
            }
            drop(transaction);
            self.read_again(&names)?;
            self.sum_up_rest()?;
        }
        Ok(())
    }
}

/// A file whose seal holds.
struct Sealed {
    name: String,
    key: String,
    seen: bool,
}

fn sealed_files(connection: &Connection) -> Result<Vec<Sealed>, rusqlite::Error> {
    let mut statement = connection.prepare_cached(
        "SELECT name, text, origin = ?1 FROM files JOIN names ON names.id = files.sealed_by",
    )?;
    let rows = statement.query_map([Origin::Seen as i64], |row| {
        Ok(Sealed { name: row.get(0)?, key: row.get(1)?, seen: row.get(2)? })
    })?;
    rows.collect()
}
