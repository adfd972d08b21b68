//! `redgreen trust`

use clap::Args;
use redgreen_runner::gate::trust;
use redgreen_runner::plan::{self, Plan, PlannedCheck};
use redgreen_workspace::Workspace;

use crate::failure::{Ending, Failure};
use crate::{context, display};

/// Let hooks run this project's commands: for a person who has looked at them
///
/// A repository is not trusted by itself, because its commands would run each time an agent ends. Any
/// change of the commands has to be trusted again. A redgreen.toml that is trusted as it is holds nobody
/// as a change of the rules.
#[derive(Args)]
pub struct Arguments {
    /// Only show what would be trusted, and whether it is
    #[arg(long)]
    show: bool,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let checks = checks_of(&workspace)?;
    show(&checks);
    let rules = trust::rules_of(&workspace);
    let is_trusted = trust::is_trusted(&workspace, &checks)
        && rules.is_none_or(|text| trust::are_rules_trusted(&workspace, &text))
        && trust::is_list_known(&workspace);
    if arguments.show || is_trusted {
        display::result(if is_trusted { "trusted" } else { "not trusted yet" });
        return Ok(if is_trusted { Ending::Green } else { Ending::Red });
    }
    if let Some(mark) = context::mark_of_an_agent() {
        return Err(Failure::usage(format!(
            "only a person may trust commands, and {mark} says that an agent runs this"
        )));
    }
    if !context::is_interactive() {
        return Err(Failure::usage("only a person at a terminal may trust commands").hint(
            "run `redgreen trust` in a terminal of your own, without a pipe or a redirection",
        ));
    }
    trust::trust(&workspace, &checks, &context::user())?;
    display::result("trusted: hooks may run these commands here");
    Ok(Ending::Green)
}

/// Whoever puts hooks into a project is asked whether they may run its commands, where somebody can be asked.
pub fn offer() -> Result<(), Failure> {
    let workspace = context::workspace()?;
    let Ok(checks) = checks_of(&workspace) else { return Ok(()) };
    if trust::is_trusted(&workspace, &checks) {
        return Ok(());
    }
    if context::is_person() {
        show(&checks);
        if context::question("May hooks run this? (y/n)", "n")?.starts_with(['y', 'Y']) {
            return Ok(trust::trust(&workspace, &checks, &context::user())?);
        }
    }
    let hint = "hint: hooks may not run this project's commands yet: a person who has looked at them runs `redgreen trust`";
    display::note(hint);
    Ok(())
}

/// Refuses a plan with commands that no person has trusted: who asks for it may have written them.
pub fn require(workspace: &Workspace, plan: &Plan) -> Result<(), Failure> {
    if trust::is_trusted(workspace, &plan.checks) && is_coverage_trusted(workspace, plan) {
        return Ok(());
    }
    Err(Failure::usage("no person has trusted the commands that this would run")
        .hint("a person who has looked at them runs `redgreen trust` in a terminal"))
}

/// Whether the command that counts coverage, if there is one, stands in a redgreen.toml that a person has trusted.
fn is_coverage_trusted(workspace: &Workspace, plan: &Plan) -> bool {
    let Some(command) = &plan.config.coverage.command else { return true };
    let rules = trust::rules_of(workspace).filter(|text| trust::are_rules_trusted(workspace, text));
    let trusted = rules.and_then(|text| context::parsed(&text, context::CONFIG_FILE).ok());
    trusted.is_some_and(|rules| rules.coverage.command.as_ref() == Some(command))
}

/// What hooks would run.
pub fn checks_of(workspace: &Workspace) -> Result<Vec<PlannedCheck>, Failure> {
    let config = context::configuration_to_run(workspace.root(), None, None)?;
    Ok(plan::planned_checks(&config)?)
}

fn show(checks: &[PlannedCheck]) {
    for check in checks {
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
}
