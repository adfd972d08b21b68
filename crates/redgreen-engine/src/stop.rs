//! How a loop ends without green: stop rules and the escalation policy.

use redgreen_model::config::HalfEdit;
use redgreen_model::tree::{TreeHash, TreeState};
use redgreen_model::verdict::StopReason;
use redgreen_model::workflow::{EscalationAction, EscalationCondition, LoopStatus, Phase};

use crate::effect::{Action, Ask};
use crate::judge::some_of;
use crate::state::{AfterRestore, State, Stop};
use crate::step::Turn;

/// The case of the escalation policy that a stop reason belongs to.
pub fn condition(reason: StopReason) -> Option<EscalationCondition> {
    match reason {
        StopReason::BoundedAttemptsExceeded => Some(EscalationCondition::MaxAttemptsReached),
        StopReason::RegressionDetected => Some(EscalationCondition::RegressionDetected),
        StopReason::SecurityIssueFound => Some(EscalationCondition::SecurityIssueFound),
        StopReason::CoverageThresholdUnmet => Some(EscalationCondition::CoverageThresholdUnmet),
        StopReason::TimeoutExceeded => Some(EscalationCondition::TimeoutExceeded),
        StopReason::UnknownErrorType => Some(EscalationCondition::UnknownErrorType),
        StopReason::NoProgress
        | StopReason::NoTests
        | StopReason::ToolingError
        | StopReason::AgentFailed
        | StopReason::AgentGaveUp
        | StopReason::PersonNeeded
        | StopReason::StoppedByPerson => None,
    }
}

/// What to do where a regression is not to be the end.
const GO_ON: &str = "With on_regression = \"retry\" under [loop] in redgreen.toml, another fix is asked for instead";

impl State {
    pub(crate) fn action_for(&self, reason: StopReason) -> Option<EscalationAction> {
        let settings = self.settings.as_ref()?;
        settings.escalation.trigger_for(condition(reason)?).map(|trigger| trigger.action)
    }

    /// Whether a test that passed before and fails now ends the loop.
    pub(crate) fn stops_at_regression(&self) -> bool {
        let abort = self.settings.as_ref().is_none_or(|it| it.retry.abort_on_regression);
        let action = self.action_for(StopReason::RegressionDetected);
        abort && action != Some(EscalationAction::FlagAndContinue)
    }
}

impl Turn {
    /// A fix has broken what an earlier attempt had green.
    pub(crate) fn regression(&mut self, tests: &[String]) {
        let detail =
            format!("passed before and fails now, also in a second run: {}", some_of(tests));
        if !self.state.stops_at_regression() {
            self.state.flags.push(format!("{}: {detail}", StopReason::RegressionDetected));
            return self.analyse();
        }
        self.explain();
        let retries = self.state.settings.as_ref().is_some_and(|it| it.retry_regression);
        match self.state.best_earlier_tree() {
            Some(best) if retries && self.attempts_in_round() < self.state.max_attempts() => {
                self.state.flags.push(format!("{}: {detail}", StopReason::RegressionDetected));
                self.state.after_restore = Some(AfterRestore::GoOn);
                let reason = StopReason::RegressionDetected.to_string();
                self.perform(Action::Restore { tree: best.tree, reason });
            }
            best => {
                let detail = if retries { detail } else { format!("{detail}. {GO_ON}") };
                match best {
                    Some(best) => {
                        self.stop_and_restore(StopReason::RegressionDetected, detail, best.tree);
                    }
                    None => self.stop(StopReason::RegressionDetected, detail),
                }
            }
        }
    }

    /// The tree to put back where the one that is there is worse than what the loop began with. Nothing is put
    /// back under the hands of an agent that lives outside.
    fn better_tree(&self, reason: StopReason) -> Option<TreeHash> {
        let asks = [
            StopReason::BoundedAttemptsExceeded,
            StopReason::NoProgress,
            StopReason::AgentGaveUp,
            StopReason::UnknownErrorType,
        ];
        let worse =
            self.state.last_full().is_some_and(|judged| !judged.classes.regressed.is_empty());
        if self.is_hosted() || !asks.contains(&reason) || self.state.put_back.is_some() {
            return None;
        }
        let best = match worse {
            true => self.state.best_earlier_tree(),
            false => self.state.better_attempt(),
        };
        best.map(|best| best.tree)
    }

    /// The agent's command failed or was ended: its half edit is kept or put away.
    pub(crate) fn agent_broke(
        &mut self,
        reason: StopReason,
        detail: String,
        before: &TreeState,
        half_edit: Option<&TreeState>,
    ) {
        let restore = self
            .state
            .settings
            .as_ref()
            .is_none_or(|settings| settings.half_edit == HalfEdit::Restore);
        if half_edit.is_some() && restore {
            self.stop_and_restore(reason, detail, before.tree.clone());
        } else {
            self.state.put_back = half_edit.cloned();
            self.stop(reason, detail);
        }
    }

