//! Trees made of others, file by file, without a work tree.

use std::collections::BTreeMap;
use std::fs;

use redgreen_model::tree::TreeHash;

use crate::checkout::Checkout;
use crate::content::TreeEntry;
use crate::error::WorkspaceError;
use crate::private_index::WorkIndex;
use crate::read::{at, link_above, named};

const ACTION: &str = "make a tree of others";
const FILE: u32 = 0o100_644;

/// One difference between a tree and the one it is made of. Paths are from the root of the work
/// tree, as [`FileChange`](redgreen_model::tree::FileChange) has them, also below submodules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeEdit {
    /// The file is as another tree has it; absent, if that has none.
    Take {
        /// The file.
        path: String,
        /// The other tree.
        from: TreeHash,
    },
    /// There is no such file.
    Remove {
        /// The file.
        path: String,
    },
    /// The file has this content, as git keeps it: no filter is applied. It is executable, or a
    /// link, if it is so in the tree it is made of.
    Write {
        /// The file.
        path: String,
        /// All of it.
        content: Vec<u8>,
    },
}

impl TreeEdit {
    /// The file that it is about.
    pub fn path(&self) -> &str {
        match self {
            Self::Take { path, .. } | Self::Remove { path } | Self::Write { path, .. } => path,
        }
    }

    fn at(&self, path: &str) -> Self {
        let path = path.to_owned();
        match self.clone() {
            Self::Take { from, .. } => Self::Take { path, from },
            Self::Remove { .. } => Self::Remove { path },
            Self::Write { content, .. } => Self::Write { path, content },
        }
    }
}

/// What an index gets at a path: mode and object, or nothing.
type Wanted = Option<(u32, String)>;

/// The lists of files of the trees that edits take from.
struct Sources<'a> {
    checkout: &'a Checkout,
    lists: BTreeMap<TreeHash, Vec<TreeEntry>>,
}

impl Sources<'_> {
    fn of(&mut self, tree: &TreeHash) -> Result<&[TreeEntry], WorkspaceError> {
        if !self.lists.contains_key(tree) {
            self.lists.insert(tree.clone(), self.checkout.entries(tree)?);
        }
        Ok(self.lists.get(tree).map(Vec::as_slice).unwrap_or_default())
    }
}

impl Checkout {
    /// The tree with the edits made, in their order.
    pub(crate) fn edited_tree(
        &self,
        base: &TreeHash,
        edits: &[TreeEdit],
    ) -> Result<TreeHash, WorkspaceError> {
        let entries = self.entries(base)?;
        let mut sources = Sources { checkout: self, lists: BTreeMap::new() };
        let work = WorkIndex::create(&self.state)?;
        let written = self.write_objects(&work, edits)?;
        let mut wanted: BTreeMap<Vec<u8>, Wanted> = BTreeMap::new();
        let mut inner: BTreeMap<Vec<u8>, Vec<TreeEdit>> = BTreeMap::new();
        for (edit, object) in edits.iter().zip(written) {
            if let Some((link, deeper)) = self.in_submodule(&entries, edit, &mut sources)? {
                inner.entry(link).or_default().push(deeper);
                continue;
            }
            let path = edit.path();
            let here = named(&entries, path);
            let key = || path.as_bytes().to_vec();
            match (edit, object) {
                (TreeEdit::Write { .. }, Some(object)) => {
                    let there = here.first().filter(|entry| !entry.is_gitlink());
                    let (path, mode) =
                        there.map_or_else(|| (key(), FILE), |it| (it.path.clone(), it.mode));
                    wanted.insert(path, Some((mode, object)));
                }
                (TreeEdit::Take { from, .. }, _) => {
                    wanted.extend(here.iter().map(|entry| (entry.path.clone(), None)));
                    let taken = named(sources.of(from)?, path).into_iter();
                    let taken =
                        taken.map(|it| (it.path.clone(), Some((it.mode, it.object.clone()))));
                    wanted.extend(taken);
                }
                _ => wanted.extend(here.iter().map(|entry| (entry.path.clone(), None))),
            }
        }
        for (link, edits) in inner {
            let commit = self.edited_submodule(&link, &entries, &edits, &mut sources)?;
            wanted.insert(link, commit);
        }
        self.with_entries(&work, base, &wanted)
    }

