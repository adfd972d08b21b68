//! What can go wrong, in words that say what to do.

use std::path::{Path, PathBuf};

/// Why memory could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// A file or a folder.
    #[error("cannot {what} {}: {source}", path.display())]
    File {
        /// What was tried.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The index, for a reason that a rebuild does not put right.
    #[error("cannot use the index {}: {source}", path.display())]
    Index {
        /// The index.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// A memory that was to take over its own records.
    #[error("{} is this project's own debug memory: its records are already remembered", path.display())]
    Itself {
        /// Its folder.
        path: PathBuf,
    },
    /// The patterns, which cannot be written down.
    #[error("cannot write the learned patterns: {reason}")]
    Patterns {
        /// Why.
        reason: String,
    },
    /// A record that cannot be written down.
    #[error("cannot write the record of session {session}: {reason}")]
    Record {
        /// Its session.
        session: String,
        /// Why.
        reason: String,
    },
}

impl MemoryError {
    /// For `map_err`: the error of a file operation.
    pub(crate) fn file(
        what: &'static str,
        path: &Path,
    ) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File { what, path, source }
    }
}
