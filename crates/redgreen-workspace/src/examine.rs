//! Whether a file still is what the index says, without reading it.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::SystemTime;

use nix::libc::dev_t;
use nix::sys::stat::{FileStat, lstat};

use crate::error::WorkspaceError;
use crate::folders::Folders;
use crate::git::{below, shown};
use crate::index_file::{Entry, RecordedStat};

const TYPE_BITS: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const LINK: u32 = 0o120_000;
const OWNER_MAY_EXECUTE: u32 = 0o100;

/// What became of the file of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileState {
    /// It is the very file that was hashed.
    Unchanged,
    /// It may have changed, and git will notice that it should look.
    Changed,
    /// It may have changed, and git could take it for unchanged: it compares whole seconds, and
    /// believes the entry's flags.
    ChangedUnseen,
    /// There is no such file: nothing, a folder, a device, or a path through a symbolic link.
    Missing,
}

/// Looks at files below one folder.
pub(crate) struct Examiner {
    /// Whether the file system keeps the executable bit.
    modes: bool,
    /// Files that changed at this time or later may have done so after they were hashed; and those that are amended.
    hashed_at: ((i64, i64), (i64, i64)),
    folders: Folders,
    /// The file system of the folder.
    device: Option<dev_t>,
    /// Whether a file was seen that has another name, or lies on another file system.
    pub(crate) has_shared_files: bool,
}

impl Examiner {
    pub(crate) fn new(root: &Path, modes: bool, hashed_at: (SystemTime, (i64, i64))) -> Self {
        let hashed_at = (since_epoch(hashed_at.0), hashed_at.1);
        let device = lstat(root).ok().map(|found| found.st_dev);
        Self { modes, hashed_at, folders: Folders::below(root), device, has_shared_files: false }
    }

    /// What became of the entry's file.
    pub(crate) fn examine(&mut self, entry: &Entry) -> Result<FileState, WorkspaceError> {
        let Some(found) = self.file(&entry.path)? else { return Ok(FileState::Missing) };
        self.has_shared_files |= found.st_nlink > 1 || Some(found.st_dev) != self.device;
        if !entry.plain {
            return Ok(FileState::ChangedUnseen);
        }
        if !self.mode_matches(entry.mode, &found) {
            return Ok(FileState::Changed);
        }
        let now = recorded(&found);
        if now == entry.stat && !self.is_recent(entry, &found) {
            return Ok(FileState::Unchanged);
        }
        let to_seconds = |stat: RecordedStat| RecordedStat {
            ctime: (stat.ctime.0, 0),
            mtime: (stat.mtime.0, 0),
            ..stat
        };
        let seen = to_seconds(now) != to_seconds(entry.stat);
        Ok(if seen { FileState::Changed } else { FileState::ChangedUnseen })
    }

    /// The file or symbolic link at a path, if there is one that git would store.
    pub(crate) fn file(&mut self, path: &[u8]) -> Result<Option<FileStat>, WorkspaceError> {
        let found = self.folders.look_at(path).map_err(|error| unreadable(path, &error.into()))?;
        Ok(found.filter(is_file))
    }

    fn mode_matches(&self, mode: u32, found: &FileStat) -> bool {
        let executable = |mode: u32| mode & OWNER_MAY_EXECUTE != 0;
        let kind = mode & TYPE_BITS;
        kind == found.st_mode & TYPE_BITS
            && (kind == LINK || !self.modes || executable(mode) == executable(found.st_mode))
    }

    fn is_recent(&self, entry: &Entry, found: &FileStat) -> bool {
        let hashed_at = if entry.amended { self.hashed_at.1 } else { self.hashed_at.0 };
        (found.st_ctime, found.st_ctime_nsec) >= hashed_at
            || (found.st_mtime, found.st_mtime_nsec) >= hashed_at
    }
}

/// Whether it is something that git would store.
pub(crate) fn is_file(found: &FileStat) -> bool {
    matches!(found.st_mode & TYPE_BITS, REGULAR | LINK)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "git cuts to 32 bits in the same way"
)]
fn recorded(found: &FileStat) -> RecordedStat {
    RecordedStat {
        ctime: (found.st_ctime as u32, found.st_ctime_nsec as u32),
        mtime: (found.st_mtime as u32, found.st_mtime_nsec as u32),
        ino: found.st_ino as u32,
        uid: found.st_uid,
        gid: found.st_gid,
        size: found.st_size as u32,
    }
}

pub(crate) fn since_epoch(time: SystemTime) -> (i64, i64) {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => (after.as_secs().cast_signed(), i64::from(after.subsec_nanos())),
        // A date before 1970: nothing is older, so nothing is trusted.
        Err(_) => (i64::MIN, 0),
    }
}

/// What lies at a path. What may not be looked at is an error, not absent.
pub(crate) fn look_at(root: &Path, path: &[u8]) -> Result<Option<Metadata>, WorkspaceError> {
    match fs::symlink_metadata(below(root, path)) {
        Ok(found) => Ok(Some(found)),
        Err(error) => match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(None),
            _ => Err(unreadable(path, &error)),
        },
    }
}

fn unreadable(path: &[u8], error: &io::Error) -> WorkspaceError {
    WorkspaceError::Unreadable { path: shown(path), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index_file::ObjectId;
    use std::time::Duration;

    #[test]
    fn a_file_as_young_as_the_index_is_not_trusted_whatever_its_time_stamps_say() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("file"), "content").expect("written");
        let found = lstat(&folder.path().join("file")).expect("metadata");
        let entry = Entry {
            path: b"file".to_vec().into(),
            mode: 0o100_644,
            object: ObjectId::default(),
            plain: true,
            amended: false,
            stat: recorded(&found),
        };
        let written = fs::metadata(folder.path().join("file")).and_then(|found| found.modified());
        let written = written.expect("a time");
        let state = |entry: &Entry, hashed_at| {
            // What is amended has a time of its own.
            let (never, at) = (SystemTime::UNIX_EPOCH, since_epoch(hashed_at));
            let amended = Entry { amended: true, ..entry.clone() };
            let state = |entry: &Entry, times| {
                Examiner::new(folder.path(), true, times).examine(entry).expect("readable")
            };
            let found = state(entry, (hashed_at, since_epoch(never)));
            assert_eq!(state(&amended, (never, at)), found);
            found
        };
        let later = written + Duration::from_nanos(1);
        assert_eq!(state(&entry, later), FileState::Unchanged);
        assert_eq!(state(&entry, written), FileState::ChangedUnseen);
        assert_eq!(state(&entry, written - Duration::from_nanos(1)), FileState::ChangedUnseen);
        assert_eq!(
            state(&Entry { plain: false, ..entry.clone() }, later),
            FileState::ChangedUnseen
        );
        assert_eq!(state(&Entry { mode: 0o100_755, ..entry.clone() }, later), FileState::Changed);
        assert_eq!(
            state(&Entry { path: b"none".to_vec().into(), ..entry }, later),
            FileState::Missing
        );
    }
}
