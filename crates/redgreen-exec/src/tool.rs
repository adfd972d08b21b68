//! Plain short-lived tools, such as git: no supervisor, all output in memory.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, PipeReader, Read, Write, pipe};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;

use crate::children::OwnChild;
use crate::readiness::{self, Interest};
use crate::{ExecError, ExecErrorKind};

/// How long a tool may take. Far beyond what one should need: a file system that hangs, or a filter
/// that git is configured to run, must not hang redgreen for good.
const TOOL_LIMIT: Duration = Duration::from_secs(600);
/// How long the pipes are read after the tool has exited: it may have left a daemon that holds them.
const TOOL_DRAIN_LIMIT: Duration = Duration::from_secs(2);
/// The most a tool may write.
const TOOL_OUTPUT_LIMIT_BYTES: usize = 1 << 30;
/// How much is read at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutput {
    /// How it exited.
    pub status: ExitStatus,
    /// All of its standard output.
    pub stdout: Vec<u8>,
    /// All of its standard error.
    pub stderr: Vec<u8>,
}

/// Runs a short-lived tool and returns all it wrote, byte for byte. `env` changes redgreen's own
/// environment; `None` removes a variable. A tool that does not read all of `stdin` is no error.
///
/// It is in a process group of its own, so that Ctrl-C does not end git between two steps; after
/// ten minutes, or 1 GiB of output, it is killed and that is an error.
pub fn capture<A: AsRef<OsStr>>(
    program: impl AsRef<OsStr>,
    args: &[A],
    folder: &Path,
    env: &[(OsString, Option<OsString>)],
    stdin: &[u8],
) -> Result<ToolOutput, ExecError> {
    let mut command = Command::new(program.as_ref());
    command.args(args).current_dir(folder).process_group(0);
    for (name, value) in env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let name = program.as_ref().to_string_lossy();
    Conversation::start(command, &name, folder, stdin)?.finish(&name, TOOL_LIMIT)
}

/// The same for a tool that reads nothing and is to answer soon.
pub fn capture_within<A: AsRef<OsStr>>(
    program: &str,
    args: &[A],
    folder: &Path,
    limit: Duration,
) -> Result<ToolOutput, ExecError> {
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).process_group(0);
    Conversation::start(command, program, folder, b"")?.finish(program, limit)
}

/// A tool that runs, and what it has said so far.
struct Conversation<'a> {
    process: OwnChild,
    stdin: Option<ChildStdin>,
    unsent: &'a [u8],
    stdout: Stream,
    stderr: Stream,
    /// Closed when the tool exits, which closes none of the pipes that a daemon of it holds.
    exit: Option<PipeReader>,
}

/// One of the output pipes, and what came through it.
struct Stream {
    reader: Option<PipeReader>,
    bytes: Vec<u8>,
}

impl<'a> Conversation<'a> {
    fn start(
        mut command: Command,
        name: &str,
        folder: &Path,
        unsent: &'a [u8],
    ) -> Result<Self, ExecError> {
        let no_pipe = "cannot open the pipes of a tool";
        let (stdout, out) = Stream::open().map_err(ExecError::system(no_pipe))?;
        let (stderr, err) = Stream::open().map_err(ExecError::system(no_pipe))?;
        command.stdin(Stdio::piped()).stdout(out).stderr(err);
        let mut process = OwnChild::start(&mut command).map_err(|error| {
            // A missing folder and a missing program are the same error to `spawn`.
            let what = match folder.is_dir() {
                true => format!("cannot start `{name}`"),
                false => format!("cannot start `{name}` in folder `{}`", folder.display()),
            };
            ExecError::io(ExecErrorKind::ToolNotStarted, &what, error)
        })?;
        let exit = notice_of_exit(process.pid())
            .map_err(ExecError::system("cannot start a thread to wait for a tool"))?;
        let stdin = process.child().stdin.take().filter(|_| !unsent.is_empty());
        if let Some(stdin) = &stdin {
            readiness::set_nonblocking(stdin).map_err(ExecError::system(no_pipe))?;
        }
        Ok(Self { process, stdin, unsent, stdout, stderr, exit: Some(exit) })
    }

