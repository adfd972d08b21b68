//! The workspace, as the rest of redgreen sees it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use redgreen_model::tree::{FileChange, FileRole, TreeHash};

use crate::changes::bounded;
use crate::checkout::{Checkout, Location};
use crate::content::{Listing, hash_of};
use crate::edit::TreeEdit;
use crate::error::{Diagnostic, WorkspaceError};
use crate::git::Call;
use crate::ignored::Ignored;
use crate::layer::Written;
use crate::lock::{LOCK_FILE, OUTER_LOCK_FILE, WorktreeLock, lock};
use crate::private_index::WorkIndex;
use crate::read::{Content, named};
use crate::refs::Saved;
use crate::restore::Restored;
use crate::seen::LastSeen;
use crate::sight::{LastSight, Sight};
use crate::stage::Staged;
use crate::state::{Own, STATE_FOLDER, prepare, state_path};
use crate::transformed::Transformed;

/// How many trees' lists of files are remembered.
const LISTS_LIMIT: usize = 8;

type List = Arc<Listing>;

/// A git work tree: what is in it, and what was.
#[derive(Clone, Debug)]
pub struct Workspace {
    checkout: Checkout,
    last: LastSight,
}

/// The files of trees that were listed, for all work trees: a tree's id says its content.
static LISTS: Mutex<Vec<(TreeHash, List)>> = Mutex::new(Vec::new());

impl Workspace {
    /// The work tree that a folder lies in. Makes `.redgreen` in its root.
    pub fn discover(start: &Path) -> Result<Self, WorkspaceError> {
        Self::discover_with(start, &[])
    }

    /// A new repository in a folder that exists.
    pub fn init(folder: &Path) -> Result<Self, WorkspaceError> {
        Call::new("make a repository", folder, &[].as_slice().into())
            .args(&["init", "-q"])
            .run()?;
        Location::forget(folder);
        Self::discover(folder)
    }

    /// [`Workspace::discover`] where git gets another environment than redgreen's own: these
    /// variables set, or removed where there is no value.
    pub fn discover_with(
        start: &Path,
        environment: &[(OsString, Option<OsString>)],
    ) -> Result<Self, WorkspaceError> {
        std::fs::metadata(start).map_err(WorkspaceError::io("open", start))?;
        let location = Location::found(start, &environment.into())?;
        let (folder, root) = (start.canonicalize(), location.root.canonicalize());
        if let (Ok(folder), Ok(root)) = (folder, root)
            && !folder.starts_with(&root)
        {
            return Err(WorkspaceError::Elsewhere { folder, root });
        }
        let state = prepare(&location.root)?;
        let checkout = Checkout::open(location, state, true)?;
        Ok(Self { checkout, last: LastSight::default() })
    }

    /// The same work tree, whose debug memory is in this folder, from its top: no tree has what is written there.
    /// Whoever says so must not be who is judged.
    #[must_use]
    pub fn remembering_at(mut self, location: &str) -> Self {
        let own = Own::remembering_at(location);
        if own != self.checkout.own {
            self.checkout.own = own;
            self.forget_looks();
        }
        self
    }

    /// The same work tree, whose private index is kept in a folder where whoever edits the work tree does not write:
    /// what was read once need not be read again, since nobody can set a `ctime`. Whatever the folder has to
    /// be made for, it can be removed at any time.
    #[must_use]
    pub fn keeping_index_at(mut self, folder: PathBuf) -> Self {
        let outside = std::fs::create_dir_all(&folder).is_ok().then_some(folder);
        if outside != self.checkout.outside {
            self.checkout.outside = outside;
            self.forget_looks();
        }
        self
    }

    /// Others who share the work tree go on with what they saw.
    fn forget_looks(&mut self) {
        self.last = LastSight::default();
        self.checkout.last_seen = LastSeen::default();
    }

    /// The folders that there are of the debug memory.
    pub fn memory_folders(&self) -> impl Iterator<Item = PathBuf> {
        let own = self.checkout.own.names().filter(|name| *name != STATE_FOLDER);
        let is_folder =
            |path: &PathBuf| std::fs::symlink_metadata(path).is_ok_and(|it| it.is_dir());
        own.map(|name| self.root().join(name)).filter(is_folder)
    }

