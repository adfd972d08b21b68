//! In the place of `cargo`: runs tests through redgreen, and leaves everything else alone.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex, PoisonError};

use redgreen_frameworks::SHIM_FOLDER;
use redgreen_frameworks::cargo::arguments::{CargoTestCall, TestCommand};
use redgreen_frameworks::cargo::messages::{BuildError, CargoLine, error_in, parse_line};
use redgreen_frameworks::cargo::rest::Rest;
use redgreen_frameworks::cargo::runner::{self, Configuration, UserRunner};
use redgreen_frameworks::stream::{Outside, StreamEvent};

use super::counted::Counted;
use super::through::Through;
use crate::shims::stand_in::real_program::RealProgram;
use crate::shims::stand_in::stream_writer::{StreamWriter, bounded};
use crate::shims::stand_in::watch::{PassOn, Watched, pass_to, watch};
use crate::shims::stand_in::{become_program, code_of, exit_code, in_corner, say, texts, variable};

/// The longest line of cargo's messages that is kept while it is read, in bytes.
const LINE_BYTES: usize = 16 << 20;

/// `RUN_FOLDER CARGO_ARGUMENTS…`
pub fn main(arguments: &[OsString]) -> Result<ExitCode, String> {
    let (run_folder, arguments) = arguments.split_first().ok_or("no folder of a run")?;
    let run_folder = Path::new(run_folder);
    let cargo = RealCargo(RealProgram::find("cargo", &run_folder.join(SHIM_FOLDER))?);
    match texts(arguments).as_deref().and_then(CargoTestCall::parse) {
        Some(call) => run_tests(&cargo, &call, run_folder),
        // A program that cargo runs may be one that runs the tests.
        None => become_program(cargo.0.command_below_redgreen().args(arguments)),
    }
}

/// The cargo that would have run.
struct RealCargo(RealProgram);

impl RealCargo {
    fn command(&self) -> Command {
        self.0.command()
    }

    /// What cargo answers to a question, with the user's toolchain.
    fn ask(&self, call: &CargoTestCall, question: &[&str]) -> Option<String> {
        let output = self.command().args(call.toolchain()).args(question).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn host(&self, call: &CargoTestCall) -> Option<String> {
        let version = self.ask(call, &["-vV"])?;
        version.lines().find_map(|line| line.strip_prefix("host: ").map(str::to_owned))
    }

    /// The root of the cargo workspace, which paths of the compiler start from.
    fn workspace(&self, call: &CargoTestCall) -> Option<PathBuf> {
        let mut question = vec!["locate-project", "--workspace", "--message-format", "plain"];
        if let Some(manifest) = call.manifest_path() {
            question.extend(["--manifest-path", manifest]);
        }
        let manifest = self.ask(call, &question)?;
        Path::new(manifest.trim()).parent().map(Path::to_owned)
    }
}

impl RealCargo {
    /// The runner of the user's own configuration.
    fn user_runner(&self, call: &CargoTestCall, host: &str, here: &Path) -> UserRunner {
        let settings = call.settings().flat_map(|setting| ["--config", setting]);
        // Cargo answers this question only where it may use what is not stable yet.
        let answer = self
            .command()
            .args(call.toolchain())
            .args(settings)
            .args(runner::QUESTION)
            .env("RUSTC_BOOTSTRAP", "1")
            .output();
        let listed = answer.map(|answer| answer.stdout).unwrap_or_default();
        let listed = String::from_utf8_lossy(&listed);
        let cfg = if runner::depends_on_cfg(&listed) { self.cfg(call) } else { String::new() };
        let variable = variable(runner::runner_variable(host));
        let variable = variable.as_deref();
        Configuration { listed: &listed, host, variable, folder: here }.runner(&cfg)
    }