    fn finish(mut self, name: &str, limit: Duration) -> Result<ToolOutput, ExecError> {
        let mut deadline = Instant::now() + limit;
        let mut chunk = vec![0; CHUNK_BYTES];
        while self.exit.is_some() || self.stdout.is_open() || self.stderr.is_open() {
            let watched = [
                self.stdin.as_ref().map(|fd| (fd.as_fd(), Interest::Write)),
                self.stdout.interest(),
                self.stderr.interest(),
                self.exit.as_ref().map(|fd| (fd.as_fd(), Interest::Read)),
            ];
            let [sendable, out, err, exited] = readiness::wait(watched, Some(deadline))
                .map_err(ExecError::system("cannot wait for a tool"))?;
            if sendable {
                self.send();
            }
            if out {
                self.stdout.read(&mut chunk);
            }
            if err {
                self.stderr.read(&mut chunk);
            }
            if exited {
                self.exit = None;
                self.stdin = None;
                deadline = Instant::now() + TOOL_DRAIN_LIMIT;
            }
            self.check_size(name)?;
            if Instant::now() >= deadline {
                if self.exit.is_some() {
                    return Err(self.timed_out(name, limit));
                }
                break;
            }
        }
        let status = self.process.wait().map_err(ExecError::system("cannot reap a tool"))?;
        Ok(ToolOutput { status, stdout: self.stdout.bytes, stderr: self.stderr.bytes })
    }

    fn send(&mut self) {
        let Some(stdin) = self.stdin.as_mut() else { return };
        match stdin.write(self.unsent) {
            Ok(count) => self.unsent = &self.unsent[count..],
            Err(error) if is_temporary(&error) => {}
            Err(_) => self.unsent = &[],
        }
        if self.unsent.is_empty() {
            self.stdin = None;
        }
    }

    fn check_size(&mut self, name: &str) -> Result<(), ExecError> {
        if self.stdout.bytes.len() + self.stderr.bytes.len() <= TOOL_OUTPUT_LIMIT_BYTES {
            return Ok(());
        }
        self.kill();
        let message = format!("`{name}` wrote more than {TOOL_OUTPUT_LIMIT_BYTES} bytes");
        Err(ExecError::new(ExecErrorKind::ToolOutputTooLarge, message))
    }

    fn timed_out(&mut self, name: &str, limit: Duration) -> ExecError {
        self.kill();
        let message = format!("`{name}` did not end within {} s and was killed", limit.as_secs());
        ExecError::new(ExecErrorKind::ToolTimedOut, message)
    }

    /// Kills the tool with its group. It is not reaped yet, so the id of the group is its own.
    fn kill(&mut self) {
        let _ = killpg(self.process.pid(), Signal::SIGKILL);
    }
}

impl Stream {
    fn open() -> io::Result<(Self, Stdio)> {
        let (reader, writer) = pipe()?;
        readiness::set_nonblocking(&reader)?;
        Ok((Self { reader: Some(reader), bytes: Vec::new() }, Stdio::from(writer)))
    }

    fn is_open(&self) -> bool {
        self.reader.is_some()
    }

    fn interest(&self) -> Option<(std::os::fd::BorrowedFd<'_>, Interest)> {
        self.reader.as_ref().map(|reader| (reader.as_fd(), Interest::Read))
    }

    fn read(&mut self, chunk: &mut [u8]) {
        let Some(reader) = self.reader.as_mut() else { return };
        match reader.read(chunk) {
            Ok(0) => self.reader = None,
            Ok(count) => self.bytes.extend_from_slice(&chunk[..count]),
            Err(error) if is_temporary(&error) => {}
            Err(_) => self.reader = None,
        }
    }
}

fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// A pipe that closes when a child of this process exits. The thread that waits for it ends with
/// the child, which it does not reap.
fn notice_of_exit(pid: Pid) -> io::Result<PipeReader> {
    let (reader, writer) = pipe()?;
    thread::Builder::new().name("tool-exit".into()).spawn(move || {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
        while waitid(Id::Pid(pid), flags) == Err(Errno::EINTR) {}
        drop(writer);
    })?;
    Ok(reader)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_never_ends_is_killed_at_its_limit() {
        let mut command = Command::new("sleep");
        command.arg("1000").process_group(0);
        let folder = Path::new("/");
        let running = Conversation::start(command, "sleep", folder, b"").expect("starts");
        let pid = running.process.pid();
        let error = running.finish("sleep", Duration::from_millis(50)).expect_err("times out");
        assert_eq!(error.kind, ExecErrorKind::ToolTimedOut);
        assert!(!Path::new(&format!("/proc/{pid}")).exists());
    }
}