    /// The top of the work tree.
    pub fn root(&self) -> &Path {
        self.checkout.root()
    }

    /// The repository, which all of its work trees share.
    pub fn repository(&self) -> PathBuf {
        self.checkout.repository()
    }

    /// Whether some of the history was not fetched.
    pub fn is_shallow(&self) -> bool {
        self.repository().join("shallow").is_file()
    }

    pub(crate) fn checkout(&self) -> &Checkout {
        &self.checkout
    }

    /// The folder for redgreen's state, `.redgreen` in the root: made if it is not there, with a
    /// `.gitignore` that has git ignore all of it.
    pub fn state_dir(&self) -> Result<PathBuf, WorkspaceError> {
        prepare(self.root())
    }

    /// Where [`Workspace::state_dir`] is, whether it exists or not.
    pub fn state_path(&self) -> PathBuf {
        state_path(self.root())
    }

    /// Which files of the work tree, whose tree this is, git keeps as another text than they have there:
    /// by a filter, `ident` or an encoding.
    pub fn transformed(&self, tree: &TreeHash) -> Result<Vec<Transformed>, WorkspaceError> {
        self.checkout.transformed(&self.list(tree)?)
    }

    /// The content of the work tree: tracked and untracked files, not ignored ones, and never
    /// redgreen's own folders. Leaves the user's index and refs alone, and needs no lock.
    pub fn tree(&self) -> Result<TreeHash, WorkspaceError> {
        self.tree_with_diagnostics().map(|(tree, _)| tree)
    }

    /// [`Workspace::tree`], and what is worth telling about it. A nested repository is named when
    /// it is first seen.
    pub fn tree_with_diagnostics(&self) -> Result<(TreeHash, Vec<Diagnostic>), WorkspaceError> {
        self.state_dir()?;
        let mut notes = BTreeSet::new();
        let sight = self.checkout.tree(false, &mut notes)?;
        Ok((self.saw(sight).tree, notes.into_iter().collect()))
    }

    fn saw(&self, sight: Sight) -> Sight {
        self.last.set(Some(sight.clone()));
        sight
    }

    /// [`Workspace::tree`], with what is needed to say later whether anything was written since.
    pub fn look(&self) -> Result<Sight, WorkspaceError> {
        self.state_dir()?;
        self.checkout.tree(true, &mut BTreeSet::new()).map(|sight| self.saw(sight))
    }

    /// What the last look showed, for whoever looks again once all is done; a new look where there was none, or
    /// something [may have been written](Self::may_be_written) since.
    pub fn last_look(&self) -> Result<Sight, WorkspaceError> {
        self.last.get().map_or_else(|| self.look(), Ok)
    }

    /// Something runs that may write, or takes its time: what was seen counts no more.
    pub fn may_be_written(&self) {
        self.last.set(None);
    }

    /// [`Workspace::tree`] for a decision that nothing else stands behind. Git's index lies where whoever edits the code
    /// can edit it, too, and so may ours, and an index says which files need not be read: here all are, unless ours
    /// is [kept elsewhere](Self::keeping_index_at).
    pub fn tree_anew(&self) -> Result<TreeHash, WorkspaceError> {
        self.state_dir()?;
        self.checkout.tree_anew(&mut BTreeSet::new()).map(|sight| self.saw(sight).tree)
    }

    /// What git ignores in the work tree, untracked, and by which rules; of a folder that is ignored as
    /// a whole, only the folder.
    pub fn ignored(&self) -> Result<Vec<Ignored>, WorkspaceError> {
        self.checkout.all_ignored()
    }

    /// The tree of a revision, such as `HEAD`, without redgreen's own folders; `None` if there is no
    /// such revision.
    pub fn tree_of(&self, revision: &str) -> Result<Option<TreeHash>, WorkspaceError> {
        let Some(tree) = self.checkout.tree_of(revision)? else { return Ok(None) };
        self.without_own(tree).map(Some)
    }

