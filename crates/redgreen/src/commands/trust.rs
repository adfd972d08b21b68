//! `redgreen trust`

use clap::Args;
use redgreen_runner::gate::trust;
use redgreen_runner::plan;

use crate::failure::{Ending, Failure};
use crate::{context, display};

/// Let hooks run this project's commands: for a person who has looked at them
///
/// A repository that arrives with a redgreen.toml is not trusted by itself: what it names would run
/// each time an agent ends. Any change of the commands asks again.
#[derive(Args)]
pub struct Arguments {
    /// Only show what would be trusted, and whether it is
    #[arg(long)]
    show: bool,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let config = context::configuration_to_run(workspace.root(), None, None)?;
    let checks = plan::planned_checks(&config)?;
    for check in &checks {
        let settings = &check.settings;
        let variables: Vec<String> =
            settings.environment.iter().map(|(name, value)| format!("{name}={value} ")).collect();
        display::result(&format!(
            "{}: {}{} (in {})",
            check.name,
            variables.concat(),
            settings.command,
            settings.folder
        ));
    }
    let is_trusted = trust::is_trusted(&workspace, &checks);
    if arguments.show || is_trusted {
        display::result(if is_trusted { "trusted" } else { "not trusted yet" });
        return Ok(if is_trusted { Ending::Green } else { Ending::Red });
    }
    if let Some(mark) = context::mark_of_an_agent() {
        return Err(Failure::usage(format!(
            "commands are trusted by a person, and {mark} says that an agent runs this"
        )));
    }
    trust::trust(&workspace, &checks, &context::user())?;
    display::result("trusted: hooks may run these commands here");
    Ok(Ending::Green)
}
