//! Reads git's index file (versions 2 to 4; `gitformat-index(5)`).
//!
//! Only to see what git recorded: git alone writes indexes. A file that cannot be read here is never
//! an error for the user; the caller asks git instead, or starts an index anew.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use redgreen_model::digest::hex;

/// The type bits of an entry that is a submodule.
pub(crate) const GITLINK: u32 = 0o160_000;
const SHORTEST_ENTRY_BYTES: usize = 42;
const LONGEST_HASH_BYTES: usize = 32;
const ASSUME_VALID: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const SKIP_WORKTREE: u16 = 0x4000;
const INTENT_TO_ADD: u16 = 0x2000;

/// What an index file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Index {
    /// In git's order: by path, bytewise, then by stage.
    pub(crate) entries: Vec<Entry>,
    /// The tree these entries make, where it is known.
    pub(crate) root_tree: Option<String>,
    /// The paths that git's own index has, and that are gone.
    pub(crate) removed: BTreeSet<Vec<u8>>,
    /// When what is amended was looked at.
    pub(crate) amended_at: (i64, i64),
    /// git's record of the trees of folders.
    pub(crate) folder_trees: IndexPath,
}

/// One path in an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) path: IndexPath,
    pub(crate) mode: u32,
    pub(crate) object: ObjectId,
    /// Whether it is an ordinary entry: no conflict, and no flag that has git overlook changes.
    pub(crate) plain: bool,
    /// Whether it differs from git's own index.
    pub(crate) amended: bool,
    pub(crate) stat: RecordedStat,
}

/// A path in an index: a part of the file's bytes, so that reading an index copies no path.
#[derive(Clone, Default)]
pub(crate) struct IndexPath {
    bytes: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Deref for IndexPath {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(self.range.clone()).unwrap_or_default()
    }
}

impl From<Vec<u8>> for IndexPath {
    fn from(path: Vec<u8>) -> Self {
        let range = 0..path.len();
        Self { bytes: Arc::new(path), range }
    }
}

impl PartialEq for IndexPath {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for IndexPath {}

impl PartialOrd for IndexPath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for IndexPath {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(other)
    }
}

impl fmt::Debug for IndexPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        String::from_utf8_lossy(self).fmt(formatter)
    }
}

/// The id of an object. Kept as it is in the file: hardly any is ever shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ObjectId {
    bytes: [u8; LONGEST_HASH_BYTES],
    length: usize,
}

impl ObjectId {
    pub(crate) fn new(hash: &[u8]) -> Option<Self> {
        let mut bytes = [0; LONGEST_HASH_BYTES];
        bytes.get_mut(..hash.len())?.copy_from_slice(hash);
        Some(Self { bytes, length: hash.len() })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// Reads hexadecimal digits.
    pub(crate) fn from_hex(digits: &str) -> Option<Self> {
        let value =
            |digit: &u8| char::from(*digit).to_digit(16).and_then(|it| u8::try_from(it).ok());
        let (pairs, []) = digits.as_bytes().as_chunks::<2>() else { return None };
        let hash: Option<Vec<u8>> =
            pairs.iter().map(|[high, low]| Some(value(high)? << 4 | value(low)?)).collect();
        Self::new(&hash?)
    }

    /// As hexadecimal digits, the way git takes it.
    pub(crate) fn to_hex(self) -> String {
        hex(self.bytes())
    }
}

/// What git recorded of a file when it hashed it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RecordedStat {
    /// Seconds and nanoseconds, cut to 32 bits as git does.
    pub(crate) ctime: (u32, u32),
    pub(crate) mtime: (u32, u32),
    pub(crate) ino: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) size: u32,
}

impl Entry {
    pub(crate) fn is_gitlink(&self) -> bool {
        self.mode == GITLINK
    }
}

impl Index {
    /// The entry of a path.
    pub(crate) fn find(&self, path: &[u8]) -> Option<&Entry> {
        self.entries.get(self.position(path)?)
    }

    pub(crate) fn position(&self, path: &[u8]) -> Option<usize> {
        self.entries.binary_search_by(|entry| (*entry.path).cmp(path)).ok()
    }

