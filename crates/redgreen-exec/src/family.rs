//! Ending processes: the family of a supervised command, and orphans of a lost supervisor.

use std::collections::HashSet;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill, killpg, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getsid};

use crate::Leak;
use crate::memory;
use crate::process_table::{Process, Snapshot};
use crate::readiness::{self, Interest};

/// How long SIGKILL is repeated on a family that keeps coming back.
pub const KILL_BUDGET: Duration = Duration::from_secs(5);
/// The pause between two rounds of SIGKILL, unless a child exits before.
pub const KILL_ROUND: Duration = Duration::from_millis(5);
/// The pause between two looks at who is to be asked to end, unless a child exits before.
const ASK_ROUND: Duration = Duration::from_millis(50);
/// Any longer grace is cut to this one, which the clock can express.
const LONGEST_GRACE: Duration = Duration::from_secs(365 * 24 * 3600);
/// How many leaks are listed; the others are counted.
pub const MAX_LISTED_LEAKS: usize = 64;

/// The signals of the supervisor, as something to wait on.
pub struct Signals {
    fd: SignalFd,
}

impl Signals {
    /// Blocks every signal, so that none but SIGKILL and SIGSTOP stops the supervisor, and collects
    /// those that mean something. Children inherit the mask, see `clean_slate`.
    pub fn take_over() -> io::Result<Self> {
        sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::all()), None)?;
        let mut wanted = SigSet::empty();
        wanted.add(Signal::SIGCHLD);
        for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT] {
            wanted.add(signal);
        }
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        Ok(Self { fd: SignalFd::with_flags(&wanted, flags)? })
    }

    /// Takes what has come, and says whether the supervisor itself was asked to end.
    pub fn asked_to_end(&self) -> bool {
        let mut asked = false;
        while let Ok(Some(signal)) = self.fd.read_signal() {
            asked |= signal.ssi_signo != Signal::SIGCHLD as u32;
        }
        asked
    }

    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Waits until a child exits or the deadline passes. The last process of a family to go is
    /// always a direct child of a subreaper, so no exit that matters is slept through.
    fn child_exit(&self, deadline: Instant) {
        let _ = readiness::wait([Some((self.as_fd(), Interest::Read))], Some(deadline));
        self.asked_to_end();
    }
}

/// All that runs below this process, which is a subreaper, on behalf of one command.
pub struct Family<'a> {
    /// The command. It is reaped last, so that its id and its group's id stay taken.
    command: Child,
    /// How the command ended, once it is reaped.
    status: Option<ExitStatus>,
    signals: &'a Signals,
}

impl<'a> Family<'a> {
    pub fn new(command: Child, signals: &'a Signals) -> Self {
        Self { command, status: None, signals }
    }

    /// The id of the command, and of its group.
    pub fn id(&self) -> Pid {
        Pid::from_raw(self.command.id().cast_signed())
    }

