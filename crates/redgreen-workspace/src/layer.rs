//! What a run changed: in the upper layer of a view, or in a copy.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use redgreen_exec::hides_what_is_below;
use redgreen_model::tree::{FileChange, FileRole, TreeHash};

use crate::checkout::{Checkout, bytes_of};
use crate::content::TreeEntry;
use crate::error::WorkspaceError;
use crate::git::{below, nul_terminated, records, shown};
use crate::private_index::WorkIndex;
use crate::read::at;

const ACTION: &str = "see what a run changed";
const GIT: &[u8] = b".git";
const IGNORE_FILE: &[u8] = b".gitignore";
/// The exit code of `check-ignore` when no path is ignored.
const NONE_IGNORED: i32 = 1;

/// A folder in which a run has written, and what was there before it.
#[derive(Clone, Copy)]
pub(crate) enum Written<'a> {
    /// The upper layer of a view of the work tree: it has what differs.
    Layer(&'a Path),
    /// A copy of the whole tree, but for what was linked into it from elsewhere, by path.
    Copy(&'a Path, &'a [PathBuf]),
}

impl Written<'_> {
    fn folder(&self) -> &Path {
        match self {
            Self::Layer(folder) | Self::Copy(folder, _) => folder,
        }
    }

    fn is_linked(&self, path: &[u8]) -> bool {
        match self {
            Self::Layer(_) => false,
            Self::Copy(_, linked) => linked.iter().any(|it| bytes_of(it) == path),
        }
    }

    fn is_whole(&self) -> bool {
        matches!(self, Self::Copy(..))
    }

    /// The same below a folder.
    fn below<'b>(&self, folder: &'b Path) -> Written<'b> {
        if self.is_whole() { Written::Copy(folder, &[]) } else { Written::Layer(folder) }
    }
}

/// What is in a layer, by path from its top.
#[derive(Default)]
struct Found {
    files: BTreeSet<Vec<u8>>,
    /// Files, or whole folders, that the layer takes away.
    gone: BTreeSet<Vec<u8>>,
    /// Folders that hide all that is below them.
    opaque: BTreeSet<Vec<u8>>,
    /// Submodules with something in the layer.
    submodules: Vec<Vec<u8>>,
    folders: BTreeSet<Vec<u8>>,
}

impl Checkout {
    /// What was made of the tree.
    pub(crate) fn written_changes(
        &self,
        tree: &TreeHash,
        written: Written<'_>,
        prefix: &str,
        role: &dyn Fn(&str) -> FileRole,
    ) -> Result<Vec<FileChange>, WorkspaceError> {
        let entries = self.entries(tree)?;
        let layer = written.folder();
        let found = self.look_into(written, &entries)?;
        let removed = removed(&entries, &found, written);
        let work = WorkIndex::create(&self.state)?;
        let (known, new): (Vec<_>, Vec<_>) =
            found.files.iter().partition(|path| at(&entries, path).is_some());
        let ignored = self.ignored_in(written, &found, &new, &work)?;
        let new = new.into_iter().filter(|path| !ignored.contains(*path));
        let files: Vec<&[u8]> = known.into_iter().chain(new).map(Vec::as_slice).collect();
        let mut changes = Vec::new();
        if !files.is_empty() || !removed.is_empty() {
            let after = self.with_layer(tree, layer, &files, &removed, &work)?;
            changes = self.changes(tree, &after, prefix, role)?;
        }
        for path in &found.submodules {
            let Some(link) = at(&entries, path) else { continue };
            let Some((submodule, tree)) = self.linked(link)? else { continue };
            let inner = format!("{prefix}{}/", shown(path));
            let inside = below(layer, path);
            let inside = written.below(&inside);
            changes.extend(submodule.written_changes(&tree, inside, &inner, role)?);
        }
        changes.sort_by(|one, two| one.path.cmp(&two.path));
        Ok(changes)
    }

    /// Walks through a layer.
    fn look_into(
        &self,
        written: Written<'_>,
        entries: &[TreeEntry],
    ) -> Result<Found, WorkspaceError> {
        let layer = written.folder();
        let mut found = Found::default();
        let mut folders: Vec<Vec<u8>> = vec![Vec::new()];
        while let Some(folder) = folders.pop() {
            let here = below(layer, &folder);
            let unreadable = WorkspaceError::io("look into", &here);
            let listed = fs::read_dir(&here).and_then(Iterator::collect::<io::Result<Vec<_>>>);
            for entry in listed.map_err(unreadable)? {
                let name = entry.file_name();
                let name = bytes_of(Path::new(&name)).to_vec();
                let path = if folder.is_empty() {
                    name.clone()
                } else {
                    [folder.as_slice(), b"/", &name].concat()
                };
                if name == GIT || self.is_own(&path) || written.is_linked(&path) {
                    continue;
                }
                let kind =
                    entry.metadata().map_err(WorkspaceError::io("look at", &entry.path()))?;
                if kind.file_type().is_char_device() && kind.rdev() == 0 {
                    found.gone.insert(path);
                } else if kind.is_file() || kind.is_symlink() {
                    found.files.insert(path);
                } else if kind.is_dir() {
                    self.look_into_folder(&path, &entry.path(), entries, &mut found, &mut folders)?;
                }
            }
            found.folders.insert(folder);
        }
        Ok(found)
    }

