//! In the place of `go`: reads the events of its tests, and leaves everything else alone.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use redgreen_frameworks::go::arguments::{GoTestCall, Starter};
use redgreen_frameworks::go::console::Console;
use redgreen_frameworks::go::event::GoEvent;
use redgreen_frameworks::go::run::GoRun;
use redgreen_frameworks::go::{EXEC_FILE, LOG_PREFIX, Modules};
use redgreen_frameworks::stream::StreamEvent;
use redgreen_frameworks::{FOLDER_VARIABLE, SHIM_FOLDER};

use super::counted::{self, Counted};
use crate::shims::stand_in::real_program::RealProgram;
use crate::shims::stand_in::stream_writer::StreamWriter;
use crate::shims::stand_in::watch::{PassOn, pass_to, watch};
use crate::shims::stand_in::{
    become_program, code_of, exit_code, in_corner, only, say, texts, variable,
};

/// The longest line of events that is kept while it is read, in bytes.
const LINE_BYTES: usize = 16 << 20;
/// How much of what is no event is kept, in bytes.
const OTHER_BYTES: usize = 256 * 1024;

/// `RUN_FOLDER GO_ARGUMENTS…`
pub fn main(arguments: &[OsString]) -> Result<ExitCode, String> {
    let (run_folder, arguments) = arguments.split_first().ok_or("no folder of a run")?;
    let run_folder = Path::new(run_folder);
    let go = RealProgram::find("go", &run_folder.join(SHIM_FOLDER))?;
    let goflags = variable("GOFLAGS").unwrap_or_default();
    match texts(arguments).and_then(|words| GoTestCall::parse(&words, &goflags)) {
        Some(call) => run_tests(&go, &call, run_folder),
        None => become_program(go.command_below_redgreen().args(arguments)),
    }
}

fn run_tests(go: &RealProgram, call: &GoTestCall, run_folder: &Path) -> Result<ExitCode, String> {
    let mut stream = StreamWriter::open(run_folder, "go")?;
    let only = only(run_folder);
    if GoTestCall::has_nothing_to_do(only.as_deref()) {
        stream.bye(0)?;
        return Ok(ExitCode::SUCCESS);
    }
    let console = (!call.wants_json()).then(|| Console::new(call.is_verbose()));
    let folder = folder(call)?;
    let run = GoRun::new(stream.run(), modules(go, &folder));
    let counted = Counted::begin(go, call, &folder, run_folder);
    let hides_coverage = counted.as_ref().is_some_and(Counted::is_ours);
    let reader = EventReader { hides_coverage, ..EventReader::new(stream, run, console) };
    let reader = Arc::new(Mutex::new(reader));
    let mut command = go.command();
    let starter = starter(call, run_folder);
    let counting = counted.as_ref().map_or(call, Counted::call);
    command.args(counting.amended(only.as_deref(), starter.as_ref(), in_corner()));
    let errors =
        if hides_coverage { counted::pass_to_stderr() } else { pass_to(std::io::stderr()) };
    let watched = watch(&mut command, read_events(&reader), errors, None, |_| Ok(()))?;
    counted.map_or(Ok(()), |counted| counted.end(&folder))?;
    let code = code_of(watched.status);
    let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
    if code == 0 && ended_early(run_folder) {
        // What it said is not what its tests said: the run has no end.
        say("redgreen: a test binary ended with status 0 before its tests did\n");
        return Ok(ExitCode::FAILURE);
    }
    reader.finish(code, &watched.stderr)?;
    Ok(exit_code(code))
}

/// Whether a binary began its tests and did not come to their end, by the log that it wrote.
fn ended_early(run_folder: &Path) -> bool {
    let entries = std::fs::read_dir(run_folder).into_iter().flatten().flatten();
    let mut logs =
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(LOG_PREFIX));
    logs.any(|entry| entry.metadata().is_ok_and(|log| log.len() == 0))
}

