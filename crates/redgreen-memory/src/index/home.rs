//! Where the index is: in a folder of its own, outside of the work tree. Whoever works in the tree can write records,
//! and what they did not see carries no seal; the index carries none at all, so it is kept where the key is.

use std::fs::{self, DirBuilder};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use redgreen_model::digest::sha256;
use sha2::{Digest as _, Sha256};

use super::leftovers::{forget_gone, forget_old};

/// The index.
pub(super) const FILE: &str = "index.sqlite3";
/// What SQLite puts beside it, by what it adds to the name. The log comes first: read into a new index, it would
/// bring back what was.
pub(super) const BESIDE: [&str; 2] = ["-wal", "-shm"];
/// Held while a damaged index is replaced.
pub(super) const LOCK: &str = "lock";
/// Names the folder of the memory, for people and for who cleans up.
pub(super) const LABEL: &str = "folder";

/// Its owner's alone, like the key's.
const FOLDER_MODE: u32 = 0o700;
/// So many bytes of a digest are the name of an index's folder.
const NAME_BYTES: usize = 8;

/// The place of one memory's index, among those of others.
#[derive(Clone, Debug)]
pub(crate) struct IndexHome {
    /// Where all of them are.
    indexes: PathBuf,
    /// The folder of this one.
    folder: PathBuf,
    /// The folder of the memory, without links.
    of: PathBuf,
    id: i32,
}

impl IndexHome {
    /// The place for the index of a memory in the folder of all of them. Nothing is made.
    pub(crate) fn new(indexes: &Path, memory: &Path) -> Self {
        let of = without_links(memory);
        let digest = Sha256::digest(of.as_os_str().as_bytes());
        let mut id = [0; 4];
        id.copy_from_slice(&digest[NAME_BYTES..NAME_BYTES + 4]);
        Self {
            indexes: indexes.to_owned(),
            folder: indexes.join(name_of(&of)),
            of,
            id: i32::from_le_bytes(id) & i32::MAX,
        }
    }

    /// What an index says in itself that it is of: one that was copied from another memory's is not believed.
    pub(crate) fn id(&self) -> i32 {
        self.id
    }

    /// The index.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// Its log.
    pub(crate) fn log(&self) -> PathBuf {
        self.folder.join(format!("{FILE}-wal"))
    }

    /// Held while a damaged index is replaced.
    pub(crate) fn lock(&self) -> PathBuf {
        self.folder.join(LOCK)
    }

    /// Makes the folder for an index that is not there yet; why that cannot be, in words. This is also the moment to
    /// take away what nobody will ask any more.
    pub(crate) fn make(&self) -> Result<(), String> {
        if self.file().exists() {
            return Ok(());
        }
        let label = [self.of.as_os_str().as_bytes(), b"\n"].concat();
        DirBuilder::new()
            .recursive(true)
            .mode(FOLDER_MODE)
            .create(&self.folder)
            .and_then(|()| fs::write(self.folder.join(LABEL), label))
            .map_err(|error| format!("cannot write in {}: {error}", self.folder.display()))?;
        forget_gone(&self.indexes);
        forget_old(&self.of);
        Ok(())
    }
}

/// The name of the folder of a memory's index.
pub(super) fn name_of(memory: &Path) -> String {
    sha256(memory.as_os_str().as_bytes(), NAME_BYTES)
}

/// A path without links; it need not be there yet.
fn without_links(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for above in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (above.canonicalize(), path.strip_prefix(above)) {
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_has_one_place_whatever_leads_to_it_and_before_it_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::create_dir(&real).expect("a folder");
        std::os::unix::fs::symlink(&real, &link).expect("a link");
        let indexes = folder.path().join("indexes");
        let home = |path: &Path| IndexHome::new(&indexes, &path.join("notes/memory"));
        let before = home(&link);
        fs::create_dir_all(real.join("notes/memory")).expect("folders");
        for same in [home(&real), home(&link)] {
            assert_eq!((same.file(), same.id()), (before.file(), before.id()));
        }
        let other = IndexHome::new(&indexes, &real.join("notes"));
        assert!(other.file() != before.file() && other.id() != before.id());
    }
}
