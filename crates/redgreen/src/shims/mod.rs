//! Hidden sub-commands: what redgreen starts itself as, under another name.

mod cargo;
mod ctest;
mod go;
mod python;
mod scripted_agent;
mod stand_in;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Watches over one job; see `redgreen-exec`.
pub const SUPERVISE: &str = "__supervise";
/// Goes on where a hook had to answer; see `commands/gate`.
pub const GATE_WORKER: &str = "__gate-worker";
/// Looks at what an agent begins with; see `commands/gate`.
pub const GATE_BASELINE: &str = "__gate-baseline";
/// The agent of the demo.
const SCRIPTED_AGENT: &str = "__scripted-agent";

/// What stands in for the programs of a framework, by the name of its sub-command: a line for each framework.
const STAND_INS: &[fn(&str) -> Option<stand_in::StandIn>] =
    &[cargo::stand_in, ctest::stand_in, go::stand_in, python::stand_in];

/// Runs a hidden sub-command, if the first argument names one.
pub fn dispatch(arguments: &[OsString]) -> Option<ExitCode> {
    let name = arguments.get(1)?.to_str()?;
    let rest = &arguments[2..];
    match name {
        SUPERVISE => Some(redgreen_exec::supervise()),
        GATE_WORKER => Some(crate::commands::gate_worker(rest)),
        GATE_BASELINE => Some(crate::commands::gate_baseline(rest)),
        SCRIPTED_AGENT => Some(scripted_agent::main(rest)),
        _ => {
            let stand_in = STAND_INS.iter().find_map(|of| of(name))?;
            Some(stand_in::run(name, stand_in, rest))
        }
    }
}

/// The shell command that starts the scripted agent.
pub fn scripted_agent_command(program: &Path, script: &Path) -> String {
    let quoted = |path: &Path| format!("'{}'", path.to_string_lossy().replace('\'', "'\\''"));
    format!("{} {SCRIPTED_AGENT} {}", quoted(program), quoted(script))
}
