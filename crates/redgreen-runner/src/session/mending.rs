//! What a tool mends alone is mended before an agent is asked: where the user allows it, and a check is red.

use std::ffi::OsString;
use std::time::Duration;

use redgreen_engine::effect::AgentRequest;
use redgreen_engine::input::{AgentOutcome, AgentResult};
use redgreen_exec::{Ended, Job, JobCommand, JobStdin};
use redgreen_model::event::Event;
use redgreen_model::execution::{Ended as CheckEnded, Purpose};
use redgreen_redact::redact;

use super::Session;
use crate::RunnerError;
use crate::checks::{CheckRunner, Order};
use crate::events::{EventSink, Events};
use crate::ground::Ground;
use crate::layout::fresh_folder;
use crate::plan::PlannedCheck;

/// Where these runs are written down, below the folder of the agent's edit.
const FOLDER: &str = "mending";
/// What is kept of what a tool printed; its log has it.
const KEPT_BYTES: usize = 4 * 1024;

/// That a check is red before its tool has had its turn is no news.
struct Quiet;

impl EventSink for Quiet {
    fn take(&self, _: &Event) {}
}

impl Session<'_> {
    /// Has tools mend what the agent left, and looks at the tree again where they did.
    pub(super) fn mended(
        &self,
        request: &AgentRequest,
        result: AgentResult,
    ) -> Result<AgentResult, RunnerError> {
        let allowed: Vec<&PlannedCheck> =
            self.plan.checks.iter().filter(|check| check.settings.mend.is_some()).collect();
        let is_edit = result.outcome == AgentOutcome::Finished && !result.changes.is_empty();
        if allowed.is_empty() || !is_edit {
            return Ok(result);
        }
        let folder = self.folder.agent(request.attempt, request.ask.name()).join(FOLDER);
        let mut mended = false;
        for check in allowed {
            if self.is_red(check, request.attempt, folder.join(&check.name))? {
                mended |= self.mend(check, &folder.join(&check.name).join("mend.log"))?;
            }
        }
        if !mended {
            return Ok(result);
        }
        let tree = self.trees.now()?;
        self.agent_runner().look_again(request, result, tree)
    }

    fn is_red(
        &self,
        check: &PlannedCheck,
        attempt: u32,
        folder: std::path::PathBuf,
    ) -> Result<bool, RunnerError> {
        fresh_folder(&folder)?;
        let quiet = Events::open(&Quiet, &folder.join("events.jsonl"))?;
        let runner = CheckRunner { events: &quiet, ..self.check_runner() };
        let execution = runner.execute(&Order {
            number: 0,
            purpose: Purpose::Mutant,
            attempt,
            checks: std::slice::from_ref(check),
            only: &[],
            measure: &[],
            folder: folder.join("run"),
            earlier: Vec::new(),
            time_left: self.time_left(),
            ground: &Ground::WorkTree,
        })?;
        Ok(execution.checks.iter().any(|run| run.ended != CheckEnded::Exited { code: 0 }))
    }

    /// Runs the tool; whether it changed something.
    fn mend(&self, check: &PlannedCheck, log: &std::path::Path) -> Result<bool, RunnerError> {
        let Some(command) = &check.settings.mend else { return Ok(false) };
        let before = self.trees.now()?;
        let limit = Duration::from_secs(check.settings.timeout_seconds);
        let limits = &self.plan.config.limits;
        let environment = check.settings.environment.iter();
        let job = Job {
            command: JobCommand::Shell(command.clone()),
            folder: self.trees.workspace.root().join(&check.settings.folder),
            env: environment
                .map(|(name, value)| (OsString::from(name), Some(value.into())))
                .collect(),
            stdin: JobStdin::Null,
            limit: Some(self.time_left().map_or(limit, |left| left.min(limit))),
            memory_bytes: None,
            grace: Duration::from_secs(limits.grace_seconds),
            log: log.to_owned(),
            log_cap_bytes: limits.log_bytes,
            log_filter: crate::secrets::redactor,
            keep_head_bytes: 0,
            keep_tail_bytes: KEPT_BYTES,
            view: None,
        };
        self.trees.workspace.may_be_written();
        let outcome = self.executor.run(&job, self.tools.stop)?;
        if outcome.ended == Ended::Stopped {
            return Err(RunnerError::Interrupted);
        }
        let files = self.trees.changes(&before.tree, &self.trees.now()?.tree)?;
        let command = redact(command);
        let text = match files.as_slice() {
            [] => format!("{} was red, and `{command}` mended nothing", check.name),
            [file] => format!("{} was red: `{command}` changed {}", check.name, file.path),
            files => format!("{} was red: `{command}` changed {} files", check.name, files.len()),
        };
        self.events.say(&Event::Notice { text });
        Ok(!files.is_empty())
    }
}
