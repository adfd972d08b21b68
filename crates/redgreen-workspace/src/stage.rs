//! Writes what one tree has and another has not into a folder: the upper layer of a view.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use redgreen_model::tree::TreeHash;

use crate::changes::Raw;
use crate::checkout::Checkout;
use crate::error::WorkspaceError;
use crate::git::{Call, below, nul_terminated};
use crate::index_file::GITLINK;
use crate::private_index::WorkIndex;
use crate::read::at;

const ACTION: &str = "write files of a tree";
const BYTECODE_FOLDER: &str = "__pycache__";

/// What was written, and what must go for the folders together to be the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Staged {
    /// How many files were written.
    pub written: usize,
    /// The files of the work tree that the tree has not, and bytecode that Python could take for
    /// that of a file that was written; from the root of the work tree, by path.
    pub deleted: Vec<PathBuf>,
}

impl Checkout {
    /// Writes what of `tree` differs from `there` below a folder.
    pub(crate) fn stage(
        &self,
        tree: &TreeHash,
        there: &TreeHash,
        folder: &Path,
    ) -> Result<Staged, WorkspaceError> {
        let entries = self.entries(tree)?;
        let raws = self.raw_changes(there, tree)?;
        let mut staged = Staged::default();
        let written: Vec<&[u8]> = raws.iter().filter(|raw| raw.is_there()).map(Raw::path).collect();
        self.write_files(tree, &written, folder)?;
        staged.written = written.len();
        for raw in &raws {
            if raw.has_link() {
                self.stage_submodule(raw, folder, &mut staged)?;
            } else if !raw.is_there() && at(&entries, raw.path()).is_none() {
                staged.deleted.push(path_of(raw.path()));
            }
            self.bytecode_of(raw.path(), &mut staged);
        }
        // A file that has become a folder is hidden by it already.
        staged
            .deleted
            .retain(|path| !fs::symlink_metadata(folder.join(path)).is_ok_and(|it| it.is_dir()));
        staged.deleted.sort_unstable();
        staged.deleted.dedup();
        Ok(staged)
    }

    /// Writes a whole tree into a folder, and gives it the history of this repository.
    pub(crate) fn copy(&self, tree: &TreeHash, folder: &Path) -> Result<(), WorkspaceError> {
        let (action, root) = ("copy its history", self.root().as_os_str());
        let clone = ["clone", "--quiet", "--shared", "--no-checkout", "--"].map(OsStr::new);
        let clone = Call::new(action, Path::new("/"), &self.git.environment)
            .args(&clone)
            .args(&[root, folder.as_os_str()]);
        let git_dir = folder.join(".git");
        if clone.run().is_ok() {
            let read = self.git.call(action, &["read-tree", "HEAD"]).env("GIT_DIR", &git_dir);
            // Fails where there is no commit, and then an empty index is right.
            let _ = read.env("GIT_WORK_TREE", folder).folder(folder).output()?;
        } else if git_dir.exists() {
            fs::remove_dir_all(&git_dir).map_err(WorkspaceError::io("remove", &git_dir))?;
        }
        self.stage(tree, &self.empty_tree()?, folder).map(|_| ())
    }

    /// Has git write files of a tree as a checkout would. The folder is the work tree to it, so that
    /// the attributes are those of the tree, not those of the project's folder.
    fn write_files(
        &self,
        tree: &TreeHash,
        paths: &[&[u8]],
        folder: &Path,
    ) -> Result<(), WorkspaceError> {
        if paths.is_empty() {
            return Ok(());
        }
        fs::create_dir_all(folder).map_err(WorkspaceError::io("create", folder))?;
        let folder = &folder.canonicalize().map_err(WorkspaceError::io("open", folder))?;
        let work = WorkIndex::create(&self.state)?;
        self.git.call(ACTION, &["read-tree", &tree.0]).index(&work.path).run()?;
        self.git
            .call(ACTION, &["checkout-index", "--force", "-z", "--stdin"])
            .index(&work.path)
            .folder(folder)
            .env("GIT_WORK_TREE", folder)
            .stdin(nul_terminated(paths.iter().copied()))
            .run()?;
        let above = |path: &&[u8]| {
            Path::new(OsStr::from_bytes(path))
                .ancestors()
                .skip(1)
                .map(Path::to_owned)
                .collect::<Vec<_>>()
        };
        let folders: BTreeSet<PathBuf> = paths.iter().flat_map(above).collect();
        for inner in folders {
            self.like_the_real_folder(&inner, folder);
        }
        Ok(())
    }

    /// A folder of a layer hides the attributes of the one below it.
    fn like_the_real_folder(&self, inner: &Path, folder: &Path) {
        if let Ok(found) = fs::symlink_metadata(self.root().join(inner))
            && found.is_dir()
        {
            // Best effort: what cannot be set keeps what git gave it.
            let _ = fs::set_permissions(folder.join(inner), found.permissions());
        }
    }

    /// Stages the content of a submodule; one without a repository here has none.
    fn stage_submodule(
        &self,
        raw: &Raw,
        folder: &Path,
        staged: &mut Staged,
    ) -> Result<(), WorkspaceError> {
        let Some(submodule) = self.submodule(raw.path())? else { return Ok(()) };
        let tree_of = |mode: u32, object: &str| match mode {
            GITLINK => submodule
                .tree_of(object)?
                .ok_or_else(|| WorkspaceError::UnknownTree { tree: object.to_owned() }),
            _ => submodule.empty_tree(),
        };
        let there = tree_of(raw.modes.0, &raw.objects.0)?;
        let tree = tree_of(raw.modes.1, &raw.objects.1)?;
        let inner = submodule.stage(&tree, &there, &below(folder, raw.path()))?;
        staged.written += inner.written;
        let prefix = path_of(raw.path());
        staged.deleted.extend(inner.deleted.into_iter().map(|path| prefix.join(path)));
        Ok(())
    }

    /// Python tells stale bytecode by the size of its source and the second it was written in: not
    /// enough where two versions come and go within one.
    fn bytecode_of(&self, path: &[u8], staged: &mut Staged) {
        let Some(stem) = path.strip_suffix(b".py") else { return };
        let source = path_of(stem);
        let (Some(folder), Some(stem)) = (source.parent(), source.file_name()) else { return };
        let cache = folder.join(BYTECODE_FOLDER);
        let starts = [stem.as_bytes(), b"."].concat();
        for entry in fs::read_dir(self.root().join(&cache)).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if name.as_bytes().starts_with(&starts) {
                staged.deleted.push(cache.join(name));
            }
        }
    }
}

fn path_of(path: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(path))
}
