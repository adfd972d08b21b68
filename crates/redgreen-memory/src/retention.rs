//! What is old moves to the archive; what somebody works on does not.
//!
//! What is in the archive is no longer remembered: no brief, pattern or figure is made from it. So a pattern lives
//! as long as the records that it was learned from, and one that no session has met for so long says little about
//! the code of today. A file that is moved back is remembered again.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use serde::Serialize;

use crate::cause::digest;
use crate::file::{Stamp, clock_ns, make_folder, names, sync_folder_of};
use crate::index::{Effort, Index, IndexError};
use crate::layout::Layout;
use crate::settings::{IN_PROGRESS_IS_YOUNG, Retention};
use crate::{Memory, MemoryError};

/// What a prune did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pruned {
    /// Records that moved to the archive.
    pub moved: Vec<OldRecord>,
    /// Records that are old enough and in use.
    pub in_use: Vec<OldRecord>,
    /// How many stay because they are not old enough.
    pub kept: usize,
}

/// A record that is older than it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OldRecord {
    /// Its session.
    pub session: String,
    /// Its file, from the memory's folder.
    pub file: String,
    /// How old it is.
    pub age_days: i64,
    /// How long such records are kept.
    pub kept_days: u32,
}

/// A draft that nobody finished in that time belongs to a process that was killed.
const DRAFT_IS_FORGOTTEN: Duration = Duration::from_hours(24);

/// A session that somebody works on: its record stays where it is until this is dropped, or its
/// process ends in whatever way.
#[derive(Debug)]
pub struct Held {
    _lock: Flock<File>,
}

impl Memory {
    /// Says that a session is worked on.
    pub fn hold(&self, session: &str) -> Result<Held, MemoryError> {
        let path = lock_path(&self.layout, session);
        make_folder(&self.layout.in_use())?;
        self.forget_locks()?;
        loop {
            let lock = lock(&path, FlockArg::LockShared)
                .map_err(|error| MemoryError::file("lock", &path)(error.into()))?;
            // A prune may have taken the file away between opening and locking it.
            if is_at(&lock, &path) {
                return Ok(Held { _lock: lock });
            }
        }
    }

    /// Moves what is older than it is kept to the archive; a dry run only says what it would move.
    pub fn prune(&mut self, now: Timestamp, dry_run: bool) -> Result<Pruned, MemoryError> {
        let retention = self.settings.retention;
        let now = now.as_millisecond();
        let mut pruned = Pruned::default();
        let (old, kept) = self.ask(Effort::Thorough, |index| old_records(index, retention, now))?;
        pruned.kept = kept;
        for (record, is_young) in old {
            if dry_run {
                let in_use = is_young || self.is_held(&record.session)?;
                if in_use { &mut pruned.in_use } else { &mut pruned.moved }.push(record);
                continue;
            }
            match if is_young { None } else { self.try_lock(&record.session)? } {
                None => pruned.in_use.push(record),
                Some(lock) => {
                    self.archive(&record.file)?;
                    drop(lock);
                    pruned.moved.push(record);
                }
            }
        }
        if !dry_run {
            self.forget_drafts()?;
            self.forget_locks()?;
        }
        Ok(pruned)
    }

