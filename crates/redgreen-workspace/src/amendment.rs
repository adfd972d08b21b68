//! What differs from an index that is large, beside it. git writes an index whole, and for one file of many thousands that
//! takes longer than all the rest of a look. So git hashes what changed into an index of its own, which has nothing else in
//! it; the large one stays as it is until much has changed. An amendment can be lost at any time: the large index is as true
//! without it, only older.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::checkout::Checkout;
use crate::error::{Diagnostic, WorkspaceError};
use crate::git::{below, nul_terminated};
use crate::index_file::{Entry, Index, RecordedStat, written};
use crate::private_index::{Identity, WorkIndex};
use crate::scan::Scan;

/// The file's name, beside the index.
const FILE: &str = "amendment";
/// What the file begins with; another number where the form changes.
const MAGIC: &[u8] = b"redgreen amendment 1\n";
/// What tells git what it does to files: its own index must have these, too.
const ATTRIBUTES: &[u8] = b".gitattributes";
/// From so many differences on, the index is written whole.
const DIFFERENCES_MAX: usize = 1_000;

/// Which index is amended, when that was, and what tree came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Amendment {
    began: (i64, i64),
    tree: String,
    removed: Vec<Vec<u8>>,
    entries: Vec<Entry>,
}

impl Amendment {
    /// The one that is kept beside an index, if it is of this one.
    pub(crate) fn read(work: &WorkIndex, hash_bytes: usize) -> Option<Self> {
        let bytes = fs::read(path(work)).ok()?;
        let rest = bytes.strip_prefix(MAGIC)?.strip_prefix(&*work.file_identity()?.0)?;
        let (seconds, rest) = rest.split_first_chunk()?;
        let (nanoseconds, rest) = rest.split_first_chunk()?;
        let (tree, rest) = rest.split_at_checked(hash_bytes * 2)?;
        let (count, mut rest) = rest.split_first_chunk()?;
        let mut removed = Vec::new();
        for _ in 0..u32::from_le_bytes(*count) {
            let end = rest.iter().position(|byte| *byte == 0)?;
            removed.push(rest.get(..end)?.to_vec());
            rest = rest.get(end + 1..)?;
        }
        let began = (i64::from_le_bytes(*seconds), i64::from_le_bytes(*nanoseconds));
        let tree = String::from_utf8(tree.to_vec()).ok()?;
        let entries = Index::parse(rest.to_vec(), hash_bytes)?.entries;
        Some(Self { began, tree, removed, entries })
    }

    fn write(&self, work: &WorkIndex, hash_bytes: usize) -> Option<()> {
        let count = u32::try_from(self.removed.len()).ok()?.to_le_bytes();
        let removed = nul_terminated(self.removed.iter().map(Vec::as_slice));
        let entries = written(self.entries.iter(), hash_bytes);
        let (seconds, nanoseconds) = (self.began.0.to_le_bytes(), self.began.1.to_le_bytes());
        let index = work.file_identity()?;
        let parts = [
            MAGIC,
            &index.0,
            &seconds,
            &nanoseconds,
            self.tree.as_bytes(),
            &count,
            &removed,
            &entries,
        ];
        redgreen_files::write_cache(&path(work), &parts.concat()).ok()
    }

    /// Whether a file is there again that git's own index has: git would not call it new.
    pub(crate) fn is_outdated(&self, root: &Path) -> bool {
        any_is_there(root, &self.removed)
    }

    /// Tells one amendment of an index from every other.
    pub(crate) fn identity(&self) -> Identity {
        let (seconds, nanoseconds) = (self.began.0.to_le_bytes(), self.began.1.to_le_bytes());
        Identity([&seconds, &nanoseconds, self.tree.as_bytes()].concat())
    }
}

fn any_is_there(root: &Path, paths: &[Vec<u8>]) -> bool {
    let is_file =
        |path: &Vec<u8>| fs::symlink_metadata(below(root, path)).is_ok_and(|found| !found.is_dir());
    paths.iter().any(is_file)
}

/// Where it is kept.
fn path(work: &WorkIndex) -> PathBuf {
    work.beside(FILE)
}

impl Index {
    /// The same with an amendment.
    pub(crate) fn amended(mut self, amendment: Amendment) -> Self {
        let Amendment { began, tree, removed, entries } = amendment;
        self.replace(&removed, entries);
        self.amended_at = began;
        self.root_tree = Some(tree);
        self
    }

