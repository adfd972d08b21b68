//! The redgreen command.

mod commands;
mod context;
mod display;
mod failure;
mod hook_input;
mod log;
mod project_folder;
mod shims;
mod traced;

use std::process::ExitCode;

fn main() -> ExitCode {
    redgreen_redact::know_secrets(redgreen_runner::secrets::known_here);
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(code) = shims::dispatch(&arguments) {
        return code;
    }
    commands::main(arguments)
}
