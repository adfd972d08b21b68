//! The scripted agent as a process of its own: `__scripted-agent SCRIPT`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use redgreen_agents::command::{ANALYSIS_FILE, ATTEMPT};
use redgreen_agents::scripted;

use crate::display;

/// Does what the script says for the attempt that is asked for, in the current folder.
pub fn main(arguments: &[OsString]) -> ExitCode {
    match perform(arguments) {
        Ok(code) => ExitCode::from(code),
        Err(problem) => {
            display::note(&format!("scripted agent: {problem}"));
            ExitCode::FAILURE
        }
    }
}

fn perform(arguments: &[OsString]) -> Result<u8, String> {
    let script = arguments.first().map(Path::new).ok_or("no script was named")?;
    let text = std::fs::read_to_string(script)
        .map_err(|error| format!("cannot read {}: {error}", script.display()))?;
    let attempt = std::env::var(ATTEMPT)
        .ok()
        .and_then(|attempt| attempt.parse().ok())
        .ok_or_else(|| format!("{ATTEMPT} is not a number"))?;
    let analysis = std::env::var_os(ANALYSIS_FILE).map(PathBuf::from);
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    let turns = scripted::parse(&text).map_err(|error| error.to_string())?;
    let turn = scripted::perform(&turns, attempt, &here, analysis.as_deref())
        .map_err(|error| error.to_string())?;
    display::result(&turn.say);
    Ok(turn.exit)
}
