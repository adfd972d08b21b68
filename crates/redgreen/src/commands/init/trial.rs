//! The checks, run once before they are written down.

use redgreen_engine::classes::Judged;
use redgreen_model::config::{CheckSettings, Config, DEFAULT_CHECK_TIMEOUT_SECONDS, JudgeBy};
use redgreen_model::execution::{CheckRun, Ended};
use redgreen_model::framework::FrameworkId;
use redgreen_model::report::Failure;
use redgreen_model::text::{LINE_CHARS, bound_end, clean_line};
use redgreen_runner::judge::judge;
use redgreen_runner::plan::Plan;
use redgreen_workspace::Workspace;

use crate::context;
use crate::display::{self, Style};
use crate::failure;

/// The longest that a check may take in the trial.
const LIMIT_SECONDS: u64 = 600;
/// How many times as long as it was seen to take a check may take: a corner builds anew, and machines are busy.
const MULTIPLE: u64 = 5;
/// How many reasons are shown of a command that ran no test, and the longest of them.
const REASONS: usize = 3;
const REASON_CHARS: usize = 300;
/// What the limit is rounded up to.
const ROUND_SECONDS: u64 = 60;

/// Runs the checks, sets their limits by what was seen, and leaves those out that have nothing to run. Whatever comes
/// of it is said, and the file is written all the same: a suite may be red.
pub fn run(
    workspace: Workspace,
    checks: &mut Vec<CheckSettings>,
) -> Result<Option<Judged>, failure::Failure> {
    let mut config = Config { checks: checks.clone(), ..Config::default() };
    for check in &mut config.checks {
        check.timeout_seconds = LIMIT_SECONDS;
    }
    display::note("running it once (`--no-run` leaves that out):");
    let plan = Plan::single("init", config, None, None)?;
    let seen = context::with_tools(Style::from_flag(false), |tools| judge(workspace, plan, tools))?;
    let seen = match seen {
        Ok(seen) => seen,
        Err(error) => {
            display::note(&format!("it could not be run: {error}"));
            return Ok(None);
        }
    };
    let runs = &seen.run.execution.checks;
    let tested = runs.iter().any(|run| run.report.counts().total > 0);
    let mut ran = runs.iter();
    checks.retain_mut(|check| {
        let Some(run) = ran.next() else { return true };
        if tested && has_nothing_to_run(run) {
            display::note(&format!(
                "left out: `{}` in {}: it ended well and ran no test here; if it needs a variable or a flag to run some, give it a [[checks]] of its own",
                check.command, check.folder
            ));
            return false;
        }
        let seconds = run.duration_ms.div_ceil(1000);
        if let Some(wanted) = limit_for(seconds) {
            check.timeout_seconds = wanted;
            display::note(&format!(
                "timeout_seconds = {wanted}: it took {seconds} s here, and builds that begin anew take longer"
            ));
        }
        let reasons = run.report.errors.iter().take(REASONS);
        reasons.for_each(|error| display::note(&format!("  {}", reason(error))));
        if let Some(advice) = advice(run) {
            display::note(&format!("hint: {advice}"));
        }
        true
    });
    Ok(Some(seen.run))
}

/// Whether a runner that redgreen knows was content with no test: as a check it could never be green.
fn has_nothing_to_run(run: &CheckRun) -> bool {
    let known = run.framework != FrameworkId::OTHER;
    known
        && run.judge_by == JudgeBy::Tests
        && run.report.counts().total == 0
        && run.report.errors.is_empty()
        && matches!(run.ended, Ended::Exited { code: 0 })
}

/// What kept a command from running tests, in one line: the first that speaks of an error, and what it announces.
fn reason(error: &Failure) -> String {
    let lines: Vec<&str> =
        error.message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let speaks = |line: &&str| line.to_lowercase().contains("error");
    let first = lines.iter().position(speaks).unwrap_or(0);
    let announcing = lines.iter().skip(first).take_while(|line| line.ends_with(':')).count();
    let said: Vec<&str> = lines.into_iter().skip(first).take(announcing + 1).collect();
    let place = error.location.as_ref().map(|it| format!("{it}: "));
    bound_end(
        &clean_line(
            &format!("{}{}: {}", place.unwrap_or_default(), error.error_type, said.join(" ")),
            LINE_CHARS,
        ),
        REASON_CHARS,
    )
}

/// The limit of a check that took so long, where the usual one is too short for it.
fn limit_for(seconds: u64) -> Option<u64> {
    let wanted = (seconds * MULTIPLE).next_multiple_of(ROUND_SECONDS);
    (wanted > DEFAULT_CHECK_TIMEOUT_SECONDS).then_some(wanted)
}

/// What to do where the command showed no test.
fn advice(run: &CheckRun) -> Option<String> {
    let command = &run.command;
    if run.judge_by == JudgeBy::ExitCode {
        return None;
    }
    if run.report.counts().total > 0 {
        return (!run.report.errors.is_empty()).then(|| {
            format!(
                "`{command}` did not run all of its tests: see the lines above. Mend that, or name what does: `redgreen init --force --test-command \"…\"`"
            )
        });
    }
    Some(match &run.ended {
        Ended::TimedOut { limit_seconds } => format!(
            "`{command}` was not done after {limit_seconds} s: name a quicker one with `redgreen init --force --test-command \"…\"`, or set timeout_seconds in redgreen.toml"
        ),
        Ended::Exited { code: 126 | 127 } => format!(
            "a program that `{command}` needs is not installed: see the lines above; install it, or name another command with `redgreen init --force --test-command \"…\"`"
        ),
        Ended::Exited { code: 0 } => super::HOW_TO_BE_READ.to_owned(),
        _ => format!(
            "`{command}` ended before a test ran: see the lines above. If dependencies are missing, install them and run `redgreen test`; if it is the wrong command, `redgreen init --force --test-command \"…\"`"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::{limit_for, reason};
    use redgreen_model::report::{Failure, FailureKind};

    #[test]
    fn a_suite_that_takes_long_gets_a_longer_limit() {
        let limits = [1, 24, 25, 118, 600].map(limit_for);
        assert_eq!(limits, [None, None, Some(180), Some(600), Some(3000)]);
    }

    #[test]
    fn a_reason_is_what_went_wrong_and_not_what_stands_before_it() {
        let said =
            |message: &str| reason(&Failure::new(FailureKind::Unknown, "exit code 1", message));
        assert_eq!(
            said(
                "[ERROR] Failed to execute goal enforce on project cli: \n[ERROR] Rule 0: failed with message:\n[ERROR] Detected Maven Version: 3.8.7 is not allowed.\n[ERROR] -> [Help 1]"
            ),
            "exit code 1: [ERROR] Failed to execute goal enforce on project cli: [ERROR] Rule 0: failed with message: [ERROR] Detected Maven Version: 3.8.7 is not allowed."
        );
        assert_eq!(
            said(
                "-- Could NOT find Doxygen\n\nCMake Error at CMakeLists.txt:118 (message):\n  Could not download\n"
            ),
            "exit code 1: CMake Error at CMakeLists.txt:118 (message): Could not download"
        );
        assert_eq!(said("no such file"), "exit code 1: no such file");
    }
}
