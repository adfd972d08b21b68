//! A scene for a job: a folder of its own, an executor, and signposts that tell how far it is.
#![allow(dead_code, reason = "each test binary uses its own part")]
#![allow(clippy::expect_used, reason = "test code")]

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::stat::Mode;
use redgreen_exec::{Executor, Job, JobCommand, JobStdin, Outcome, StopFlag, Supervisor};
use tempfile::TempDir;

/// The program with the supervisor and the misbehaving children.
pub const FIXTURE: &str = env!("CARGO_BIN_EXE_redgreen-exec-fixture");

/// How long a test waits for something that must happen.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Scene {
    folder: TempDir,
    pub executor: Executor,
    pub stop: StopFlag,
}

impl Scene {
    pub fn new() -> Self {
        let supervisor =
            Supervisor { program: PathBuf::from(FIXTURE), args: vec!["supervise".into()] };
        Self {
            folder: TempDir::new().expect("a folder"),
            executor: Executor::new(supervisor),
            stop: StopFlag::new().expect("a stop flag"),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn job(&self, command: JobCommand) -> Job {
        Job {
            command,
            folder: self.folder.path().to_owned(),
            env: vec![("FIXTURE".into(), Some(FIXTURE.into()))],
            stdin: JobStdin::Null,
            limit: Some(PATIENCE),
            memory_bytes: None,
            grace: Duration::from_secs(20),
            log: self.path("log"),
            log_cap_bytes: 1 << 20,
            log_filter: redgreen_exec::as_it_came,
            keep_head_bytes: 4096,
            keep_tail_bytes: 4096,
            view: None,
        }
    }

    /// A job for the shell, in the scene's folder, where `$FIXTURE` is the fixture program.
    pub fn shell(&self, line: &str) -> Job {
        self.job(JobCommand::Shell(line.to_owned()))
    }

    pub fn run(&self, job: &Job) -> Outcome {
        self.executor.run(job, &self.stop).expect("runs")
    }

    /// Runs a job, and `meanwhile` at the same time.
    pub fn run_while(&self, job: &Job, meanwhile: impl FnOnce()) -> Outcome {
        std::thread::scope(|scope| {
            let running = scope.spawn(|| self.run(job));
            meanwhile();
            running.join().expect("the run does not panic")
        })
    }

    pub fn signpost(&self, name: &str) -> Signpost {
        Signpost::new(&self.path(name))
    }
}

/// A named pipe on which a child says that it has come to a certain point. Whoever keeps it open
/// for writing is still there.
pub struct Signpost {
    reader: File,
}

impl Signpost {
    fn new(path: &Path) -> Self {
        nix::unistd::mkfifo(path, Mode::S_IRWXU).expect("a named pipe");
        let reader = OpenOptions::new()
            .read(true)
            .custom_flags(OFlag::O_NONBLOCK.bits())
            .open(path)
            .expect("opens the named pipe");
        Self { reader }
    }

    /// The bytes that come next, or none at the end.
    fn read(&mut self, bytes: &mut [u8]) -> usize {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            let mut fds = [PollFd::new(self.reader.as_fd(), PollFlags::POLLIN)];
            let left = deadline - Instant::now();
            poll(&mut fds, PollTimeout::try_from(left).expect("fits")).expect("polls");
            match self.reader.read(bytes) {
                Ok(count) => return count,
                Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock),
            }
        }
        panic!("nothing came to the signpost");
    }

    /// One line, such as a process id, from a child that may close the pipe after it.
    pub fn line(&mut self) -> String {
        let mut line = Vec::new();
        let mut byte = [0];
        while self.read(&mut byte) == 1 && byte != *b"\n" {
            line.extend(byte);
        }
        String::from_utf8(line).expect("UTF-8")
    }

    /// The process id on the next line.
    pub fn pid(&mut self) -> i32 {
        self.line().trim().parse().expect("a process id")
    }

    /// Waits until nobody holds the pipe any more.
    pub fn closed(&mut self) {
        let mut rest = [0; 64];
        while self.read(&mut rest) > 0 {}
    }
}

/// Whether a process has left the process table.
pub fn is_gone(pid: i32) -> bool {
    !Path::new(&format!("/proc/{pid}")).exists()
}

/// The standard output and error of a job, where all of it was kept.
pub fn text(outcome: &Outcome) -> String {
    assert_eq!(outcome.output.dropped_bytes, 0);
    let bytes = [outcome.output.head.as_slice(), &outcome.output.tail].concat();
    String::from_utf8(bytes).expect("UTF-8")
}
