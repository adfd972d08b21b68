//! Which folders git looked into for new files and found none. While they and git's rules are as they were, there is none,
//! and git need not look: that takes as long as all the rest.

use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use nix::sys::stat::lstat;

use super::format::Writer;
use super::{Look, REPOSITORY, RULES, compare, outside};
use crate::checkout::Checkout;
use crate::error::WorkspaceError;
use crate::git::{below, records};
use crate::index_file::Index;
use crate::private_index::{Identity, WorkIndex};

/// The file's name, beside the index.
const FILE: &str = "walked";
/// A name that no rule is about.
const PROBE: &[u8] = b"/.redgreen-probe";
/// The root of the work tree, in a path.
const HERE: &[u8] = b"./";

/// The look of folders that hold no file which the index does not know.
pub(crate) type SearchedFolders = Vec<u8>;

impl Checkout {
    fn walked_path(&self) -> Option<PathBuf> {
        Some(self.outside.as_ref()?.join(FILE))
    }

    /// What was kept, if it was of this very index and all is as it was.
    pub(crate) fn still_walked(&self, of: &Identity) -> Option<SearchedFolders> {
        let bytes = fs::read(self.walked_path()?).ok()?;
        let (index, walked) = parted(&bytes)?;
        (*index == of.0).then_some(())?;
        compare(self.root(), walked)?.then(|| walked.to_vec())
    }

    /// The look of the folders that was kept, of whichever index, if it is theirs now.
    pub(crate) fn folders_as_kept(&self) -> Option<SearchedFolders> {
        let bytes = fs::read(self.walked_path()?).ok()?;
        let (_, walked) = parted(&bytes)?;
        compare(self.root(), walked)?.then(|| walked.to_vec())
    }

    /// Keeps what holds of the index that was published. Where that cannot be done, git looks again.
    pub(crate) fn keep_walked(&self, walked: Option<&SearchedFolders>, index: Option<&Identity>) {
        let (Some(path), Some(walked), Some(index)) = (self.walked_path(), walked, index) else {
            return;
        };
        let length = u32::try_from(index.0.len()).unwrap_or_default().to_le_bytes();
        let _ = redgreen_files::write_cache(&path, &[&length, &*index.0, walked].concat());
    }

    /// The folders as they are now, before git looks into them; none where something has just changed, or there is a
    /// repository in the repository.
    pub(crate) fn folders_now(&self, work: &WorkIndex, index: &Index) -> Option<SearchedFolders> {
        self.outside.as_ref()?;
        let mut look = Look { before: work.started_at(), writer: Writer::default() };
        look.outside(outside::rules(self).ok()?.iter())?;
        let known = folders_of(index);
        let mut open = vec![Vec::new()];
        while !open.is_empty() {
            let mut unknown = Vec::new();
            while let Some(folder) = open.pop() {
                let inside = self.note_folder(&mut look, &folder)?;
                let (here, new) = inside.into_iter().partition(|path| known.contains(path));
                open.extend::<Vec<Vec<u8>>>(here);
                unknown.extend::<Vec<Vec<u8>>>(new);
            }
            let ignored = self.ignored_folders(&unknown).ok()?;
            for path in unknown {
                let rules = [&path, &b"/.gitignore"[..]].concat();
                let has_rules = self.add(&mut look, &rules)?;
                if !ignored.contains(&path) {
                    open.push(path);
                } else if has_rules {
                    self.add(&mut look, &path)?;
                }
            }
        }
        Some(look.writer.finish())
    }

    /// Notes a folder and the rules in it; returns the folders in it.
    fn note_folder(&self, look: &mut Look, folder: &[u8]) -> Option<Vec<Vec<u8>>> {
        if !folder.is_empty() {
            self.add(look, folder)?;
        }
        let mut inside = Vec::new();
        for entry in fs::read_dir(below(self.root(), folder)).ok()? {
            let entry = entry.ok()?;
            let name = entry.file_name();
            let slash = if folder.is_empty() { &b""[..] } else { b"/" };
            let path = [folder, slash, name.as_bytes()].concat();
            if name == REPOSITORY && folder.is_empty() || self.is_own(&path) {
                continue;
            }
            if name == REPOSITORY {
                return None;
            }
            if RULES.iter().any(|rules| name == *rules) {
                self.add(look, &path)?;
            } else if entry.file_type().ok()?.is_dir() {
                inside.push(path);
            }
        }
        Some(inside)
    }

    /// Notes what lies at a path; returns whether there is something.
    fn add(&self, look: &mut Look, path: &[u8]) -> Option<bool> {
        let found = lstat(&below(self.root(), path)).ok();
        look.writer.add(path, look.settled(found.as_ref())?);
        Some(found.is_some())
    }

    /// Which of these folders git ignores whatever is new in them.
    fn ignored_folders(&self, folders: &[Vec<u8>]) -> Result<HashSet<Vec<u8>>, WorkspaceError> {
        const NONE_IGNORED: i32 = 1;
        if folders.is_empty() {
            return Ok(HashSet::new());
        }
        let asked = folders.iter().flat_map(|folder| [HERE, folder, PROBE, b"\0"].concat());
        let call = ["check-ignore", "--no-index", "-z", "--stdin"];
        let call = self.git.call("look for ignored folders", &call).stdin(asked.collect());
        let listed = call.run_or(NONE_IGNORED)?;
        let folder = |path: &[u8]| path.strip_prefix(HERE)?.strip_suffix(PROBE).map(<[u8]>::to_vec);
        Ok(records(&listed).filter_map(folder).collect())
    }
}

/// Which index it was, and the look of the folders.
fn parted(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)
}

/// The folders above the files of an index.
fn folders_of(index: &Index) -> HashSet<Vec<u8>> {
    let mut folders: HashSet<Vec<u8>> = HashSet::new();
    for entry in &index.entries {
        let slashes = entry.path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        for (at, _) in slashes.collect::<Vec<_>>().into_iter().rev() {
            // Where a folder is known, those above it are.
            if !folders.insert(entry.path[..at].to_vec()) {
                break;
            }
        }
    }
    folders
}
