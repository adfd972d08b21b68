//! The last attempt is red: it is explained, and a fix is asked for.

use std::collections::BTreeSet;

use redgreen_model::config::{AskBefore, JudgeBy};
use redgreen_model::event::Event;
use redgreen_model::execution::Ended;
use redgreen_model::report::FailureKind;
use redgreen_model::text::bound_end;
use redgreen_model::tree::TreeState;
use redgreen_model::verdict::{StopReason, Verdict};
use redgreen_model::workflow::{LoopStatus, Phase};

use crate::analysis::{self, AcceptedAnalysis, Evidence};
use crate::classes::Judged;
use crate::effect::{Action, AgentRequest, Ask};
use crate::input::Weight;
use crate::judge::{CheckFailure, some_of};
use crate::state::{AfterRestore, AskedAgain, Attempt, Heard, InformedOf};
use crate::step::Turn;
use crate::{feedback, red_before};

/// How much is said of what is red and no test, where a loop ends.
const STANDS_CHARS: usize = 160;

impl Turn {
    /// The last attempt is red: explain it and ask for a fix, if there is an attempt left.
    pub(crate) fn analyse(&mut self) {
        if self.is_single() {
            return self.finish(Phase::Complete, LoopStatus::Failed);
        }
        if self.is_hosted() && self.has_no_tests() {
            let known = self.state.settings.as_ref().is_some_and(|it| it.no_tests_yet);
            if known || !self.state.informed_of.insert(InformedOf::NoTests) {
                let detail = "there is no test that could be run, and there was none before";
                return self.stop(StopReason::NoTests, detail.to_owned());
            }
            self.spare();
        }
        self.ask_for_analysis();
        self.state.phase = Phase::AnalyzeFailures;
        let Some(accepted) = self.explain() else {
            return self.stop(
                StopReason::UnknownErrorType,
                "nothing was seen that could be analysed".to_owned(),
            );
        };
        let number = self.state.attempt_number();
        self.say(Event::AnalysisAccepted { attempt: number, analysis: (*accepted).clone() });
        if !self.goes_on() {
            return;
        }
        if self.attempts_in_round() >= self.state.max_attempts() {
            let square = self.state.attempts.last().and_then(|attempt| attempt.square.as_ref());
            let untested = square.is_some_and(|read| read.square.lacks_tests_only());
            let reason = match untested {
                true => StopReason::CoverageThresholdUnmet,
                false => StopReason::BoundedAttemptsExceeded,
            };
            return self.stop(
                reason,
                format!(
                    "{} of {} used, {}",
                    self.attempts_in_round(),
                    self.state.max_attempts(),
                    self.how_it_stands()
                ),
            );
        }
        if !self.begins_anew() {
            self.go_on();
        }
    }

    /// Some edits in a row turned no test green: the next one is made on the best tree there was, without what they left.
    fn begins_anew(&mut self) -> bool {
        let after = self.state.settings.as_ref().map_or(0, |settings| settings.fresh_start_after);
        let in_vain = self.state.edits_in_vain();
        if self.is_hosted() || after == 0 || in_vain < usize::try_from(after).unwrap_or(usize::MAX)
        {
            return false;
        }
        self.state.thread_start = self.state.attempts.len();
        let here = self.state.tree().map(|tree| tree.code.clone());
        let Some(fresh) =
            self.state.fresh_tree().filter(|fresh| Some(&fresh.code) != here.as_ref())
        else {
            return false;
        };
        let reason = format!("{in_vain} attempts in a row turned no test green: a fresh start");
        self.state.flags.push(reason.clone());
        self.state.after_restore = Some(AfterRestore::GoOn);
        self.perform(Action::Restore { tree: fresh.tree, reason });
        true
    }

    /// The next fix, after the wait of the policy.
    pub(crate) fn go_on(&mut self) {
        let retries = self.attempts_in_round();
        let seconds = self.state.settings.as_ref().map_or(0, |settings| {
            settings.retry.backoff.delay_seconds(settings.backoff_base_seconds, retries)
        });
        if seconds == 0 || retries == 0 {
            return self.ask_for_fix();
        }
        self.say(Event::Waiting { seconds });
        self.perform(Action::Wait { seconds });
    }

    /// An agent that was to say why it is red before it edits, edited without that, and is red again: it is asked once
    /// more, uncharged. What was wrong with an analysis goes back to it once, too; then ours is used. One that is green
    /// was right, whatever it said.
    fn ask_for_analysis(&mut self) {
        let settings = self.state.settings.as_ref();
        let is_wanted = settings.is_some_and(|it| it.asks_for_analysis && !it.single);
        let [.., before, last] = self.state.attempts.as_slice() else { return };
        // It was asked for a fix, and made one.
        let was_asked = before.analysis.is_some()
            && (before.charged || before.asked_again.is_some())
            && before.square.as_ref().is_none_or(|read| !read.square.lacks_tests_only());
        if !is_wanted || !was_asked || last.weight != Weight::Runs || !last.charged {
            return;
        }
        let number = last.number;
        let (again, once) = match &last.heard {
            Some(Heard::Accepted) => return,
            Some(Heard::Refused(reason)) => {
                (AskedAgain::Refused(reason.clone()), InformedOf::RefusedAnalysis)
            }
            // A command that never writes one is not taught to.
            None if !self.is_hosted() => return,
            None => (AskedAgain::Missing, InformedOf::MissingAnalysis),
        };
        if !self.state.informed_of.insert(once) {
            let text = format!(
                "no analysis of the agent's stands behind attempt {number}: redgreen's own is used"
            );
            return self.say(Event::Notice { text });
        }
        self.spare();
        if let Some(last) = self.state.attempts.last_mut().filter(|last| !last.charged) {
            last.asked_again = Some(again);
        }
    }

