//! The agent has ended: what it left is run, or is what was seen before.

use redgreen_model::analysis::{Analysis, AnalysisSource, ProposedAnalysis};
use redgreen_model::config::JudgeBy;
use redgreen_model::event::Event;
use redgreen_model::execution::{CheckRun, Purpose};
use redgreen_model::tree::{FileRole, TreeState, diff_summary};
use redgreen_model::verdict::{StopReason, Verdict};
use redgreen_model::workflow::{CodeType, LoopStatus, Phase};

use crate::analysis::{self, AcceptedAnalysis};
use crate::classes::Judged;
use crate::effect::Ask;
use crate::input::{AgentOutcome, AgentResult, Weight};
use crate::state::{Heard, State};
use crate::step::Turn;

/// What an edit can do. A document that the code was seen to read is a part of it, by whatever name it is opened.
fn weight_of(result: &AgentResult, baseline: Option<&Judged>) -> Weight {
    let is_read = || {
        let reached = baseline.map(|baseline| baseline.execution.reached()).unwrap_or_default();
        result.changes.iter().any(|change| reached.is_opened(&change.path))
    };
    match result.weight {
        Weight::Documents if is_read() => Weight::Runs,
        weight => weight,
    }
}

impl Turn {
    /// How the agent ended and what it changed, where there is one.
    fn say_edit(&mut self, result: &AgentResult) {
        if !self.is_single() {
            self.say(Event::AgentEnded {
                attempt: self.state.attempt_number(),
                how: describe(&result.outcome),
                said: result.said.clone(),
                diff_summary: diff_summary(&result.changes),
                files: result.changes.iter().map(|change| change.path.clone()).collect(),
            });
        }
    }

    pub(crate) fn agent_ended(&mut self, result: &AgentResult) {
        self.say_edit(result);
        self.state.cost_micros = self.state.cost_micros.saturating_add(result.cost_micros);
        self.hear_analysis(result);
        self.state.secrets.clone_from(&result.secrets);
        let Some(attempt) = self.state.attempts.last_mut() else {
            return self.stop(
                StopReason::ToolingError,
                "an agent answered although none was asked".to_owned(),
            );
        };
        let differs = attempt.before.tree != result.tree.tree;
        let same_code = attempt.before.code == result.tree.code;
        attempt.weight = attempt.weight.max(weight_of(result, self.state.baseline.as_ref()));
        attempt.take(result);
        let before = attempt.before.clone();
        let weight = if differs { attempt.weight } else { Weight::Nothing };
        let edited = weight != Weight::Nothing;
        match &result.outcome {
            AgentOutcome::Failed { how } => {
                let half_edit = edited.then_some(&result.tree);
                return self.agent_broke(StopReason::AgentFailed, how.clone(), &before, half_edit);
            }
            AgentOutcome::TimedOut { limit_seconds } => {
                let detail = format!(
                    "the agent reached its limit of {limit_seconds} s (timeout_seconds under [agent])"
                );
                let half_edit = edited.then_some(&result.tree);
                if self.asks_again_after_limit() {
                    return self.ask_again_after(detail, &before, half_edit);
                }
                return self.agent_broke(StopReason::TimeoutExceeded, detail, &before, half_edit);
            }
            AgentOutcome::GaveUp { reason } => {
                return self.stop(StopReason::AgentGaveUp, reason.clone());
            }
            AgentOutcome::Finished => {}
        }
        self.state.redone = 0;
        self.state.as_left = None;
        if let (Some(known), Some(settings)) = (&result.known, &mut self.state.settings) {
            settings.known.clone_from(known);
        }
        let idle = match weight {
            Weight::Runs => false,
            Weight::Documents => !self.may_read_documents(),
            Weight::Nothing => true,
        };
        if idle && self.owned_more(&result.declared, &result.waived) {
            return;
        }
        if self.is_single() {
            return self.judge_once(&result.tree);
        }
        if idle {
            return self.nothing_to_run(edited.then_some(&result.tree));
        }
        let seen = match same_code {
            true => self.state.seen_trees.contains(&result.tree.tree),
            false => self.state.seen.contains(&result.tree.code),
        };
        if seen {
            return self.stop(
                StopReason::NoProgress,
                "the agent came back with a tree that was judged before".to_owned(),
            );
        }
        if self.needs_tests(result) {
            self.state.tests_asked = true;
            return self.ask_for_tests(&result.tree);
        }
        self.state.tests_asked = false;
        self.state.phase =
            if self.state.attempt_number() > 1 { Phase::VerifyFix } else { Phase::ExecuteTests };
        self.judge_attempt(&result.near);
    }

    /// Whether there is a check that may look at documents: of one that is judged by its exit code nobody sees what it reads.
    fn may_read_documents(&self) -> bool {
        let settings = self.state.settings.as_ref();
        let has_kind = settings.is_some_and(|settings| settings.code_type.is_some());
        let may = |judged: &Judged| {
            let by_exit_code = |run: &CheckRun| run.judge_by == JudgeBy::ExitCode;
            // A kind of change that was named is more than documents.
            judged.execution.checks.iter().any(by_exit_code)
                && !(has_kind && judged.verdict == Verdict::Passed)
        };
        !self.is_hosted() && self.state.last_full().is_some_and(may)
    }

    /// A change that is there already: it is run, unless it is none and what was there has just been.
    fn judge_once(&mut self, tree: &TreeState) {
        self.state.phase = Phase::ExecuteTests;
        match self.state.last_judged().is_some_and(|judged| judged.is_of(tree)) {
            true => self.as_before(),
            false => self.execute(Purpose::Judge, Vec::new()),
        }
    }