    /// The tree of what is staged, in the index that git has a hook use where this is one.
    pub fn staged(&self) -> Result<TreeHash, WorkspaceError> {
        let git = &self.checkout.git;
        let users = self.checkout.users_index_path();
        let index = git.variable("GIT_INDEX_FILE").map_or(users, |file| self.root().join(file));
        // On a copy: git would write the tree's id into the user's own.
        let mut work = WorkIndex::create(&self.state_dir()?)?;
        work.take_users(&index);
        let call = git.call("write the tree of what is staged", &["write-tree"]).index(&work.path);
        self.without_own(TreeHash(call.line()?))
    }

    /// The tree of the commit where two revisions part; that of the first where they share no history.
    pub fn fork_of(&self, revision: &str, from: &str) -> Result<Option<TreeHash>, WorkspaceError> {
        let ask = ["merge-base", "--end-of-options", revision, from];
        let found = self.checkout.git.call("find a common ancestor", &ask).line_if_any();
        match found.ok().flatten().filter(|commit| !commit.is_empty()) {
            Some(commit) => self.tree_of(&commit),
            None => self.tree_of(revision),
        }
    }

    /// The address that the repository came from: that of the remote `origin`.
    pub fn remote(&self) -> Option<String> {
        let ask = ["config", "--get", "remote.origin.url"];
        let address = self.checkout.git.call("look for the remote", &ask).line_if_any();
        address.ok().flatten().filter(|address| !address.is_empty())
    }

    /// When the commit was made where a revision and `HEAD` part, in seconds of the epoch; none where there is none.
    pub fn committed_at(&self, revision: &str) -> Result<Option<u64>, WorkspaceError> {
        let git = &self.checkout.git;
        let ask = ["merge-base", "--end-of-options", revision, "HEAD"];
        let fork = git.call("find a common ancestor", &ask).line_if_any().ok().flatten();
        let fork = fork.filter(|commit| !commit.is_empty());
        let commit = fork.as_deref().unwrap_or(revision);
        let ask = ["log", "-1", "--format=%ct", "--end-of-options", commit, "--"];
        let time = git.call("look when a commit was made", &ask).line_if_any().ok().flatten();
        Ok(time.and_then(|time| time.trim().parse().ok()))
    }

    /// The oldest commit of a revision's history that no remote is known to have.
    pub fn first_unpushed(&self, revision: &str) -> Result<Option<String>, WorkspaceError> {
        let ask = ["rev-list", "--topo-order", "--reverse", revision, "--not", "--remotes"];
        let listed = self.checkout.git.call("look for what is not pushed", &ask).run()?;
        let first = listed.split(|byte| *byte == b'\n').next().unwrap_or_default();
        Ok(Some(crate::git::shown(first)).filter(|commit| !commit.is_empty()))
    }

    pub(crate) fn without_own(&self, tree: TreeHash) -> Result<TreeHash, WorkspaceError> {
        let git = &self.checkout.git;
        let ask = ["ls-tree", "-z", "--full-tree", &tree.0, "--"];
        let own: Vec<&str> = self.checkout.own.names().collect();
        let call = git.call("look into a tree", &ask).args(&own);
        let found = self.checkout.about_trees(&[&tree], call)?;
        if found.is_empty() {
            return Ok(tree);
        }
        let action = "take redgreen's own folders out of a tree";
        let work = WorkIndex::create(&self.state_dir()?)?;
        git.call(action, &["read-tree", &tree.0]).index(&work.path).run()?;
        let remove = ["rm", "--quiet", "-r", "--cached", "--force", "--ignore-unmatch", "--"];
        let own: Vec<String> = own.iter().map(|own| format!(":(top,literal){own}")).collect();
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        git.call(action, &remove).args(&own).index(&work.path).run()?;
        git.call(action, &["write-tree"]).index(&work.path).line().map(TreeHash)
    }

