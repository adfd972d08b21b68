//! `--agent-command CMD`: any command that edits code.
//!
//! The contract: it runs in the work tree's root with the prompt on standard input and the
//! variables below; exit code 0 means that it is done, anything else that it failed.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::{Invocation, InvocationRequest, Launch};

/// The file with the prompt.
pub const PROMPT_FILE: &str = "REDGREEN_PROMPT_FILE";
/// What is asked for: `generate_code`, `generate_tests` or `apply_fix`.
pub const PHASE: &str = "REDGREEN_PHASE";
/// The attempt, from 1.
pub const ATTEMPT: &str = "REDGREEN_ATTEMPT";
/// The session's id.
pub const SESSION: &str = "REDGREEN_SESSION";
/// The file with failures, analysis and patterns as JSON.
pub const FEEDBACK_FILE: &str = "REDGREEN_FEEDBACK_FILE";
/// The file that the agent may write its own analysis to, as JSON.
pub const ANALYSIS_FILE: &str = "REDGREEN_ANALYSIS_FILE";

/// How to start the command.
pub fn invocation(request: &InvocationRequest<'_>, command: &str) -> Invocation {
    Invocation {
        launch: Launch::Shell(command.to_owned()),
        env: environment(request),
        prompt_on_stdin: true,
    }
}

/// What every agent is told, however it is started.
pub(crate) fn environment(request: &InvocationRequest<'_>) -> Vec<(&'static str, OsString)> {
    let mut env: Vec<(&'static str, OsString)> = vec![
        (PROMPT_FILE, request.prompt_file.into()),
        (PHASE, request.phase.into()),
        (ATTEMPT, request.attempt.to_string().into()),
        (SESSION, request.session.into()),
        (FEEDBACK_FILE, request.feedback_file.into()),
        (ANALYSIS_FILE, request.analysis_file.into()),
    ];
    if let Some(path) = search_path(request) {
        env.push(("PATH", path));
    }
    env
}

/// The search path with redgreen's own folder last, so that `redgreen give-up` is found and
/// nothing else changes.
fn search_path(request: &InvocationRequest<'_>) -> Option<OsString> {
    let own = request.redgreen.parent()?;
    let mut folders: Vec<PathBuf> = std::env::split_paths(request.path?).collect();
    if folders.iter().any(|folder| folder == own) {
        return None;
    }
    folders.push(own.to_owned());
    std::env::join_paths(folders).ok()
}
