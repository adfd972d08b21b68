//! What a redgreen that was killed left running: it must be gone before anything else begins.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use redgreen_exec::{Executor, StopFlag};
use redgreen_model::event::Event;

use crate::RunnerError;
use crate::events::Events;

/// The file that supervisors keep locked, in redgreen's own folder.
const LOCK_FILE: &str = "jobs.lock";
/// How often the lock is tried.
const INTERVAL: Duration = Duration::from_millis(20);
/// What ending a family may take beyond its grace.
const MARGIN: Duration = Duration::from_secs(30);

/// Waits until nothing runs that an earlier redgreen started in this work tree, whose lock is ours.
/// Returns an executor whose jobs can be waited for in the same way.
pub(crate) fn await_end(
    executor: &Executor,
    state_dir: &Path,
    grace: Duration,
    stop: &StopFlag,
    events: &Events<'_>,
) -> Result<Executor, RunnerError> {
    let path = state_dir.join(LOCK_FILE);
    let file = File::options()
        .create(true)
        .append(true)
        .open(&path)
        .map_err(RunnerError::file("open", &path))?;
    let deadline = Instant::now() + grace + MARGIN;
    let mut reported = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(executor.clone().holding(unlocked(file, path)?)),
            Err(TryLockError::Error(error)) => return Err(RunnerError::file("lock", path)(error)),
            Err(TryLockError::WouldBlock) => {}
        }
        if !reported {
            reported = true;
            let text =
                "waiting for the end of a program that an earlier redgreen left running here"
                    .to_owned();
            events.say(&Event::Notice { text });
        }
        if stop.wait(INTERVAL) {
            return Err(RunnerError::Interrupted);
        }
        if Instant::now() >= deadline {
            return Err(RunnerError::LeftRunning { path });
        }
    }
}

fn unlocked(file: File, path: PathBuf) -> Result<PathBuf, RunnerError> {
    file.unlock().map_err(RunnerError::file("unlock", &path))?;
    Ok(path)
}
