//! Whether a work tree is as it was, by what the file system says of its files: nothing is read, and git
//! is not asked.
//!
//! A tree's hash depends on the files of the work tree, on what git ignores, and on git's own files. A
//! glance looks at all of them (`lstat`): at each file and each folder that is not ignored, since a new
//! file changes its folder, and at what configures git. Nobody can set a `ctime`, so whatever has the same
//! one is the same; unless it changed again within the same tick of the clock that stamps files: where
//! something is as young as the glance itself, there is none.
//!
//! Whoever keeps a glance has to keep it where the files' author does not write.

mod format;
mod outside;
pub(crate) mod searched_folders;

use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use nix::sys::stat::{FileStat, lstat};

use crate::checkout::{Checkout, bytes_of};
use crate::error::WorkspaceError;
use crate::folders::Folders;
use crate::git::below;
use crate::private_index::WorkIndex;
use crate::workspace::Workspace;

use format::{Reader, Writer};

/// The name of a repository, or of the file that leads to one.
const REPOSITORY: &str = ".git";
/// Files that decide about others, also where they are ignored themselves.
const RULES: [&str; 2] = [".gitignore", ".gitattributes"];

/// What a work tree looked like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glance(Vec<u8>);

impl Glance {
    /// As it can be kept.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether the work tree looks exactly like this again. What cannot be read is no glance.
    pub fn still_holds(root: &Path, kept: &[u8]) -> bool {
        compare(root, kept).unwrap_or(false)
    }
}

/// The top of the work tree that a folder lies in, by its name alone: git may know better.
pub fn likely_root(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|above| fs::symlink_metadata(above.join(REPOSITORY)).is_ok())
}

impl Workspace {
    /// What the work tree looks like: whatever [`Workspace::tree`] says **after** this holds as long as
    /// [`Glance::still_holds`]. `also` are files beside the tree that count. None where that cannot be
    /// said: something has just changed, or there is a repository in the repository.
    pub fn glance(&self, also: &[PathBuf]) -> Result<Option<Glance>, WorkspaceError> {
        let work = WorkIndex::create(&self.state_dir()?)?;
        let mut look = Look { before: work.started_at(), writer: Writer::default() };
        let ignored = self.ignored()?.into_iter().map(|it| it.path.into_bytes()).collect();
        let outside = outside::files(self.checkout())?;
        Ok(look.outside(outside.iter().chain(also)).and_then(|()| {
            look.inside(self.checkout(), &ignored)?;
            Some(Glance(look.writer.finish()))
        }))
    }
}

struct Look {
    /// What changed at this time or later may have changed again without a trace.
    before: (i64, i64),
    writer: Writer,
}

impl Look {
    fn outside<'files>(&mut self, files: impl Iterator<Item = &'files PathBuf>) -> Option<()> {
        for file in files {
            let found = lstat(file).ok();
            self.writer.add(bytes_of(file), self.settled(found.as_ref())?);
        }
        self.writer.end_part();
        Some(())
    }

    /// All that is not ignored, folder by folder.
    fn inside(&mut self, checkout: &Checkout, ignored: &HashSet<Vec<u8>>) -> Option<()> {
        let root = checkout.root();
        let mut folders = vec![Vec::new()];
        while let Some(folder) = folders.pop() {
            let mut below_it = Vec::new();
            for entry in fs::read_dir(below(root, &folder)).ok()? {
                let entry = entry.ok()?;
                let name = entry.file_name();
                let mut path = folder.clone();
                if !path.is_empty() {
                    path.push(b'/');
                }
                path.extend_from_slice(name.as_bytes());
                let is_folder = entry.file_type().ok()?.is_dir();
                if name == REPOSITORY && folder.is_empty() || checkout.is_own(&path) {
                    continue;
                }
                if name == REPOSITORY {
                    return None;
                }
                let named = if is_folder { [&path, &b"/"[..]].concat() } else { path.clone() };
                if ignored.contains(&named) && !RULES.iter().any(|rules| name == *rules) {
                    continue;
                }
                let found = lstat(&below(root, &path)).ok();
                self.writer.add(&path, self.settled(found.as_ref())?);
                if is_folder {
                    below_it.push(path);
                }
            }
            folders.extend(below_it);
        }
        Some(())
    }

    /// What is there, unless it is too young.
    fn settled<'stat>(&self, found: Option<&'stat FileStat>) -> Option<Option<&'stat FileStat>> {
        let young = |stat: &FileStat| (stat.st_ctime, stat.st_ctime_nsec) >= self.before;
        (!found.is_some_and(young)).then_some(found)
    }
}

/// Looks again; `None` where the bytes are no glance, or something may not be looked at.
fn compare(root: &Path, kept: &[u8]) -> Option<bool> {
    let mut reader = Reader::new(kept)?;
    while let Some((path, stamp)) = reader.next_entry()? {
        if !stamp.is_of(lstat(Path::new(std::ffi::OsStr::from_bytes(path))).ok().as_ref()) {
            return Some(false);
        }
    }
    let mut folders = Folders::below(root);
    while let Some((path, stamp)) = reader.next_entry()? {
        if !stamp.is_of(folders.look_at(path).ok()?.as_ref()) {
            return Some(false);
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_in_the_tick_of_the_look_or_later_is_not_trusted() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let found = lstat(file.path()).expect("a file");
        let (second, nanosecond) = (found.st_ctime, found.st_ctime_nsec);
        let settled = |before| {
            let look = Look { before, writer: Writer::default() };
            look.settled(Some(&found)).is_some()
        };
        assert!(settled((second, nanosecond + 1)) && settled((second + 1, 0)));
        assert!(!settled((second, nanosecond)) && !settled((second, nanosecond - 1)));
    }
}
