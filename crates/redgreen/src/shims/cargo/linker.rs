//! In the place of the linker, for doctests: keeps what each maps before rustdoc removes it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{self, Command, ExitCode};

use redgreen_coverage::instrumented::keep;
use redgreen_frameworks::cargo::collector::{FLAGS, LIVE_FLAGS, MAPS_FOLDER};
use redgreen_frameworks::cargo::{LINKER_SHIM, script};
use redgreen_frameworks::{COVERAGE_FOLDER, SHIM_FOLDER};

use super::counted::COUNTS_VARIABLE;
use super::through::write;
use crate::shims::stand_in::{asked, code_of, exit_code, variable};

/// What links where nothing else was named.
const LINKER: &str = "cc";
/// How rustdoc is told of a linker.
const OPTION: &str = "linker=";

/// `RUN_FOLDER LINKER ARGUMENTS…`
pub fn main(arguments: &[OsString]) -> Result<ExitCode, String> {
    let [run_folder, linker, rest @ ..] = arguments else {
        return Err("no linker was named".to_owned());
    };
    let status = Command::new(linker)
        .args(rest)
        .status()
        .map_err(|error| format!("cannot run {}: {error}", linker.display()))?;
    let output = rest.iter().skip_while(|word| *word != "-o").nth(1);
    if let Some(program) = output.filter(|_| status.success()) {
        keep_map(Path::new(run_folder), Path::new(program))?;
    }
    Ok(exit_code(code_of(status)))
}

/// A program that cannot be read maps nothing: that its lines did not run is said then.
fn keep_map(run_folder: &Path, program: &Path) -> Result<(), String> {
    let asked = asked(run_folder);
    let wanted = |path: &str| asked.iter().any(|asked| asked == path);
    let Some(map) = File::open(program).ok().and_then(|file| keep(file, &wanted).ok().flatten())
    else {
        return Ok(());
    };
    let problem = |error| format!("cannot keep what {} maps: {error}", program.display());
    fs::create_dir_all(maps(run_folder)).map_err(problem)?;
    fs::write(maps(run_folder).join(process::id().to_string()), map).map_err(problem)
}

/// Where the maps of doctests are kept.
pub fn maps(run_folder: &Path) -> PathBuf {
    run_folder.join(COVERAGE_FOLDER).join(MAPS_FOLDER)
}

/// What rustdoc is told so that doctests count; nothing where nobody asks for it.
pub fn flags(run_folder: &Path, words: &[String]) -> Result<Vec<String>, String> {
    let counts = variable(COUNTS_VARIABLE).map(PathBuf::from);
    if !counts.is_some_and(|counts| counts.starts_with(run_folder)) {
        return Ok(Vec::new());
    }
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let named = words.iter().rev().find_map(|word| word.split_once(OPTION));
    let linker = named.map_or(LINKER, |(_, linker)| linker);
    let [program, folder] = [&program, run_folder].map(Path::to_string_lossy);
    let file = run_folder.join(SHIM_FOLDER).join(format!("linker-{}", process::id()));
    let file = write(&file, &script(&[&program, LINKER_SHIM, &folder, linker]))?;
    let mut flags: Vec<String> = FLAGS.iter().map(|&flag| flag.to_owned()).collect();
    if cfg!(target_os = "linux") {
        flags.extend(LIVE_FLAGS.iter().map(|&flag| flag.to_owned()));
    }
    flags.extend(["-C".to_owned(), format!("{OPTION}{file}")]);
    Ok(flags)
}
