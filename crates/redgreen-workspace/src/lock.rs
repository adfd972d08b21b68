//! One redgreen at a time in a work tree.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::error::WorkspaceError;

/// The lock, in the folder of the work tree's HEAD: `git clean -dfx` deletes `.redgreen`, which must
/// not let a second redgreen in.
pub(crate) const LOCK_FILE: &str = "redgreen.lock";
/// The lock of an outer loop, whose iterations each take the first one.
pub(crate) const OUTER_LOCK_FILE: &str = "redgreen-ralph.lock";
/// How much of what the holder wrote is shown.
const HOLDER_LIMIT_BYTES: u64 = 1000;

/// The right to work in a work tree. The system takes it back when the process ends, however it
/// ends; dropping this gives it back at once.
#[derive(Debug)]
pub struct WorktreeLock {
    file: File,
}

impl Drop for WorktreeLock {
    fn drop(&mut self) {
        // Not left to closing the file: a child that is just being started may hold a copy of it.
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

/// Takes a lock of a work tree, or says who has it.
pub(crate) fn lock(git_dir: &Path, file: &str, who: &str) -> Result<WorktreeLock, WorkspaceError> {
    let path = git_dir.join(file);
    let io = || WorkspaceError::io("lock", &path);
    loop {
        let mut file = File::options()
            .create(true)
            .read(true)
            .write(true)
            .truncate(false)
            .open(&path)
            .map_err(io())?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(WorkspaceError::Locked { holder: holder(&mut file) });
            }
            Err(TryLockError::Error(error)) => return Err(io()(error)),
        }
        // Somebody may have replaced the file between opening and locking it.
        let ours = file.metadata().map_err(io())?.ino();
        if !std::fs::metadata(&path).is_ok_and(|found| found.ino() == ours) {
            continue;
        }
        file.set_len(0).map_err(io())?;
        file.seek(SeekFrom::Start(0)).map_err(io())?;
        writeln!(file, "process {}: {}", std::process::id(), one_line(who)).map_err(io())?;
        return Ok(WorktreeLock { file });
    }
}

fn holder(file: &mut File) -> String {
    let mut text = Vec::new();
    let _ = file.take(HOLDER_LIMIT_BYTES).read_to_end(&mut text);
    let text = one_line(&String::from_utf8_lossy(&text));
    if text.is_empty() { "it has just started".to_owned() } else { text }
}

fn one_line(text: &str) -> String {
    let shown = |letter: char| if letter.is_control() { ' ' } else { letter };
    text.trim().chars().map(shown).collect()
}
