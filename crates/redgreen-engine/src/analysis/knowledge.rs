//! Why things fail: for each error the usual causes, and what to do about each.
//!
//! A table, one row for a cause. Where several rows fit one error, they stand in the order in which they are likely.

mod go;
mod java;
mod javascript;
mod python;
mod rust;
#[cfg(test)]
mod tests;
mod wrong_values;

use redgreen_model::error_class::ErrorClass;
use redgreen_model::report::{Failure, FailureKind, Location};

use super::suspects::Shape;
use super::values::{Difference, values};

/// A usual cause of an error.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The language's own name of the error, without what stands before it; empty for any.
    error: &'static str,
    /// What the message says: parts in their order, with `*` between them; empty for anything.
    says: &'static str,
    /// Why it happens, as a sentence.
    pub(super) cause: &'static str,
    /// What to do, as a sentence.
    pub(super) strategy: &'static str,
    /// A message that it fits.
    #[allow(dead_code, reason = "it is the entry's test")]
    example: &'static str,
}

/// A row of the table: error, message, cause, strategy, example.
const fn row(
    error: &'static str,
    says: &'static str,
    cause: &'static str,
    strategy: &'static str,
    example: &'static str,
) -> Entry {
    Entry { error, says, cause, strategy, example }
}

/// The rows of a language, by how the names of its files end.
const LANGUAGES: &[(&[&str], &[Entry])] = &[
    (&["py", "pyi"], python::ENTRIES),
    (&["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"], javascript::ENTRIES),
    (&["go"], go::ENTRIES),
    (&["rs"], rust::ENTRIES),
    (&["java", "kt"], java::ENTRIES),
];

impl Entry {
    fn fits(&self, error: &str, message: &str) -> bool {
        (self.error.is_empty() || self.error == error) && holds(message, self.says)
    }
}

/// Whether a message has all parts of a pattern, in their order.
fn holds(message: &str, pattern: &str) -> bool {
    let message = message.to_lowercase();
    let mut rest = message.as_str();
    pattern.to_lowercase().split('*').all(|part| match rest.find(part) {
        Some(at) => {
            rest = rest.get(at + part.len()..).unwrap_or_default();
            true
        }
        None => false,
    })
}

/// What is known of a failure, the most likely cause first; empty where nothing is. `suspect` is the statement that is
/// suspected, where one is.
pub(super) fn known(failure: &Failure, suspect: &str) -> Vec<&'static Entry> {
    // A value that is wrong is the same in every language.
    if failure.error_class == ErrorClass::AssertionError && failure.kind == FailureKind::TestFailure
    {
        let difference =
            values(failure).and_then(|(expected, actual)| Difference::of(expected, actual));
        if let Some(difference) = difference {
            let shape = Shape::of(suspect);
            let difference = match difference {
                // No bound and no number that could be one off.
                Difference::ByOne if shape.calculates && !shape.compares && !shape.has_number => {
                    Difference::Number
                }
                difference => difference,
            };
            return fitting(wrong_values::ENTRIES, difference.name(), "");
        }
    }
    let error = failure.error_type.rsplit(['.', ':']).next().unwrap_or_default();
    let spoken = languages(failure);
    let tables = LANGUAGES.iter().filter(|(endings, _)| {
        spoken.is_empty() || endings.iter().any(|ending| spoken.contains(ending))
    });
    tables.flat_map(|(_, entries)| fitting(entries, error, &failure.message)).collect()
}

fn fitting(entries: &'static [Entry], error: &str, message: &str) -> Vec<&'static Entry> {
    entries.iter().filter(|entry| entry.fits(error, message)).collect()
}

/// How the files end that a failure names.
fn languages(failure: &Failure) -> Vec<&str> {
    let ending = |place: &'_ Location| -> Option<usize> { place.file.rfind('.') };
    let places = failure.location.iter().chain(&failure.test_location).chain(&failure.frames);
    places.filter_map(|place| place.file.get(ending(place)? + 1..)).collect()
}
