//! The supervisor process: starts one command, waits, ends its family, reports.
//!
//! Its standard input is the control pipe (the order, then nothing until it closes), its standard
//! output the status pipe, and its standard error the output pipe, which it hands to the command
//! and never writes to.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead, Write};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::{Pid, setsid};

use crate::Ended;
use crate::family::{Family, Signals, list};
use crate::memory;
use crate::readiness::{self, Interest};
use crate::view::enter;
use crate::wire::{Order, Report};

/// How long processes may take to go by themselves after the command, before they are leaks.
const LEAK_SETTLE: Duration = Duration::from_millis(200);
/// The longest time a leak gets between SIGTERM and SIGKILL.
const LEAK_GRACE: Duration = Duration::from_millis(500);

/// The whole life of a supervisor process: what a binary calls, first thing in `main` and before it
/// starts a thread, when it is started with the hidden argument of its
/// [`Supervisor`](crate::Supervisor).
pub fn supervise() -> ExitCode {
    // A message would end up in the output of the command.
    std::panic::set_hook(Box::new(|_| {}));
    match take_order_and_report() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn take_order_and_report() -> io::Result<()> {
    let signals = Signals::take_over()?;
    prctl::set_child_subreaper(true)?;
    // Keeps the command away from our pipes in /proc/<pid>/fd, where it could forge the report.
    prctl::set_dumpable(false)?;
    prctl::set_name(c"redgreen-watch")?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let order: Order = serde_json::from_str(&line)?;
    let held = order.held.as_deref().map(hold).transpose();
    let report = match held.and_then(|held| Ok((held, start(&order)?))) {
        Ok((_held, child)) => watch(child, &order, &signals),
        Err(reason) => Report::not_started(reason),
    };
    let mut line = serde_json::to_vec(&report)?;
    line.push(b'\n');
    let mut status = io::stdout().lock();
    status.write_all(&line)?;
    status.flush()
}

/// Locks a file for as long as this process lives. Without redgreen nobody may start anything any
/// more: whoever came after it may have looked at the lock before we had it.
fn hold(path: &OsStr) -> Result<File, String> {
    // Made again, if a command before this one has deleted it.
    let file = File::options().create(true).append(true).open(path);
    let file = file.map_err(|error| unusable("lock", path, &error))?;
    file.lock_shared().map_err(|error| unusable("lock", path, &error))?;
    let control = io::stdin();
    match readiness::wait([Some((control.as_fd(), Interest::Read))], Some(Instant::now())) {
        Ok([false]) => Ok(file),
        Ok([true]) | Err(_) => Err("redgreen is gone".to_owned()),
    }
}

/// Starts the command; the error names what could not be used.
fn start(order: &Order) -> Result<Child, String> {
    let (program, args) = order.argv.split_first().ok_or("the command is empty")?;
    if let Some(view) = &order.view {
        enter(&view.view()).map_err(|reason| format!("view: {reason}"))?;
    }
    check_folder(&order.folder)?;
    let mut command = Command::new(program);
    command.args(args).current_dir(&order.folder);
    for (name, value) in &order.env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.stdin(match &order.stdin {
        None => Stdio::null(),
        Some(path) => Stdio::from(File::open(path).map_err(|e| unusable("input file", path, &e))?),
    });
    let output = || io::stderr().as_fd().try_clone_to_owned();
    let no_output = |error: io::Error| format!("the output pipe cannot be shared: {error}");
    command.stdout(output().map_err(no_output)?).stderr(output().map_err(no_output)?);
    #[expect(unsafe_code, reason = "only async-signal-safe calls; std has none for this")]
    unsafe {
        command.pre_exec(clean_slate);
    }
    command.spawn().map_err(|error| unusable("program", program, &error))
}

/// What the command must not inherit, between `fork` and `exec`: our signal mask; what whoever
/// started redgreen ignores, as `nohup` and `&` do, since that would change what tests see; and our
/// terminal. In a session of its own it has a group of its own, and no terminal to ask for a
/// password on, to be stopped by, or to type into.
fn clean_slate() -> io::Result<()> {
    let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    for signal in Signal::iterator() {
        #[expect(unsafe_code, reason = "the default action runs no code of ours")]
        // Fails for SIGKILL and SIGSTOP, which have no other action.
        let _ = unsafe { sigaction(signal, &default) };
    }
    SigSet::empty().thread_set_mask()?;
    setsid()?;
    Ok(())
}

/// A missing folder and a missing program are the same error to `spawn`.
fn check_folder(folder: &OsStr) -> Result<(), String> {
    let found = fs::metadata(folder).map_err(|error| unusable("folder", folder, &error))?;
    if found.is_dir() {
        return Ok(());
    }
    Err(unusable("folder", folder, &io::Error::from(Errno::ENOTDIR)))
}

fn unusable(what: &str, name: &OsStr, error: &io::Error) -> String {
    format!("{what} `{}`: {error}", Path::new(name).display())
}

/// Waits for the end of the command, whatever brings it, and leaves nobody behind.
fn watch(command: Child, order: &Order, signals: &Signals) -> Report {
    let started = Instant::now();
    let limit = order.limit.and_then(|limit| readiness::deadline(started, limit));
    let mut family = Family::new(command, signals);
    let cause = wait_for_cause(&family, limit, order.memory_bytes, signals);
    let duration = started.elapsed();
    let (left_behind, grace) = match cause {
        Cause::Exit => (family.left_behind(LEAK_SETTLE), order.grace.min(LEAK_GRACE)),
        // Every moment that it is given it fills more.
        Cause::Memory => (Vec::new(), Duration::ZERO),
        Cause::Limit | Cause::Control | Cause::Signal => (Vec::new(), order.grace),
    };
    let (leaks, more_leaks) = list(left_behind, family.end(grace));
    let ended = match cause {
        Cause::Exit => family.status().map_or(Ended::SupervisorLost, own_end),
        Cause::Limit => Ended::TimedOut,
        Cause::Memory => Ended::OutOfMemory,
        Cause::Control => Ended::Stopped,
        Cause::Signal => Ended::SupervisorLost,
    };
    Report { ended, duration, leaks, more_leaks, peak_rss_bytes: peak_rss_bytes() }
}

/// Why a family is ended.
enum Cause {
    /// The command has exited.
    Exit,
    /// The time limit has passed.
    Limit,
    /// The family uses more memory than it may.
    Memory,
    /// The control pipe was closed: redgreen asks to stop, or is gone.
    Control,
    /// The supervisor itself was sent a signal to end.
    Signal,
}

fn wait_for_cause(
    family: &Family<'_>,
    limit: Option<Instant>,
    memory_limit: Option<u64>,
    signals: &Signals,
) -> Cause {
    let control = io::stdin();
    let command = family.id();
    let mut look = memory_limit.map(|_| Instant::now());
    loop {
        let asked_to_end = signals.asked_to_end();
        if has_exited(command) {
            return Cause::Exit;
        }
        if asked_to_end {
            return Cause::Signal;
        }
        if readiness::passed(limit) {
            return Cause::Limit;
        }
        if let Some(most) = memory_limit.filter(|_| readiness::passed(look)) {
            let used = family.memory_bytes(most);
            if used > most {
                return Cause::Memory;
            }
            look = readiness::deadline(Instant::now(), memory::pause(used, most));
        }
        let watched = [(signals.as_fd(), Interest::Read), (control.as_fd(), Interest::Read)];
        // Nothing is ever written after the order: readable means closed. Not being able to wait
        // at all must not leave the command without a limit either.
        let wake = limit.into_iter().chain(look).min();
        match readiness::wait(watched.map(Some), wake) {
            Ok([_, false]) => {}
            Ok([_, true]) if has_exited(command) => return Cause::Exit,
            Ok([_, true]) => return Cause::Control,
            Err(_) => return Cause::Signal,
        }
    }
}

/// Whether the command has exited, without reaping it.
fn has_exited(command: Pid) -> bool {
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    // EINVAL is an exit too: a death by a real-time signal, which nix cannot name.
    !matches!(waitid(Id::Pid(command), flags), Ok(WaitStatus::StillAlive) | Err(Errno::EINTR))
}

fn own_end(status: ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Exited(code),
        (None, Some(signal)) => Ended::Signalled(signal),
        (None, None) => Ended::SupervisorLost,
    }
}

fn peak_rss_bytes() -> Option<u64> {
    let kibibytes = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?.max_rss();
    u64::try_from(kibibytes).ok()?.checked_mul(1024)
}