    /// Makes our analysis of the last attempt, lets it through the door, and keeps it.
    pub(crate) fn explain(&mut self) -> Option<AcceptedAnalysis> {
        let evidence = Evidence::of(&self.state)?;
        let failing: BTreeSet<&str> =
            evidence.failures.iter().map(|failure| failure.name()).collect();
        let accepted =
            analysis::accept(analysis::builtin(&evidence)?, &failing, &self.state.tried).ok()?;
        self.state.tried.insert(accepted.key());
        if let Some(attempt) = self.state.attempts.last_mut() {
            attempt.analysis = Some(accepted.clone());
            attempt.patterns.clone_from(&self.state.remembered.patterns);
        }
        Some(accepted)
    }

    pub(crate) fn all_unknown(&self) -> bool {
        let judged = self.state.attempts.last().and_then(|attempt| attempt.judged.as_ref());
        judged.is_some_and(|judged| {
            judged.failures.iter().all(|failure| failure.failure.kind == FailureKind::Unknown)
        })
    }

    /// The attempts of this round that count.
    pub(crate) fn attempts_in_round(&self) -> u32 {
        let round = self.state.attempts.iter().skip(self.state.round_start);
        u32::try_from(round.filter(|attempt| attempt.charged).count()).unwrap_or(u32::MAX)
    }

    /// Whether neither the change nor what was there before has a test: nothing is broken, there is just none.
    fn has_no_tests(&self) -> bool {
        let run = self.state.attempts.last().and_then(|attempt| attempt.judged.as_ref());
        let none = |judged: &Judged| {
            let tests = judged.execution.checks.iter().filter(|run| run.required);
            judged.verdict != Verdict::Passed
                && tests.clone().any(|run| run.judge_by == JudgeBy::Tests)
                && tests.clone().all(|run| {
                    run.judge_by == JudgeBy::ExitCode && run.ended == Ended::Exited { code: 0 }
                        || run.report.is_empty()
                })
        };
        [run, self.state.baseline.as_ref()].iter().all(|it| it.is_some_and(none))
    }

    pub(crate) fn ask_for_fix(&mut self) {
        if self.waits_for_a_person(AskBefore::ApplyFix) {
            return;
        }
        let analysis =
            self.state.attempts.iter().rev().find_map(|attempt| attempt.analysis.clone());
        let last = self.state.attempts.last().and_then(|attempt| attempt.square.as_ref());
        let lacks_tests = last.is_some_and(|read| read.square.lacks_tests_only());
        match analysis {
            Some(_) if lacks_tests => self.ask(Ask::Tests),
            Some(analysis) => self.ask(Ask::Fix(analysis)),
            None => self.stop(StopReason::UnknownErrorType, "no analysis was accepted".to_owned()),
        }
    }

    /// Begins an attempt.
    pub(crate) fn ask(&mut self, ask: Ask) {
        let Some(tree) = self.state.tree().or(self.state.start.as_ref()).cloned() else {
            return self.stop(StopReason::ToolingError, "there is no tree to work on".to_owned());
        };
        let attempt = self.new_attempt(tree.clone());
        self.state.permitted = false;
        self.state.phase = ask.phase();
        self.state.attempts.push(attempt.clone());
        self.request(&attempt, ask, tree);
    }

    pub(crate) fn new_attempt(&self, tree: TreeState) -> Attempt {
        Attempt {
            number: self.state.attempt_number() + 1,
            in_round: self.attempts_in_round() + 1,
            senior: self.state.senior,
            before: tree,
            agent: None,
            changes: Vec::new(),
            weight: Weight::Nothing,
            diff: String::new(),
            said: String::new(),
            proposed: None,
            heard: None,
            asked_again: None,
            judged: None,
            square: None,
            analysis: None,
            ours: None,
            patterns: Vec::new(),
            review: None,
            charged: true,
        }
    }

    /// What the last execution left, for a sentence.
    pub(crate) fn how_it_stands(&self) -> String {
        let judged = self.state.last_judged();
        if let Some(judged) = judged.filter(|judged| judged.verdict == Verdict::PassedBut) {
            return red_before::in_words(judged);
        }
        let failures = judged.map_or(&[][..], |judged| &judged.failures);
        let name = |failed: &CheckFailure| match &failed.failure.test {
            Some(test) => test.clone(),
            // A finding or an error says more than the check that it is shown by.
            None => bound_end(&failed.failure.summary(), STANDS_CHARS),
        };
        let names: Vec<String> = failures.iter().map(name).collect();
        format!("still red: {}", some_of(&names))
    }

    pub(crate) fn request(&mut self, attempt: &Attempt, ask: Ask, tree: TreeState) {
        self.state.put_back = None;
        let feedback = feedback::feedback(&self.state, attempt, &ask);
        let prompt = feedback::prompt(&self.state, &feedback, &ask);
        let request = AgentRequest {
            attempt: attempt.number,
            attempt_in_round: attempt.in_round,
            senior: attempt.senior,
            ask,
            tree,
            prompt,
            feedback,
        };
        self.perform(Action::AskAgent(Box::new(request)));
    }
}
