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
use serde_json::Value;

use crate::seal::{Notary, Origin, Provenance, sealed_digest, sealed_digest_of_json};

pub(crate) use strict::{complete, file_name, written};

/// What redgreen calls itself in the records that it writes.
pub const RECORDED_BY: &str = "redgreen";

/// Whether a record says that redgreen saw it here: then it is sealed when it is written.
pub(crate) fn is_ours(record: &Record) -> bool {
    let Some(metadata) = &record.metadata else { return false };
    let by = metadata.recorded_by.as_deref().unwrap_or_default();
    by.split(' ').next() == Some(RECORDED_BY) && metadata.imported_from.is_none()
}

/// A record, and where it comes from.
pub(crate) struct Read {
    pub(crate) record: Record,
    pub(crate) shown: Provenance,
}

/// The record in the bytes of a file, whoever wrote it, in whatever form; why there is none, in
/// words. The file's name helps to tell the syntax, and the session where the record does not. Every text is clean,
/// bounded and without secrets.
pub fn read(bytes: &[u8], name: &str) -> Result<Record, String> {
    lenient::record(&value(bytes, name)?, name)
}

/// The same, with what its seal shows. What redgreen wrote is taken as it is: it was clean when it was sealed.
pub(crate) fn read_shown(bytes: &[u8], name: &str, notary: &dyn Notary) -> Result<Read, String> {
    if Syntax::of_file_name(name) == Some(Syntax::Json)
        && let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(record) = serde_json::from_str::<Record>(text)
        && let Some(seal) = record.metadata.as_ref().and_then(|metadata| metadata.seal.as_ref())
    {
        let shown = Provenance::by(Some(seal), || sealed_digest_of_json(text), notary);
        if shown.origin == Origin::Seen {
            return Ok(Read { record, shown });
        }
    }
    let value = value(bytes, name)?;
    let record = lenient::record(&value, name)?;
    let seal = lenient::seal(&value);
    let shown = Provenance::by(seal.as_ref(), || sealed_digest(&value), notary);
    Ok(Read { record, shown })
}

fn value(bytes: &[u8], name: &str) -> Result<Value, String> {
    if bytes.trim_ascii().is_empty() {
        return Err("it is empty".to_owned());
    }
    let hint = Syntax::of_file_name(name);
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
    // A wrong ending is no reason to lose a record.
    read_value(text, hint).or_else(|problem| {
        read_value(text, None).map_err(|_| clean_line(&problem.to_string(), LINE_CHARS))
    })
}

#[cfg(test)]
mod tests;
