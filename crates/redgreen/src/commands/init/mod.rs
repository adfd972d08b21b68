//! `redgreen init`

mod header;
mod trial;

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use clap::Args;
use redgreen_frameworks::{Candidate, candidates, detect};
use redgreen_model::config::{CheckSettings, InitAnswers, JudgeBy, to_commented_toml};
use redgreen_model::framework::FrameworkId;

use redgreen_runner::gate::trust::trust;
use redgreen_runner::plan::planned_checks;
use redgreen_workspace::Workspace;

use super::known;
use crate::context::{self, CONFIG_FILE};
use crate::display;
use crate::failure::{Ending, Failure};
use crate::project_folder::ProjectFolder;

/// The most candidates that are named although they are left out.
const LEFT_OUT_SHOWN: usize = 6;
/// What makes a runner that redgreen does not know readable.
const HOW_TO_BE_READ: &str = "redgreen recognises known test runners that this command starts. For any other one, name the JUnit XML, CTRF or TAP files that it writes under `reports` (ava: `npx ava --tap >ava.tap`, with reports = [\"ava.tap\"]), or set judge_by = \"exit_code\"";

/// Recognise the project and write a commented redgreen.toml
#[derive(Args)]
pub struct Arguments {
    /// Ask nothing: take what is recognised
    #[arg(long)]
    yes: bool,
    /// The test command, instead of what is recognised
    #[arg(long, value_name = "COMMAND")]
    test_command: Option<String>,
    /// With --test-command: let its exit code alone decide; for a command that runs no tests
    #[arg(long, requires = "test_command")]
    trust_exit_code: bool,
    /// Say that the project has no tests yet: the gate lets changes go as NOT VERIFIED
    #[arg(long, conflicts_with = "test_command")]
    no_tests: bool,
    /// The shell command that starts the agent
    #[arg(long, value_name = "COMMAND")]
    agent_command: Option<String>,
    /// Replace a redgreen.toml that is there
    #[arg(long)]
    force: bool,
    /// Do not run the checks before they are written down
    #[arg(long)]
    no_run: bool,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let path = workspace.root().join(CONFIG_FILE);
    if path.exists() && !arguments.force {
        return Err(Failure::usage(format!("{CONFIG_FILE} is already there"))
            .hint("edit it, or replace it with --force"));
    }
    if arguments.test_command.as_ref().is_some_and(|command| command.trim().is_empty()) {
        return Err(Failure::usage("the test command is empty"));
    }
    let project = ProjectFolder::read(workspace.root());
    let mut answers = InitAnswers {
        checks: found(arguments, &project),
        agent_name: None,
        agent_command: arguments.agent_command.clone(),
        no_tests: arguments.no_tests,
    };
    if !arguments.yes && !arguments.no_tests && context::is_interactive() {
        ask(&mut answers)?;
    }
    if answers.checks.is_empty() && !answers.no_tests {
        return Err(Failure::usage("no test framework is recognised here").hint(
            "name the command: `redgreen init --test-command \"…\"`, or say that there are no tests yet: `redgreen init --no-tests`",
        ));
    }
    let mut seen = None;
    if !arguments.no_run && !answers.no_tests {
        seen = trial::run(context::workspace()?, &mut answers.checks)?;
    } else if answers.checks.iter().any(is_unknown) {
        display::note(&format!("hint: {HOW_TO_BE_READ}"));
    }
    let text = header::header(&project) + &to_commented_toml(&answers);
    write(&path, &text, arguments.force)?;
    if answers.no_tests {
        display::result(&format!(
            "wrote {CONFIG_FILE}: no tests yet; when there are some: `redgreen init --force`"
        ));
        return Ok(Ending::Green);
    }
    trust_what_was_written(&workspace);
    if let Some(run) = seen {
        known::offer(&workspace, &run, !arguments.yes)?;
    }
    display::result(&format!("wrote {CONFIG_FILE}; next: commit it, then `redgreen test`"));
    Ok(Ending::Green)
}

