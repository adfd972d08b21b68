//! The request to stop.

use std::io::{PipeReader, PipeWriter, Write, pipe};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::ExecError;
use crate::readiness::{self, Interest};

/// A request to stop that wakes every job that waits on it. Clones share one state; it cannot be
/// taken back.
#[derive(Debug, Clone)]
pub struct StopFlag {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    raised: AtomicBool,
    // Nobody reads the byte: the pipe stays readable, so that each waiting job wakes.
    reader: PipeReader,
    writer: PipeWriter,
}

impl StopFlag {
    /// A flag that is not raised.
    pub fn new() -> Result<Self, ExecError> {
        let (reader, writer) = pipe().map_err(ExecError::system("cannot open the stop pipe"))?;
        let raised = AtomicBool::new(false);
        Ok(Self { shared: Arc::new(Shared { raised, reader, writer }) })
    }

    /// Asks every job that was given this flag to stop. Returns at once; a second call does
    /// nothing. Safe in a signal handler: one atomic swap and one `write` of one byte.
    pub fn stop(&self) {
        if !self.shared.raised.swap(true, Ordering::SeqCst) {
            // Cannot fail or block: the pipe is empty and its reader lives as long as we do.
            let _ = (&self.shared.writer).write(b"!");
        }
    }

    /// Whether [`stop`](Self::stop) was called.
    pub fn is_raised(&self) -> bool {
        self.shared.raised.load(Ordering::SeqCst)
    }

    /// Waits for so long, or until the flag is raised; says whether it is.
    pub fn wait(&self, duration: Duration) -> bool {
        let deadline = readiness::deadline(Instant::now(), duration);
        while !self.is_raised() && !readiness::passed(deadline) {
            if readiness::wait([Some((self.as_fd(), Interest::Read))], deadline).is_err() {
                break;
            }
        }
        self.is_raised()
    }

    /// Readable once the flag is raised.
    pub(crate) fn as_fd(&self) -> BorrowedFd<'_> {
        self.shared.reader.as_fd()
    }
}
