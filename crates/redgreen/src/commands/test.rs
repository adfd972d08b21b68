//! `redgreen test`

use std::path::PathBuf;

use clap::Args;
use redgreen_engine::classes::Judged;
use redgreen_frameworks::{WholeRun, ctrf, junit};
use redgreen_model::config::{CheckSettings, JudgeBy};
use redgreen_model::execution::{CheckRun, Ended};
use redgreen_model::framework::FrameworkId;
use redgreen_runner::judge::{judge, last_time};
use redgreen_runner::plan::{OutsideSince, Plan};
use serde_json::json;

use super::trust;
use crate::context;
use crate::display::{self, Style};
use crate::failure::{Ending, Failure};

/// Run the checks once and record what was seen
///
/// Without a command: the checks of redgreen.toml, or what is recognised in the project.
#[derive(Args)]
pub struct Arguments {
    /// Print events and the result as JSON lines
    #[arg(long)]
    json: bool,
    /// The time limit of each check, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    test_timeout: Option<u64>,
    /// With a command: let its exit code alone decide; for a command that runs no tests
    #[arg(long, requires = "command")]
    trust_exit_code: bool,
    /// Also write the result as JUnit XML into this file
    #[arg(long, value_name = "FILE", value_parser = context::report_file)]
    junit: Option<PathBuf>,
    /// Also write the result as CTRF (JSON) into this file
    #[arg(long, value_name = "FILE", value_parser = context::report_file)]
    ctrf: Option<PathBuf>,
    /// Run only commands that a person has trusted (`redgreen trust`)
    #[arg(long)]
    trusted: bool,
    /// The command to run instead, after `--`
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let config = context::configuration_to_run(
        workspace.root(),
        given_check(&arguments.command, arguments.trust_exit_code)?,
        arguments.test_timeout,
    )?;
    let (root, state) = (workspace.root().to_owned(), workspace.state_path());
    let outside = OutsideSince::commit(&workspace, "HEAD")?;
    let plan = Plan { outside, ..Plan::single("test", config, None, None)? };
    if arguments.trusted {
        trust::require(&workspace, &plan)?;
    }
    let seen = context::with_tools(Style::from_flag(arguments.json), |tools| {
        judge(workspace, plan, tools)
    })??;
    let run = &seen.run;
    write_reports(arguments, run)?;
    let before = last_time(&root, &state, &seen);
    if arguments.json {
        let failures: Vec<_> = run
            .failures
            .iter()
            .map(|failure| json!({"check": failure.check, "failure": failure.failure}))
            .collect();
        display::json_line(&json!({
            "result": "test",
            "verdict": run.verdict,
            "reasons": run.reasons,
            "tree": run.ran_on().tree,
            "test_results": run.counts(),
            "failures": failures,
            "last_time": before.map(|before| json!({
                "verdict": before.verdict,
                "test_results": before.counts(),
                "duration_ms": before.execution.duration_ms,
            })),
            "record": seen.record,
        }));
    } else {
        display::result(&display::test_result(&seen, before.as_ref()));
        if !run.execution.changed_while_running.is_empty() {
            display::note(
                "hint: if the checks write these files, add them to .gitignore, or to `generated` under [loop] in redgreen.toml",
            );
        }
        if run.execution.checks.iter().any(shows_nothing) {
            display::note(
                "hint: no known test runner was seen. If the command writes JUnit XML, CTRF or TAP, name the files under `reports` in redgreen.toml. If it runs no tests, set judge_by = \"exit_code\" there, or use --trust-exit-code here",
            );
        }
    }
    Ok(run.into())
}

/// Writes the reports that were asked for.
fn write_reports(arguments: &Arguments, run: &Judged) -> Result<(), Failure> {
    let run = WholeRun { execution: &run.execution, verdict: run.verdict, reasons: &run.reasons };
    if let Some(path) = &arguments.junit {
        context::write_whole(path, &junit::write(&run))?;
    }
    if let Some(path) = &arguments.ctrf {
        context::write_whole(path, &ctrf::write(&run, env!("CARGO_PKG_VERSION")))?;
    }
    Ok(())
}

/// Whether a check ended well and no test of it could be seen.
fn shows_nothing(run: &CheckRun) -> bool {
    run.judge_by == JudgeBy::Tests
        && !run.report.began
        && run.framework == FrameworkId::OTHER
        && matches!(run.ended, Ended::Exited { code: 0 })
}

/// The words after `--` as one check.
pub fn given_check(
    words: &[String],
    trust_exit_code: bool,
) -> Result<Option<CheckSettings>, Failure> {
    let command = match words {
        [] => return Ok(None),
        [blank] if blank.trim().is_empty() => return Err(Failure::usage("the command is empty")),
        [line] => line.clone(),
        words => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
    };
    let mut check = CheckSettings::new(command);
    if trust_exit_code {
        check.judge_by = JudgeBy::ExitCode;
    }
    Ok(Some(check))
}

/// A word that the shell reads as it is.
fn quoted(word: &str) -> String {
    let plain =
        |character: char| character.is_ascii_alphanumeric() || "-_./=:,@%+".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
