//! Texts that come often, held once and named by a number.
//!
//! They are found by a digest of sixty-four bits: among a million texts two share one by chance once in 37
//! million memories.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension as _, params};
use sha2::{Digest as _, Sha256};

/// Numbers that were looked up or given while one batch is written, by the digest of what they name.
#[derive(Default)]
pub(super) struct Numbers {
    known: HashMap<i64, i64>,
}

/// More are asked for again.
const KNOWN_MAX: usize = 1_000_000;

impl Numbers {
    /// The number that is known, or that `find` finds or gives.
    pub(super) fn of(
        &mut self,
        digest: i64,
        find: impl FnOnce() -> Result<i64, rusqlite::Error>,
    ) -> Result<i64, rusqlite::Error> {
        if let Some(number) = self.known.get(&digest) {
            return Ok(*number);
        }
        let number = find()?;
        if self.known.len() < KNOWN_MAX {
            self.known.insert(digest, number);
        }
        Ok(number)
    }

    /// Forgets them all: some may be gone.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }
}

/// The number of a name, which is in the index from now on.
pub(super) fn name_for(
    connection: &Connection,
    names: &mut Numbers,
    text: &str,
) -> Result<i64, rusqlite::Error> {
    let digest = digest_of(text);
    names.of(digest, || {
        if let Some(number) = by_digest(connection, digest)? {
            return Ok(number);
        }
        connection
            .prepare_cached("INSERT INTO names (digest, text) VALUES (?1, ?2)")?
            .insert(params![digest, text])
    })
}

/// The same for one name by itself.
pub(crate) fn number_of(connection: &Connection, text: &str) -> Result<i64, rusqlite::Error> {
    name_for(connection, &mut Numbers::default(), text)
}

/// The number of a name; none if the index does not know it.
pub(crate) fn name_of(connection: &Connection, text: &str) -> Result<Option<i64>, rusqlite::Error> {
    by_digest(connection, digest_of(text))
}

fn by_digest(connection: &Connection, digest: i64) -> Result<Option<i64>, rusqlite::Error> {
    connection
        .prepare_cached("SELECT id FROM names WHERE digest = ?1")?
        .query_row([digest], |row| row.get(0))
        .optional()
}

/// What a text is found by.
pub(super) fn digest_of(text: &str) -> i64 {
    let digest = Sha256::digest(text.as_bytes());
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&digest[..8]);
    i64::from_be_bytes(bytes)
}
