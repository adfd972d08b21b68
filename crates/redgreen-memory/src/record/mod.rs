//! Records: written strictly, read leniently.

mod analysis;
mod execution;
mod failure;
mod lenient;
mod node;
mod strict;

use redgreen_model::debug_memory::Record;
use redgreen_model::document::{Syntax, read_value};
use redgreen_model::text::{LINE_CHARS, clean_line};

pub(crate) use strict::{complete, file_name, written};

/// What redgreen calls itself in the records that it writes.
pub const RECORDED_BY: &str = "redgreen";

/// Whether redgreen saw what the record says, here or at a colleague's: the team's records come with the
/// project's history, and whoever can write there can change the tests as well. What other tools wrote is told,
/// not seen, and so is everything that was imported: it was seen in another project, if at all.
///
/// Nothing is decided by it: patterns advise, and only what runs is judged.
pub fn is_seen(record: &Record) -> bool {
    let is_imported = record.metadata.as_ref().is_some_and(|it| it.imported_from.is_some());
    is_ours(record) && !is_imported
}

/// Whether redgreen wrote the record: then it is in its own form.
fn is_ours(record: &Record) -> bool {
    let by = record.metadata.as_ref().and_then(|metadata| metadata.recorded_by.as_deref());
    by.is_some_and(|by| by.split(' ').next() == Some(RECORDED_BY))
}

/// The record in the bytes of a file, whoever wrote it, in whatever form; why there is none, in
/// words. The file's name helps to tell the syntax, and the session where the record does not.
pub fn read(bytes: &[u8], name: &str) -> Result<Record, String> {
    let hint = Syntax::of_file_name(name);
    if hint == Some(Syntax::Json)
        && let Ok(record) = serde_json::from_slice::<Record>(bytes)
        && is_ours(&record)
    {
        return Ok(record);
    }
    read_cleaned(bytes, name)
}

/// The same, whoever says that they wrote it: every text is clean, bounded and without secrets.
pub(crate) fn read_cleaned(bytes: &[u8], name: &str) -> Result<Record, String> {
    if bytes.trim_ascii().is_empty() {
        return Err("it is empty".to_owned());
    }
    let hint = Syntax::of_file_name(name);
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
    // A wrong ending is no reason to lose a record.
    let value = read_value(text, hint).or_else(|problem| {
        read_value(text, None).map_err(|_| clean_line(&problem.to_string(), LINE_CHARS))
    })?;
    lenient::record(&value, name)
}

#[cfg(test)]
mod tests;