    /// Nothing was edited that could change an outcome: what was seen before is what the attempt is judged by.
    /// Documents alone may be what was asked for, unless a kind of change was named; nothing at all is no answer.
    fn nothing_to_run(&mut self, edited: Option<&TreeState>) {
        self.state.put_back = edited.cloned();
        let last = self.state.last_full().map(|judged| judged.verdict);
        let settings = self.state.settings.as_ref();
        let has_kind = settings.is_some_and(|settings| settings.code_type.is_some());
        if self.is_hosted()
            || (edited.is_some() && last.is_some_and(|last| last != Verdict::Passed))
        {
            return self.as_before();
        }
        if edited.is_none() || has_kind {
            return self.stop(
                StopReason::NoProgress,
                "the agent edited nothing that could change a test".to_owned(),
            );
        }
        let text = "nothing that runs was changed, so the earlier result still counts";
        self.state.flags.push(text.to_owned());
        self.say(Event::Notice { text: text.to_owned() });
        self.finish(Phase::Complete, LoopStatus::Passed);
    }

    /// What was seen of this tree is what the attempt is judged by.
    fn as_before(&mut self) {
        let before = self.state.attempts.iter().rev().nth(1);
        if let Some(seen) = before.and_then(|attempt| attempt.square.clone()) {
            return self.read_square(seen.facts, seen.run);
        }
        let Some(mut judged) = self.state.last_judged().cloned() else {
            return self.stop(
                StopReason::ToolingError,
                "no run of the checks was seen, so there is nothing to judge".to_owned(),
            );
        };
        if judged.is_first() {
            // The agent insists on it: now all of the suite has its word.
            return self.execute(Purpose::Judge, Vec::new());
        }
        judged.execution.purpose = Purpose::Judge;
        if self.runs_as_left(&judged) {
            return;
        }
        let (verdict, detail) = (judged.verdict, judged.reasons.join("; "));
        // What was green before is green after this attempt, too.
        self.state.history.green_in_attempts.extend(judged.green.iter().cloned());
        self.keep(judged);
        match verdict {
            Verdict::ToolingError => self.stop(StopReason::ToolingError, detail),
            _ => self.weigh_run(),
        }
    }

    /// New code of a kind that needs tests, and no test in the change: the agent is asked once.
    fn needs_tests(&self, result: &AgentResult) -> bool {
        let code_type = self.state.settings.as_ref().and_then(|settings| settings.code_type);
        let wants = matches!(
            code_type,
            Some(
                CodeType::NewFunction
                    | CodeType::BugFix
                    | CodeType::ApiEndpoint
                    | CodeType::Integration
            )
        );
        let has_tests = result.changes.iter().any(|change| change.role == FileRole::Tests);
        let own = self.state.settings.as_ref().is_some_and(|settings| settings.test_engineer);
        let wants = wants || own && code_type.is_none();
        // An agent that lives outside is told what came of a run.
        wants
            && !has_tests
            && !self.is_hosted()
            && self.state.attempt_number() == 1
            && !self.state.tests_asked
    }

    fn ask_for_tests(&mut self, tree: &TreeState) {
        if let Some(attempt) = self.state.attempts.last().cloned() {
            self.state.phase = Phase::GenerateTests;
            self.request(&attempt, Ask::Tests, tree.clone());
        }
    }

    /// The agent's own analysis takes the place of ours if it passes the door.
    fn hear_analysis(&mut self, result: &AgentResult) {
        let Some(heard) = self.state.would_hear(result.analysis.as_ref()) else { return };
        let count = self.state.attempts.len();
        let Some(previous) = self.state.attempts.get_mut(count.saturating_sub(2)) else { return };
        let attempt = previous.number;
        let (event, heard) = match heard {
            Ok(accepted) => {
                let ours = previous.analysis.replace(accepted.clone());
                self.state.tried.extend(Some(accepted.key()));
                previous.ours = previous.ours.take().or(ours);
                let analysis = (*accepted).clone();
                (Event::AnalysisAccepted { attempt, analysis }, Heard::Accepted)
            }
            Err(reason) => {
                (Event::AnalysisRefused { attempt, reason: reason.clone() }, Heard::Refused(reason))
            }
        };
        self.say(event);
        if let Some(attempt) = self.state.attempts.last_mut() {
            attempt.heard = Some(heard);
        }
    }
}

impl State {
    /// What would become of an analysis that is handed in now, by an agent that was asked for a fix: it is about the
    /// failures before that. None where there is none, or none is asked for.
    pub fn would_hear(
        &self,
        proposed: Option<&ProposedAnalysis>,
    ) -> Option<Result<AcceptedAnalysis, String>> {
        let proposed = proposed?;
        let (previous, earlier) = self.attempts.split_last()?.1.split_last()?;
        let judged = previous.judged.as_ref().filter(|_| previous.analysis.is_some())?;
        let earlier = earlier.iter().filter_map(|attempt| attempt.analysis.as_deref());
        let earlier: Vec<&Analysis> =
            earlier.filter(|analysis| analysis.source == AnalysisSource::Agent).collect();
        Some(analysis::hear(proposed, &judged.failures, &earlier, &self.tried))
    }
}

pub(crate) fn describe(outcome: &AgentOutcome) -> String {
    match outcome {
        AgentOutcome::Finished => "finished".to_owned(),
        AgentOutcome::Failed { how } => format!("failed: {how}"),
        AgentOutcome::TimedOut { limit_seconds } => {
            format!("ended at its limit of {limit_seconds} s")
        }
        AgentOutcome::GaveUp { reason } => format!("gave up: {reason}"),
    }
}
