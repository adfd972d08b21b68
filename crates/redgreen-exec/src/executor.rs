//! Running a job: redgreen's side of the supervisor.

use std::ffi::OsString;
use std::io::{self, PipeReader, Read, Write, pipe};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, fcntl};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::children::{OwnChild, adopt_orphans, end_orphans};
use crate::family::KILL_BUDGET;
use crate::output::Recorder;
use crate::process_table::Process;
use crate::readiness::{self, Interest};
use crate::wire::{Order, Report};
use crate::{Ended, ExecError, ExecErrorKind, Job, Outcome, StopFlag};

/// How much output is read at once.
const CHUNK_BYTES: usize = 256 * 1024;
/// The wanted size of the output pipe, so that a flood does not switch processes each 64 KiB.
const PIPE_BYTES: i32 = 1024 * 1024;
/// How long the output pipe is drained once the family is gone.
const DRAIN_LIMIT: Duration = Duration::from_secs(2);
/// What a supervisor gets beyond the time it may need, before it counts as lost.
const SUPERVISOR_MARGIN: Duration = Duration::from_secs(5);
/// How long after the limit a supervisor is continued, in case that the command has stopped it.
const NUDGE_AFTER: Duration = Duration::from_secs(1);
/// What is said where a pipe cannot be made ready for waiting.
const CANNOT_POLL: &str = "cannot make a pipe non-blocking";
/// The longest report that is believed to come from a supervisor.
const REPORT_LIMIT_BYTES: usize = 1024 * 1024;

/// The program that watches over a job: it must call [`supervise`](crate::supervise).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supervisor {
    /// The program.
    pub program: PathBuf,
    /// The arguments that make it call `supervise`.
    pub args: Vec<OsString>,
}

impl Supervisor {
    /// The running binary with a hidden argument. `/proc/self/exe` and not its path: an upgrade
    /// while redgreen runs must not put another version, or nothing, in its place.
    pub fn this_binary(argument: impl Into<OsString>) -> Self {
        Self { program: PathBuf::from("/proc/self/exe"), args: vec![argument.into()] }
    }
}

/// Runs jobs, each under a supervisor of its own. Jobs may run at the same time on many threads.
#[derive(Debug, Clone)]
pub struct Executor {
    supervisor: Supervisor,
    held: Option<PathBuf>,
}

impl Executor {
    /// An executor with this supervisor.
    pub fn new(supervisor: Supervisor) -> Self {
        Self { supervisor, held: None }
    }

    /// Has every supervisor keep a shared lock on this file until nothing of its job
    /// is left. If redgreen is killed, whoever gets an exclusive lock on it afterwards knows that
    /// what it had started is gone.
    #[must_use]
    pub fn holding(self, file: PathBuf) -> Self {
        Self { held: Some(file), ..self }
    }

    /// Runs a job to its end, and returns when nothing of it is left running. It makes this process
    /// a child subreaper. An error says that redgreen itself could not do its part.
    pub fn run(&self, job: &Job, stop: &StopFlag) -> Result<Outcome, ExecError> {
        if stop.is_raised() {
            return Ok(Outcome::without_a_start(Ended::Stopped));
        }
        adopt_orphans().map_err(ExecError::system("cannot become a child subreaper"))?;
        let (reader, writer) = pipe().map_err(ExecError::system("cannot open the output pipe"))?;
        // Best effort: the default size only makes a flood slower.
        let _ = fcntl(&reader, FcntlArg::F_SETPIPE_SZ(PIPE_BYTES));
        readiness::set_nonblocking(&reader).map_err(ExecError::system(CANNOT_POLL))?;
        let started = Instant::now();
        let mut process = self.start_supervisor(Stdio::from(writer))?;
        let identity = Process::read(process.pid())
            .and_then(|found| found.ok_or_else(|| io::ErrorKind::NotFound.into()))
            .map_err(ExecError::system("cannot read /proc, which ending a job's family needs"))?;
        // From here on there may be a family to end: no early return.
        let (control, status) = hand_over(&mut process, &Order::of(job, self.held.as_deref()))?;
        let mut output = Output { reader: Some(reader), recorder: Recorder::new(job) };
        let report =
            Watch::new(job, process.pid(), control, status, stop).until_report(&mut output);
        // It has nothing left to do; a stopped one would never exit by itself.
        let _ = process.child().kill();
        let _ = process.wait();
        let mut report = report.unwrap_or_else(|| end_without_supervisor(&identity, started));
        if report.ended == Ended::SupervisorLost && stop.is_raised() {
            report.ended = Ended::Stopped;
        }
        Ok(outcome(report, output))
    }

