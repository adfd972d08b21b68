//! Where things are in a memory's folder; and where its index is, which is elsewhere.

use std::path::{Path, PathBuf};

use redgreen_model::debug_memory::layout::{
    ARCHIVE, ATTRIBUTES_FILE, DRAFTS, IGNORE_FILE, IN_USE, PATTERNS, SESSIONS, STALE_MARK,
};

use crate::index::IndexHome;

/// The folder of a memory, and the place of its index.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    root: PathBuf,
    /// Why there is none, in words.
    index: Result<IndexHome, String>,
}

/// A folder that holds records, by its name in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shelf {
    /// `sessions/`, where records belong.
    Sessions,
    /// The memory's own folder: other tools put them there.
    Flat,
}

impl Shelf {
    /// Every one.
    pub(crate) const ALL: [Self; 2] = [Self::Sessions, Self::Flat];

    /// What the paths of its records begin with, from the memory's folder.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Self::Sessions => "sessions/",
            Self::Flat => "",
        }
    }

    /// Whether a file of this name is a record.
    pub(crate) fn holds(self, name: &str) -> bool {
        let is_document = ["json", "yaml", "yml"].iter().any(|extension| {
            name.rsplit_once('.').is_some_and(|(stem, found)| {
                !stem.is_empty() && found.eq_ignore_ascii_case(extension)
            })
        });
        match self {
            Self::Sessions => is_document && !name.starts_with('.'),
            // Beside the records lie other tools' documents.
            Self::Flat => is_document && name.starts_with("session-"),
        }
    }
}

impl Layout {
    /// A memory whose index is in the folder that holds those of all memories.
    pub(crate) fn new(root: &Path, indexes: Result<&Path, String>) -> Self {
        let index = indexes.map(|indexes| IndexHome::new(indexes, root));
        Self { root: root.to_owned(), index }
    }

    /// A memory that is only read.
    pub(crate) fn foreign(root: &Path) -> Self {
        Self::new(root, Err("it is not ours".to_owned()))
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn shelf(&self, shelf: Shelf) -> PathBuf {
        match shelf {
            Shelf::Sessions => self.root.join(SESSIONS),
            Shelf::Flat => self.root.clone(),
        }
    }

    /// Where the index is; why it can be nowhere, in words.
    pub(crate) fn index(&self) -> Result<&IndexHome, &str> {
        self.index.as_ref().map_err(String::as_str)
    }

    /// What an error of the index is about.
    pub(crate) fn index_shown(&self) -> PathBuf {
        self.index.as_ref().map_or_else(|_| self.root.clone(), IndexHome::file)
    }

    /// Written anew by who placed a record that an index may not notice by itself. Among the records, since who can
    /// write those may be unable to write anything else.
    pub(crate) fn stale_mark(&self) -> PathBuf {
        self.root.join(STALE_MARK)
    }

    /// On the same file system as the records, and not among them: a draft changes nothing there.
    pub(crate) fn drafts(&self) -> PathBuf {
        self.root.join(DRAFTS)
    }

    /// One file for each session that somebody works on.
    pub(crate) fn in_use(&self) -> PathBuf {
        self.root.join(IN_USE)
    }

    pub(crate) fn archive(&self) -> PathBuf {
        self.root.join(ARCHIVE)
    }

    /// Keeps what is derived out of the project's history.
    pub(crate) fn ignore_file(&self) -> PathBuf {
        self.root.join(IGNORE_FILE)
    }

    /// Says how git merges what is derived.
    pub(crate) fn attributes_file(&self) -> PathBuf {
        self.root.join(ATTRIBUTES_FILE)
    }

    pub(crate) fn patterns(&self) -> PathBuf {
        self.root.join(PATTERNS).join("learned-patterns.yaml")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_distinguished_from_other_files() {
        let cases = [
            ("session-1.json", true, true),
            ("session-1.YAML", true, true),
            ("abc.yml", true, false),
            ("session-1.json.draft", false, false),
            (".json", false, false),
            (".session-1.json", false, false),
            ("index.sqlite3", false, false),
            ("readme.md", false, false),
        ];
        for (name, in_sessions, flat) in cases {
            assert_eq!(Shelf::Sessions.holds(name), in_sessions, "{name}");
            assert_eq!(Shelf::Flat.holds(name), flat, "{name}");
        }
    }
}