    /// Writes what edits write as objects; in the order of the edits.
    fn write_objects(
        &self,
        work: &WorkIndex,
        edits: &[TreeEdit],
    ) -> Result<Vec<Option<String>>, WorkspaceError> {
        let mut names = String::new();
        for (number, edit) in edits.iter().enumerate() {
            if let TreeEdit::Write { content, .. } = edit {
                let file = work.folder().join(format!("new-{number}"));
                fs::write(&file, content).map_err(WorkspaceError::io("write", &file))?;
                names.push_str(&format!("new-{number}\n"));
            }
        }
        let mut objects = Vec::new();
        if !names.is_empty() {
            let call = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
            let call = self.git.call(ACTION, &call).folder(work.folder());
            let answer =
                call.env("GIT_WORK_TREE", work.folder()).stdin(names.into_bytes()).run()?;
            objects = String::from_utf8_lossy(&answer).lines().map(str::to_owned).collect();
        }
        let mut objects = objects.into_iter();
        let object = |edit: &TreeEdit| match edit {
            TreeEdit::Write { .. } => {
                objects.next().map(Some).ok_or_else(|| WorkspaceError::answer(ACTION))
            }
            _ => Ok(None),
        };
        edits.iter().map(object).collect()
    }

    /// The submodule that an edit is about, and the edit as seen from inside.
    fn in_submodule(
        &self,
        base: &[TreeEntry],
        edit: &TreeEdit,
        sources: &mut Sources<'_>,
    ) -> Result<Option<(Vec<u8>, TreeEdit)>, WorkspaceError> {
        let above = link_above(base, edit.path());
        let taken = match edit {
            TreeEdit::Take { from, .. } => {
                let entries = sources.of(from)?;
                let other = !named(entries, edit.path()).is_empty();
                if other {
                    return Ok(None);
                }
                link_above(entries, edit.path())
            }
            _ => None,
        };
        let Some((link, rest)) = taken.or(above) else { return Ok(None) };
        if self.submodule(&link.path)?.is_none() {
            return Ok(None);
        }
        let Some((link, _)) = taken else {
            let removed = TreeEdit::Remove { path: rest.to_owned() };
            let inner = if matches!(edit, TreeEdit::Take { .. }) { removed } else { edit.at(rest) };
            return Ok(Some((link.path.clone(), inner)));
        };
        let (_, tree) = self
            .linked(link)?
            .ok_or_else(|| WorkspaceError::UnknownTree { tree: link.object.clone() })?;
        Ok(Some((link.path.clone(), TreeEdit::Take { path: rest.to_owned(), from: tree })))
    }

    /// The commit that stands for a submodule with the edits made; nothing, if no file is left.
    fn edited_submodule(
        &self,
        link: &[u8],
        entries: &[TreeEntry],
        edits: &[TreeEdit],
        sources: &mut Sources<'_>,
    ) -> Result<Wanted, WorkspaceError> {
        let Some(submodule) = self.submodule(link)? else { return Ok(None) };
        let current = at(entries, link).filter(|entry| entry.is_gitlink());
        let base = match current {
            Some(entry) => submodule
                .tree_of(&entry.object)?
                .ok_or_else(|| WorkspaceError::UnknownTree { tree: entry.object.clone() })?,
            None => submodule.empty_tree()?,
        };
        let tree = submodule.edited_tree(&base, edits)?;
        if submodule.entries(&tree)?.is_empty() && tree != base {
            return Ok(None);
        }
        let lists = sources.lists.values();
        let known = lists.filter_map(|list| at(list, link)).chain(current);
        for entry in known.filter(|entry| entry.is_gitlink()) {
            if submodule.tree_of(&entry.object)?.as_ref() == Some(&tree) {
                return Ok(Some((entry.mode, entry.object.clone())));
            }
        }
        let commit = submodule.commit_with(&tree, None)?;
        Ok(Some((crate::index_file::GITLINK, commit)))
    }

    /// The tree with some entries replaced.
    fn with_entries(
        &self,
        work: &WorkIndex,
        base: &TreeHash,
        wanted: &BTreeMap<Vec<u8>, Wanted>,
    ) -> Result<TreeHash, WorkspaceError> {
        if wanted.is_empty() {
            return Ok(base.clone());
        }
        self.git.call(ACTION, &["read-tree", &base.0]).index(&work.path).run()?;
        let mut lines = Vec::new();
        for (path, entry) in wanted {
            match entry {
                Some((mode, object)) => lines.extend(format!("{mode:o} {object}\t").into_bytes()),
                None => {
                    let nothing = "0".repeat(self.hash_bytes * 2);
                    lines.extend(format!("0 {nothing}\t").into_bytes());
                }
            }
            lines.extend_from_slice(path);
            lines.push(0);
        }
        let call = ["update-index", "--add", "--replace", "-z", "--index-info"];
        self.git.call(ACTION, &call).index(&work.path).stdin(lines).run()?;
        self.git.call(ACTION, &["write-tree"]).index(&work.path).line().map(TreeHash)
    }
}