    /// Whether somebody works on a session. Asking leaves no traces.
    fn is_held(&self, session: &str) -> Result<bool, MemoryError> {
        let path = lock_path(&self.layout, session);
        let Ok(file) = File::open(&path) else { return Ok(false) };
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(_) => Ok(false),
            Err((_, Errno::EWOULDBLOCK)) => Ok(true),
            Err((_, error)) => Err(MemoryError::file("lock", &path)(error.into())),
        }
    }

    /// Takes the locks away that nobody holds: a loop leaves its own behind, however it ended. One who is about to
    /// hold such a file sees that it is gone, and makes another one.
    fn forget_locks(&self) -> Result<(), MemoryError> {
        let folder = self.layout.in_use();
        for path in names(&folder)?.into_iter().map(|name| folder.join(name)) {
            if !path.is_symlink() && path.is_file() {
                // What cannot be taken away stays: that is no reason to stop.
                let _ = Self::try_lock_at(path);
            }
        }
        Ok(())
    }

    /// The lock of a session that nobody works on; none if somebody does.
    fn try_lock(&self, session: &str) -> Result<Option<Free>, MemoryError> {
        make_folder(&self.layout.in_use())?;
        Self::try_lock_at(lock_path(&self.layout, session))
    }

    fn try_lock_at(path: PathBuf) -> Result<Option<Free>, MemoryError> {
        loop {
            match lock(&path, FlockArg::LockExclusiveNonblock) {
                // Somebody may have taken the file away, and another one may hold the next.
                Ok(lock) if !is_at(&lock, &path) => {}
                Ok(lock) => return Ok(Some(Free { path, _lock: lock })),
                Err(Errno::EWOULDBLOCK) => return Ok(None),
                Err(error) => return Err(MemoryError::file("lock", &path)(error.into())),
            }
        }
    }

    fn archive(&self, file: &str) -> Result<(), MemoryError> {
        let folder = self.layout.archive();
        make_folder(&folder)?;
        let from = self.layout.root().join(file);
        let name = Path::new(file).file_name().unwrap_or_default();
        let mut to = folder.join(name);
        // What is in the archive stays there, too.
        while to.exists() {
            let copy = format!("{}-{}", uuid::Uuid::now_v7(), name.to_string_lossy());
            to = folder.join(copy);
        }
        match fs::rename(&from, &to) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(MemoryError::file("archive", &from)(error));
            }
            _ => {}
        }
        sync_folder_of(&to)?;
        sync_folder_of(&from)
    }

    fn forget_drafts(&self) -> Result<(), MemoryError> {
        let folder = self.layout.drafts();
        let limit = i64::try_from(DRAFT_IS_FORGOTTEN.as_nanos()).unwrap_or(i64::MAX);
        for name in names(&folder)? {
            let path = folder.join(name);
            let age = Stamp::at(&path).map(|stamp| clock_ns().saturating_sub(stamp.modified_ns));
            if age.is_some_and(|age| age > limit) {
                let _ = fs::remove_file(path);
            }
        }
        Ok(())
    }
}

/// The lock of a session that nobody works on. Its file goes with it.
struct Free {
    path: PathBuf,
    _lock: Flock<File>,
}

impl Drop for Free {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn lock_path(layout: &Layout, session: &str) -> PathBuf {
    // Ids of others may be anything, so no file is named after them.
    layout.in_use().join(digest(session.as_bytes()))
}

fn lock(path: &Path, how: FlockArg) -> Result<Flock<File>, Errno> {
    let file = File::options().create(true).append(true).open(path);
    let file = file.map_err(|error| Errno::from_raw(error.raw_os_error().unwrap_or(0)))?;
    Flock::lock(file, how).map_err(|(_, error)| error)
}

fn is_at(lock: &Flock<File>, path: &Path) -> bool {
    let locked = lock.metadata().map(|metadata| metadata.ino()).ok();
    locked.is_some() && locked == fs::metadata(path).map(|metadata| metadata.ino()).ok()
}

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// The records that are older than they are kept, with whether they are `in_progress` and young;
/// and how many are not so old.
fn old_records(
    index: &mut Index,
    retention: Retention,
    now_ms: i64,
) -> Result<(Vec<(OldRecord, bool)>, usize), IndexError> {
    let mut statement = index.connection.prepare_cached(
        "SELECT session, name, at, coalesce(status, ''), learned FROM records
         JOIN files ON files.id = records.id ORDER BY at, name",
    )?;
    let (mut old, mut kept) = (Vec::new(), 0);
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (at, status, learned): (i64, String, bool) = (row.get(2)?, row.get(3)?, row.get(4)?);
        let kept_days = match status.as_str() {
            "escalated" => retention.escalated_days,
            _ if learned => retention.learned_days,
            _ => retention.days,
        };
        let age = now_ms.saturating_sub(at);
        if age <= i64::from(kept_days).saturating_mul(DAY_MS) {
            kept += 1;
            continue;
        }
        let young = i64::try_from(IN_PROGRESS_IS_YOUNG.as_millis()).unwrap_or(i64::MAX);
        let record = OldRecord {
            session: row.get(0)?,
            file: row.get(1)?,
            age_days: age / DAY_MS,
            kept_days,
        };
        old.push((record, status == "in_progress" && age < young));
    }
    Ok((old, kept))
}