    /// The session's limit was reached. What the agent was in the middle of is half an edit.
    pub(crate) fn out_of_time(&mut self, limit_seconds: u64, interrupted: Option<&Action>) {
        self.state.time_is_up = true;
        let detail = format!(
            "the session reached its limit of {limit_seconds} s (time_limit_seconds under [loop])"
        );
        let asked = matches!(interrupted, Some(Action::AskAgent(request)) if request.ask.is_edit());
        match self.state.attempts.last().map(|attempt| attempt.before.clone()) {
            Some(before) if asked => {
                self.agent_broke(StopReason::TimeoutExceeded, detail, &before, Some(&before));
            }
            _ => self.stop(StopReason::TimeoutExceeded, detail),
        }
    }

    /// The agent reached its limit, and nobody is called for that: it is asked once more, from the same tree.
    pub(crate) fn ask_again_after(
        &mut self,
        detail: String,
        before: &TreeState,
        half_edit: Option<&TreeState>,
    ) {
        self.state.flags.push(format!("{}: {detail}", StopReason::TimeoutExceeded));
        let settings = self.state.settings.as_ref();
        let restore = settings.is_none_or(|settings| settings.half_edit == HalfEdit::Restore);
        if half_edit.is_some() && restore {
            self.state.after_restore = Some(AfterRestore::AskAgain);
            let reason = StopReason::TimeoutExceeded.to_string();
            return self.perform(Action::Restore { tree: before.tree.clone(), reason });
        }
        self.state.put_back = half_edit.cloned();
        self.ask_again();
    }

    /// For a fix where one was asked for, else for code.
    pub(crate) fn ask_again(&mut self) {
        match self.state.attempts.iter().any(|attempt| attempt.analysis.is_some()) {
            true => self.go_on(),
            false => self.ask(Ask::Code),
        }
    }

    /// Ends the loop, or gives it to the second agent; nothing worse than the start is handed back.
    pub(crate) fn stop(&mut self, reason: StopReason, detail: String) {
        if let Some(better) = self.better_tree(reason) {
            return self.stop_and_restore(reason, detail, better);
        }
        match self.ending(reason, &detail) {
            Some((phase, status)) => {
                self.record_stop(reason, detail);
                self.finish(phase, status);
            }
            None => self.senior_round(),
        }
    }

    /// The same, after an earlier tree has been put back.
    fn stop_and_restore(&mut self, reason: StopReason, detail: String, tree: TreeHash) {
        self.state.after_restore = Some(match self.ending(reason, &detail) {
            Some((phase, status)) => {
                self.record_stop(reason, detail);
                AfterRestore::End { phase, status }
            }
            None => AfterRestore::SeniorRound,
        });
        self.perform(Action::Restore { tree, reason: reason.to_string() });
    }

    /// What the policy makes of a stop; none where the second agent takes over.
    fn ending(&mut self, reason: StopReason, detail: &str) -> Option<(Phase, LoopStatus)> {
        let settings = self.state.settings.as_ref();
        let has_senior = settings.is_some_and(|settings| settings.senior)
            && !self.state.senior
            && !self.state.time_is_up;
        let on_max = settings.is_none_or(|settings| settings.retry.escalation_on_max);
        Some(match (reason, self.state.action_for(reason)) {
            (StopReason::ToolingError, _) | (_, Some(EscalationAction::AbortWithReport)) => {
                (Phase::Aborted, LoopStatus::Aborted)
            }
            (_, Some(EscalationAction::SeniorAgent)) if has_senior => {
                self.state.flags.push(format!("{reason}: {detail}; the second agent takes over"));
                return None;
            }
            // They know already.
            (StopReason::StoppedByPerson, _) => (Phase::Aborted, LoopStatus::Failed),
            // There is nothing to go on with, and nobody is called.
            (_, Some(EscalationAction::FlagAndContinue)) => {
                self.state.flags.push(format!("{reason}: {detail}"));
                (Phase::Aborted, LoopStatus::Failed)
            }
            (StopReason::BoundedAttemptsExceeded, None) if !on_max => {
                (Phase::Aborted, LoopStatus::Failed)
            }
            _ => (Phase::Escalated, LoopStatus::Escalated),
        })
    }

    /// The first reason stays; what goes wrong while ending is added to it.
    fn record_stop(&mut self, reason: StopReason, detail: String) {
        match &mut self.state.stop {
            Some(stop) => stop.detail = format!("{}; then {reason}: {detail}", stop.detail),
            None => self.state.stop = Some(Stop { reason, detail }),
        }
    }

    pub(crate) fn senior_round(&mut self) {
        self.state.senior = true;
        self.state.round_start = self.state.attempts.len();
        self.state.tests_asked = false;
        self.ask_again();
    }

    pub(crate) fn finish(&mut self, phase: Phase, status: LoopStatus) {
        self.state.pending = None;
        self.state.phase = phase;
        self.state.status = status;
    }
}
