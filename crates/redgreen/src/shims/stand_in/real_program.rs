//! The program that would have run without redgreen.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use redgreen_frameworks::CORNER_VARIABLE;

/// A program on `PATH` behind redgreen's own folder, and the `PATH` without that folder.
pub struct RealProgram {
    program: PathBuf,
    path: OsString,
}

impl RealProgram {
    /// Looks for the program in every folder of `PATH` but redgreen's own.
    pub fn find(name: &str, own: &Path) -> Result<Self, String> {
        Self::find_behind(name, own, None)
    }

    /// The same, only behind another one of that name. What a version manager has on `PATH` looks for the program there
    /// itself, and finds the stand-in again.
    pub fn find_behind(name: &str, own: &Path, other: Option<&Path>) -> Result<Self, String> {
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> =
            std::env::split_paths(&inherited).filter(|folder| folder != own).collect();
        let programs: Vec<PathBuf> = folders.iter().map(|folder| folder.join(name)).collect();
        let passed = programs.iter().position(|program| Some(program.as_path()) == other);
        let program = programs
            .into_iter()
            .skip(passed.map_or(0, |at| at + 1))
            .find(|program| is_executable(program))
            .ok_or_else(|| format!("{name}: command not found"))?;
        let path = std::env::join_paths(&folders).map_err(|error| error.to_string())?;
        Ok(Self { program, path })
    }

    /// The program, with the `PATH` that it would have had: what it starts is not stood in for.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env("PATH", &self.path).env_remove(CORNER_VARIABLE);
        command
    }

    /// Where the program is.
    pub fn path(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }

    /// The program with redgreen still on `PATH`, for what it may start.
    pub fn command_below_redgreen(&self) -> Command {
        Command::new(&self.program)
    }
}

fn is_executable(program: &Path) -> bool {
    fs::metadata(program)
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
