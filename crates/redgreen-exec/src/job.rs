//! What to run.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::View;

/// One command to run under a supervisor, with its bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// How long the family may take between SIGTERM and SIGKILL.
    pub grace: Duration,
    /// Where the output is written as it comes. The folder must exist.
    pub log: PathBuf,
    /// How many bytes of output go into the log as they come. Past that the log gets, at the end,
    /// one line that says how much was dropped and the kept tail, so that it never grows beyond
    /// this cap, that line, and `keep_tail_bytes`.
    pub log_cap_bytes: u64,
    /// How many of the first bytes of output to keep in memory.
    pub keep_head_bytes: usize,
    /// How many of the last bytes of output to keep in memory.
    pub keep_tail_bytes: usize,
    /// What the command sees instead of what is there; `None` for things as they are.
    pub view: Option<View>,
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