    /// The SHA-256 over mode, object and path of those files of a tree whose path is included.
    pub fn content_hash(
        &self,
        tree: &TreeHash,
        include: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<String, WorkspaceError> {
        hash_of(&self.list(tree)?, include)
    }

    /// The paths of all files of a tree; bytes that are not UTF-8 are replaced.
    pub fn paths(&self, tree: &TreeHash) -> Result<Arc<[String]>, WorkspaceError> {
        Ok(self.list(tree)?.paths())
    }

    /// Whether a tree has a file of this path.
    pub fn has(&self, tree: &TreeHash, path: &str) -> Result<bool, WorkspaceError> {
        Ok(!named(&self.list(tree)?, path).is_empty())
    }

    /// The paths of the files that are not the same in both trees, by path.
    pub fn differing(&self, from: &TreeHash, to: &TreeHash) -> Result<Vec<String>, WorkspaceError> {
        if from == to {
            return Ok(Vec::new());
        }
        let raws = self.checkout.raw_changes(from, to)?;
        Ok(raws.iter().map(|raw| crate::git::shown(raw.path())).collect())
    }

    /// The files of a tree. A tree's id says its content, so what was read once stays true.
    pub(crate) fn list(&self, tree: &TreeHash) -> Result<List, WorkspaceError> {
        let lists = || LISTS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, list)) = lists().iter().find(|(known, _)| known == tree) {
            return Ok(Arc::clone(list));
        }
        let like = || {
            // What differs from the work tree or the last one is mostly little, and quickly said.
            let seen = self.last.get().filter(|seen| seen.tree != *tree);
            let seen = seen.and_then(|seen| Some((self.list(&seen.tree).ok()?, seen.tree)));
            let last = || lists().last().map(|(known, list)| (Arc::clone(list), known.clone()));
            let (list, known) = seen.or_else(last)?;
            self.checkout.entries_like(tree, &known, &list)
        };
        let known = self.checkout.last_seen.files_of(tree).or_else(like);
        let list = Arc::new(Listing::new(known.map_or_else(|| self.checkout.entries(tree), Ok)?));
        let mut lists = lists();
        if lists.len() >= LISTS_LIMIT {
            lists.remove(0);
        }
        lists.push((tree.clone(), Arc::clone(&list)));
        Ok(list)
    }

    /// Keeps a tree as a commit under `refs/redgreen/NAME`, safe from `git gc`; returns the ref.
    /// Keeping it again is fine; a name that keeps another tree is refused. Refs are shared by all
    /// worktrees of a repository, so the name must be unique among them.
    pub fn snapshot(
        &self,
        tree: &TreeHash,
        name: &str,
        message: &str,
    ) -> Result<String, WorkspaceError> {
        self.checkout.snapshot(tree, name, message, &self.list(tree)?)
    }

    /// The tree that is kept under a name.
    pub fn saved(&self, name: &str) -> Result<Option<TreeHash>, WorkspaceError> {
        self.checkout.tree_of(&self.checkout.reference(name)?)
    }

    /// What is kept under a prefix: a whole name, or the folders of one; empty for everything.
    pub fn saved_under(&self, prefix: &str) -> Result<Vec<Saved>, WorkspaceError> {
        self.checkout.saved_under(prefix)
    }

    /// Deletes what is kept under a prefix; returns how many names that were.
    pub fn forget(&self, prefix: &str) -> Result<usize, WorkspaceError> {
        self.checkout.forget(prefix)
    }

    /// Keeps what is there under `save_as` (with a number after it where that name is taken), then
    /// makes the work tree equal to the target. Ignored files, the user's index, HEAD and branches
    /// stay as they are. Hold the lock.
    pub fn restore(&self, target: &TreeHash, save_as: &str) -> Result<Restored, WorkspaceError> {
        self.state_dir()?;
        let target = self
            .tree_of(&target.0)?
            .ok_or_else(|| WorkspaceError::UnknownTree { tree: target.0.clone() })?;
        self.may_be_written();
        self.checkout.restore(&target, save_as)
    }

    /// The files that differ between two trees, by path, with their changed lines.
    pub fn changes(
        &self,
        from: &TreeHash,
        to: &TreeHash,
        role: &dyn Fn(&str) -> FileRole,
    ) -> Result<Vec<FileChange>, WorkspaceError> {
        self.checkout.changes(from, to, "", role)
    }

    /// The unified diff of two trees, in at most so many bytes; what is cut is said at the end.
    pub fn diff(
        &self,
        from: &TreeHash,
        to: &TreeHash,
        max_bytes: usize,
    ) -> Result<String, WorkspaceError> {
        Ok(bounded(&self.checkout.diff(from, to, "")?, max_bytes))
    }

    /// A file of a tree, as git keeps it; `None` if the tree has none there. One with more bytes than
    /// that is an error.
    pub fn read(
        &self,
        tree: &TreeHash,
        path: &str,
        max_bytes: u64,
    ) -> Result<Option<Vec<u8>>, WorkspaceError> {
        match self.read_all(tree, &[path], max_bytes)?.pop() {
            Some(Content::Bytes(bytes)) => Ok(Some(bytes)),
            Some(Content::TooLarge { bytes }) => {
                Err(WorkspaceError::TooLarge { path: path.to_owned(), bytes, limit: max_bytes })
            }
            Some(Content::Absent) | None => Ok(None),
        }
    }

    /// Files of a tree, in the order of the paths, with as many calls of git as for one.
    pub fn read_all(
        &self,
        tree: &TreeHash,
        paths: &[&str],
        max_bytes: u64,
    ) -> Result<Vec<Content>, WorkspaceError> {
        self.checkout.read(&self.list(tree)?, paths, max_bytes)
    }

    /// The tree with some files taken from other trees, removed or written; the last edit of a path
    /// holds. Nothing but objects is written.
    pub fn edited_tree(
        &self,
        base: &TreeHash,
        edits: &[TreeEdit],
    ) -> Result<TreeHash, WorkspaceError> {
        self.state_dir()?;
        self.checkout.edited_tree(base, edits)
    }

    /// Writes what of `tree` differs from `there`, the tree of the work tree, below a folder: with
    /// filters, modes, links and submodules as a checkout has them. Build tools compare times, so do
    /// it right before the run: all that is written is as old as this call.
    pub fn stage(
        &self,
        tree: &TreeHash,
        there: &TreeHash,
        folder: &Path,
    ) -> Result<Staged, WorkspaceError> {
        self.state_dir()?;
        self.checkout.stage(tree, there, folder)
    }

    /// What a run made of `tree`, that was staged in a layer above the work tree: files that it
    /// changed, deleted, or made and that are not ignored, with their changed lines.
    pub fn layer_changes(
        &self,
        tree: &TreeHash,
        layer: &Path,
        role: &dyn Fn(&str) -> FileRole,
    ) -> Result<Vec<FileChange>, WorkspaceError> {
        self.state_dir()?;
        self.checkout.written_changes(tree, Written::Layer(layer), "", role)
    }

    /// Writes a whole tree into a folder that is empty or not there, with a repository of its own that
    /// has the history of this one where git can make one. Its objects and refs are its own.
    pub fn copy(&self, tree: &TreeHash, folder: &Path) -> Result<(), WorkspaceError> {
        self.state_dir()?;
        self.checkout.copy(tree, folder)
    }

    /// What a run made of a [`copy`](Self::copy) of a tree. `linked` are files and folders that were
    /// put into it from elsewhere, from its top: nobody looks there.
    pub fn copy_changes(
        &self,
        tree: &TreeHash,
        folder: &Path,
        linked: &[PathBuf],
        role: &dyn Fn(&str) -> FileRole,
    ) -> Result<Vec<FileChange>, WorkspaceError> {
        self.state_dir()?;
        self.checkout.written_changes(tree, Written::Copy(folder, linked), "", role)
    }

    /// The right to work in this tree, or [`WorkspaceError::Locked`], which names who has it. `who`
    /// is what others are shown: command, session, since when; the process id is added. It is
    /// released when dropped, and by the system when the process ends, even by `kill -9`.
    pub fn lock(&self, who: &str) -> Result<WorktreeLock, WorkspaceError> {
        lock(&self.checkout.git.git_dir, LOCK_FILE, who)
    }

    /// The same right for an outer loop, whose iterations each take [`Workspace::lock`].
    pub fn outer_lock(&self, who: &str) -> Result<WorktreeLock, WorkspaceError> {
        lock(&self.checkout.git.git_dir, OUTER_LOCK_FILE, who)
    }
}
