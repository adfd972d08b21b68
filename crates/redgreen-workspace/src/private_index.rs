//! redgreen's own index, and the copy that one call works on.
//!
//! A call never works on `.redgreen/index` itself. It takes a hard link of it in a folder of its
//! own, which git replaces when it writes, and renames the result over the shared file at the end.
//! So there is no lock to wait for and none to be left behind by `kill -9`, and whatever is at
//! `.redgreen/index` is whole.

use std::fs::{self, File, FileTimes};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use crate::error::WorkspaceError;
use crate::examine::since_epoch;

const SHARED_NAME: &str = "index";
const WORK_PREFIX: &str = "work-";
/// When the folder of a call that was killed is swept away: no call takes that long.
const ABANDONED_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

static NEXT: AtomicU32 = AtomicU32::new(0);

/// Tells one index file from every other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity(pub(crate) Vec<u8>);

/// The index that one call works on. Dropping it throws it away.
#[derive(Debug)]
pub(crate) struct WorkIndex {
    folder: PathBuf,
    shared: PathBuf,
    /// The index file, for git. It need not exist: then it is empty.
    pub(crate) path: PathBuf,
    /// Files that changed at this time or later cannot be judged by their time stamps.
    pub(crate) hashed_at: SystemTime,
    /// What the index is amended by.
    pub(crate) amendment: Option<Identity>,
    /// The file system's time when this call began.
    started_at: SystemTime,
}

impl WorkIndex {
    /// A new folder with no index in it.
    pub(crate) fn create(state: &Path) -> Result<Self, WorkspaceError> {
        fs::create_dir_all(state).map_err(WorkspaceError::io("create", state))?;
        let folder = loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let folder = state.join(format!("{WORK_PREFIX}{}-{number}", std::process::id()));
            match fs::create_dir(&folder) {
                Ok(()) => break folder,
                // Of a process with the same id: one that was killed, or one in a container.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(WorkspaceError::io("create", &folder)(error)),
            }
        };
        let path = folder.join("index");
        let shared = state.join(SHARED_NAME);
        let epoch = SystemTime::UNIX_EPOCH;
        let amendment = None;
        let mut work =
            Self { folder, shared, path, hashed_at: epoch, amendment, started_at: epoch };
        work.started_at = work.file_system_time()?;
        sweep(state, work.started_at);
        Ok(work)
    }

    /// The same, with the time of another one: the clock that counts is that of the file system with the files.
    pub(crate) fn dated_like(mut self, other: &Self) -> Self {
        self.started_at = other.started_at;
        self
    }

    /// An empty folder that goes with this.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file system's time when this call began, in seconds and nanoseconds.
    pub(crate) fn started_at(&self) -> (i64, i64) {
        since_epoch(self.started_at)
    }

    /// The time by the clock that stamps files: it ticks more slowly than the system's own.
    fn file_system_time(&self) -> Result<SystemTime, WorkspaceError> {
        let stamp = self.folder.join("stamp");
        let time = fs::write(&stamp, b"now").and_then(|()| fs::metadata(&stamp)?.modified());
        let _ = fs::remove_file(&stamp);
        time.map_err(WorkspaceError::io("write", &stamp))
    }

    /// Starts from the shared index, if there is one.
    pub(crate) fn take_shared(&mut self) -> Option<()> {
        if fs::hard_link(&self.shared, &self.path).is_err() {
            return self.copy_with_time(&self.shared.clone()).map(|_| ());
        }
        self.hashed_at = fs::metadata(&self.path).ok()?.modified().ok()?;
        Some(())
    }

    /// Whether this is the shared index: git has not written another one.
    pub(crate) fn is_shared(&self) -> bool {
        let inode = |path: &Path| fs::metadata(path).ok().map(|found| found.ino());
        inode(&self.path).is_some_and(|ours| inode(&self.shared) == Some(ours))
    }

    /// Where something is kept that goes with the shared index.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.shared.with_file_name(name)
    }

    /// Starts from the user's index, if there is one; returns its bytes.
    pub(crate) fn take_users(&mut self, index: &Path) -> Option<Vec<u8>> {
        self.forget();
        self.copy_with_time(index)
    }

    /// Starts from nothing.
    pub(crate) fn forget(&mut self) {
        let _ = fs::remove_file(&self.path);
        self.hashed_at = SystemTime::UNIX_EPOCH;
    }

    /// The copy must be as old as the original: by its age git knows which files may have changed
    /// after they were hashed.
    fn copy_with_time(&mut self, from: &Path) -> Option<Vec<u8>> {
        let mut original = File::open(from).ok()?;
        let found = original.metadata().ok()?;
        let mut bytes = Vec::new();
        original.read_to_end(&mut bytes).ok()?;
        fs::write(&self.path, &bytes).ok()?;
        self.hashed_at = found.modified().ok()?;
        set_time(&self.path, self.hashed_at).ok()?;
        Some(bytes)
    }

    /// Which file the index is now, and how it is amended.
    pub(crate) fn identity(&self) -> Option<Identity> {
        let amendment = self.amendment.iter().flat_map(|amendment| &amendment.0).copied();
        Some(Identity(self.file_identity()?.0.into_iter().chain(amendment).collect()))
    }

    /// Which file the index is now.
    pub(crate) fn file_identity(&self) -> Option<Identity> {
        let found = fs::metadata(&self.path).ok()?;
        let (second, nanosecond) = (found.mtime().to_le_bytes(), found.mtime_nsec().to_le_bytes());
        let parts = [found.ino().to_le_bytes(), found.size().to_le_bytes(), second, nanosecond];
        Some(Identity(parts.concat()))
    }

    /// Makes this the shared index, dated to when this call began; returns which file that is.
    pub(crate) fn publish(mut self) -> Result<Option<Identity>, WorkspaceError> {
        if !self.path.exists() {
            return Ok(None);
        }
        if self.is_shared() {
            return Ok(self.identity());
        }
        self.amendment = None;
        let wrong = || WorkspaceError::io("write", &self.shared);
        set_time(&self.path, self.started_at).map_err(wrong())?;
        let identity = self.identity();
        fs::rename(&self.path, &self.shared).map_err(wrong())?;
        Ok(identity)
    }
}

