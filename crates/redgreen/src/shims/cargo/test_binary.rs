//! In the place of a test binary: runs it, and writes what its harness says to the report stream.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use redgreen_frameworks::STREAM_VARIABLE;
use redgreen_frameworks::cargo::BinaryIdentity;
use redgreen_frameworks::cargo::arguments::HarnessArguments;
use redgreen_frameworks::cargo::libtest::{
    LogReader, Logged, Schedule, can_list, can_log, parse_list,
};
use redgreen_frameworks::cargo::panics::{Roots, explain_failure};
use redgreen_frameworks::stream::StreamEvent;
use redgreen_model::report::{FailureKind, TestOutcome};

use super::counted::note_programs;
use crate::shims::stand_in::log_pipe::LogPipe;
use crate::shims::stand_in::stream_writer::StreamWriter;
use crate::shims::stand_in::watch::{Watched, pass_to, pass_to_stderr, watch};
use crate::shims::stand_in::{become_program, code_of, exit_code, only, texts, variable};

/// How much of a binary is looked at once, and how much of it twice: a mark can lie across the cut.
const CHUNK_BYTES: usize = 4 << 20;
const OVERLAP_BYTES: usize = 64;
/// How many tests are named in a sentence.
const NAMED_TESTS: usize = 8;

/// `RUN_FOLDER WORKSPACE_ROOT NUMBER_OF_WORDS WORDS… BINARY ARGUMENTS…`
pub fn main(arguments: &[OsString]) -> Result<ExitCode, String> {
    let missing = "no test binary was named";
    let [run_folder, workspace, count, rest @ ..] = arguments else {
        return Err(missing.to_owned());
    };
    let count = count.to_str().and_then(|count| count.parse().ok()).ok_or(missing)?;
    let (user_runner, rest) = rest.split_at_checked(count).ok_or(missing)?;
    let (binary, rest) = rest.split_first().ok_or(missing)?;
    let harness = texts(rest).map(|words| HarnessArguments::parse(&words));
    let Some(harness) = harness.filter(|harness| !harness.runs_nothing) else {
        return become_program(started(user_runner, binary).args(rest));
    };
    note_programs(Path::new(run_folder), Path::new(binary));
    let mut stream = StreamWriter::open(Path::new(run_folder), "libtest")?;
    let mut job = Job::new(Path::new(run_folder), Path::new(workspace), Path::new(binary), harness);
    job.user_runner = user_runner.to_vec();
    let code = match job.inventory(&mut stream)? {
        Inventory::Tests(names) => job.run(&names, &mut stream)?,
        Inventory::Unknown => job.run_unseen(rest, &mut stream)?,
    };
    stream.bye(code)?;
    Ok(exit_code(code))
}

struct Job {
    run_folder: PathBuf,
    workspace: PathBuf,
    package: PathBuf,
    binary: PathBuf,
    identity: BinaryIdentity,
    harness: HarnessArguments,
    user_runner: Vec<OsString>,
}

/// The binary, started by the user's own runner if there is one.
fn started(user_runner: &[OsString], binary: &OsStr) -> Command {
    match user_runner.split_first() {
        Some((program, words)) => {
            let mut command = Command::new(program);
            command.args(words).arg(binary);
            command
        }
        None => Command::new(binary),
    }
}

enum Inventory {
    Tests(Vec<String>),
    Unknown,
}

impl Job {
    fn new(run_folder: &Path, workspace: &Path, binary: &Path, harness: HarnessArguments) -> Self {
        let package =
            variable("CARGO_MANIFEST_DIR").map_or_else(|| workspace.to_owned(), PathBuf::from);
        let name = variable("CARGO_PKG_NAME").unwrap_or_else(|| "crate".to_owned());
        let dependencies = fs::read_to_string(binary.with_extension("d")).unwrap_or_default();
        Self {
            run_folder: run_folder.to_owned(),
            workspace: workspace.to_owned(),
            identity: BinaryIdentity::new(&name, &package, workspace, binary, &dependencies),
            package,
            binary: binary.to_owned(),
            harness,
            user_runner: Vec::new(),
        }
    }

    fn command(&self) -> Command {
        started(&self.user_runner, self.binary.as_os_str())
    }

