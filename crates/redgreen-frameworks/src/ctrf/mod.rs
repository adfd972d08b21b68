//! CTRF, the Common Test Report Format: one JSON document.

mod read;
mod write;

pub use read::read;
pub use write::write;

pub(crate) use read::is_ctrf;

#[cfg(test)]
mod tests;
