//! Where things are, and how programs are started.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Failure;

/// The root of the repository, wherever the task was started.
pub fn root() -> PathBuf {
    // At run time first: a binary that was built in one clone may be run by cargo for another.
    let manifest_folder = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest_folder.parent().map_or_else(|| manifest_folder.clone(), Path::to_path_buf)
}

/// What is installed for the tests.
pub fn tools_folder() -> PathBuf {
    root().join("target/tools")
}

/// The folder in [`tools_folder`] of the Python environment with the frameworks for the tests.
pub const PYTHON_ENVIRONMENT: &str = "venv";

/// The folder in [`tools_folder`] of the JavaScript frameworks for the tests.
pub const NODE_PACKAGES: &str = "node";

/// The folder in [`tools_folder`] of what Maven needs for the tests.
pub const MAVEN: &str = "maven";
/// The folder in [`tools_folder`] of what go has built, for all tests.
pub const GO_CACHE: &str = "go-cache";
/// The folder in [`tools_folder`] of Ruby with RSpec, where the machine has none.
pub const RUBY: &str = "ruby";
/// The folder in [`tools_folder`] of CMake and GoogleTest.
pub const GOOGLETEST: &str = "googletest";
/// The folder in [`tools_folder`] of Chromium, or of links to the machine's own.
pub const BROWSER: &str = "browser";
/// The folder in [`tools_folder`] of cargo-nextest.
pub const NEXTEST: &str = "nextest";

/// The projects that the benchmarks run on.
pub fn bench_folder() -> PathBuf {
    root().join("target/bench")
}

/// The cargo that runs this task, at the root of the repository.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root()).stdin(Stdio::null());
    // `cargo run` describes this package to us; to another cargo and its tests that is noise.
    for (name, _) in env::vars_os().filter(|(name, _)| describes_a_package(name)) {
        command.env_remove(name);
    }
    command
}

fn describes_a_package(variable: &OsString) -> bool {
    variable
        .to_str()
        .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
}

/// Runs a program whose output goes to ours.
pub fn pass_through(command: &mut Command) -> Result<(), Failure> {
    let program = describe(command);
    let status =
        command.status().map_err(|error| format!("`{program}` cannot be started: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{program}` ended with {status}")) }
}

/// Runs a program and returns its standard output; the failure has the end of what it said.
pub fn capture(command: &mut Command) -> Result<String, Failure> {
    let program = describe(command);
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("`{program}` cannot be started: {error}"))?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{program}` ended with {}\n{}{}", output.status, tail(&stdout), tail(&stderr)))
}

/// Builds a program with cargo, and returns where it is.
pub fn built(options: &[&str], program: &str) -> Result<PathBuf, Failure> {
    let build = [&["build"], options].concat();
    pass_through(&mut cargo(&build))?;
    let messages =
        capture(cargo(&build).args(["--quiet", "--message-format", "json-render-diagnostics"]))?;
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == program)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .ok_or_else(|| format!("cargo does not say where it put `{program}`"))
}

/// How much of a failed program's output is worth repeating.
const TAIL_LINES: usize = 20;

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let start = lines.len().saturating_sub(TAIL_LINES);
    lines[start..].iter().map(|line| format!("  | {line}\n")).collect()
}

/// The command line, with the program's name alone.
fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut words = vec![program.file_name().unwrap_or(command.get_program()).to_string_lossy()];
    words.extend(command.get_args().map(|arg| arg.to_string_lossy()));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_program_is_named_with_what_it_said() {
        let failure = capture(Command::new("sh").args(["-c", "echo broken >&2; exit 3"]))
            .expect_err("it exits with 3");
        assert!(
            failure.starts_with("`sh -c echo broken >&2; exit 3` ended with exit"),
            "{failure}"
        );
        assert!(failure.ends_with("  | broken\n"), "{failure}");
    }

    #[test]
    fn only_the_end_of_a_long_output_is_repeated() {
        let long: String = (0..100).map(|line| format!("line {line}\n")).collect();
        let end = tail(&long);
        assert_eq!(end.lines().count(), TAIL_LINES);
        assert!(end.ends_with("  | line 99\n"));
    }
}
