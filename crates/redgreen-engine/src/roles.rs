//! Agents that edit nothing: a planner before the work, and a reviewer of what passed. What a reviewer finds is mended
//! like a red test, where its severity blocks; else it is listed.

use redgreen_model::report::{Failure, FailureKind, Location};
use redgreen_model::review::parse;
use redgreen_model::tree::TreeState;
use redgreen_model::verdict::{StopReason, Verdict};

use crate::effect::{Action, AgentRequest, Ask};
use crate::input::{AgentOutcome, AgentResult};
use crate::judge::CheckFailure;
use crate::state::{AfterRestore, Review};
use crate::step::Turn;

/// The error type of a reviewer's finding that blocks.
pub const REVIEW_FINDING: &str = "review_finding";

impl Turn {
    /// The baseline is known: the work begins.
    pub(crate) fn begin_work(&mut self) {
        let plans = self.state.settings.as_ref().is_some_and(|settings| settings.planner);
        match self.state.start.clone() {
            Some(tree) if plans => self.ask_for_words(Ask::Plan, tree),
            _ => self.ask(Ask::Code),
        }
    }

    /// Asks somebody who edits nothing: that is no attempt.
    fn ask_for_words(&mut self, ask: Ask, tree: TreeState) {
        let attempt = match (&ask, self.state.attempts.last()) {
            (Ask::Review, Some(attempt)) => attempt.clone(),
            _ => self.new_attempt(tree.clone()),
        };
        self.state.phase = ask.phase();
        self.request(&attempt, ask, tree);
    }

    /// The planner has ended. Without a plan the work begins all the same.
    pub(crate) fn planned(&mut self, result: &AgentResult) {
        match (&result.outcome, result.answer.trim()) {
            (AgentOutcome::Finished, "") => self.no_plan("it said nothing"),
            (AgentOutcome::Finished, answer) => self.state.plan = Some(answer.to_owned()),
            (outcome, _) => self.no_plan(&crate::edit_step::describe(outcome)),
        }
        self.ask(Ask::Code);
    }

    fn no_plan(&mut self, why: &str) {
        self.state.flags.push(format!("there is no plan: {why}"));
    }

    /// All else agrees: a reviewer looks at it, where there is one and it has not said what it thinks of this code.
    pub(crate) fn review_or_seal(&mut self, tree: TreeState) {
        let reviews = self.state.settings.as_ref().is_some_and(|it| it.reviewer.is_some());
        let said = self.state.attempts.iter().rev().filter_map(|attempt| attempt.review.clone());
        let known = said.into_iter().find(|review| review.code == tree.code);
        match known {
            _ if !reviews => self.seal(tree),
            Some(review) => {
                self.keep_review(review);
                self.act_on_review();
            }
            None => self.ask_for_words(Ask::Review, tree),
        }
    }

    /// The reviewer has ended.
    pub(crate) fn reviewed(&mut self, result: &AgentResult, request: &AgentRequest) {
        let parsed = match &result.outcome {
            AgentOutcome::Finished => parse(&result.answer),
            outcome => Err(crate::edit_step::describe(outcome)),
        };
        let (findings, problem) = match parsed {
            Ok(findings) => (findings, None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        if let Some(problem) = &problem {
            self.state.flags.push(format!("there is no review: {problem}"));
        }
        let tree = &request.tree;
        self.keep_review(Review { code: tree.code.clone(), findings, problem });
        if result.tree.tree != tree.tree {
            self.state
                .flags
                .push("the reviewer edited the work tree, which was put back".to_owned());
            self.state.after_restore = Some(AfterRestore::Reviewed);
            let reason = "a reviewer edits nothing".to_owned();
            return self.perform(Action::Restore { tree: tree.tree.clone(), reason });
        }
        self.act_on_review();
    }

    fn keep_review(&mut self, review: Review) {
        if let Some(attempt) = self.state.attempts.last_mut() {
            attempt.review = Some(review);
        }
    }

    /// What blocks is fed back like anything red.
    pub(crate) fn act_on_review(&mut self) {
        self.state.put_back = None;
        let blocks = self.state.settings.as_ref().and_then(|settings| settings.reviewer);
        let Some(attempt) = self.state.attempts.last_mut() else { return };
        let (Some(judged), Some(review)) = (&mut attempt.judged, &attempt.review) else {
            return self.stop(
                StopReason::ToolingError,
                "a review came, and none was asked for".to_owned(),
            );
        };
        let blocks = blocks.unwrap_or_default();
        let blocking = review.findings.iter().filter(|finding| blocks.includes(finding.severity));
        let check = judged.execution.checks.iter().find(|run| run.required);
        let check = check.map(|run| run.check.clone()).unwrap_or_default();
        let mut is_blocked = false;
        for finding in blocking {
            is_blocked = true;
            judged.reasons.push(format!("the review: {}: {}", finding.place(), finding.text));
            let mut failure = Failure::new(FailureKind::TestFailure, REVIEW_FINDING, &finding.text);
            failure.location = finding.file.as_ref().map(|file| Location {
                file: file.clone(),
                line: finding.line,
                function: None,
            });
            judged.failures.push(CheckFailure { check: check.clone(), failure });
        }
        if is_blocked {
            judged.verdict = judged.verdict.max(Verdict::Failed);
            return self.analyse();
        }
        let tree = judged.tree().clone();
        self.seal(tree);
    }
}
