//! Search by words.

use rusqlite::{Connection, params};
use serde::Serialize;

use crate::index::Effort;
use crate::moment::rfc3339;
use crate::{Memory, MemoryError};

/// Shorter words tell nothing; longer ones are no words.
const WORD_CHARS_MIN: usize = 3;
const WORD_CHARS_MAX: usize = 60;
/// So many words of a message are enough to tell it from others.
const TELLING_WORDS: usize = 3;
/// So many texts with the words are looked at.
const TEXTS_MAX: u32 = 20;

/// A record that says what was searched for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hit {
    /// Its session.
    pub session: String,
    /// The file that was worked on most.
    pub file: String,
    /// When it was written, RFC 3339.
    pub at: String,
    /// What became of it.
    pub status: Option<String>,
    /// What it says.
    pub text: String,
}

impl Memory {
    /// The records that say all of these words in a message, an analysis or a fix; the newest first,
    /// at most so many.
    pub fn search(&mut self, text: &str, limit: u32) -> Result<Vec<Hit>, MemoryError> {
        let words = words(text);
        if words.is_empty() {
            return Ok(Vec::new());
        }
        self.ask(Effort::Thorough, |index| {
            // SQLite takes the text from the row with the maximum.
            let mut statement = index.connection.prepare_cached(
                "SELECT session, file_path, records.at, status, texts.body, max(text_records.at)
                 FROM words JOIN texts ON texts.id = words.rowid
                 JOIN text_records ON text_records.text = texts.id
                 JOIN records ON records.id = text_records.record
                 WHERE words MATCH ?1 GROUP BY session ORDER BY records.at DESC, session LIMIT ?2",
            )?;
            let rows = statement.query_map(params![all_of(&words), limit], |row| {
                Ok(Hit {
                    session: row.get(0)?,
                    file: row.get(1)?,
                    at: rfc3339(row.get(2)?),
                    status: row.get(3)?,
                    text: row.get(4)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}

/// A query for texts with all of these words. In quotes no word is an operator.
fn all_of(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    quoted.join(" AND ")
}

/// The words of a text that tell it from others, the rarest first as far as that can be guessed: names
/// in the code, then long words; no numbers.
pub(crate) fn telling_words(text: &str) -> Vec<String> {
    let mut words = words(text);
    words.retain(|word| {
        word.chars().count() >= WORD_CHARS_MIN && word.chars().any(char::is_alphabetic)
    });
    let is_name = |word: &str| word.contains(|part: char| part == '_' || part.is_numeric());
    words.sort_by_key(|word| std::cmp::Reverse((is_name(word), word.chars().count())));
    words.truncate(TELLING_WORDS);
    words
}

/// The words of a text, each once, as the index takes texts apart.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    for word in text.split(|letter| !is_part(letter)) {
        let word: String = word.chars().take(WORD_CHARS_MAX).collect::<String>().to_lowercase();
        if !word.is_empty() && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// The newest records that say all of these words, or those of them that redgreen saw; none of no words.
pub(crate) fn records_saying(
    connection: &Connection,
    words: &[String],
    only_seen: bool,
    limit: u32,
) -> Result<Vec<i64>, rusqlite::Error> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let mut statement = connection.prepare_cached(
        "SELECT record, max(at) AS at FROM text_records WHERE seen >= ?3 AND text IN (
            SELECT rowid FROM words WHERE words MATCH ?1
            AND (?3 = 0 OR EXISTS (
                SELECT 1 FROM text_records WHERE text = words.rowid AND seen = 1
            ))
            ORDER BY rowid DESC LIMIT ?2
         ) GROUP BY record ORDER BY at DESC, record DESC LIMIT ?4",
    )?;
    let values = params![all_of(words), TEXTS_MAX, only_seen, limit];
    let rows = statement.query_map(values, |row| row.get(0))?;
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_apart_and_the_telling_ones_kept() {
        assert_eq!(words("A b-c, \"d_e\" OR 12 a"), ["a", "b", "c", "d_e", "or", "12"]);
        let message = "Cannot read 'length' of null at 12345678: user_total is undefined";
        assert_eq!(telling_words(message), ["user_total", "undefined", "cannot"]);
        assert_eq!(telling_words("unexpected x_1"), ["x_1", "unexpected"]);
        assert!(telling_words("1 2 3 a").is_empty());
    }
}
