//! What keeps a settings file from being changed.

use std::io;
use std::path::PathBuf;

use super::json::Wrong;

/// Why a settings file was left alone.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// It is not what the agent's settings are.
    #[error("{}, {wrong}", path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        wrong: Wrong,
    },
    /// It is no text, or too long for settings.
    #[error("{} {what}", path.display())]
    Odd {
        /// The file.
        path: PathBuf,
        /// What is odd.
        what: String,
    },
    /// A link leads out of the project.
    #[error("{} leads out of the project, to {}", path.display(), target.display())]
    Outside {
        /// The file.
        path: PathBuf,
        /// Where it really is.
        target: PathBuf,
    },
    /// The system refused.
    #[error("cannot {what} {}: {source}", path.display())]
    System {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl SettingsError {
    /// Whether the file itself is the reason, and not the system.
    pub fn is_about_content(&self) -> bool {
        !matches!(self, Self::System { .. })
    }

    pub(crate) fn system(what: &'static str, path: &std::path::Path, source: io::Error) -> Self {
        Self::System { what, path: path.to_owned(), source }
    }
}
