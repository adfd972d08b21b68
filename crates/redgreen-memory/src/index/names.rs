//! Texts that come often, held once and named by a number.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension as _};

/// The numbers of texts, remembered for as long as one batch is written.
#[derive(Default)]
pub(super) struct Names {
    known: HashMap<String, i64>,
}

/// More texts than that are asked for again.
const KNOWN_MAX: usize = 100_000;

impl Names {
    /// The number of a text, which gets one if it has none.
    pub(super) fn number(
        &mut self,
        connection: &Connection,
        text: &str,
    ) -> Result<i64, rusqlite::Error> {
        if let Some(number) = self.known.get(text) {
            return Ok(*number);
        }
        let number = match number_of(connection, text)? {
            Some(number) => number,
            None => {
                connection.prepare_cached("INSERT INTO names (text) VALUES (?1)")?.insert([text])?
            }
        };
        if self.known.len() < KNOWN_MAX {
            self.known.insert(text.to_owned(), number);
        }
        Ok(number)
    }
}

/// The number of a text; none if no record says it.
pub(crate) fn number_of(
    connection: &Connection,
    text: &str,
) -> Result<Option<i64>, rusqlite::Error> {
    connection
        .prepare_cached("SELECT id FROM names WHERE text = ?1")?
        .query_row([text], |row| row.get(0))
        .optional()
}
