//! Submodules: their content counts, so a changed one is put into the tree as a commit of that
//! content, made in its own repository.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use redgreen_model::digest::sha256;
use redgreen_model::tree::TreeHash;

use crate::checkout::{Checkout, Location, bytes_of};
use crate::error::{Diagnostic, WorkspaceError};
use crate::examine::look_at;
use crate::git::{below, nul_terminated, shown};
use crate::index_file::{Entry, Index};
use crate::private_index::WorkIndex;

/// The message of the commit that stands for a changed submodule. It is part of the tree's hash:
/// changing it changes the hash of every tree with such a submodule.
const CONTENT_MESSAGE: &str = "redgreen: content of a submodule's work tree\n";
/// Bytes of the hash of a submodule's path that name the folder of its state.
const STATE_NAME_BYTES: usize = 8;
/// In a submodule's state: where its repository is.
const GIT_DIR_FILE: &str = "git-dir";

/// What lies at the path of a submodule.
enum SubmoduleContent {
    /// Nothing.
    Absent,
    /// An empty folder: it is not initialised.
    Empty,
    /// A repository.
    Repository(Box<Checkout>),
    /// A folder with files, or a file.
    Files,
}

impl Checkout {
    /// Puts every submodule's content into the index. Returns whether the index changed.
    pub(crate) fn sync_submodules(
        &self,
        work: &WorkIndex,
        index: &Index,
        tracked: &Index,
        notes: &mut BTreeSet<Diagnostic>,
    ) -> Result<bool, WorkspaceError> {
        let links = index.entries.iter().chain(&tracked.entries).filter(|entry| entry.is_gitlink());
        let paths: BTreeSet<&[u8]> = links.map(|entry| &*entry.path).collect();
        let mut dropped: Vec<&[u8]> = Vec::new();
        let mut lines: Vec<u8> = Vec::new();
        for path in paths {
            let current = index.find(path).filter(|entry| entry.is_gitlink());
            let theirs = tracked.find(path).filter(|entry| entry.is_gitlink());
            let wanted = self.wanted_link(path, current, theirs, notes)?;
            match wanted {
                Some(commit) => {
                    if current.is_none_or(|entry| !entry.plain || entry.object.to_hex() != commit) {
                        dropped.extend(current.map(|entry| &*entry.path));
                        lines.extend_from_slice(format!("160000 {commit}\t").as_bytes());
                        lines.extend_from_slice(path);
                        lines.push(0);
                    }
                }
                None => dropped.extend(current.map(|entry| &*entry.path)),
            }
        }
        let action = "record submodules";
        if !dropped.is_empty() {
            let call = ["update-index", "--force-remove", "-z", "--stdin"];
            let removed = nul_terminated(dropped.iter().copied());
            self.git.call(action, &call).index(&work.path).stdin(removed).run()?;
        }
        let changed = !dropped.is_empty() || !lines.is_empty();
        if !lines.is_empty() {
            let call = ["update-index", "--add", "--replace", "-z", "--index-info"];
            self.git.call(action, &call).index(&work.path).stdin(lines).run()?;
        }
        Ok(changed)
    }

    /// The commit that stands for a submodule; `None` if there is no submodule at that path (any
    /// more). Then what is there is found like any other file.
    fn wanted_link(
        &self,
        path: &[u8],
        current: Option<&Entry>,
        theirs: Option<&Entry>,
        notes: &mut BTreeSet<Diagnostic>,
    ) -> Result<Option<String>, WorkspaceError> {
        let Some(theirs) = theirs else { return Ok(None) };
        match self.content_of(path)? {
            SubmoduleContent::Absent => Ok(None),
            SubmoduleContent::Empty => Ok(Some(theirs.object.to_hex())),
            SubmoduleContent::Files => {
                notes.insert(Diagnostic::DetachedSubmodule { path: shown(path) });
                Ok(None)
            }
            SubmoduleContent::Repository(submodule) => {
                let mut inner = BTreeSet::new();
                let tree = submodule.tree(false, &mut inner)?.tree;
                notes.extend(inner.into_iter().map(|note| note.below(&shown(path))));
                let recorded = current.map(|entry| entry.object.to_hex());
                submodule.commit_with(&tree, recorded.as_deref()).map(Some)
            }
        }
    }

