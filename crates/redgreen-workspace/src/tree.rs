//! The tree hash of a work tree.

use std::collections::BTreeSet;

use redgreen_model::tree::TreeHash;

use crate::checkout::Checkout;
use crate::error::{Diagnostic, WorkspaceError};
use crate::git::{nul_terminated, shown};
use crate::moment::Moment;
use crate::private_index::WorkIndex;
use crate::scan::Scan;
use crate::sight::Sight;

/// A file may vanish between being found and being hashed: then once more. If that does not help,
/// the private index is at fault, or objects are gone: then everything is hashed anew.
const START_ANEW: [bool; 3] = [false, false, true];

impl Checkout {
    /// The content of the work tree: tracked and untracked files, not ignored ones.
    pub(crate) fn tree(&self, notes: &mut BTreeSet<Diagnostic>) -> Result<Sight, WorkspaceError> {
        let mut outcome = Err(WorkspaceError::answer("hash the work tree"));
        for anew in START_ANEW {
            outcome = self.tree_once(anew, notes);
            if !matches!(outcome, Err(WorkspaceError::Git { .. } | WorkspaceError::Io { .. })) {
                break;
            }
        }
        outcome
    }

    /// The same, without believing an index that others can write: every file is read, unless ours is kept outside.
    pub(crate) fn tree_anew(
        &self,
        notes: &mut BTreeSet<Diagnostic>,
    ) -> Result<Sight, WorkspaceError> {
        if self.outside.is_some() {
            return self.tree(notes);
        }
        self.tree_once(true, notes).or_else(|_| self.tree_once(true, notes))
    }

    fn tree_once(
        &self,
        anew: bool,
        notes: &mut BTreeSet<Diagnostic>,
    ) -> Result<Sight, WorkspaceError> {
        let tracked = self.users_index()?;
        let (work, mut index) = self.begin(anew)?;
        if self.sync_submodules(&work, &index, &tracked, notes)? {
            index = self.read_back(&work)?;
        }
        let scan = self.scan(&work, &index, &tracked, notes)?;
        let tree = match index.root_tree {
            Some(tree) if scan.is_empty() => self.still_there(tree)?,
            _ => self.record(&work, &scan, notes)?,
        };
        let began = Moment::of(&work);
        let published = work.publish()?;
        self.keep_walked(scan.walked.as_ref(), published.as_ref());
        let stamps = published.filter(|_| scan.walked.is_some() && self.outside.is_some());
        Ok(Sight { tree: TreeHash(tree), began, stamps, is_as_kept: scan.is_as_walked })
    }

    /// The tree an index names, provided that the repository still has it: `git gc` does not know
    /// of our index.
    fn still_there(&self, tree: String) -> Result<String, WorkspaceError> {
        let action = "find a tree that it wrote";
        let (folder, name) = tree.split_at_checked(2).unwrap_or_default();
        if self.git.git_dir.join("objects").join(folder).join(name).is_file() {
            return Ok(tree);
        }
        self.git.call(action, &["cat-file", "-e", &tree]).run().map(|_| tree)
    }

    /// Has git hash what differs, and write the tree.
    fn record(
        &self,
        work: &WorkIndex,
        scan: &Scan,
        notes: &mut BTreeSet<Diagnostic>,
    ) -> Result<String, WorkspaceError> {
        let removed = nul_terminated(scan.dropped.iter().chain(&scan.unseen).map(Vec::as_slice));
        if !removed.is_empty() {
            let call = ["update-index", "--force-remove", "-z", "--stdin"];
            self.git
                .call("update redgreen's index", &call)
                .index(&work.path)
                .stdin(removed)
                .run()?;
        }
        let changed = nul_terminated(scan.update.iter().chain(&scan.unseen).map(Vec::as_slice));
        if !changed.is_empty() {
            self.add_files(work, changed, notes)?;
        }
        let tree = self.git.call("write a tree", &["write-tree"]).index(&work.path).line()?;
        // An index that was deleted meanwhile is an empty one to git, not an error.
        if self.read_back(work)?.entries.len() < scan.kept {
            return Err(WorkspaceError::answer("keep redgreen's index"));
        }
        Ok(tree)
    }

    /// Hashes files into an index, in place of whatever has their paths there.
    pub(crate) fn add_files(
        &self,
        work: &WorkIndex,
        paths: Vec<u8>,
        notes: &mut BTreeSet<Diagnostic>,
    ) -> Result<(), WorkspaceError> {
        let call = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
        let call = self.git.call("hash the work tree", &call).index(&work.path).stdin(paths);
        let (_, complaints) = call.outputs()?;
        for line in complaints.split(|byte| *byte == b'\n') {
            if let Some(path) = line.strip_prefix(b"Ignoring path ") {
                notes.insert(Diagnostic::RefusedPath { path: shown(path) });
            }
        }
        Ok(())
    }
}