    /// The tests that the binary says it would run.
    fn inventory(&self, stream: &mut StreamWriter) -> Result<Inventory, String> {
        let shown = self.identity.id("");
        if !self.carries(can_list)? {
            stream.note(format!("{shown} has a harness of its own: nothing it prints counts"))?;
            return Ok(Inventory::Unknown);
        }
        if !self.carries(can_log)? {
            let message =
                format!("{shown} has a harness without --logfile: its results cannot be seen");
            stream.error(FailureKind::ToolingError, "harness", &message, "")?;
            return Ok(Inventory::Unknown);
        }
        if let Some(names) = self.harness.exact_names().filter(|_| variable("NEXTEST").is_some()) {
            return Ok(Inventory::Tests(names.to_vec()));
        }
        let output = self
            .command()
            .args(self.harness.for_listing(only(&self.run_folder).is_some()))
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("cannot run {}: {error}", self.binary.display()))?;
        let names = parse_list(&String::from_utf8_lossy(&output.stdout));
        match names.filter(|_| output.status.success()) {
            Some(names) => Ok(Inventory::Tests(names)),
            None => {
                let message = format!("{shown} does not list its tests: nothing it prints counts");
                let said = String::from_utf8_lossy(&output.stderr);
                stream.error(FailureKind::RuntimeError, "harness", &message, &said)?;
                Ok(Inventory::Unknown)
            }
        }
    }

    fn carries(&self, mark: fn(&[u8]) -> bool) -> Result<bool, String> {
        let problem =
            |error: std::io::Error| format!("cannot read {}: {error}", self.binary.display());
        let mut file = File::open(&self.binary).map_err(problem)?;
        let mut window = Vec::new();
        loop {
            let kept = window.len().saturating_sub(OVERLAP_BYTES);
            window.drain(..kept);
            let read =
                file.by_ref().take(CHUNK_BYTES as u64).read_to_end(&mut window).map_err(problem)?;
            if mark(&window) {
                return Ok(true);
            }
            if read == 0 {
                return Ok(false);
            }
        }
    }

    /// A binary whose results cannot be seen; it may write the stream itself.
    fn run_unseen(&self, arguments: &[OsString], stream: &mut StreamWriter) -> Result<i32, String> {
        if only(&self.run_folder).is_some_and(|ids| !ids.is_empty()) {
            return Ok(0);
        }
        let mut command = self.command();
        command.args(arguments).env(STREAM_VARIABLE, stream.path());
        let watched = self.watched(&mut command)?;
        let code = code_of(watched.status);
        if code != 0 {
            let message = format!("{} ended with {code}", self.identity.id(""));
            let last = format!("{}\n{}", watched.stdout, watched.stderr);
            stream.error(FailureKind::RuntimeError, "exit", &message, &last)?;
        }
        Ok(code)
    }

    fn watched(&self, command: &mut Command) -> Result<Watched, String> {
        watch(command, pass_to(std::io::stdout()), pass_to_stderr(), None, |_| Ok(()))
    }

    fn run(&self, listed: &[String], stream: &mut StreamWriter) -> Result<i32, String> {
        let ids = only(&self.run_folder);
        let wanted = ids.map(|ids| self.identity.names(ids.iter().map(String::as_str)));
        let names: Vec<String> = match &wanted {
            Some(wanted) => listed.iter().filter(|name| wanted.contains(name)).cloned().collect(),
            None => listed.to_vec(),
        };
        if names.is_empty() && wanted.is_some() {
            return Ok(0);
        }
        for name in &names {
            stream.write(&StreamEvent::Collected {
                run: stream.run(),
                test: self.identity.id(name),
            })?;
        }
        let mut pipe = LogPipe::create(&self.run_folder)?;
        let mut command = self.command();
        let exact = wanted.as_ref().map(|_| names.as_slice());
        command.args(self.harness.for_running(&pipe.path(), exact));
        let mut progress = Progress::new(self, stream, &names);
        progress.begin()?;
        let watched = watch(
            &mut command,
            pass_to(std::io::stdout()),
            pass_to_stderr(),
            Some(&mut pipe),
            |bytes| progress.log(bytes),
        )?;
        progress.explain(&watched)?;
        progress.mourn(&watched)?;
        Ok(code_of(watched.status))
    }

    fn threads(&self, tests: usize) -> usize {
        if self.harness.shuffles || variable("RUST_TEST_SHUFFLE").is_some() {
            // The order is not known: all of them may be running.
            return tests;
        }
        if only(&self.run_folder).is_some() {
            return 1;
        }
        let configured = variable("RUST_TEST_THREADS").and_then(|number| number.parse().ok());
        let available = || std::thread::available_parallelism().map_or(1, usize::from);
        self.harness.threads.or(configured).unwrap_or_else(available)
    }
}

/// What is known of a run while it goes on.
struct Progress<'run> {
    job: &'run Job,
    stream: &'run mut StreamWriter,
    reader: LogReader,
    schedule: Schedule,
    begun_at: HashMap<String, Instant>,
    failed: Vec<Logged>,
    attempt: Attempt,
}

/// Which attempt at a test this is, by nextest's word.
#[derive(Clone, Copy)]
struct Attempt {
    number: u32,
    total: u32,
}

impl Attempt {
    fn of_environment() -> Self {
        let number = |name: &str| variable(name).and_then(|value| value.parse().ok()).unwrap_or(1);
        Self { number: number("NEXTEST_ATTEMPT"), total: number("NEXTEST_TOTAL_ATTEMPTS") }
    }

    fn will_be_repeated(self) -> bool {
        self.number < self.total
    }
}

impl<'run> Progress<'run> {
    fn new(job: &'run Job, stream: &'run mut StreamWriter, names: &[String]) -> Self {
        Self {
            job,
            stream,
            reader: LogReader::new(names),
            schedule: Schedule::new(names, job.threads(names.len())),
            begun_at: HashMap::new(),
            failed: Vec::new(),
            attempt: Attempt::of_environment(),
        }
    }

