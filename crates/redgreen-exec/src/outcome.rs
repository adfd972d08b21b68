//! How a job went.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Everything that is known about a job that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// From the start of the command until it exited or had to be ended. The time that ending the
    /// family and draining the output took is not in it.
    pub duration: Duration,
    /// Standard output and standard error in the order they were written, within bounds.
    pub output: Captured,
    /// Bytes of output that are not in the log file.
    pub log_dropped_bytes: u64,
    /// Why the log is incomplete, where writing it failed. The capture in memory is not affected.
    pub log_error: Option<String>,
    /// Processes that outlived the command, or, where it had to be ended, outlived SIGKILL.
    pub leaks: Vec<Leak>,
    /// Leaks that are not listed in `leaks`, which is bounded.
    pub more_leaks: usize,
    /// The output pipe was still open after the whole family was gone: a process outside of the
    /// family holds it. What such a process writes later is lost.
    pub output_held_open: bool,
    /// Peak resident memory of the largest process of the family, where known.
    pub peak_rss_bytes: Option<u64>,
}

/// How a job ended. Only [`Ended::Exited`] says anything about the command's own opinion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// The command exited with this code.
    Exited(i32),
    /// A signal that redgreen did not send killed the command.
    Signalled(i32),
    /// The time limit passed, and the family was ended.
    TimedOut,
    /// The family used more memory than it may, and was ended at once.
    OutOfMemory,
    /// redgreen was asked to stop, and the family was ended.
    Stopped,
    /// The command could not be started.
    NotStarted {
        /// What could not be used, and what the system said.
        reason: String,
    },
    /// The supervisor was killed or stopped from outside, so nobody saw how the command ended.
    /// What was left of the family was ended. Never a success.
    SupervisorLost,
}

/// Bounded capture: the first and the last bytes, and how much there was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes.
    pub head: Vec<u8>,
    /// The last bytes; never repeats a byte that is in `head`.
    pub tail: Vec<u8>,
    /// How many bytes were written.
    pub total_bytes: u64,
    /// How many bytes between `head` and `tail` were dropped.
    pub dropped_bytes: u64,
}

/// A process that outlived its command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leak {
    /// Its process id at the time.
    pub pid: i32,
    /// Its command line: valid UTF-8, no control characters, bounded.
    pub command: String,
    /// It could not be ended either: setuid, stuck in the kernel, or forking too fast.
    pub survived: bool,
}

impl Outcome {
    /// The outcome of a job that was never started.
    pub(crate) fn without_a_start(ended: Ended) -> Self {
        Self {
            ended,
            duration: Duration::ZERO,
            output: Captured::default(),
            log_dropped_bytes: 0,
            log_error: None,
            leaks: Vec::new(),
            more_leaks: 0,
            output_held_open: false,
            peak_rss_bytes: None,
        }
    }
}