    /// How the command ended, if it did. Reaps it: not before the family is ended.
    pub fn status(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.command.try_wait().ok().flatten();
        }
        self.status
    }

    /// Who was seen to live, the command included. Some may be missed, see [`Snapshot::torn`].
    fn living(&self) -> io::Result<Vec<Process>> {
        let me = Pid::this();
        let (dead, living): (Vec<_>, Vec<_>) = Snapshot::take()?
            .descendants(me, &HashSet::new())
            .into_iter()
            .partition(|process| process.dead);
        reap(&dead, |process| process.parent == me && process.pid != self.id());
        Ok(living)
    }

    /// How much memory all of them use, or, where it is no more than `limit`, at most use.
    pub fn memory_bytes(&self, limit: u64) -> u64 {
        memory::used_bytes(&self.living().unwrap_or_default(), limit)
    }

    /// Whether nobody is left for sure, to be asked when nobody was seen: reaps the command, and
    /// then all, until the system says that there is no child. Orphans become children of a
    /// subreaper, so without a child there is no descendant.
    fn nobody_is_left(&mut self) -> bool {
        if self.status().is_none() {
            return false;
        }
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) => return false,
                Err(Errno::ECHILD) => return true,
                // Reaped one; EINVAL is a death by a signal that nix cannot name.
                Ok(_) | Err(_) => {}
            }
        }
    }

    /// Who still lives when the command has exited. Processes that are about to go by themselves
    /// get `settle` to do so: workers of a test runner often exit just after it.
    pub fn left_behind(&mut self, settle: Duration) -> Vec<Leak> {
        let deadline = Instant::now() + settle;
        loop {
            let living = self.living().unwrap_or_default();
            if living.is_empty() && self.nobody_is_left() {
                return Vec::new();
            }
            if Instant::now() >= deadline {
                return describe(&living, false);
            }
            self.signals.child_exit(deadline);
        }
    }

    /// Ends everybody: SIGTERM, `grace`, SIGKILL until nobody is left or [`KILL_BUDGET`] is used
    /// up. Returns who could not be ended.
    pub fn end(&mut self, grace: Duration) -> Vec<Leak> {
        if self.ask_to_end(grace) {
            return Vec::new();
        }
        let deadline = Instant::now() + KILL_BUDGET;
        loop {
            if self.status.is_none() {
                // Needs no table: while the command is not reaped, the group is its own.
                let _ = killpg(self.id(), Signal::SIGKILL);
            }
            let living = self.living().unwrap_or_default();
            if living.is_empty() && self.nobody_is_left() {
                return Vec::new();
            }
            kill_all(&living);
            if Instant::now() >= deadline {
                return describe(&living, true);
            }
            self.signals.child_exit(Instant::now() + KILL_ROUND);
        }
    }

    /// SIGTERM to everybody, once each, also to who comes meanwhile; a second SIGTERM means "at
    /// once" to many programs. Returns whether all are gone within `grace`.
    fn ask_to_end(&mut self, grace: Duration) -> bool {
        let deadline = Instant::now() + grace.min(LONGEST_GRACE);
        let mut asked = HashSet::new();
        loop {
            let Ok(mut living) = self.living() else { return false };
            if living.is_empty() && self.nobody_is_left() {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            living.retain(|process| asked.insert((process.pid, process.start_ticks)));
            ask(&living);
            // Looks again before long, for who was forked between looking and asking.
            self.signals.child_exit(deadline.min(Instant::now() + ASK_ROUND));
        }
    }
}

/// SIGTERM. One by one: a process may leave its group between looking and sending, and a group that
/// is signalled for each of its members is signalled too often.
fn ask(processes: &[Process]) {
    for process in processes {
        let _ = kill(process.pid, Signal::SIGTERM);
        // A stopped process does not act on SIGTERM until it is continued.
        let _ = kill(process.pid, Signal::SIGCONT);
    }
}

/// SIGKILL to processes, and to their whole groups where those are theirs alone: that reaches
/// members that were forked after the snapshot.
pub fn kill_all(processes: &[Process]) {
    let own_session = getsid(None).ok();
    // Groups do not span sessions, and each session but ours began below the command.
    let groups: HashSet<Pid> = processes
        .iter()
        .filter(|process| own_session.is_some_and(|own| process.session != own))
        .map(|process| process.group)
        .filter(|group| group.as_raw() > 1)
        .collect();
    for group in groups {
        let _ = killpg(group, Signal::SIGKILL);
    }
    for process in processes {
        let _ = kill(process.pid, Signal::SIGKILL);
    }
}

/// Takes the exit status of the dead that `ours` selects, so that they leave the process table.
pub fn reap(dead: &[Process], ours: impl Fn(&Process) -> bool) {
    for process in dead.iter().filter(|process| ours(process)) {
        let _ = waitpid(process.pid, Some(WaitPidFlag::WNOHANG));
    }
}

/// Processes as leaks, while they can still be asked what they are: at least one, even where
/// nobody was seen.
pub fn describe(processes: &[Process], survived: bool) -> Vec<Leak> {
    if processes.is_empty() {
        let command = "[replaces itself faster than it can be observed]".to_owned();
        return vec![Leak { pid: 0, command, survived }];
    }
    let leak = |process: &Process| Leak {
        pid: process.pid.as_raw(),
        command: process.command_line(),
        survived,
    };
    processes.iter().map(leak).collect()
}

/// Those who survived, then the others that were left behind: at most [`MAX_LISTED_LEAKS`], and
/// how many more there are.
pub fn list(left_behind: Vec<Leak>, survivors: Vec<Leak>) -> (Vec<Leak>, usize) {
    let survived: HashSet<i32> = survivors.iter().map(|leak| leak.pid).collect();
    let mut leaks = survivors;
    leaks.extend(left_behind.into_iter().filter(|leak| !survived.contains(&leak.pid)));
    let more = leaks.len().saturating_sub(MAX_LISTED_LEAKS);
    leaks.truncate(MAX_LISTED_LEAKS);
    (leaks, more)
}
