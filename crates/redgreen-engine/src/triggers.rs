//! The cases of the escalation policy that an attempt itself shows, in the order of the policy: the first that is there
//! and has an action counts.
//!
//! A regression comes before them, because it is known before an attempt is looked at any further, and what the bound
//! is reached for comes after them.

use redgreen_model::event::Event;
use redgreen_model::execution::{CheckRun, Ended};
use redgreen_model::report::FailureKind;
use redgreen_model::verdict::StopReason;
use redgreen_model::workflow::{EscalationAction, EscalationCondition};

use crate::judge::some_of;
use crate::step::Turn;

impl Turn {
    /// Acts on what the policy says of the last attempt. Whether the loop goes on as it would without it.
    pub(crate) fn goes_on(&mut self) -> bool {
        if self.is_single() {
            return true; // Nobody is asked, so nobody is called.
        }
        let policy = self.state.settings.as_ref().map(|it| it.escalation.clone());
        for trigger in policy.map(|policy| policy.triggers).unwrap_or_default() {
            let Some((reason, detail)) = self.shows(trigger.condition) else { continue };
            if trigger.action != EscalationAction::FlagAndContinue {
                self.stop(reason, detail);
                return false;
            }
            self.flag(&format!("{reason}: {detail}"));
        }
        if let Some((reason, detail)) = self.shows(EscalationCondition::SecurityIssueFound) {
            // Nobody asked for more; a person wants to know it all the same.
            self.flag(&format!("{reason}: {detail}"));
        }
        true
    }

    /// Whether the last attempt shows a case, and how.
    fn shows(&self, condition: EscalationCondition) -> Option<(StopReason, String)> {
        match condition {
            EscalationCondition::TimeoutExceeded => {
                Some((StopReason::TimeoutExceeded, self.timed_out()?))
            }
            EscalationCondition::SecurityIssueFound => {
                Some((StopReason::SecurityIssueFound, self.insecure()?))
            }
            EscalationCondition::UnknownErrorType if self.all_unknown() => Some((
                StopReason::UnknownErrorType,
                "the type of the failures is not known".to_owned(),
            )),
            EscalationCondition::UnknownErrorType
            | EscalationCondition::MaxAttemptsReached
            | EscalationCondition::RegressionDetected
            | EscalationCondition::CoverageThresholdUnmet => None,
        }
    }

    fn flag(&mut self, text: &str) {
        if self.state.flags.iter().any(|flag| flag == text) {
            return;
        }
        self.state.flags.push(text.to_owned());
        self.say(Event::Notice { text: text.to_owned() });
    }

    /// The tests and checks that took longer than they may.
    fn timed_out(&self) -> Option<String> {
        let judged = self.state.attempts.last()?.judged.as_ref()?;
        let tests = judged.failures.iter().filter(|it| it.failure.kind == FailureKind::Timeout);
        let mut names: Vec<&str> = tests.map(|failed| failed.name()).collect();
        let runs = judged.execution.checks.iter().filter(|run| run.required);
        for run in runs.filter(|run| matches!(run.ended, Ended::TimedOut { .. })) {
            names.extend(run.report.unfinished.iter().map(String::as_str));
            names.push(&run.check);
        }
        names.dedup();
        (!names.is_empty()).then(|| format!("took longer than it may: {}", some_of(&names)))
    }

    /// A check for security that is red, and secrets that the change adds. One that nobody has to repair counts only
    /// where it was not red before.
    fn insecure(&self) -> Option<String> {
        let state = &self.state;
        let settings = state.settings.as_ref()?;
        let judged = state.attempts.last()?.judged.as_ref()?;
        let is_red = |run: &&CheckRun| settings.security_checks.contains(&run.check) && red(run);
        let before = |check: &str| {
            let runs = state.baseline.iter().flat_map(|baseline| &baseline.execution.checks);
            runs.filter(is_red).any(|run| run.check == check)
        };
        let checks = judged.execution.checks.iter().filter(is_red);
        let new = checks.filter(|run| run.required || !before(&run.check));
        let mut found: Vec<String> = new.map(|run| format!("{} is red", run.check)).collect();
        let secrets = state.secrets.iter();
        found.extend(
            secrets.map(|place| format!("the change adds what looks like a secret, {place}")),
        );
        (!found.is_empty()).then(|| some_of(&found))
    }

    /// Whether an agent that reached its limit is asked once more: where the policy says that nobody is called for it.
    pub(crate) fn asks_again_after_limit(&self) -> bool {
        let action = self.state.action_for(StopReason::TimeoutExceeded);
        !self.is_hosted()
            && action == Some(EscalationAction::FlagAndContinue)
            && self.attempts_in_round() < self.state.max_attempts()
    }
}

fn red(run: &CheckRun) -> bool {
    let clean = matches!(run.ended, Ended::Exited { code: 0 });
    !clean || run.report.tests.iter().any(|test| test.outcome.is_red())
}
