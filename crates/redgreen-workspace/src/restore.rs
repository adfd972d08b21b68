//! Puts a tree back into the work tree.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::Path;

use redgreen_model::tree::TreeHash;

use crate::checkout::{Checkout, bytes_of};
use crate::content::TreeEntry;
use crate::error::WorkspaceError;
use crate::examine::look_at;
use crate::git::{below, nul_terminated, shown};

/// How many names are tried for what a restore replaces.
const NAMES_LIMIT: u32 = 1000;
/// How many differing paths an error names.
const SHOWN_PATHS_LIMIT: usize = 5;

/// What a restore did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// Where the work tree from before is kept.
    pub saved_ref: String,
    /// The work tree from before. The ref keeps more than this where an ignored file had to make
    /// room for one of the target.
    pub was: TreeHash,
    /// How many paths differed; a submodule counts as one.
    pub changed_paths: usize,
}

impl Checkout {
    /// Makes the work tree equal to the target, after keeping what is there.
    pub(crate) fn restore(
        &self,
        target: &TreeHash,
        save_as: &str,
    ) -> Result<Restored, WorkspaceError> {
        let target_entries = self.entries(target)?;
        let mut notes = BTreeSet::new();
        let was = self.tree(false, &mut notes)?.tree;
        let entries = self.entries(&was)?;
        let differing = self.differing(&was, target)?;
        let in_the_way = self.in_the_way(&differing.added, &entries)?;
        let kept = self.with_files(&was, &in_the_way)?;
        let saved_ref = self.save_under_free_name(&kept, save_as, &entries)?;
        for path in &in_the_way {
            let file = below(self.root(), path);
            fs::remove_file(&file).map_err(WorkspaceError::io("replace", &file))?;
        }
        self.switch(&was, target)?;
        self.restore_submodules(&entries, &target_entries, save_as)?;
        let got = self.tree(false, &mut notes)?.tree;
        if got != *target {
            let paths = self.differing(target, &got)?.all;
            let paths = paths.iter().take(SHOWN_PATHS_LIMIT).map(|path| shown(path)).collect();
            let target = target.clone();
            return Err(WorkspaceError::RestoreIncomplete { target, got, paths, saved_ref });
        }
        Ok(Restored { saved_ref, was, changed_paths: differing.all.len() })
    }

    /// Changes files from one tree to another. git refuses, before it changes any, if one of them
    /// is not as the first tree has it.
    fn switch(&self, from: &TreeHash, to: &TreeHash) -> Result<(), WorkspaceError> {
        if from == to {
            return Ok(());
        }
        let work = self.begin_whole()?;
        let call = ["read-tree", "-m", "-u", &from.0, &to.0];
        self.git.call("put a tree back", &call).index(&work.path).run()?;
        work.publish().map(|_| ())
    }

    /// Files that are not part of the current tree, being ignored, and lie where a file of the
    /// target is to be put.
    fn in_the_way(
        &self,
        added: &[Vec<u8>],
        entries: &[TreeEntry],
    ) -> Result<Vec<Vec<u8>>, WorkspaceError> {
        let current: HashSet<&[u8]> = entries.iter().map(|entry| entry.path.as_slice()).collect();
        let mut found: BTreeSet<&[u8]> = BTreeSet::new();
        for path in added {
            let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
            for end in slashes.map(|(at, _)| at).chain([path.len()]) {
                let part = &path[..end];
                let Some(there) = look_at(self.root(), part)? else { break };
                if !there.is_dir() {
                    if !current.contains(part) {
                        found.insert(part);
                    }
                    break;
                }
                if end == path.len() {
                    self.must_be_free(path, part, &current)?;
                }
            }
        }
        Ok(found.into_iter().map(<[u8]>::to_vec).collect())
    }

    /// Whether a folder in whose place a file is to be put has nothing but files that the current
    /// tree keeps.
    fn must_be_free(
        &self,
        path: &[u8],
        folder: &[u8],
        current: &HashSet<&[u8]>,
    ) -> Result<(), WorkspaceError> {
        let unreadable = |error: std::io::Error| WorkspaceError::Unreadable {
            path: shown(folder),
            reason: error.to_string(),
        };
        for inside in fs::read_dir(below(self.root(), folder)).map_err(unreadable)? {
            let inside = inside.map_err(unreadable)?;
            let name = inside.file_name();
            let inner = [folder, b"/", bytes_of(Path::new(&name))].concat();
            if inside.file_type().map_err(unreadable)?.is_dir() {
                self.must_be_free(path, &inner, current)?;
            } else if !current.contains(inner.as_slice()) {
                let (path, example) = (shown(path), shown(&inner));
                return Err(WorkspaceError::InTheWay { path, example });
            }
        }
        Ok(())
    }

    /// The tree with some files of the work tree added.
    fn with_files(&self, tree: &TreeHash, paths: &[Vec<u8>]) -> Result<TreeHash, WorkspaceError> {
        if paths.is_empty() {
            return Ok(tree.clone());
        }
        let work = self.begin_whole()?;
        let paths = nul_terminated(paths.iter().map(Vec::as_slice));
        self.add_files(&work.path, paths, &mut BTreeSet::new())?;
        let call = self.git.call("write a tree", &["write-tree"]).index(&work.path);
        call.line().map(TreeHash)
    }

    /// Keeps a tree under a name, or the name with the first free number after it: what an
    /// interrupted restore kept must not be replaced by the half-restored tree.
    fn save_under_free_name(
        &self,
        tree: &TreeHash,
        name: &str,
        entries: &[TreeEntry],
    ) -> Result<String, WorkspaceError> {
        let message = format!("redgreen: {name}, the work tree before a restore\n");
        let mut outcome = self.snapshot(tree, name, &message, entries);
        for number in 2..NAMES_LIMIT {
            if !matches!(outcome, Err(WorkspaceError::NameTaken { .. })) {
                break;
            }
            outcome = self.snapshot(tree, &format!("{name}-{number}"), &message, entries);
        }
        outcome
    }

    /// Puts the content of submodules back that differ. Their HEADs stay where they are.
    fn restore_submodules(
        &self,
        from: &[TreeEntry],
        to: &[TreeEntry],
        save_as: &str,
    ) -> Result<(), WorkspaceError> {
        let links = |entries: &[TreeEntry]| -> Vec<TreeEntry> {
            entries.iter().filter(|entry| entry.is_gitlink()).cloned().collect()
        };
        let before = links(from);
        for link in links(to).iter().filter(|link| !before.contains(link)) {
            let Some(submodule) = self.submodule_again(&link.path)? else { continue };
            let tree = submodule
                .tree_of(&link.object)?
                .ok_or_else(|| WorkspaceError::UnknownTree { tree: link.object.clone() })?;
            submodule.restore(&tree, save_as)?;
        }
        Ok(())
    }
}
