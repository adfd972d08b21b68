//! The tree hash of a work tree.

use std::collections::BTreeSet;
use std::path::Path;

use redgreen_model::tree::TreeHash;

use crate::checkout::Checkout;
use crate::error::{Diagnostic, WorkspaceError};
use crate::git::{nul_terminated, shown};
use crate::index_file::Index;
use crate::moment::Moment;
use crate::private_index::WorkIndex;
use crate::scan::Scan;
use crate::seen::Seen;
use crate::sight::Sight;

const WRITE: &str = "write a tree";
/// A file may vanish between being found and being hashed: then once more. If that does not help,
/// the private index is at fault, or objects are gone: then everything is hashed anew.
const START_ANEW: [bool; 3] = [false, false, true];

impl Checkout {
    /// The content of the work tree: tracked and untracked files, not ignored ones. Where somebody is going to look again, the
    /// files are watched until then.
    pub(crate) fn tree(
        &self,
        is_watching: bool,
        notes: &mut BTreeSet<Diagnostic>,
    ) -> Result<Sight, WorkspaceError> {
        if is_watching && let Some(sight) = self.as_last_seen(&self.work_index()?) {
            return Ok(sight);
        }
        let mut outcome = Err(WorkspaceError::answer("hash the work tree"));
        for anew in START_ANEW {
            outcome = self.tree_once(anew, is_watching, notes);
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
            return self.tree(true, notes);
        }
        self.tree_once(true, false, notes).or_else(|_| self.tree_once(true, false, notes))
    }

    fn tree_once(
        &self,
        anew: bool,
        watch_from_now: bool,
        notes: &mut BTreeSet<Diagnostic>,
    ) -> Result<Sight, WorkspaceError> {
        let (mut work, mut index) = self.begin(anew)?;
        let tracked = self.users_index()?;
        if self.sync_submodules(&work, &index, &tracked, notes)? {
            index = self.read_index(&work.path)?;
            work.amendment = None;
        }
        let mut watch = watch_from_now.then(|| self.watched(&work, &index)).flatten();
        let mut scan = self.scan(&work, &index, &tracked, notes)?;
        if scan.has_shared_files {
            watch = None;
        }
        let tree = match &index.root_tree {
            Some(tree) if scan.is_empty() => self.still_there(tree.clone())?,
            _ => match self.amend(&mut work, &mut index, &scan, notes)? {
                Some(tree) => tree,
                None => {
                    scan.with_amendment_of(&index);
                    (index, watch) = (self.record(&work, &scan, notes)?, None);
                    index.root_tree.clone().ok_or_else(|| WorkspaceError::answer(WRITE))?
                }
            },
        };
        let began = Moment::of(&work);
        let published = work.publish()?;
        self.keep_walked(scan.walked.as_ref(), published.as_ref());
        if let Some(identity) = published.clone() {
            self.last_seen.put(Seen { identity, index, watch });
        }
        let stamps = published.filter(|_| scan.walked.is_some() && self.outside.is_some());
        Ok(Sight { tree: TreeHash(tree), began, stamps, is_as_kept: scan.is_as_walked })
    }

    /// The tree an index names, provided that the repository still has it: `git gc` does not know
    /// of our index.
    pub(crate) fn still_there(&self, tree: String) -> Result<String, WorkspaceError> {
        let action = "find a tree that it wrote";
        let (folder, name) = tree.split_at_checked(2).unwrap_or_default();
        if self.git.git_dir.join("objects").join(folder).join(name).is_file() {
            return Ok(tree);
        }
        self.git.call(action, &["cat-file", "-e", &tree]).run().map(|_| tree)
    }

    /// An index for one call that has all in it, for git to change.
    pub(crate) fn begin_whole(&self) -> Result<WorkIndex, WorkspaceError> {
        let (work, index) = self.begin(false)?;
        let mut scan = Scan::default();
        scan.with_amendment_of(&index);
        self.update(&work, &scan, &mut BTreeSet::new())?;
        Ok(work)
    }

    /// Has git hash what differs, and write the tree; the index that has it.
    fn record(
        &self,
        work: &WorkIndex,
        scan: &Scan,
        notes: &mut BTreeSet<Diagnostic>,
    ) -> Result<Index, WorkspaceError> {
        self.update(work, scan, notes)?;
        let tree = self.git.call(WRITE, &["write-tree"]).index(&work.path).line()?;
        let index = self.read_index(&work.path)?;
        // An index that was deleted meanwhile is an empty one to git, not an error.
        if index.entries.len() < scan.kept {
            return Err(WorkspaceError::answer("keep redgreen's index"));
        }
        Ok(Index { root_tree: Some(tree), ..index })
    }

    fn update(
        &self,
        work: &WorkIndex,
        scan: &Scan,
        notes: &mut BTreeSet<Diagnostic>,
    ) -> Result<(), WorkspaceError> {
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
            self.add_files(&work.path, changed, notes)?;
        }
        Ok(())
    }

    /// Hashes files into an index, in place of whatever has their paths there.
    pub(crate) fn add_files(
        &self,
        index: &Path,
        paths: Vec<u8>,
        notes: &mut BTreeSet<Diagnostic>,
    ) -> Result<(), WorkspaceError> {
        let call = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
        let call = self.git.call("hash the work tree", &call).index(index).stdin(paths);
        let (_, complaints) = call.outputs()?;
        for line in complaints.split(|byte| *byte == b'\n') {
            if let Some(path) = line.strip_prefix(b"Ignoring path ") {
                notes.insert(Diagnostic::RefusedPath { path: shown(path) });
            }
        }
        Ok(())
    }
}