    /// Takes entries in, and out what is gone.
    fn replace<'a>(&mut self, gone: impl IntoIterator<Item = &'a Vec<u8>>, entries: Vec<Entry>) {
        let mut leaving: BTreeSet<usize> =
            gone.into_iter().filter_map(|path| self.position(path)).collect();
        let mut new = Vec::new();
        for entry in entries {
            self.removed.remove(&*entry.path);
            let entry = Entry { amended: true, ..entry };
            match self.position(&entry.path) {
                Some(at) => {
                    leaving.remove(&at);
                    self.entries[at] = entry;
                }
                None => new.push(entry),
            }
        }
        if !leaving.is_empty() {
            let mut at = 0;
            self.removed.extend(leaving.iter().map(|at| self.entries[*at].path.to_vec()));
            self.entries.retain(|_| {
                at += 1;
                !leaving.contains(&(at - 1))
            });
        }
        if !new.is_empty() {
            self.entries.extend(new);
            // Two sorted parts: that takes no longer than to look at all.
            self.entries.sort_by(|one, other| one.path.cmp(&other.path));
        }
    }

    /// What git's own index has not, or otherwise.
    fn differences(&self) -> impl Iterator<Item = &[u8]> {
        let amended = self.entries.iter().filter(|entry| entry.amended).map(|entry| &*entry.path);
        amended.chain(self.removed.iter().map(Vec::as_slice))
    }

    /// The folders of all that, from the top.
    pub(crate) fn amended_folders(&self) -> BTreeSet<&[u8]> {
        let mut folders = BTreeSet::new();
        for path in self.differences() {
            let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
            folders.extend(slashes.map(|(at, _)| &path[..at]));
        }
        folders
    }
}

impl Scan {
    /// Has git's own index get what was an amendment, too.
    pub(crate) fn with_amendment_of(&mut self, index: &Index) {
        let known: BTreeSet<&Vec<u8>> =
            self.dropped.iter().chain(&self.update).chain(&self.unseen).collect();
        let more = index.entries.iter().filter(|entry| entry.amended);
        let more = more.map(|entry| entry.path.to_vec()).filter(|path| !known.contains(path));
        let more: Vec<Vec<u8>> = more.collect();
        self.update.extend(more);
        self.dropped.extend(index.removed.iter().cloned());
    }

    /// What there is to do, if it is little and of files alone.
    fn is_little(&self, index: &Index) -> bool {
        let mut paths = self.dropped.iter().chain(&self.update).chain(&self.unseen);
        let count = paths.clone().count() + index.differences().take(DIFFERENCES_MAX).count();
        count <= DIFFERENCES_MAX
            && !paths.any(|path| {
                path.ends_with(ATTRIBUTES)
                    || index.find(path).is_some_and(|entry| !entry.plain || entry.is_gitlink())
            })
    }
}

impl Checkout {
    /// Has git hash what differs and write the trees of the folders it is in; the tree, or nothing where the index must be
    /// written whole.
    pub(crate) fn amend(
        &self,
        work: &mut WorkIndex,
        index: &mut Index,
        scan: &Scan,
        notes: &mut BTreeSet<Diagnostic>,
    ) -> Result<Option<String>, WorkspaceError> {
        // What is there and does not count, git ignores now: in its own index it would stay.
        let is_hidden = || any_is_there(self.root(), &scan.dropped);
        if !work.is_shared() || !scan.is_little(index) || is_hidden() {
            return Ok(None);
        }
        let changed: BTreeSet<&Vec<u8>> = scan.update.iter().chain(&scan.unseen).collect();
        let entries = self.hashed(work, index, &changed, notes)?;
        if entries.iter().any(|entry| !entry.plain || entry.is_gitlink()) {
            return Ok(None);
        }
        // What vanished before git could read it is gone, too.
        index.replace(scan.dropped.iter().chain(changed), entries);
        index.amended_at = work.started_at();
        let Some(tree) = self.write_amended_folders(index)? else { return Ok(None) };
        index.root_tree = Some(tree.clone());
        let amendment = Amendment {
            began: index.amended_at,
            tree: tree.clone(),
            removed: index.removed.iter().cloned().collect(),
            entries: index.entries.iter().filter(|entry| entry.amended).cloned().collect(),
        };
        amendment.write(work, self.hash_bytes);
        work.amendment = Some(amendment.identity());
        Ok(Some(tree))
    }

    /// Has git hash files as it would in the whole index: what is there of them decides about line ends.
    fn hashed(
        &self,
        work: &WorkIndex,
        index: &Index,
        paths: &BTreeSet<&Vec<u8>>,
        notes: &mut BTreeSet<Diagnostic>,
    ) -> Result<Vec<Entry>, WorkspaceError> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let blank = |entry: &Entry| Entry { stat: RecordedStat::default(), ..entry.clone() };
        let known: Vec<Entry> =
            paths.iter().filter_map(|path| index.find(path)).map(blank).collect();
        let few = work.folder().join("few");
        fs::write(&few, written(known.iter(), self.hash_bytes))
            .map_err(WorkspaceError::io("write", &few))?;
        self.add_files(&few, nul_terminated(paths.iter().map(|path| path.as_slice())), notes)?;
        Ok(self.read_index(&few)?.entries)
    }
}