    fn begin(&mut self) -> Result<(), String> {
        let begun = self.schedule.begin();
        self.started(begun)
    }

    fn started(&mut self, begun: Vec<String>) -> Result<(), String> {
        for name in begun {
            self.stream.write(&StreamEvent::Start {
                run: self.stream.run(),
                test: self.job.identity.id(&name),
                file: self.file(),
                line: None,
            })?;
            self.begun_at.insert(name, Instant::now());
        }
        Ok(())
    }

    fn file(&self) -> Option<String> {
        let file = self.job.identity.test_file.as_ref()?;
        Some(self.job.workspace.join(file).to_string_lossy().into_owned())
    }

    fn log(&mut self, bytes: &[u8]) -> Result<(), String> {
        for logged in self.reader.feed(bytes) {
            let begun = self.schedule.end(&logged.name);
            self.started(begun)?;
            let begun_at = self.begun_at.remove(&logged.name);
            if logged.outcome == TestOutcome::Failed && self.attempt.will_be_repeated() {
                self.not_yet(&logged.name)?;
                continue;
            }
            if logged.outcome == TestOutcome::Passed && self.attempt.number > 1 {
                let id = self.job.identity.id(&logged.name);
                self.stream
                    .note(format!("{id} is flaky: attempt {} passed", self.attempt.number))?;
            }
            let ms =
                begun_at.map(|begun| begun.elapsed().as_millis().try_into().unwrap_or(u64::MAX));
            self.stream.write(&StreamEvent::End {
                run: self.stream.run(),
                test: self.job.identity.id(&logged.name),
                outcome: logged.outcome,
                ms,
                failure: None,
                file: self.file(),
                line: None,
            })?;
            if logged.outcome == TestOutcome::Failed {
                self.failed.push(logged);
            }
        }
        self.begin()
    }

    /// A test that failed and is tried again.
    fn not_yet(&mut self, name: &str) -> Result<(), String> {
        let (run, test) = (self.stream.run(), self.job.identity.id(name));
        let Attempt { number, total } = self.attempt;
        self.stream.note(format!("attempt {number} of {total} at {test} failed"))?;
        self.stream.write(&StreamEvent::Paused { run, test, parts: false })
    }

    /// The harness prints why tests failed when all of them are over.
    fn explain(&mut self, watched: &Watched) -> Result<(), String> {
        let roots = Roots { workspace: &self.job.workspace, package: &self.job.package };
        for failed in &self.failed {
            let detail = failed.detail.as_deref();
            let failure =
                explain_failure(&failed.name, &watched.stdout, &watched.stderr, detail, roots);
            self.stream.write(&StreamEvent::Failure {
                run: self.stream.run(),
                test: self.job.identity.id(&failed.name),
                failure,
                file: None,
                line: None,
            })?;
        }
        Ok(())
    }

    /// A binary that ended before its tests did: says how, and which of them were running.
    fn mourn(&mut self, watched: &Watched) -> Result<(), String> {
        let mut running: Vec<String> =
            self.schedule.running().map(|name| self.job.identity.id(name)).collect();
        running.sort();
        if let Some(culprit) = overflowed(&watched.stderr, self.schedule.running()) {
            running = vec![self.job.identity.id(culprit)];
        }
        if self.attempt.will_be_repeated() && !watched.status.success() {
            let names: Vec<String> = self.schedule.running().map(str::to_owned).collect();
            return names.iter().try_for_each(|name| self.not_yet(name));
        }
        let signal = watched.status.signal();
        if running.is_empty() && signal.is_none() {
            return Ok(());
        }
        if watched.status.success() {
            // Not an error of the binary's own telling; that tests have no end says enough.
            return self
                .stream
                .note("a test binary exited with 0 before its tests had ended".to_owned());
        }
        let how = match signal {
            Some(signal) => format!("was killed by signal {signal}"),
            None => format!("exited with {}", code_of(watched.status)),
        };
        let named = running.iter().take(NAMED_TESTS).cloned().collect::<Vec<_>>().join(", ");
        let message = match running.len() {
            0 => format!("{} {how} after its tests", self.job.identity.id("")),
            1 => format!("the test binary {how} while {named} was running"),
            count => {
                format!("the test binary {how} while one of {count} tests was running: {named}")
            }
        };
        self.stream.error(
            FailureKind::RuntimeError,
            "crash",
            &message,
            &last_lines(&watched.stderr),
        )
    }
}

/// The test whose thread the runtime says has overflowed its stack.
fn overflowed<'names>(
    stderr: &str,
    mut running: impl Iterator<Item = &'names str>,
) -> Option<&'names str> {
    let line = stderr.lines().rfind(|line| line.ends_with("has overflowed its stack"))?;
    running.find(|name| line.starts_with(&format!("thread '{name}'")))
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines.get(lines.len().saturating_sub(40)..).unwrap_or_default().join("\n")
}
