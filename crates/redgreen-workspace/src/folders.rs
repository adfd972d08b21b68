//! Looks at many files, folder by folder.
//!
//! A path is walked by the system from its start for every file that is asked for; with the folder
//! open, only the name is looked up. And a folder that is opened without following links is no link.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, open, openat};
use nix::sys::stat::{FileStat, Mode, fstatat};

/// The folders above the path that was asked for last.
pub(crate) struct Folders {
    root: Option<OwnedFd>,
    /// The folder that was asked for last.
    path: Vec<u8>,
    /// Its folders from the top down, each with the length of its path.
    open: Vec<(usize, Option<OwnedFd>)>,
}

impl Folders {
    /// The folders of a work tree.
    pub(crate) fn below(root: &Path) -> Self {
        let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let root = open(root, flags, Mode::empty()).ok();
        Self { root, path: Vec::new(), open: Vec::new() }
    }

    /// What lies at a path: nothing, too, if one of the folders above it is none or a symbolic link,
    /// for what is behind a link lies somewhere else. Fast if the paths come in order.
    pub(crate) fn look_at(&mut self, path: &[u8]) -> Result<Option<FileStat>, Errno> {
        let (folder, name) = match path.iter().rposition(|byte| *byte == b'/') {
            Some(slash) => (&path[..slash], &path[slash + 1..]),
            None => (&[][..], path),
        };
        let Some(folder) = self.folder(folder)? else { return Ok(None) };
        absent(fstatat(folder, name, AtFlags::AT_SYMLINK_NOFOLLOW))
    }

    /// Opens a folder; `None` if there is none.
    fn folder(&mut self, wanted: &[u8]) -> Result<Option<BorrowedFd<'_>>, Errno> {
        while self.open.last().is_some_and(|(end, _)| !self.leads_to(*end, wanted)) {
            self.open.pop();
        }
        wanted.clone_into(&mut self.path);
        loop {
            let end = self.open.last().map_or(0, |(end, _)| *end);
            let current = self.open.last().map_or(self.root.as_ref(), |(_, open)| open.as_ref());
            if end == wanted.len() || current.is_none() {
                break;
            }
            let Some(current) = current else { break };
            let start = if end == 0 { 0 } else { end + 1 };
            let rest = &wanted[start..];
            let length = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
            let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
            let next = absent(openat(current.as_fd(), &rest[..length], flags, Mode::empty()))?;
            self.open.push((start + length, next));
        }
        let current = self.open.last().map_or(self.root.as_ref(), |(_, open)| open.as_ref());
        Ok(current.map(AsFd::as_fd))
    }

    /// Whether the first bytes of the last path are the wanted folder, or one above it.
    fn leads_to(&self, end: usize, wanted: &[u8]) -> bool {
        wanted.get(..end) == self.path.get(..end)
            && wanted.get(end).is_none_or(|separator| *separator == b'/')
    }
}

fn absent<T>(outcome: Result<T, Errno>) -> Result<Option<T>, Errno> {
    match outcome {
        Ok(found) => Ok(Some(found)),
        Err(Errno::ENOENT | Errno::ENOTDIR | Errno::ELOOP) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn every_order_of_paths_finds_the_same() {
        let root = tempfile::tempdir().expect("a folder");
        let files = ["a", "b/c/d", "b/c.d", "b/cc/d", "b.c", "e/f/g/h"];
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            fs::write(path, file).expect("written");
        }
        symlink("b", root.path().join("link")).expect("a link");
        symlink("loop", root.path().join("loop")).expect("a link");
        let absent = ["a/b", "b/c/x", "link/c.d", "link/c/d", "loop/x", "x/y/z", "e/f/x/h"];
        let mut folders = Folders::below(root.path());
        for first in files.iter().chain(&absent) {
            for second in files.iter().chain(&absent) {
                for path in [first, second] {
                    let found = folders.look_at(path.as_bytes()).expect("no error");
                    let size = found.map(|found| found.st_size);
                    let expected = files.contains(path).then_some(path.len() as i64);
                    assert_eq!(size, expected, "{first}, {second}: {path}");
                }
            }
        }
        assert!(folders.look_at(b"link").expect("no error").is_some(), "the link itself");
    }
}