    /// What rustc says of the platform.
    fn cfg(&self, call: &CargoTestCall) -> String {
        let mut rustc = Command::new(variable("RUSTC").unwrap_or_else(|| "rustc".to_owned()));
        let answer = rustc.args(call.toolchain()).args(["--print", "cfg"]).output();
        String::from_utf8_lossy(&answer.map(|answer| answer.stdout).unwrap_or_default()).into()
    }
}

fn run_tests(
    cargo: &RealCargo,
    call: &CargoTestCall,
    run_folder: &Path,
) -> Result<ExitCode, String> {
    let mut stream = StreamWriter::open(run_folder, "cargo")?;
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    let workspace = cargo.workspace(call).unwrap_or_else(|| here.clone());
    let host = cargo.host(call);
    // It is needed as long as cargo runs.
    let through = host.as_deref().filter(|host| is_for_host(call, host)).map(|host| Through {
        host,
        run_folder,
        workspace: &workspace,
        user_runner: cargo.user_runner(call, host, &here),
    });
    let mut additions = match (&through, &host) {
        (Some(through), _) => through.configuration(call.command == TestCommand::Test)?,
        (None, Some(host)) => {
            stream.note(format!("tests for another target than {host} are not seen"))?;
            Vec::new()
        }
        (None, None) => Vec::new(),
    };
    if call.may_use_json() {
        additions.push("--message-format=json".to_owned());
    }
    let counted = through
        .as_ref()
        .and_then(|_| Counted::begin(call, run_folder, &|question| cargo.ask(call, question)));
    let call = &counted
        .as_ref()
        .filter(|it| !it.arguments().is_empty())
        .map_or_else(|| call.clone(), |_| call.without_target_dir());
    additions.extend(counted.iter().flat_map(Counted::arguments).cloned());
    let start = |call: &CargoTestCall| {
        let mut command = cargo.command();
        if through.is_some() && call.command == TestCommand::Test {
            // The configuration names rustdoc; the variable would go before it.
            command.env_remove("RUSTDOC");
        }
        if let Some(counted) = &counted {
            counted.tell(&mut command);
        }
        command.args(call.amended(&additions, in_corner()));
        run_to_its_end(command, call)
    };
    let (watched, mut messages) = start(call)?;
    let programs = messages.programs();
    let code = code_of(watched.status);
    if code != 0 && !messages.built {
        if messages.errors.is_empty() {
            messages.errors.extend(error_in(&watched.stderr));
        }
        let rest = if in_corner() { messages.rest.calls(call) } else { Vec::new() };
        rest.iter().try_for_each(|call| start(call).map(|_| ()))?;
    }
    for error in messages.errors {
        stream.write(&outside(&stream, error, &workspace))?;
    }
    if let Some(counted) = counted {
        counted.end(programs)?;
    }
    stream.bye(code)?;
    Ok(exit_code(code))
}

/// Runs cargo, and reads what it says of the build.
fn run_to_its_end(
    mut command: Command,
    call: &CargoTestCall,
) -> Result<(Watched, Messages), String> {
    let messages = Arc::new(Mutex::new(Messages::default()));
    let watched = watch(
        &mut command,
        if call.may_use_json() { read_messages(&messages) } else { pass_to(std::io::stdout()) },
        pass_to(std::io::stderr()),
        None,
        |_| Ok(()),
    )?;
    let messages = std::mem::take(&mut *messages.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((watched, messages))
}

fn is_for_host(call: &CargoTestCall, host: &str) -> bool {
    let configured = variable("CARGO_BUILD_TARGET");
    call.is_for(host) && configured.is_none_or(|target| target == host)
}

fn outside(stream: &StreamWriter, error: BuildError, workspace: &Path) -> StreamEvent {
    let file = error.file.map(|file| workspace.join(file).to_string_lossy().into_owned());
    StreamEvent::Error(Box::new(Outside {
        run: stream.run(),
        kind: error.kind,
        error_type: error.code,
        message: bounded(&error.message),
        file,
        line: error.line,
        stack: Some(bounded(&error.rendered)),
        frames: Vec::new(),
        test: None,
    }))
}

#[derive(Default)]
struct Messages {
    line: Vec<u8>,
    /// The build is over: what comes now is printed by tests.
    over: bool,
    built: bool,
    errors: Vec<BuildError>,
    rest: Rest,
}

/// Reads cargo's messages until the build is over, and shows what the compiler says on standard
/// error, where it would have been.
fn read_messages(messages: &Arc<Mutex<Messages>>) -> PassOn {
    let messages = Arc::clone(messages);
    let mut pass = pass_to(std::io::stdout());
    Box::new(move |mut bytes| {
        let mut messages = messages.lock().unwrap_or_else(PoisonError::into_inner);
        while !messages.over && !bytes.is_empty() {
            let end = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
            let (piece, rest) = bytes.split_at(end);
            bytes = rest;
            messages.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") || messages.line.len() > LINE_BYTES {
                let line = std::mem::take(&mut messages.line);
                messages.take(&line, &mut pass);
            }
        }
        pass(bytes);
    })
}

impl Messages {
    /// The programs and libraries that were made of the crates here.
    fn programs(&self) -> Vec<String> {
        let is_read = |file: &&String| {
            let name = file.rsplit('/').next().unwrap_or_default();
            name.ends_with(".rlib") || !name.contains('.')
        };
        self.rest.built.iter().flat_map(|it| &it.files).filter(is_read).cloned().collect()
    }

    fn take(&mut self, line: &[u8], pass: &mut PassOn) {
        match parse_line(String::from_utf8_lossy(line).trim_end()) {
            CargoLine::Compiler { rendered, error, package } => {
                say(&rendered);
                self.rest.broken.extend(error.is_some().then_some(package));
                self.errors.extend(error);
            }
            CargoLine::Built(artifact) => self.rest.built.push(artifact),
            CargoLine::BuildFinished { success } => {
                self.over = true;
                self.built = success;
            }
            CargoLine::Quiet => {}
            CargoLine::Text => pass(line),
        }
    }
}
