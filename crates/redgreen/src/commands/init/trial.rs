//! The checks, run once before they are written down.

use redgreen_engine::classes::Judged;
use redgreen_model::config::{CheckSettings, Config, DEFAULT_CHECK_TIMEOUT_SECONDS, JudgeBy};
use redgreen_model::execution::{CheckRun, Ended};
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

/// Runs the checks and sets their limits by what was seen. Whatever comes of it is said, and the file is written all
/// the same: a suite may be red.
pub fn run(
    workspace: Workspace,
    checks: &mut [CheckSettings],
) -> Result<Option<Judged>, failure::Failure> {
    let mut config = Config { checks: checks.to_vec(), ..Config::default() };
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
    for (check, run) in checks.iter_mut().zip(&seen.run.execution.checks) {
        let seconds = run.duration_ms.div_ceil(1000);
        if let Some(wanted) = limit_for(seconds) {
            check.timeout_seconds = wanted;
            display::note(&format!(
                "timeout_seconds = {wanted}: it took {seconds} s here, and builds that begin anew take longer"
            ));
        }
        if let Some(advice) = advice(run) {
            let reasons = run.report.errors.iter().take(REASONS);
            reasons.for_each(|error| display::note(&format!("  {}", reason(error))));
            display::note(&format!("hint: {advice}"));
        }
    }
    Ok(Some(seen.run))
}

/// What kept a command from running tests, in one line: its type says more only where it has one of its own.
fn reason(error: &Failure) -> String {
    let said = error.message.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    bound_end(
        &clean_line(&format!("{}: {}", error.error_type, said.trim()), LINE_CHARS),
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
    if run.judge_by == JudgeBy::ExitCode || run.report.counts().total > 0 {
        return None;
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
    use super::limit_for;

    #[test]
    fn a_suite_that_takes_long_gets_a_longer_limit() {
        let limits = [1, 24, 25, 118, 600].map(limit_for);
        assert_eq!(limits, [None, None, Some(180), Some(600), Some(3000)]);
    }
}