    fn content_of(&self, path: &[u8]) -> Result<SubmoduleContent, WorkspaceError> {
        let Some(found) = look_at(self.root(), path)? else { return Ok(SubmoduleContent::Absent) };
        if !found.is_dir() {
            return Ok(SubmoduleContent::Files);
        }
        if let Some(submodule) = self.submodule(path)? {
            return Ok(SubmoduleContent::Repository(Box::new(submodule)));
        }
        let folder = below(self.root(), path);
        let mut inside = fs::read_dir(&folder).map_err(|error| WorkspaceError::Unreadable {
            path: shown(path),
            reason: error.to_string(),
        })?;
        Ok(if inside.next().is_none() { SubmoduleContent::Empty } else { SubmoduleContent::Files })
    }

    /// The submodule at a path, if it has a repository whose work tree it is.
    pub(crate) fn submodule(&self, path: &[u8]) -> Result<Option<Self>, WorkspaceError> {
        let folder = below(self.root(), path);
        if fs::symlink_metadata(folder.join(".git")).is_err() {
            return Ok(None);
        }
        let location = match Location::find(&folder, &self.git.environment) {
            Ok(location) => location,
            Err(WorkspaceError::GitMissing) => return Err(WorkspaceError::GitMissing),
            Err(_) => return Ok(None),
        };
        let same = |one: &Path, two: &Path| matches!((one.canonicalize(), two.canonicalize()), (Ok(one), Ok(two)) if one == two);
        if !same(&location.root, &folder) {
            return Ok(None);
        }
        let state = self.submodule_state(path);
        fs::create_dir_all(&state).map_err(WorkspaceError::io("create", &state))?;
        let note = state.join(GIT_DIR_FILE);
        fs::write(&note, bytes_of(&location.git_dir))
            .map_err(WorkspaceError::io("write", &note))?;
        let outside = self.outside.as_ref().map(|folder| submodule_in(folder, path));
        Ok(Some(Self { outside, ..Self::open(location, state, false)? }))
    }

    fn submodule_state(&self, path: &[u8]) -> PathBuf {
        submodule_in(&self.state, path)
    }

    /// The submodule at a path, whose folder is made anew where it was deleted and its repository
    /// lies elsewhere, as git has it in `.git/modules`.
    pub(crate) fn submodule_again(&self, path: &[u8]) -> Result<Option<Self>, WorkspaceError> {
        if let Some(submodule) = self.submodule(path)? {
            return Ok(Some(submodule));
        }
        let Ok(git_dir) = fs::read(self.submodule_state(path).join(GIT_DIR_FILE)) else {
            return Ok(None);
        };
        if !below(Path::new("/"), &git_dir).join("HEAD").exists() {
            return Ok(None);
        }
        let folder = below(self.root(), path);
        fs::create_dir_all(&folder).map_err(WorkspaceError::io("create", &folder))?;
        let link = folder.join(".git");
        fs::write(&link, [b"gitdir: ", git_dir.as_slice(), b"\n"].concat())
            .map_err(WorkspaceError::io("write", &link))?;
        self.submodule(path)
    }

    /// A commit with that tree: the one that is recorded, else HEAD, else one made for it that
    /// depends on nothing but the tree.
    pub(crate) fn commit_with(
        &self,
        tree: &TreeHash,
        recorded: Option<&str>,
    ) -> Result<String, WorkspaceError> {
        for candidate in recorded.into_iter().chain(["HEAD"]) {
            if self.tree_of(candidate)?.as_ref() == Some(tree) {
                return self.git.call("read HEAD", &["rev-parse", "--verify", candidate]).line();
            }
        }
        self.commit(tree, CONTENT_MESSAGE)
    }
}

/// Where the state of a submodule is, in the folder of the one above it.
fn submodule_in(state: &Path, path: &[u8]) -> PathBuf {
    state.join("submodules").join(sha256(path, STATE_NAME_BYTES))
}
