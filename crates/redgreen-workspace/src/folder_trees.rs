//! The trees of the folders of an amended index: those of the others are known.

use std::collections::{BTreeSet, HashMap};

use sha1::Sha1;
use sha2::{Digest as _, Sha256};

use crate::checkout::{Checkout, SHA1_BYTES};
use crate::error::WorkspaceError;
use crate::index_file::{Entry, Index, ObjectId};

const ACTION: &str = "write the trees of folders";
const FOLDER: u32 = 0o040_000;

/// What is in a folder itself: a file, or another folder.
struct Item<'index> {
    mode: u32,
    name: &'index [u8],
    object: ObjectId,
}

impl Item<'_> {
    /// In git's order a folder has a slash at the end of its name.
    fn sorted_as(&self) -> Vec<u8> {
        let slash = if self.mode == FOLDER { &b"/"[..] } else { b"" };
        [self.name, slash].concat()
    }
}

/// Makes trees of entries, and what git is to write.
struct Trees<'index> {
    amended: BTreeSet<&'index [u8]>,
    known: HashMap<Vec<u8>, ObjectId>,
    hash_bytes: usize,
    /// Trees as `mktree` reads them, those in a folder before its own.
    asked: Vec<u8>,
    ids: Vec<String>,
}

impl Checkout {
    /// Has git write what differs of an index, and see to it that what is named is there; nothing where the trees of the other
    /// folders are not known.
    pub(crate) fn write_amended_folders(
        &self,
        index: &Index,
    ) -> Result<Option<String>, WorkspaceError> {
        let Some(known) = index.folder_trees(self.hash_bytes) else { return Ok(None) };
        let (amended, hash_bytes) = (index.amended_folders(), self.hash_bytes);
        let mut trees = Trees { amended, known, hash_bytes, asked: Vec::new(), ids: Vec::new() };
        let Some(root) = trees.of(&index.entries, 0).filter(|_| !index.entries.is_empty()) else {
            return Ok(None);
        };
        let Trees { asked, ids, .. } = trees;
        let written = self.git.call(ACTION, &["mktree", "-z", "--batch"]).stdin(asked).run()?;
        let same = String::from_utf8_lossy(&written).lines().eq(ids.iter().map(String::as_str));
        same.then(|| Some(root.to_hex())).ok_or_else(|| WorkspaceError::answer(ACTION))
    }
}

impl<'index> Trees<'index> {
    /// The tree of a folder, whose name takes so many bytes of the paths of its entries.
    fn of(&mut self, entries: &'index [Entry], start: usize) -> Option<ObjectId> {
        let mut items = Vec::new();
        let mut rest = entries;
        while let Some((first, after)) = rest.split_first() {
            let name = first.path.get(start..)?;
            let Some(length) = name.iter().position(|byte| *byte == b'/') else {
                first.plain.then_some(())?;
                items.push(Item { mode: first.mode, name, object: first.object });
                rest = after;
                continue;
            };
            let end = start + length;
            let folder = first.path.get(..=end)?;
            let count = rest.partition_point(|entry| entry.path.starts_with(folder));
            let (inside, after) = rest.split_at_checked(count)?;
            let folder = first.path.get(..end)?;
            let object = match self.amended.contains(folder) {
                true => self.of(inside, end + 1)?,
                false => *self.known.get(folder)?,
            };
            items.push(Item { mode: FOLDER, name: first.path.get(start..end)?, object });
            rest = after;
        }
        self.tree(items)
    }

    fn tree(&mut self, mut items: Vec<Item<'_>>) -> Option<ObjectId> {
        items.sort_by_cached_key(Item::sorted_as);
        // A file and a folder of one name: something is being written.
        let mut names: Vec<&[u8]> = items.iter().map(|item| item.name).collect();
        names.sort_unstable();
        names.is_sorted_by(|one, other| one < other).then_some(())?;
        let mut body = Vec::new();
        for Item { mode, name, object } in &items {
            let kind = match *mode {
                FOLDER => "tree",
                crate::index_file::GITLINK => "commit",
                _ => "blob",
            };
            let hex = object.to_hex();
            self.asked.extend(format!("{mode:06o} {kind} {hex}\t").into_bytes());
            self.asked.extend_from_slice(name);
            self.asked.push(0);
            body.extend(format!("{mode:o} ").into_bytes());
            body.extend_from_slice(name);
            body.push(0);
            body.extend_from_slice(object.bytes());
        }
        // An empty line ends a tree.
        self.asked.push(0);
        let object = [format!("tree {}\0", body.len()).as_bytes(), &body].concat();
        let id = match self.hash_bytes {
            SHA1_BYTES => ObjectId::new(&Sha1::digest(object)),
            _ => ObjectId::new(&Sha256::digest(object)),
        }?;
        self.ids.push(id.to_hex());
        Some(id)
    }
}