    /// The paths here that `other` does not have.
    pub(crate) fn paths_missing_in<'a>(&'a self, other: &Index) -> Vec<&'a [u8]> {
        let mut rest = other.entries.iter().peekable();
        let mut missing: Vec<&[u8]> = Vec::new();
        for entry in &self.entries {
            while rest.next_if(|candidate| *candidate.path < *entry.path).is_some() {}
            let known = rest.peek().is_some_and(|candidate| candidate.path == entry.path);
            if !known && missing.last() != Some(&&*entry.path) {
                missing.push(&entry.path);
            }
        }
        missing
    }

    /// Reads an index file. `None` where it is damaged, or split or sparse and so not whole.
    pub(crate) fn parse(file: Vec<u8>, hash_bytes: usize) -> Option<Self> {
        let file = Arc::new(file);
        let body = file.get(..file.len().checked_sub(hash_bytes)?)?;
        let mut reader = Reader { bytes: body, at: 0 };
        if reader.take(4)? != b"DIRC" {
            return None;
        }
        let version = reader.u32()?;
        if !(2..=4).contains(&version) {
            return None;
        }
        let count = reader.u32()? as usize;
        if count > body.len() / SHORTEST_ENTRY_BYTES {
            return None;
        }
        let mut index = Self { entries: Vec::with_capacity(count), ..Self::default() };
        for _ in 0..count {
            let previous = index.entries.last().map_or(&[][..], |entry| &*entry.path);
            let entry = reader.entry(&file, version, hash_bytes, previous)?;
            if *entry.path < *previous {
                return None;
            }
            index.entries.push(entry);
        }
        while !reader.is_at_end() {
            let signature = reader.take(4)?;
            let length = reader.u32()? as usize;
            let extension = reader.take(length)?;
            if signature == b"TREE" {
                index.root_tree = root_of_cache_tree(extension, hash_bytes, count);
                let range = reader.at - length..reader.at;
                index.folder_trees = IndexPath { bytes: Arc::clone(&file), range };
            } else if !signature[0].is_ascii_uppercase() {
                // "link" (split), "sdir" (sparse), or something newer that must be understood.
                return None;
            }
        }
        Some(index)
    }

    /// The trees of all folders of git's own index, from its cached-tree extension: each folder before those in it, with how
    /// many those are. Nothing where git has not recorded all.
    pub(crate) fn folder_trees(&self, hash_bytes: usize) -> Option<HashMap<Vec<u8>, ObjectId>> {
        let mut reader = Reader { bytes: &self.folder_trees, at: 0 };
        let mut found = HashMap::new();
        let mut open: Vec<(Vec<u8>, usize)> = Vec::new();
        while !reader.is_at_end() {
            let name = reader.until(0)?;
            let mut path = open.last().map(|(above, _)| above.clone()).unwrap_or_default();
            path.extend_from_slice(name);
            let number = |bytes: &[u8]| std::str::from_utf8(bytes).ok()?.parse::<usize>().ok();
            number(reader.until(b' ')?)?;
            let inside = number(reader.until(b'\n')?)?;
            found.insert(path.clone(), ObjectId::new(reader.take(hash_bytes)?)?);
            if !path.is_empty() {
                path.push(b'/');
            }
            open.push((path, inside));
            while let Some((_, 0)) = open.last() {
                open.pop();
            }
            if let Some((_, inside)) = open.last_mut() {
                *inside -= 1;
            }
        }
        Some(found)
    }
}

/// An index file with these entries, which are sorted, in the form of version 2.
pub(crate) fn written<'a>(
    entries: impl ExactSizeIterator<Item = &'a Entry>,
    hash_bytes: usize,
) -> Vec<u8> {
    const LONGEST_LENGTH: usize = 0xfff;
    let mut bytes = b"DIRC".to_vec();
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    for word in [2, number(entries.len())] {
        bytes.extend(word.to_be_bytes());
    }
    for Entry { path, mode, object, stat, .. } in entries {
        let start = bytes.len();
        let RecordedStat { ctime, mtime, ino, uid, gid, size } = *stat;
        for word in [ctime.0, ctime.1, mtime.0, mtime.1, 0, ino, *mode, uid, gid, size] {
            bytes.extend(word.to_be_bytes());
        }
        bytes.extend_from_slice(object.bytes());
        let length = u16::try_from(path.len().min(LONGEST_LENGTH)).unwrap_or_default();
        bytes.extend(length.to_be_bytes());
        bytes.extend_from_slice(path);
        let length = (bytes.len() - start + 1).next_multiple_of(8);
        bytes.resize(start + length, 0);
    }
    // Nobody reads its checksum.
    bytes.resize(bytes.len() + hash_bytes, 0);
    bytes
}

