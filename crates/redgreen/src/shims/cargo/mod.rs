//! Stand-ins for cargo, rustdoc and the runner of test binaries; see `redgreen_frameworks::cargo`.
//!
//! They run inside of a job, below its supervisor, in the place of the program they stand in for, and
//! so start processes themselves.

mod cargo_shim;
mod log_pipe;
mod rustdoc;
mod stream_writer;
mod test_binary;
mod watch;

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};

use redgreen_frameworks::{ONLY_FILE, cargo};

/// What a shell adds to a signal's number to make an exit code.
const SIGNAL_BASE: i32 = 128;
/// The exit code of a shim that cannot start what it stands in for.
const NOT_FOUND: u8 = 127;

/// Runs the stand-in of this name, if there is one.
pub fn run(name: &str, arguments: &[OsString]) -> Option<ExitCode> {
    let shim = match name {
        cargo::CARGO_SHIM => cargo_shim::main,
        cargo::TEST_BINARY_SHIM => test_binary::main,
        cargo::RUSTDOC_SHIM => rustdoc::main,
        _ => return None,
    };
    Some(shim(arguments).unwrap_or_else(|problem| {
        say(&format!("redgreen: {name}: {problem}\n"));
        ExitCode::from(NOT_FOUND)
    }))
}

/// Becomes the program.
fn become_program(command: &mut Command) -> Result<ExitCode, String> {
    let error = command.exec();
    Err(format!("cannot run {}: {error}", command.get_program().to_string_lossy()))
}

/// How the program ended, as an exit code.
fn code_of(status: ExitStatus) -> i32 {
    let signalled = status.signal().map(|signal| SIGNAL_BASE + signal);
    status.code().or(signalled).unwrap_or(1)
}

fn exit_code(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// The ids of the only tests to run, where there is such a list.
fn only(run_folder: &Path) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(run_folder.join(ONLY_FILE)).ok()?;
    Some(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

fn texts(arguments: &[OsString]) -> Option<Vec<String>> {
    arguments.iter().map(|argument| argument.to_str().map(str::to_owned)).collect()
}

fn variable(name: impl AsRef<OsStr>) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Writes to standard error; one that is closed is nothing to fail for.
fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
