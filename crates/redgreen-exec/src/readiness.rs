//! Waiting on file descriptors against a deadline.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// What to wait for on a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interest {
    /// Something can be read, or the other side is gone.
    Read,
    /// Something can be written, or the other side is gone.
    Write,
}

/// Waits until one of `fds` is ready or `deadline` has passed, and says which are ready, in order.
/// An absent descriptor is never ready. Nothing is ready after a signal or at the deadline.
pub fn wait<const N: usize>(
    fds: [Option<(BorrowedFd<'_>, Interest)>; N],
    deadline: Option<Instant>,
) -> nix::Result<[bool; N]> {
    let mut polled = Vec::with_capacity(N);
    for (fd, interest) in fds.iter().flatten() {
        let flags = match interest {
            Interest::Read => PollFlags::POLLIN,
            Interest::Write => PollFlags::POLLOUT,
        };
        polled.push(PollFd::new(*fd, flags));
    }
    match poll(&mut polled, until(deadline)) {
        Ok(_) | Err(Errno::EINTR) => {}
        Err(errno) => return Err(errno),
    }
    let mut answers = polled.iter().map(|fd| fd.any().unwrap_or(true));
    Ok(fds.map(|fd| fd.is_some() && answers.next().unwrap_or(false)))
}

/// The poll timeout for a deadline, rounded up so that waking means that it has passed.
fn until(deadline: Option<Instant>) -> PollTimeout {
    let Some(deadline) = deadline else { return PollTimeout::NONE };
    let left = deadline.saturating_duration_since(Instant::now());
    let left = left.saturating_add(Duration::from_micros(999));
    PollTimeout::try_from(left.as_millis()).unwrap_or(PollTimeout::MAX)
}

/// `start + after`, or `None`, no deadline, where that is beyond what the clock can express.
pub fn deadline(start: Instant, after: Duration) -> Option<Instant> {
    start.checked_add(after)
}

/// Whether a deadline has passed.
pub fn passed(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// Makes reads and writes on this end return `WouldBlock` instead of waiting.
pub fn set_nonblocking(fd: impl AsFd) -> nix::Result<()> {
    let flags = OFlag::from_bits_retain(fcntl(fd.as_fd(), FcntlArg::F_GETFL)?);
    fcntl(fd.as_fd(), FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
    Ok(())
}
