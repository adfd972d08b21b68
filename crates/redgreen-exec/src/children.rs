//! The children of this very process, and the orphans that land here when a supervisor is lost.

use std::collections::HashSet;
use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Instant;

use nix::sys::prctl;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use nix::unistd::Pid;

use crate::Leak;
use crate::family::{KILL_BUDGET, KILL_ROUND, describe, kill_all, list, reap};
use crate::process_table::{Process, Snapshot};

/// After how many rounds in a row in which no orphan was seen there is none, although processes
/// elsewhere in the system came and went each time.
const DOUBTFUL_ROUNDS: usize = 50;

/// The children that this crate has started and not reaped. Held while one is started and while
/// orphans are sought, so that a child that has just been started never passes for an orphan.
static OWN: Mutex<Option<HashSet<Pid>>> = Mutex::new(None);

fn own() -> MutexGuard<'static, Option<HashSet<Pid>>> {
    OWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A child of this process that is known as one. Dropping it kills and reaps it.
pub struct OwnChild {
    child: Child,
    reaped: bool,
}

impl OwnChild {
    pub fn start(command: &mut Command) -> io::Result<Self> {
        NOTICE_EXITS.call_once(notice_exits);
        let mut own = own();
        let child = command.spawn()?;
        let started = Self { child, reaped: false };
        own.get_or_insert_default().insert(started.pid());
        Ok(started)
    }

    pub fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id().cast_signed())
    }

    /// The pipes.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits for it to exit and forgets it, in this order: it must not pass for an orphan while
    /// its status is not taken.
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait();
        self.reaped = true;
        if let Some(own) = own().as_mut() {
            own.remove(&self.pid());
        }
        status
    }
}

impl Drop for OwnChild {
    fn drop(&mut self) {
        if !self.reaped {
            let _ = self.child.kill();
            let _ = self.wait();
        }
    }
}

static NOTICE_EXITS: Once = Once::new();

/// Whoever started redgreen may ignore SIGCHLD, and that is inherited, by supervisors too: the
/// system would then reap the children, and their exit codes would be lost.
fn notice_exits() {
    let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    #[expect(unsafe_code, reason = "runs no code of ours, and puts back a handler that was there")]
    unsafe {
        if let Ok(before) = sigaction(Signal::SIGCHLD, &default)
            && !matches!(before.handler(), SigHandler::SigIgn)
        {
            let _ = sigaction(Signal::SIGCHLD, &before);
        }
    }
}

/// Makes orphans below this process its children, instead of those of process 1.
pub fn adopt_orphans() -> io::Result<()> {
    Ok(prctl::set_child_subreaper(true)?)
}

/// Ends the orphans that are at least as young as `supervisor`, which is dead and reaped. Returns
/// who could not be ended. SIGKILL at once: who was meant to watch over them was killed by them.
pub fn end_orphans(supervisor: &Process) -> (Vec<Leak>, usize) {
    let deadline = Instant::now() + KILL_BUDGET;
    let mut doubtful = 0;
    loop {
        match kill_orphans(supervisor) {
            Ok((living, torn)) if living.is_empty() => {
                doubtful += 1;
                if !torn || doubtful >= DOUBTFUL_ROUNDS {
                    return (Vec::new(), 0);
                }
            }
            Ok((living, _)) if Instant::now() >= deadline => {
                return list(Vec::new(), describe(&living, true));
            }
            Err(_) if Instant::now() >= deadline => return list(Vec::new(), describe(&[], true)),
            Ok(_) | Err(_) => doubtful = 0,
        }
        std::thread::sleep(KILL_ROUND);
    }
}

/// Kills the orphans that are seen. Also says whether somebody may have been missed.
fn kill_orphans(supervisor: &Process) -> io::Result<(Vec<Process>, bool)> {
    let own = own();
    let snapshot = Snapshot::take()?;
    let torn = snapshot.torn;
    let me = Pid::this();
    let (dead, living): (Vec<_>, Vec<_>) = snapshot
        .descendants(me, own.as_ref().unwrap_or(&HashSet::new()))
        .into_iter()
        .filter(|process| process.start_ticks >= supervisor.start_ticks)
        .partition(|process| process.dead);
    reap(&dead, |process| process.parent == me);
    kill_all(&living);
    Ok((living, torn))
}
