//! In the place of Python, and of programs that start it: puts back what the shell left out, and becomes the program.

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::parent_id;
use std::path::Path;
use std::process::{Command, ExitCode};

use redgreen_frameworks::python::{FOLDER, IN_CORNER, MODULE_SCRIPT, module_without_variables};
use redgreen_frameworks::stream::StreamEvent;
use redgreen_frameworks::{
    CORNER_VARIABLE, COVERAGE_FOLDER, COVERAGE_VARIABLE, FOLDER_VARIABLE, ONLY_FILE, ONLY_VARIABLE,
    SHIM_FOLDER, STREAM_FILE, STREAM_VARIABLE,
};

use crate::shims::stand_in::real_program::RealProgram;
use crate::shims::stand_in::{become_program, texts, variable};

/// Where Python looks for modules first.
const PATH_VARIABLE: &str = "PYTHONPATH";

/// The program that this process has become already: one of a version manager becomes the stand-in once more.
const TRIED_VARIABLE: &str = "REDGREEN_TRIED";

/// `PROGRAM corner|place RUN_FOLDER ARGUMENTS…`
pub fn main(arguments: &[OsString]) -> Result<ExitCode, String> {
    let [name, place, run_folder, arguments @ ..] = arguments else {
        return Err("no program, or no folder of a run".to_owned());
    };
    let (name, run_folder) = (name.to_string_lossy(), Path::new(run_folder));
    let tried = variable(TRIED_VARIABLE);
    let tried =
        tried.as_deref().and_then(|it| it.strip_prefix(&format!("{} ", std::process::id())));
    let own = run_folder.join(SHIM_FOLDER);
    let program = RealProgram::find_behind(&name, &own, tried.map(Path::new))?;
    let mut command = program.command_below_redgreen();
    command.env(TRIED_VARIABLE, format!("{} {}", std::process::id(), program.path()));
    if variable(STREAM_VARIABLE).is_none() {
        // A runner takes the stream out of its environment and leaves the rest: what it starts is not seen.
        if variable(FOLDER_VARIABLE).is_some() || below_a_runner(run_folder) {
            return become_program(command.args(arguments));
        }
        put_back(&mut command, run_folder, place == IN_CORNER);
    }
    let ours = run_folder.join(FOLDER);
    let inherited = std::env::var_os(PATH_VARIABLE).unwrap_or_default();
    let mut folders: Vec<_> = std::env::split_paths(&inherited).collect();
    if !folders.contains(&ours) {
        folders.retain(|_| !inherited.is_empty());
        folders.insert(0, ours.clone());
        let folders = std::env::join_paths(folders).map_err(|error| error.to_string())?;
        command.env(PATH_VARIABLE, folders);
    }
    let script = ours.join(MODULE_SCRIPT);
    let python = name.starts_with("py") && !name.contains("test");
    let other = texts(arguments)
        .filter(|_| python)
        .and_then(|words| module_without_variables(&words, &script.to_string_lossy()));
    match other {
        Some(words) => become_program(command.args(words)),
        None => become_program(command.args(arguments)),
    }
}

/// The variables of an environment that was emptied.
fn put_back(command: &mut Command, run_folder: &Path, corner: bool) {
    command.env(STREAM_VARIABLE, run_folder.join(STREAM_FILE));
    for (name, file) in [(ONLY_VARIABLE, ONLY_FILE), (COVERAGE_VARIABLE, COVERAGE_FOLDER)] {
        let path = run_folder.join(file);
        if path.exists() {
            command.env(name, path);
        }
    }
    if corner {
        command.env(CORNER_VARIABLE, "1");
    }
}

/// Whether a runner that reports is above this process: a test that starts something in an empty environment.
fn below_a_runner(run_folder: &Path) -> bool {
    let stream = fs::read_to_string(run_folder.join(STREAM_FILE)).unwrap_or_default();
    let hellos = stream.lines().filter(|line| line.contains("\"hello\""));
    let runs: Vec<String> = hellos
        .filter_map(|line| match serde_json::from_str(line).ok()? {
            StreamEvent::Hello { run, .. } => Some(run),
            _ => None,
        })
        .collect();
    let is_runner =
        |process: u32| runs.iter().any(|run| run.split('-').any(|it| it.parse() == Ok(process)));
    let mut process = Some(parent_id());
    while let Some(above) = process.filter(|it| *it > 1) {
        if is_runner(above) {
            return true;
        }
        process = parent_of(above);
    }
    false
}

fn parent_of(process: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}
