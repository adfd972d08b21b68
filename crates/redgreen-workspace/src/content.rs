//! What is in a tree.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use redgreen_model::digest::hex;
use redgreen_model::tree::TreeHash;
use sha2::{Digest, Sha256};

use crate::checkout::Checkout;
use crate::error::WorkspaceError;
use crate::git::{records, shown};
use crate::index_file::GITLINK;
use crate::parts::in_parts;

/// One file of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TreeEntry {
    pub(crate) mode: u32,
    pub(crate) object: String,
    pub(crate) path: Vec<u8>,
}

impl TreeEntry {
    pub(crate) fn is_gitlink(&self) -> bool {
        self.mode == GITLINK
    }

    /// One record of `ls-tree -z`: mode, type, object, TAB, path.
    fn parse(record: &[u8]) -> Option<Self> {
        let tab = record.iter().position(|byte| *byte == b'\t')?;
        let mut fields = std::str::from_utf8(record.get(..tab)?).ok()?.split(' ');
        let mode = u32::from_str_radix(fields.next()?, 8).ok()?;
        let _kind = fields.next()?;
        let object = fields.next()?.to_owned();
        Some(Self { mode, object, path: record.get(tab + 1..)?.to_vec() })
    }
}

/// The files of a tree, by path.
#[derive(Debug)]
pub(crate) struct Listing {
    entries: Vec<TreeEntry>,
    /// Their paths, as they are shown.
    paths: OnceLock<Arc<[String]>>,
}

impl Listing {
    pub(crate) fn new(entries: Vec<TreeEntry>) -> Self {
        Self { entries, paths: OnceLock::new() }
    }

    pub(crate) fn paths(&self) -> Arc<[String]> {
        let shown = || self.entries.iter().map(|entry| shown(&entry.path)).collect();
        Arc::clone(self.paths.get_or_init(shown))
    }
}

impl Deref for Listing {
    type Target = [TreeEntry];

    fn deref(&self) -> &[TreeEntry] {
        &self.entries
    }
}

impl Checkout {
    /// All files of a tree, by path.
    pub(crate) fn entries(&self, tree: &TreeHash) -> Result<Vec<TreeEntry>, WorkspaceError> {
        let action = "list the files of a tree";
        let call = self.git.call(action, &["ls-tree", "-r", "-z", "--full-tree", &tree.0]);
        let listed = self.about_trees(&[tree], call)?;
        records(&listed)
            .map(|record| TreeEntry::parse(record).ok_or_else(|| WorkspaceError::answer(action)))
            .collect()
    }
}

impl Checkout {
    /// The same by what differs from a tree that is known; `None` where that one is of another repository.
    pub(crate) fn entries_like(
        &self,
        tree: &TreeHash,
        known: &TreeHash,
        list: &[TreeEntry],
    ) -> Option<Vec<TreeEntry>> {
        // That way round it is asked for anyway: the tree that was seen last is the newer one.
        let raws = self.raw_changes(tree, known).ok()?;
        let mut entries = Vec::with_capacity(list.len() + raws.len());
        let mut rest = list.iter().peekable();
        // Both are in git's order: by path, bytewise.
        for raw in raws {
            while let Some(entry) = rest.next_if(|entry| entry.path.as_slice() < raw.path()) {
                entries.push(entry.clone());
            }
            rest.next_if(|entry| entry.path == raw.path());
            let (mode, path) = (raw.modes.0, raw.path().to_vec());
            if mode != 0 {
                entries.push(TreeEntry { mode, object: raw.objects.0, path });
            }
        }
        entries.extend(rest.cloned());
        Some(entries)
    }
}

/// The SHA-256 over mode, object and path of the files that are included.
pub(crate) fn hash_of(
    entries: &[TreeEntry],
    include: &(dyn Fn(&str) -> bool + Sync),
) -> Result<String, WorkspaceError> {
    let text = |part: &[TreeEntry]| {
        let mut text = Vec::new();
        for entry in part {
            if include(&String::from_utf8_lossy(&entry.path)) {
                text.extend(format!("{:o} ", entry.mode).into_bytes());
                text.extend_from_slice(entry.object.as_bytes());
                text.push(b'\t');
                text.extend_from_slice(&entry.path);
                text.push(0);
            }
        }
        text
    };
    let mut digest = Sha256::new();
    for part in in_parts(entries, "look at the files of a tree", text)? {
        digest.update(part);
    }
    Ok(hex(&digest.finalize()))
}
