//! CTRF, the Common Test Report Format: one JSON document.

mod read;

pub(crate) use read::is_ctrf;
pub use read::read;

#[cfg(test)]
mod tests;