/// The tree id at the root of git's cached-tree extension, unless it is marked as out of date.
fn root_of_cache_tree(extension: &[u8], hash_bytes: usize, count: usize) -> Option<String> {
    let mut reader = Reader { bytes: extension, at: 0 };
    if !reader.until(0)?.is_empty() {
        return None;
    }
    let entries: usize = std::str::from_utf8(reader.until(b' ')?).ok()?.parse().ok()?;
    reader.until(b'\n')?;
    (entries == count).then_some(())?;
    reader.take(hash_bytes).map(hex)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    fn until(&mut self, end: u8) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..)?;
        let length = rest.iter().position(|byte| *byte == end)?;
        self.at += length + 1;
        rest.get(..length)
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    /// git's variable-width number of a version 4 entry.
    fn offset(&mut self) -> Option<usize> {
        let mut byte = self.take(1)?[0];
        let mut value = usize::from(byte & 127);
        while byte & 128 != 0 {
            byte = self.take(1)?[0];
            value = value.checked_add(1)?.checked_mul(128)? | usize::from(byte & 127);
        }
        Some(value)
    }

    /// Reads the next entry of a file, whose bytes from the start are what this reads.
    fn entry(
        &mut self,
        file: &Arc<Vec<u8>>,
        version: u32,
        hash_bytes: usize,
        previous: &[u8],
    ) -> Option<Entry> {
        let start = self.at;
        let ctime = (self.u32()?, self.u32()?);
        let mtime = (self.u32()?, self.u32()?);
        let _device = self.u32()?;
        let ino = self.u32()?;
        let mode = self.u32()?;
        let (uid, gid, size) = (self.u32()?, self.u32()?, self.u32()?);
        let object = ObjectId::new(self.take(hash_bytes)?)?;
        let flags = self.u16()?;
        let more = if flags & EXTENDED != 0 && version > 2 { self.u16()? } else { 0 };
        let path = if version == 4 {
            let kept = previous.len().checked_sub(self.offset()?)?;
            let mut path = previous.get(..kept)?.to_vec();
            path.extend_from_slice(self.until(0)?);
            IndexPath::from(path)
        } else {
            let begin = self.at;
            let range = begin..begin + self.until(0)?.len();
            let path = IndexPath { bytes: Arc::clone(file), range };
            // Each entry is filled up with NULs to a multiple of eight bytes.
            let read = self.at - start;
            self.take(read.next_multiple_of(8) - read)?;
            path
        };
        let stage = (flags >> 12) & 3;
        let hidden = flags & ASSUME_VALID != 0 || more & (SKIP_WORKTREE | INTENT_TO_ADD) != 0;
        let stat = RecordedStat { ctime, mtime, ino, uid, gid, size };
        let plain = stage == 0 && !hidden && !path.is_empty();
        Some(Entry { path, mode, object, plain, amended: false, stat })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index_of(paths: &[&str]) -> Index {
        let entries = paths
            .iter()
            .map(|path| Entry {
                path: path.as_bytes().to_vec().into(),
                mode: 0o100_644,
                object: ObjectId::default(),
                plain: true,
                amended: false,
                stat: RecordedStat::default(),
            })
            .collect();
        Index { entries, ..Index::default() }
    }

    #[test]
    fn object_ids_are_read_and_shown() {
        let digits = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        assert_eq!(ObjectId::from_hex(digits).map(ObjectId::to_hex).as_deref(), Some(digits));
        assert_eq!(ObjectId::from_hex("4b8"), None);
        assert_eq!(ObjectId::from_hex("zz"), None);
        assert_eq!(ObjectId::from_hex(&"ab".repeat(33)), None);
    }

    #[test]
    fn missing_paths_are_those_of_one_side_only() {
        let one = index_of(&["a", "b", "b", "d", "z"]);
        let two = index_of(&["b", "c", "d"]);
        assert_eq!(one.paths_missing_in(&two), [b"a".as_slice(), b"z"]);
        assert_eq!(two.paths_missing_in(&one), [b"c".as_slice()]);
        assert!(one.paths_missing_in(&one).is_empty());
    }

    #[test]
    fn paths_of_version_4_share_the_start_of_the_one_before() {
        let long = "x".repeat(200);
        let mut bytes = b"DIRC\0\0\0\x04\0\0\0\x04".to_vec();
        // How much of the path before is cut off, as git writes numbers, and what follows.
        let cuts: [(&[u8], &str); 4] =
            [(b"\0", "ab/cd"), (b"\x01", "e"), (b"\x02", &long), (b"\x80\x48", "y")];
        for (cut, rest) in cuts {
            bytes.extend_from_slice(&[0; 62]);
            bytes.extend_from_slice(cut);
            bytes.extend_from_slice(rest.as_bytes());
            bytes.push(0);
        }
        bytes.extend_from_slice(&[0; 20]);
        let index = Index::parse(bytes, 20).expect("an index");
        let paths: Vec<_> = index.entries.iter().map(|entry| entry.path.to_vec()).collect();
        assert_eq!(paths[..2], [b"ab/cd", b"ab/ce"]);
        assert_eq!(paths[2..], [format!("ab/{long}").into_bytes(), b"ab/y".to_vec()]);
    }

    #[test]
    fn what_is_written_is_read_as_it_was() {
        let mut index = index_of(&["a", "b/a-longer-name", &"x".repeat(5_000)]);
        for (number, entry) in (1..).zip(&mut index.entries) {
            entry.object = ObjectId::new(&[7; 20]).expect("an id");
            entry.stat =
                RecordedStat { ctime: (number, 2), mtime: (3, 4), ino: 5, uid: 6, gid: 7, size: 8 };
        }
        let read = Index::parse(written(index.entries.iter(), 20), 20).expect("an index");
        assert_eq!(read.entries, index.entries);
    }

    #[test]
    fn the_trees_of_all_folders_are_read() {
        let tree = |path: &str, count: &str, inside: usize, byte: u8| {
            [format!("{path}\0{count} {inside}\n").as_bytes(), &[byte; 20]].concat()
        };
        let record = |count: &str| {
            let parts = [
                tree("", "4", 2, 1),
                tree("a", count, 1, 2),
                tree("b", "1", 0, 3),
                tree("c", "1", 0, 4),
            ];
            let bytes = parts.concat();
            let range = 0..bytes.len();
            IndexPath { bytes: Arc::new(bytes), range }
        };
        let index = Index { folder_trees: record("2"), ..Index::default() };
        let mut found: Vec<_> = index.folder_trees(20).expect("trees").into_iter().collect();
        found.sort_by(|one, other| one.0.cmp(&other.0));
        let id = |byte: u8| ObjectId::new(&[byte; 20]).expect("an id");
        let expected = [("", 1), ("a", 2), ("a/b", 3), ("c", 4)];
        assert_eq!(found, expected.map(|(path, byte)| (path.as_bytes().to_vec(), id(byte))));
        // One that git knows to be out of date has no id.
        let index = Index { folder_trees: record("-1"), ..Index::default() };
        assert_eq!(index.folder_trees(20), None);
    }

    #[test]
    fn garbage_and_every_truncation_are_refused_without_a_panic() {
        let mut bytes = b"DIRC\0\0\0\x02\0\0\0\x01".to_vec();
        bytes.extend_from_slice(&[0; 60]);
        bytes.extend_from_slice(&[0, 2, b'a', b'b', 0, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend_from_slice(&[0; 20]);
        assert!(Index::parse(bytes.clone(), 20).is_some());
        for length in 0..bytes.len() {
            assert!(Index::parse(bytes[..length].to_vec(), 20).is_none(), "{length} bytes");
        }
        let many = b"DIRC\0\0\0\x02\xff\xff\xff\xff012345678901234567890123456789";
        assert!(Index::parse(many.to_vec(), 20).is_none());
    }
}
