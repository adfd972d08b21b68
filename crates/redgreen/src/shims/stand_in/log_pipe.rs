//! A named pipe that a test harness writes its log to: nothing to clean up, nothing to poll for, and
//! what was written before a crash is still in it.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

/// How much is read at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// For whom the pipe and its folder are: their owner.
const PRIVATE_FOLDER: u32 = 0o700;

/// The reading end of a log.
pub struct LogPipe {
    folder: PathBuf,
    path: PathBuf,
    file: File,
}

impl LogPipe {
    /// Makes a pipe, in the folder of the run if its name has no spaces: rustdoc splits arguments of
    /// the harness at spaces.
    pub fn create(run_folder: &Path) -> Result<Self, String> {
        let spaces = run_folder.to_string_lossy().contains(char::is_whitespace);
        let parent = if spaces { std::env::temp_dir() } else { run_folder.to_owned() };
        let folder = parent.join(format!("redgreen-log-{}", std::process::id()));
        let problem =
            |error: &dyn std::fmt::Display| format!("cannot make {}: {error}", folder.display());
        DirBuilder::new().mode(PRIVATE_FOLDER).create(&folder).map_err(|error| problem(&error))?;
        let path = folder.join("log");
        mkfifo(&path, Mode::S_IRUSR | Mode::S_IWUSR).map_err(|error| problem(&error))?;
        // Open for writing too: the pipe has no end of file while writers come and go.
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(OFlag::O_NONBLOCK.bits())
            .open(&path)
            .map_err(|error| problem(&error))?;
        Ok(Self { folder, path, file })
    }

    /// The path for the harness.
    pub fn path(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    /// Waits for something to read, up to that many milliseconds.
    pub fn wait(&self, milliseconds: u16) {
        let mut fds = [PollFd::new(self.file.as_fd(), PollFlags::POLLIN)];
        // An interrupted wait is a short one.
        let _ = poll(&mut fds, PollTimeout::from(milliseconds));
    }

    /// What is there to read; empty if there is nothing.
    pub fn read(&mut self) -> Vec<u8> {
        let mut chunk = vec![0; CHUNK_BYTES];
        let read = loop {
            match self.file.read(&mut chunk) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => break other.unwrap_or(0),
            }
        };
        chunk.truncate(read);
        chunk
    }
}

impl Drop for LogPipe {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
