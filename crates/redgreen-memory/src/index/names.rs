//! Texts that come often, held once and named by a number.
//!
//! The number is made from the text, so that nobody has to ask the index for it. Sixty-four bits are
//! enough: among a million texts two share a number by chance once in 37 million memories.

use std::collections::HashSet;

use rusqlite::{Connection, params};
use sha2::{Digest as _, Sha256};

/// The texts that are in the index, remembered for as long as one batch is written.
#[derive(Default)]
pub(super) struct Names {
    known: HashSet<i64>,
}

/// More texts than that are written again, which changes nothing.
const KNOWN_MAX: usize = 200_000;

impl Names {
    /// The number of a text, which is in the index from now on.
    pub(super) fn number(
        &mut self,
        connection: &Connection,
        text: &str,
    ) -> Result<i64, rusqlite::Error> {
        let number = number_of(text);
        if !self.known.contains(&number) {
            connection
                .prepare_cached("INSERT OR IGNORE INTO names (id, text) VALUES (?1, ?2)")?
                .execute(params![number, text])?;
            if self.known.len() < KNOWN_MAX {
                self.known.insert(number);
            }
        }
        Ok(number)
    }
}

/// The number of a text, whether the index knows it or not.
pub(crate) fn number_of(text: &str) -> i64 {
    let digest = Sha256::digest(text.as_bytes());
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&digest[..8]);
    i64::from_be_bytes(bytes)
}
