//! What all stand-ins share.
//!
//! A stand-in runs inside of a job, below its supervisor, in the place of the program it stands in
//! for, and so starts processes itself.

pub mod log_pipe;
pub mod real_program;
pub mod stream_writer;
pub mod watch;

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};

use redgreen_frameworks::{ASKED_FILE, CORNER_VARIABLE, COVERAGE_FOLDER, ONLY_FILE};

/// What a shell adds to a signal's number to make an exit code.
const SIGNAL_BASE: i32 = 128;
/// The exit code of a shim that cannot start what it stands in for.
const NOT_FOUND: u8 = 127;

/// A stand-in: the arguments behind its name, and how it ended.
pub type StandIn = fn(&[OsString]) -> Result<ExitCode, String>;

/// Runs a stand-in; one that cannot do its work says so, and ends as a shell that finds no program.
pub fn run(name: &str, stand_in: StandIn, arguments: &[OsString]) -> ExitCode {
    stand_in(arguments).unwrap_or_else(|problem| {
        say(&format!("redgreen: {name}: {problem}\n"));
        ExitCode::from(NOT_FOUND)
    })
}

/// Becomes the program.
pub fn become_program(command: &mut Command) -> Result<ExitCode, String> {
    let error = command.exec();
    Err(format!("cannot run {}: {error}", command.get_program().to_string_lossy()))
}

/// How the program ended, as an exit code.
pub fn code_of(status: ExitStatus) -> i32 {
    let signalled = status.signal().map(|signal| SIGNAL_BASE + signal);
    status.code().or(signalled).unwrap_or(1)
}

/// The exit code for this process.
pub fn exit_code(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// The ids of the only tests to run, where there is such a list.
pub fn only(run_folder: &Path) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(run_folder.join(ONLY_FILE)).ok()?;
    Some(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// The files whose lines are counted, as absolute paths; there may be none.
pub fn asked(run_folder: &Path) -> Vec<String> {
    let file = run_folder.join(COVERAGE_FOLDER).join(ASKED_FILE);
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// The arguments as text; none if one of them is not.
pub fn texts(arguments: &[OsString]) -> Option<Vec<String>> {
    arguments.iter().map(|argument| argument.to_str().map(str::to_owned)).collect()
}

/// A variable of the environment that is set to something.
pub fn variable(name: impl AsRef<OsStr>) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Whether this is a corner, where nothing is stopped at a first failure.
pub fn in_corner() -> bool {
    variable(CORNER_VARIABLE).is_some()
}

/// Writes to standard error; one that is closed is nothing to fail for.
pub fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