    fn look_into_folder(
        &self,
        path: &[u8],
        place: &Path,
        entries: &[TreeEntry],
        found: &mut Found,
        folders: &mut Vec<Vec<u8>>,
    ) -> Result<(), WorkspaceError> {
        if hides_what_is_below(place) {
            found.opaque.insert(path.to_vec());
        }
        let link = at(entries, path).filter(|entry| entry.is_gitlink());
        if link.is_some() && self.submodule(path)?.is_some() {
            found.submodules.push(path.to_vec());
        } else {
            folders.push(path.to_vec());
        }
        Ok(())
    }

    /// Which new files are ignored, by the `.gitignore` files that the run saw: those that are there,
    /// and those of the work tree where a layer has none.
    fn ignored_in(
        &self,
        written: Written<'_>,
        found: &Found,
        new: &[&Vec<u8>],
        work: &WorkIndex,
    ) -> Result<BTreeSet<Vec<u8>>, WorkspaceError> {
        if new.is_empty() {
            return Ok(BTreeSet::new());
        }
        let rules = work.folder().join("rules");
        fs::create_dir_all(&rules).map_err(WorkspaceError::io("create", &rules))?;
        for folder in &found.folders {
            let name = if folder.is_empty() {
                IGNORE_FILE.to_vec()
            } else {
                [folder.as_slice(), b"/", IGNORE_FILE].concat()
            };
            let own = below(written.folder(), &name);
            let is_own = written.is_whole() || fs::symlink_metadata(&own).is_ok();
            let from = if is_own { own } else { below(self.root(), &name) };
            // Links are not followed by git either.
            if fs::symlink_metadata(&from).is_ok_and(|it| it.is_file()) {
                let to = below(&rules, &name);
                let copied = to.parent().map_or(Ok(()), fs::create_dir_all);
                copied
                    .and_then(|()| fs::copy(&from, &to))
                    .map_err(WorkspaceError::io("read", &from))?;
            }
        }
        let call = self.git.call(ACTION, &["check-ignore", "--no-index", "-z", "--stdin"]);
        let call = call.index(&work.path).folder(&rules).env("GIT_WORK_TREE", &rules);
        let asked = nul_terminated(new.iter().map(|path| path.as_slice()));
        let answer = call.stdin(asked).run_or(NONE_IGNORED)?;
        Ok(records(&answer).map(<[u8]>::to_vec).collect())
    }

    /// The tree with the files of a layer.
    fn with_layer(
        &self,
        tree: &TreeHash,
        layer: &Path,
        files: &[&[u8]],
        removed: &[&[u8]],
        work: &WorkIndex,
    ) -> Result<TreeHash, WorkspaceError> {
        let layer = &layer.canonicalize().map_err(WorkspaceError::io("open", layer))?;
        let call = |args: &[&str]| {
            self.git.call(ACTION, args).index(&work.path).folder(layer).env("GIT_WORK_TREE", layer)
        };
        call(&["read-tree", &tree.0]).run()?;
        if !removed.is_empty() {
            let removed = nul_terminated(removed.iter().copied());
            call(&["update-index", "--force-remove", "-z", "--stdin"]).stdin(removed).run()?;
        }
        let files = nul_terminated(files.iter().copied());
        call(&["update-index", "--add", "--replace", "-z", "--stdin"]).stdin(files).run()?;
        call(&["write-tree"]).line().map(TreeHash)
    }
}

/// The files of the tree that the layer hides.
fn removed<'a>(entries: &'a [TreeEntry], found: &Found, written: Written<'_>) -> Vec<&'a [u8]> {
    let hidden = |path: &[u8]| {
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let mut above = slashes.map(|(end, _)| path.get(..end).unwrap_or_default());
        found.gone.contains(path)
            // A folder in the place of a file, or a file in that of a folder.
            || found.folders.contains(path)
            || above.any(|folder| {
                found.gone.contains(folder)
                    || found.opaque.contains(folder)
                    || found.files.contains(folder)
            })
    };
    let missing = |entry: &TreeEntry| written.is_whole() && !entry.is_gitlink();
    let gone = |entry: &&TreeEntry| {
        !found.files.contains(&entry.path) && (missing(entry) || hidden(&entry.path))
    };
    entries.iter().filter(gone).map(|entry| entry.path.as_slice()).collect()
}
