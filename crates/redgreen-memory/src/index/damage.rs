//! What becomes of an index that cannot be used.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use nix::fcntl::{Flock, FlockArg};
use rusqlite::{Error, ErrorCode};

use super::home::{BESIDE, IndexHome};
use crate::MemoryError;

/// What an error of SQLite means for us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Others are at work; what is there can still be read.
    Busy,
    /// The file is not what it was: it is made anew.
    Damaged,
    /// There can be no file here: no rights, no space.
    NoPlace,
}

/// What an error means.
pub(crate) fn trouble(error: &Error) -> Trouble {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Trouble::Busy,
        Some(
            ErrorCode::CannotOpen
            | ErrorCode::ReadOnly
            | ErrorCode::PermissionDenied
            | ErrorCode::DiskFull
            | ErrorCode::SystemIoFailure
            | ErrorCode::OutOfMemory
            | ErrorCode::NoLargeFileSupport,
        ) => Trouble::NoPlace,
        // Not a database, tables that are not there, values of another type: somebody wrote into it.
        _ => Trouble::Damaged,
    }
}

/// Takes a damaged index away, unless somebody already replaced the one that was open.
pub(crate) fn replace_damaged(home: &IndexHome, inode: Option<u64>) -> Result<(), MemoryError> {
    let path = home.lock();
    let file = File::options()
        .create(true)
        .append(true)
        .open(&path)
        .map_err(MemoryError::file("open", &path))?;
    let lock = Flock::lock(file, FlockArg::LockExclusive)
        .map_err(|(_, error)| MemoryError::file("lock", &path)(error.into()))?;
    let index = home.file();
    let now = fs::metadata(&index).ok().map(|metadata| metadata.ino());
    if inode.is_none() || now.is_none() || now == inode {
        for suffix in BESIDE.into_iter().chain([""]) {
            let mut name = index.clone().into_os_string();
            name.push(suffix);
            forget(&PathBuf::from(name))?;
        }
    }
    drop(lock);
    Ok(())
}

fn forget(path: &PathBuf) -> Result<(), MemoryError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(MemoryError::file("remove", path)(error))
        }
        _ => Ok(()),
    }
}
