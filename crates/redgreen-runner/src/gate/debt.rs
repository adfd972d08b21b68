//! What an earlier session left unverified, and the one after it began with.
//!
//! Its own work is judged first, compared with what it began with: what was broken before does not count against it. Then
//! all of it is compared with what people had: what is wrong there is named to the agent once, uncharged, and to the user.

use redgreen_engine::feedback;
use redgreen_model::gate::Answer;
use redgreen_model::tree::TreeHash;
use redgreen_model::verdict::Verdict;

use super::questions::verified_by;
use super::{Gate, SeenPass};
use crate::evidence::{KeptEvidence, verdict_rules};
use crate::judge::judge;
use crate::plan::Plan;
use crate::{RunnerError, Tools};

/// What is said of a tree that passed but for what was red before.
pub(super) const BUT: &str = "let go";

impl Gate {
    /// Lets the session's loop go on until the agent is to do something or it ends.
    pub fn judge(&mut self, plan: &Plan, tools: &Tools<'_>) -> Result<Answer, RunnerError> {
        let against = |base: &TreeHash| Plan { base: Some(base.clone()), ..plan.clone() };
        if let Some(found) = self.record.debt().cloned() {
            let answer = match self.has_passed_against(&found, plan)? {
                true => Answer::allow("seen to pass"),
                false => self.judge_by(&against(&found), tools)?,
            };
            return match answer {
                Answer::Allow { .. } => self.judge_debt(plan, tools),
                answer => Ok(answer),
            };
        }
        // What was red before and passed meanwhile is not red again without a word.
        let base = self.base()?;
        let passed = self.record.passed_against(&base).filter(|it| **it != base).cloned();
        let Some(passed) = passed else { return self.judge_by(plan, tools) };
        let is_taken_back = self.workspace.last_look()?.tree == base;
        if is_taken_back || self.record.session_against(Some(&passed)).is_some() {
            let answer = self.judge_by(&against(&passed), tools)?;
            if is_taken_back || !matches!(answer, Answer::Allow { .. }) {
                return Ok(answer);
            }
        }
        let answer = self.judge_by(plan, tools)?;
        let is_but = matches!(&answer, Answer::Allow { why, .. } if why == BUT);
        if !is_but || self.has_passed_against(&passed, plan)? {
            return Ok(answer);
        }
        self.record.passed(&self.workspace, &passed, &base)?; // It still is the last one that did.
        self.judge_by(&against(&passed), tools)
    }

    /// Whether there is signed evidence that the work tree passed as a change of that one.
    fn has_passed_against(&self, base: &TreeHash, plan: &Plan) -> Result<bool, RunnerError> {
        let tree = self.workspace.tree_anew()?;
        let rules = verdict_rules(&plan.checks, &plan.config, plan.code_type);
        let evidence = KeptEvidence::of(self.workspace.root());
        Ok(verified_by(&evidence, &rules, &tree, base, &mut Vec::new()).is_some())
    }

    /// All that is there, compared with what people had.
    fn judge_debt(&mut self, plan: &Plan, tools: &Tools<'_>) -> Result<Answer, RunnerError> {
        let config = plan.config.clone();
        let whole = Plan::single("gate", config, Some(self.base()?), None)?;
        let whole = Plan { outside: plan.outside.clone(), ..whole };
        let seen = judge(self.workspace.clone(), whole, tools)?;
        let tree = seen.run.ran_on().clone();
        let remarks = seen.square.as_ref().map(|read| feedback::remarks(&read.square));
        let remarks = remarks.unwrap_or_default();
        if matches!(seen.run.verdict, Verdict::Passed | Verdict::PassedBut) {
            return self.passed(&tree.tree, SeenPass { why: "seen to pass".to_owned(), remarks });
        }
        let reasons = seen.run.reasons;
        if !self.record.tell_debt()? {
            return Ok(Answer::block(feedback::in_debt(&reasons)));
        }
        self.record.let_go(&tree)?;
        let message = format!(
            "redgreen: NOT VERIFIED: this session's own change passes, but an earlier session left what was never verified: {}. A person has \
             to look at it: `redgreen gate` shows it, `redgreen base --accept REASON` takes it over",
            reasons.join("; ")
        );
        self.log("let_go", &message, &tree.tree)?;
        Ok(Answer::let_go(message))
    }
}