/// Whether it cannot be told by which runner a check's tests are seen.
fn is_unknown(check: &CheckSettings) -> bool {
    check.judge_by == JudgeBy::Tests
        && check.framework.is_none_or(|framework| framework == FrameworkId::OTHER)
}

/// Says what a check is and why it is one.
fn say(check: &CheckSettings, why: &str) {
    let name = match check.framework {
        Some(framework) if framework != FrameworkId::OTHER => framework.to_string(),
        _ => "recognised when it runs".to_owned(),
    };
    display::note(&format!("check: `{}` in {} ({name}){why}", check.command, check.folder));
}

/// Says what looked like a suite and is no check.
fn say_left_out(left: &[Candidate]) {
    for candidate in left.iter().take(LEFT_OUT_SHOWN) {
        let check = context::check_settings(&candidate.check);
        display::note(&format!(
            "left out: `{}` in {}: {}",
            check.command, check.folder, candidate.why
        ));
    }
    if let Some(more) = left.len().checked_sub(LEFT_OUT_SHOWN).filter(|more| *more > 0) {
        display::note(&format!("left out: {more} more"));
    }
}

/// Whoever had the commands written has seen them: hooks may run them.
fn trust_what_was_written(workspace: &Workspace) {
    if context::mark_of_an_agent().is_some() {
        return display::note("a person has to run `redgreen trust` before hooks may run this");
    }
    let checks = context::configuration_to_run(workspace.root(), None, None)
        .and_then(|config| Ok(planned_checks(&config)?));
    let trusted = checks.and_then(|checks| Ok(trust(workspace, &checks, &context::user())?));
    if let Err(failure) = trusted {
        display::note(&format!("hooks may not run this yet; run `redgreen trust`: {failure}"));
    }
}

/// What the command line names, or what is recognised; says which, and why.
fn found(arguments: &Arguments, project: &ProjectFolder) -> Vec<CheckSettings> {
    if arguments.no_tests {
        return Vec::new();
    }
    if let Some(command) = &arguments.test_command {
        let check = named(command, arguments.trust_exit_code);
        say(&check, "");
        return vec![check];
    }
    let (taken, left): (Vec<_>, Vec<_>) =
        candidates(project).into_iter().partition(|candidate| candidate.taken);
    let checks = taken.iter().map(|candidate| {
        let check = context::check_settings(&candidate.check);
        say(&check, &format!(": {}", candidate.why));
        check
    });
    let checks = checks.collect();
    say_left_out(&left);
    checks
}

fn named(command: &str, trust_exit_code: bool) -> CheckSettings {
    let mut check = CheckSettings::new(command);
    check.framework = detect(command);
    if trust_exit_code {
        check.judge_by = JudgeBy::ExitCode;
    }
    check
}

fn ask(answers: &mut InitAnswers) -> Result<(), Failure> {
    let suggestion = answers.checks.first().map(|check| check.command.clone()).unwrap_or_default();
    let command = context::question("Test command", &suggestion)?;
    if !command.is_empty() && command != suggestion {
        let mut check = named(&command, false);
        if check.framework.is_none() {
            let answer = context::question(
                "Does that command run no tests, so that its exit code alone decides? (y/n)",
                "n",
            )?;
            if answer.starts_with(['y', 'Y']) {
                check.judge_by = JudgeBy::ExitCode;
            }
        }
        answers.checks = vec![check];
    }
    let agent = context::question(
        "Agent command (may stay empty)",
        answers.agent_command.as_deref().unwrap_or(""),
    )?;
    answers.agent_command = Some(agent).filter(|agent| !agent.is_empty());
    Ok(())
}

fn write(path: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let mut options = File::options();
    options.write(true).truncate(true).create(true).create_new(!force);
    options
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| Failure::cannot(format_args!("write {}", path.display()), error))
}
