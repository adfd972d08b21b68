//! What to run.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::View;

/// One command to run under a supervisor, with its bounds.
#[derive(Debug, Clone)]
pub struct Job {
    /// The command.
    pub command: JobCommand,
    /// The folder it runs in.
    pub folder: PathBuf,
    /// Changes to redgreen's own environment: `None` removes the variable.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// What it reads on standard input.
    pub stdin: JobStdin,
    /// How long it may run; `None` is no limit.
    pub limit: Option<Duration>,
    /// How much memory the command and all that it starts may use together; `None` is no limit.
    pub memory_bytes: Option<u64>,
    /// How long the family may take between SIGTERM and SIGKILL.
    pub grace: Duration,
    /// Where the output is written as it comes. The folder must exist.
    pub log: PathBuf,
    /// How many bytes of output go into the log as they come. Past that the log gets, at the end,
    /// one line that says how much was dropped and the kept tail, so that it never grows beyond
    /// this cap, that line, and `keep_tail_bytes`.
    pub log_cap_bytes: u64,
    /// What the output goes through on its way into the log; what is kept in memory is as it came.
    pub log_filter: fn() -> Box<dyn LogFilter>,
    /// How many of the first bytes of output to keep in memory.
    pub keep_head_bytes: usize,
    /// How many of the last bytes of output to keep in memory.
    pub keep_tail_bytes: usize,
    /// What the command sees instead of what is there; `None` for things as they are.
    pub view: Option<View>,
}

/// Changes output on its way into a log.
pub trait LogFilter {
    /// Takes a piece of output, and gives what is ready to `write`.
    fn take(&mut self, piece: &[u8], write: &mut dyn FnMut(&[u8]));
    /// There is no more: gives the rest to `write`.
    fn end(&mut self, write: &mut dyn FnMut(&[u8]));
}

/// Leaves output as it is.
struct AsItCame;

impl LogFilter for AsItCame {
    fn take(&mut self, piece: &[u8], write: &mut dyn FnMut(&[u8])) {
        write(piece);
    }

    fn end(&mut self, _: &mut dyn FnMut(&[u8])) {}
}

/// A log of the output as it came.
pub fn as_it_came() -> Box<dyn LogFilter> {
    Box::new(AsItCame)
}

/// The command of a [`Job`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobCommand {
    /// A line for `/bin/sh -c`. The shell reports what it could not start as exit code 126 or 127,
    /// and a signal death of anything but its last command as 128 + n.
    Shell(String),
    /// A program, looked up in the job's `PATH`, and its arguments.
    Argv(Vec<OsString>),
}

/// The standard input of a [`Job`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobStdin {
    /// Empty.
    Null,
    /// The content of a file, such as an agent's prompt. A relative path is relative to redgreen's
    /// own working folder, not to the job's.
    File(PathBuf),
}
