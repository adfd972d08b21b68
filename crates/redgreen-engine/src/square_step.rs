//! The square in the loop: a run that passed is believed once the other corners agree.

use redgreen_model::event::Event;
use redgreen_model::square::{Declaration, SquareFacts, Waiver};
use redgreen_model::tree::TreeState;
use redgreen_model::verdict::{StopReason, Verdict};

use crate::effect::Action;
use crate::red_before;
use crate::square::{self, Context};
use crate::state::SquareRead;
use crate::step::Turn;

impl Turn {
    /// The run passed: now with the tests as they were.
    pub(crate) fn look_at_the_corners(&mut self, tree: TreeState) {
        let base = self.state.baseline.as_ref().map(|baseline| baseline.tree().clone());
        match base {
            Some(base) => self.perform(Action::Square { base, tree }),
            None => self.stop(StopReason::ToolingError, "there is no baseline".to_owned()),
        }
    }

    /// The corners came back.
    pub(crate) fn squared(&mut self, facts: &SquareFacts) {
        let judged = self.state.attempts.last().and_then(|attempt| attempt.judged.clone());
        let Some(run) = judged.filter(|judged| judged.tree().code == facts.tree.code) else {
            return self.stop(
                StopReason::ToolingError,
                "the result of the square came, and none was asked for".to_owned(),
            );
        };
        self.read_square(facts.clone(), run);
    }

    /// Nothing was edited, but something that blocked is declared or waived now: the same facts are
    /// read again, and nothing has to be run. False where that changes nothing.
    pub(crate) fn owned_more(&mut self, declared: &[Declaration], waived: &[Waiver]) -> bool {
        let earlier = self.state.attempts.iter().rev().skip(1).find_map(|it| it.square.clone());
        let Some(earlier) = earlier else { return false };
        let mut facts = earlier.facts;
        let waived = waived.iter().filter(|waiver| !facts.waived.contains(waiver));
        let waived: Vec<Waiver> = waived.cloned().collect();
        if facts.declared == declared && waived.is_empty() {
            return false;
        }
        facts.declared = declared.to_vec();
        facts.waived.extend(waived);
        self.read_square(facts, earlier.run);
        true
    }

    pub(crate) fn read_square(&mut self, facts: SquareFacts, mut run: crate::classes::Judged) {
        let state = &self.state;
        let (Some(baseline), Some(settings)) = (&state.baseline, &state.settings) else { return };
        red_before::weigh(&mut run, baseline, &facts.beyond);
        let context = Context {
            baseline,
            run: &run,
            facts: &facts,
            code_type: settings.code_type,
            kind_by_agent: settings.kind_by_agent,
            coverage: &settings.coverage,
            task: !self.is_hosted(),
        };
        let square = square::read(&context);
        let mut judged = run.clone();
        square::weigh(&mut judged, &square);
        self.say(Event::Squared {
            attempt: self.shown_attempt(),
            verdict: judged.verdict,
            square: Box::new(square.clone()),
        });
        let (verdict, tree) = (judged.verdict, judged.tree().clone());
        // The agent has done right, and has to say so: that is no attempt.
        let finds = square.blocking().next().is_some() || square.unowned().next().is_some();
        let right = !finds && square.doubts.is_empty();
        let to_declare = right && run.verdict <= Verdict::PassedBut && verdict == Verdict::Failed;
        let unmeasured = square.is_only_unmeasured().then(|| square.doubts.join("; "));
        if let Some(attempt) = self.state.attempts.last_mut() {
            attempt.judged = Some(judged);
            attempt.square = Some(SquareRead { facts, run, square });
        }
        if let Some(why) = unmeasured.filter(|_| !self.is_hosted()) {
            // Nothing that the agent could edit makes it known.
            return self.stop(StopReason::CoverageThresholdUnmet, why);
        }
        match verdict {
            Verdict::Passed | Verdict::PassedBut if !self.goes_on() => {}
            Verdict::Passed | Verdict::PassedBut => self.review_or_seal(tree),
            _ => {
                if to_declare {
                    self.spare();
                }
                self.analyse();
            }
        }
    }

    /// The last attempt does not count, if not too many have been spared already.
    pub(crate) fn spare(&mut self) {
        let round = self.state.attempts.iter().skip(self.state.round_start);
        let spared = round.filter(|attempt| !attempt.charged).count();
        let bound = usize::try_from(self.state.max_attempts()).unwrap_or(usize::MAX);
        if let Some(attempt) = self.state.attempts.last_mut().filter(|_| spared < bound) {
            attempt.charged = false;
        }
    }
}
