//! The folder for redgreen's state, and what its file system can do.

use std::fs::{self, File, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use redgreen_model::config::DEFAULT_MEMORY_LOCATION;

use crate::error::WorkspaceError;

/// The state's folder, in the root of the work tree.
pub(crate) const STATE_FOLDER: &str = ".redgreen";

/// What redgreen writes itself, and what therefore never is part of a tree: its state, and the debug
/// memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnFolders([String; 2]);

impl Default for OwnFolders {
    fn default() -> Self {
        Self::remembering_at(DEFAULT_MEMORY_LOCATION)
    }
}

impl OwnFolders {
    /// With the debug memory in this folder, from the root.
    pub(crate) fn remembering_at(location: &str) -> Self {
        let parts = location.split('/').filter(|part| !matches!(*part, "" | "."));
        Self([STATE_FOLDER.to_owned(), parts.collect::<Vec<_>>().join("/")])
    }

    /// Them.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether a path is, or lies in, one of them.
    pub(crate) fn hold(&self, path: &[u8]) -> bool {
        self.names().any(|folder| {
            path.strip_prefix(folder.as_bytes())
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

    /// What git is told of it; where it lacks something, the repository's own settings hold.
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
    fn own_folders_are_whole_names() {
        let own = OwnFolders::default();
        for path in [".redgreen", ".redgreen/index", ".aiwg/ralph/debug-memory/sessions/a.json"] {
            assert!(own.hold(path.as_bytes()), "{path}");
        }
        for path in [".redgreen.toml", "src/.redgreen/x", ".aiwg/ralph/other"] {
            assert!(!own.hold(path.as_bytes()), "{path}");
        }
        let own = OwnFolders::remembering_at("./notes//memory/");
        assert!(own.hold(b".redgreen") && own.hold(b"notes/memory/sessions/a.json"));
        assert!(!own.hold(b"notes/memory2") && !own.hold(b".aiwg/ralph/debug-memory/a"));
    }
}
