//! JUnit XML, whoever wrote it.

mod case;
mod reader;
mod trace;
mod xml;

use redgreen_model::report::Report;

use self::reader::Reader;
use self::trace::Sources;
use crate::place::Places;

/// Reads a JUnit XML document, or several in one file. Never fails: what is cut or malformed is
/// read as far as it goes, and said. Totals are counted from the cases.
pub fn read_xml(bytes: &[u8], places: Places<'_>) -> Report {
    let mut reader = Reader::new(places, Sources::new(places.root, Vec::new(), None));
    reader.read(bytes, "the report", "");
    reader.finish()
}

#[cfg(test)]
mod tests;
