//! The folder for redgreen's state, and what its file system can do.

use std::fs::{self, File, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use redgreen_model::config::DEFAULT_MEMORY_LOCATION;
use redgreen_model::debug_memory::layout::{DOCUMENTS, GIT_FILES, STALE_MARK, WORKING};

use crate::error::WorkspaceError;

/// The state's folder, in the root of the work tree.
pub(crate) const STATE_FOLDER: &str = ".redgreen";

/// What redgreen writes itself, and what therefore never is part of a tree: its state, and the debug
/// memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Own(Vec<String>);

impl Default for Own {
    fn default() -> Self {
        Self::remembering_at(DEFAULT_MEMORY_LOCATION)
    }
}

impl Own {
    /// With the debug memory in this folder, from the root.
    pub(crate) fn remembering_at(location: &str) -> Self {
        let parts = location.split('/').filter(|part| !matches!(*part, "" | "."));
        let folder = parts.collect::<Vec<_>>().join("/");
        // Everything else there is as much a part of the tree as what lies elsewhere.
        let names = DOCUMENTS.iter().chain(&WORKING).chain(&GIT_FILES).chain([&STALE_MARK]);
        let inside = names.map(|name| format!("{folder}/{name}"));
        Self(std::iter::once(STATE_FOLDER.to_owned()).chain(inside).collect())
    }

    /// Files and folders, from the root.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether a path is, or lies in, one of them.
    pub(crate) fn hold(&self, path: &[u8]) -> bool {
        self.names().any(|name| {
            path.strip_prefix(name.as_bytes())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        })
    }
}

/// Where the state of the work tree with this root is, whether it exists or not.
pub fn state_path(root: &Path) -> PathBuf {
    root.join(STATE_FOLDER)
}

/// Makes the state's folder, which has git ignore it.
pub(crate) fn prepare(root: &Path) -> Result<PathBuf, WorkspaceError> {
    let folder = state_path(root);
    match fs::symlink_metadata(&folder) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return Err(WorkspaceError::StateFolder { path: folder }),
        Err(_) => fs::create_dir_all(&folder).map_err(WorkspaceError::io("create", &folder))?,
    }
    let ignore = folder.join(".gitignore");
    match File::create_new(&ignore).and_then(|mut file| file.write_all(b"*\n")) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(WorkspaceError::io("write", &ignore)(error))
        }
        _ => Ok(folder),
    }
}

/// What a file system can keep. Tried out, because a repository's `core.fileMode` and
/// `core.symlinks` can be set to have git overlook changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileSystem {
    /// It keeps the executable bit.
    pub(crate) modes: bool,
    /// It has symbolic links.
    pub(crate) links: bool,
}

impl FileSystem {
    /// Tries it out with a file in a folder that must be empty otherwise.
    pub(crate) fn probe(folder: &Path) -> Self {
        let file = folder.join("probe");
        let keeps = |mode: u32| {
            fs::set_permissions(&file, Permissions::from_mode(mode)).is_ok()
                && fs::metadata(&file).is_ok_and(|found| found.permissions().mode() & 0o777 == mode)
        };
        let modes = File::create(&file).is_ok() && keeps(0o600) && keeps(0o700);
        let link = folder.join("probe-link");
        let links = symlink("probe", &link).is_ok();
        let _ = fs::remove_file(&link);
        let _ = fs::remove_file(&file);
        Self { modes, links }
    }

    /// What git is given of it; where it lacks something, the repository's own settings hold.
    pub(crate) fn settings(self) -> Vec<&'static str> {
        let modes = self.modes.then_some("core.fileMode=true");
        let links = self.links.then_some("core.symlinks=true");
        modes.into_iter().chain(links).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_are_whole_names_of_what_redgreen_writes() {
        let own = Own::default();
        for path in [
            ".redgreen",
            ".redgreen/index",
            ".aiwg/ralph/debug-memory/sessions/a.json",
            ".aiwg/ralph/debug-memory/.drafts",
            ".aiwg/ralph/debug-memory/.gitignore",
        ] {
            assert!(own.hold(path.as_bytes()), "{path}");
        }
        for path in [
            ".redgreen.toml",
            "src/.redgreen/x",
            ".aiwg/ralph/other",
            ".aiwg/ralph/debug-memory",
            ".aiwg/ralph/debug-memory/notes.md",
            ".aiwg/ralph/debug-memory/sessions.json",
            ".aiwg/ralph/debug-memory/runs/sessions/a.json",
        ] {
            assert!(!own.hold(path.as_bytes()), "{path}");
        }
        let own = Own::remembering_at("./notes//memory/");
        assert!(own.hold(b".redgreen") && own.hold(b"notes/memory/sessions/a.json"));
        assert!(!own.hold(b"notes/memory2/sessions"));
        assert!(!own.hold(b".aiwg/ralph/debug-memory/sessions"));
    }
}
