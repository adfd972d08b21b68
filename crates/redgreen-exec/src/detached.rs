//! A process that outlives who started it.

use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::{ExecError, ExecErrorKind};

/// A program that goes on by itself. It is no job: nobody ends it but itself.
#[derive(Debug)]
pub struct Detached {
    child: Child,
}

impl Detached {
    /// Whether it still runs.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

/// Starts the running binary once more, to go on by itself; what it prints goes to a file. It
/// should call [`leave_session`] first.
pub fn detach<A: AsRef<OsStr>>(
    args: &[A],
    folder: &Path,
    log: &Path,
) -> Result<Detached, ExecError> {
    let kind = ExecErrorKind::SupervisorNotStarted;
    let cannot = |what: &'static str| move |error| ExecError::io(kind, what, error);
    let output = File::create(log).map_err(cannot("cannot write the log of a worker"))?;
    let errors = output.try_clone().map_err(cannot("cannot write the log of a worker"))?;
    let child = Command::new("/proc/self/exe")
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors)
        .spawn()
        .map_err(cannot("cannot start a worker"))?;
    Ok(Detached { child })
}

/// Leaves the session and the process group of whoever started this process: what is sent to them
/// is not meant for it any more.
pub fn leave_session() {
    // Refused only to one that leads a group already.
    let _ = nix::unistd::setsid();
}

/// Lets everything else go first: for work that nobody waits for. What is started from here on inherits it.
pub fn give_way() {
    const LAST: nix::libc::c_int = 19;
    #[expect(unsafe_code, reason = "sets a number of this process; nix has no call for it")]
    // If it is refused, the work is done as any other.
    let _ = unsafe { nix::libc::setpriority(nix::libc::PRIO_PROCESS, 0, LAST) };
}