impl Drop for WorkIndex {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn set_time(path: &Path, time: SystemTime) -> std::io::Result<()> {
    File::options().write(true).open(path)?.set_times(FileTimes::new().set_modified(time))
}

fn sweep(state: &Path, now: SystemTime) {
    let Ok(found) = fs::read_dir(state) else { return };
    for entry in found.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(WORK_PREFIX);
        let age = || now.duration_since(entry.metadata().ok()?.modified().ok()?).ok();
        if ours && age().is_some_and(|age| age > ABANDONED_AFTER) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date_of(path: &Path) -> SystemTime {
        fs::metadata(path).and_then(|found| found.modified()).expect("a date")
    }

    #[test]
    fn a_copy_of_the_users_index_is_as_old_as_the_original() {
        let folder = tempfile::tempdir().expect("a folder");
        let users = folder.path().join("users");
        fs::write(&users, "an index").expect("written");
        let old = SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000, 7);
        set_time(&users, old).expect("dated");
        let mut work = WorkIndex::create(&folder.path().join("state")).expect("created");
        assert_eq!(work.take_users(&users).as_deref(), Some(b"an index".as_slice()));
        assert_eq!((work.hashed_at, date_of(&work.path)), (old, old));
    }

    #[test]
    fn a_published_index_is_dated_to_before_its_files_were_looked_at() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut work = WorkIndex::create(folder.path()).expect("created");
        // As if hashing had begun long ago.
        work.started_at -= Duration::from_secs(60);
        let began = work.started_at;
        fs::write(&work.path, "written at the end").expect("written");
        work.publish().expect("published");
        assert_eq!(date_of(&folder.path().join(SHARED_NAME)), began);

        let mut next = WorkIndex::create(folder.path()).expect("created");
        assert!(next.take_shared().is_some() && next.is_shared());
        assert_eq!(next.hashed_at, began);
        next.publish().expect("nothing to publish");
        assert_eq!(date_of(&folder.path().join(SHARED_NAME)), began, "nothing was written");
    }

    #[test]
    fn folders_of_killed_calls_are_swept_away_when_they_are_old() {
        let folder = tempfile::tempdir().expect("a folder");
        let (young, old) = (folder.path().join("work-1-1"), folder.path().join("work-1-2"));
        fs::create_dir_all(&young).expect("made");
        fs::create_dir_all(&old).expect("made");
        let long_ago = SystemTime::UNIX_EPOCH + ABANDONED_AFTER;
        let handle = File::open(&old).expect("opened");
        handle.set_times(FileTimes::new().set_modified(long_ago)).expect("dated");
        WorkIndex::create(folder.path()).expect("created");
        assert!(young.exists() && !old.exists());
    }
}