/// What starts test binaries: our script, and then what would have started them. For another platform
/// than this go looks for a program of its own.
fn starter(call: &GoTestCall, run_folder: &Path) -> Option<Starter> {
    let script = run_folder.join(EXEC_FILE);
    let platform = [("GOOS", go_os()), ("GOARCH", go_architecture())];
    let [os, architecture] =
        platform.map(|(name, own)| variable(name).unwrap_or_else(|| own.to_owned()));
    let foreign = os != go_os() || architecture != go_architecture();
    let own_program = foreign
        .then(|| RealProgram::find(&format!("go_{os}_{architecture}_exec"), run_folder).ok())
        .flatten()
        .map(|program| program.path());
    let then = call.exec().map(str::to_owned).or(own_program);
    Starter::new(&script.to_string_lossy(), then.as_deref())
}

/// This system, as go names it.
fn go_os() -> &'static str {
    match std::env::consts::OS {
        "macos" => "darwin",
        os => os,
    }
}

/// This processor, as go names it.
fn go_architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "x86" => "386",
        architecture => architecture,
    }
}

/// The folder that go works in.
fn folder(call: &GoTestCall) -> Result<PathBuf, String> {
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    Ok(call.folder().map_or_else(|| here.clone(), |folder| here.join(folder)))
}

/// The modules that go works on, by its own word.
fn modules(go: &RealProgram, folder: &Path) -> Modules {
    let answer = go
        .command()
        .current_dir(folder)
        .env_remove("GOFLAGS")
        .args(["list", "-m", "-f", Modules::FORMAT])
        .output();
    let listed = answer.map(|answer| answer.stdout).unwrap_or_default();
    let check = variable(FOLDER_VARIABLE).map_or_else(|| folder.to_owned(), PathBuf::from);
    Modules::new(folder, &check, &String::from_utf8_lossy(&listed))
}

/// What is read of the events while they come.
struct EventReader {
    stream: StreamWriter,
    run: GoRun,
    console: Option<Console>,
    /// Whether go counts only because of redgreen.
    hides_coverage: bool,
    line: Vec<u8>,
    /// What is no event.
    beside: String,
    /// The stream cannot be written.
    problem: Option<String>,
}

impl EventReader {
    fn new(stream: StreamWriter, run: GoRun, console: Option<Console>) -> Self {
        Self {
            stream,
            run,
            console,
            hides_coverage: false,
            line: Vec::new(),
            beside: String::new(),
            problem: None,
        }
    }

    fn bytes(&mut self, mut bytes: &[u8], pass: &mut PassOn) {
        if self.console.is_none() {
            pass(bytes);
        }
        while !bytes.is_empty() {
            let end = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
            let (piece, rest) = bytes.split_at(end);
            bytes = rest;
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.line.len() > LINE_BYTES {
                let line = std::mem::take(&mut self.line);
                self.line(&line, pass);
            }
        }
    }

    fn line(&mut self, line: &[u8], pass: &mut PassOn) {
        let Some(event) = GoEvent::parse(line) else {
            if self.console.is_some() {
                pass(line);
            }
            if self.beside.len() < OTHER_BYTES {
                self.beside.push_str(&String::from_utf8_lossy(line));
            }
            return;
        };
        let event = if self.hides_coverage { event.without_coverage() } else { event };
        if let Some(console) = &mut self.console {
            let shown = console.show(&event);
            pass(shown.stdout.as_bytes());
            say(&shown.stderr);
        }
        let events = self.run.take(&event);
        self.write(&events);
    }

    fn write(&mut self, events: &[StreamEvent]) {
        for event in events {
            if let Err(problem) = self.stream.write(event) {
                self.problem.get_or_insert(problem);
            }
        }
    }

    fn finish(&mut self, code: i32, stderr: &str) -> Result<(), String> {
        let left = self.console.as_mut().map(Console::finish).unwrap_or_default();
        // A reader that is gone is nothing to fail for.
        let _ = std::io::stdout().write_all(left.as_bytes());
        self.beside.push_str(stderr);
        let beside = std::mem::take(&mut self.beside);
        let events = self.run.finish(code, &beside);
        self.write(&events);
        self.stream.bye(code)?;
        self.problem.take().map_or(Ok(()), Err)
    }
}

fn read_events(reader: &Arc<Mutex<EventReader>>) -> PassOn {
    let reader = Arc::clone(reader);
    let mut pass = pass_to(std::io::stdout());
    Box::new(move |bytes| {
        reader.lock().unwrap_or_else(PoisonError::into_inner).bytes(bytes, &mut pass);
    })
}