    fn start_supervisor(&self, output: Stdio) -> Result<OwnChild, ExecError> {
        let mut command = Command::new(&self.supervisor.program);
        command
            .args(&self.supervisor.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(output)
            // Ctrl-C is for redgreen, which then asks its supervisors to stop.
            .process_group(0);
        OwnChild::start(&mut command).map_err(|error| {
            let what = format!("cannot start supervisor `{}`", self.supervisor.program.display());
            ExecError::io(ExecErrorKind::SupervisorNotStarted, &what, error)
        })
    }
}

/// Gives the job to the supervisor.
fn hand_over(
    process: &mut OwnChild,
    order: &Order,
) -> Result<(ChildStdin, ChildStdout), ExecError> {
    let kind = ExecErrorKind::SupervisorNotStarted;
    let child = process.child();
    let (Some(mut control), Some(status)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(ExecError::new(kind, "the supervisor was started without its pipes"));
    };
    readiness::set_nonblocking(&status).map_err(ExecError::system(CANNOT_POLL))?;
    let mut line = serde_json::to_vec(order)
        .map_err(|error| ExecError::io(kind, "cannot describe the job", error.into()))?;
    line.push(b'\n');
    control
        .write_all(&line)
        .map_err(|error| ExecError::io(kind, "the supervisor did not take the job", error))?;
    Ok((control, status))
}

/// Ends what a supervisor that is gone has left behind.
fn end_without_supervisor(supervisor: &Process, started: Instant) -> Report {
    let duration = started.elapsed();
    let (leaks, more_leaks) = end_orphans(supervisor);
    Report { ended: Ended::SupervisorLost, duration, leaks, more_leaks, peak_rss_bytes: None }
}

fn outcome(report: Report, mut output: Output) -> Outcome {
    let output_held_open = !output.drain();
    let recording = output.recorder.finish();
    Outcome {
        ended: report.ended,
        duration: report.duration,
        output: recording.output,
        log_dropped_bytes: recording.log_dropped_bytes,
        log_error: recording.log_error,
        leaks: report.leaks,
        more_leaks: report.more_leaks,
        output_held_open,
        peak_rss_bytes: report.peak_rss_bytes,
    }
}

/// The reading end of the output pipe, until its end is reached.
struct Output {
    reader: Option<PipeReader>,
    recorder: Recorder,
}

impl Output {
    /// Reads one piece of what is there.
    fn read(&mut self, chunk: &mut [u8]) {
        let Some(reader) = self.reader.as_mut() else { return };
        match reader.read(chunk) {
            Ok(0) => self.reader = None,
            Ok(count) => self.recorder.take(&chunk[..count]),
            Err(error) if is_temporary(&error) => {}
            Err(_) => self.reader = None,
        }
    }

    /// Reads until every writer is gone, and returns false where one is not after [`DRAIN_LIMIT`].
    fn drain(&mut self) -> bool {
        let deadline = Some(Instant::now() + DRAIN_LIMIT);
        let mut chunk = vec![0; CHUNK_BYTES];
        while let Some(reader) = &self.reader {
            let ready = readiness::wait([Some((reader.as_fd(), Interest::Read))], deadline);
            if readiness::passed(deadline) || ready.is_err() {
                return false;
            }
            self.read(&mut chunk);
        }
        true
    }
}

fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// Waiting for the report of a supervisor.
struct Watch<'a> {
    supervisor: Pid,
    /// Dropped to ask for a stop.
    control: Option<ChildStdin>,
    status: ChildStdout,
    line: Vec<u8>,
    stop: &'a StopFlag,
    grace: Duration,
    /// When to continue the supervisor: a command may have stopped it (SIGSTOP).
    nudge: Option<Instant>,
    /// When a supervisor that has not reported counts as lost: the command may stop it each time.
    backstop: Option<Instant>,
}

impl<'a> Watch<'a> {
    fn new(
        job: &Job,
        supervisor: Pid,
        control: ChildStdin,
        status: ChildStdout,
        stop: &'a StopFlag,
    ) -> Self {
        let mut watch = Self {
            supervisor,
            control: Some(control),
            status,
            line: Vec::new(),
            stop,
            grace: job.grace,
            nudge: None,
            backstop: None,
        };
        if let Some(limit) = job.limit {
            watch.expect_end_after(limit, limit.saturating_add(NUDGE_AFTER));
        }
        watch
    }

    /// The supervisor will start to end its family `after` from now.
    fn expect_end_after(&mut self, after: Duration, nudge_after: Duration) {
        let now = Instant::now();
        let ending = self.grace.saturating_add(KILL_BUDGET).saturating_add(SUPERVISOR_MARGIN);
        self.nudge = readiness::deadline(now, nudge_after);
        self.backstop = readiness::deadline(now, after.saturating_add(ending));
    }

    /// Takes output until the supervisor reports; `None` where it is gone or silent.
    fn until_report(mut self, output: &mut Output) -> Option<Report> {
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            let reader = output.reader.as_ref().map(AsFd::as_fd);
            let stop = self.control.as_ref().map(|_| self.stop.as_fd());
            let fds = [reader, Some(self.status.as_fd()), stop];
            let watched = fds.map(|fd| fd.map(|fd| (fd, Interest::Read)));
            let deadline = self.nudge.or(self.backstop);
            let [has_output, has_status, stop] = readiness::wait(watched, deadline).ok()?;
            if has_output {
                output.read(&mut chunk);
            }
            if has_status && let Some(result) = self.read_status() {
                return result;
            }
            if stop {
                self.control = None;
                self.expect_end_after(Duration::ZERO, Duration::ZERO);
            }
            if readiness::passed(self.nudge) {
                self.nudge = None;
                let _ = kill(self.supervisor, Signal::SIGCONT);
            }
            if readiness::passed(self.backstop) {
                return None;
            }
        }
    }

    /// Reads some of the report: nothing yet, the report, or that there will be none.
    fn read_status(&mut self) -> Option<Option<Report>> {
        let mut piece = [0; 4096];
        match self.status.read(&mut piece) {
            Ok(0) => return Some(None),
            Ok(count) => self.line.extend_from_slice(&piece[..count]),
            Err(error) if is_temporary(&error) => return None,
            Err(_) => return Some(None),
        }
        if self.line.last() == Some(&b'\n') || self.line.len() > REPORT_LIMIT_BYTES {
            return Some(serde_json::from_slice(&self.line).ok());
        }
        None
    }
}
