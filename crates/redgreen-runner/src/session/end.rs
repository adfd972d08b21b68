//! What a loop leaves for others: its document as it goes, and its evidence and report at its end.

use redgreen_engine::document;
use redgreen_engine::document::DocumentFacts;
use redgreen_engine::evidence::{Compared, PassedTree};
use redgreen_model::config::Role;
use redgreen_model::event::Event;
use redgreen_model::verdict::Verdict;
use redgreen_model::workflow::LoopStatus;

use super::Session;
use crate::layout::{forget, write_whole};
use crate::plan::OutsideSince;
use crate::reporting::{SUMMARY, report};
use crate::{RunnerError, known, people};

impl Session<'_> {
    /// Writes the workflow document.
    pub(super) fn publish(&self) -> Result<(), RunnerError> {
        let root = self.trees.workspace.root();
        let debug_memory_ref = self.memory.written_to(root);
        let facts = DocumentFacts { debug_memory_ref, ..self.plan.document_facts() };
        let workflow = document::workflow(&self.state, &facts);
        let text = serde_json::to_vec_pretty(&workflow).map_err(|error| {
            RunnerError::Session(format!("cannot write the workflow document: {error}"))
        })?;
        write_whole(&self.folder.workflow(), &text)
    }

    /// Signs that the tree passed, if it did.
    fn attest(&self) {
        let state = &self.state;
        let last = state.attempts.last();
        let (Some(tree), Some(baseline), Some(last)) = (&state.sealed, &state.baseline, last)
        else {
            return;
        };
        let (Some(run), Some(seen)) = (&last.judged, &last.square) else { return };
        if run.verdict > Verdict::PassedBut {
            return;
        }
        if !self.is_own && self.witness.can_sign() {
            // Whoever works in the tree can write a journal, and have it resumed.
            let text =
                "no evidence is signed: this loop's journal may have been written by somebody else";
            return self.events.say(&Event::Notice { text: text.to_owned() });
        }
        let compared = Compared { baseline, facts: &seen.facts, square: &seen.square };
        let single = self.plan.single.as_ref();
        let passed = PassedTree {
            run,
            compared: single.is_none_or(|single| !single.alone).then_some(compared),
            outside: seen.facts.outside.as_ref(),
            code_type: self.plan.code_type,
            known: &self.plan.known,
            session: single.is_none().then_some((&*self.plan.session, state.attempts_charged())),
            accepted: None,
        };
        self.witness.attest(&self.events, tree, &passed);
    }

    /// Has a reporter write a summary, where there is one; whether it did. It edits nothing.
    fn summarise(&self, text: &str) -> bool {
        let Some(reporter) = self.plan.roles.get(&Role::Reporter) else { return false };
        let summary = || {
            let before = self.trees.now()?;
            let said = self.agent_runner().report(reporter, text, self.time_left())?;
            if self.trees.now()?.tree != before.tree {
                self.restore(&before.tree, "reporter", "a reporter edits nothing")?;
            }
            write_whole(&self.folder.path().join(SUMMARY), said.as_bytes())
        };
        match summary() {
            Ok(()) => true,
            Err(problem) => {
                let text = format!("there is no summary: {problem}");
                self.events.say(&Event::Notice { text });
                false
            }
        }
    }

    /// What passes now although it was known to be red leaves the list.
    fn settle_known(&self) {
        let text = match known::settle(&self.trees.workspace, &self.state) {
            Ok(None) => return,
            Ok(Some(text)) => text,
            Err(problem) => format!("the list of known tests stays as it is: {problem}"),
        };
        self.events.say(&Event::Notice { text });
    }

    /// What is to be said of a loop that ended with nothing to mend.
    fn remark(&self) -> String {
        if self.state.is_but_for_known() {
            let judged = self.state.last_judged();
            return judged.map(|judged| judged.reasons.join("; ")).unwrap_or_default();
        }
        let is_idle = self.state.status == LoopStatus::Passed && self.state.sealed.is_none();
        self.state.flags.last().filter(|_| is_idle).cloned().unwrap_or_default()
    }

    fn call_people(&self, report: &str) {
        let (workspace, ways) = (&self.trees.workspace, &self.plan.config.notify);
        let written = match self.plan.hosted && self.state.status == LoopStatus::Passed {
            true => people::settle_gated(workspace),
            false => people::call(workspace, ways, &self.state, report.to_owned()),
        };
        if let Err(problem) = written {
            self.events.say(&Event::Notice { text: format!("nobody can be notified: {problem}") });
        }
    }

    /// Writes the report and says how it ended; done again if the loop is resumed after its end.
    /// The report comes last: where it is, nothing is left to do.
    pub(super) fn conclude(&mut self) -> Result<(), RunnerError> {
        if self.plan.single.is_some() {
            self.attest();
            // Where something else than the work tree was looked at, that stays as it is.
            if self.plan.elsewhere().is_none()
                && !matches!(self.plan.outside, OutsideSince::Always { .. })
            {
                self.settle_known();
            }
            return Ok(());
        }
        // First the record: the document names it, also where a crash came between them.
        self.memory.conclude(&self.state, &self.events);
        self.publish()?;
        // Without the secrets in its plan the loop has ended before, and was signed then.
        if self.is_whole {
            self.attest();
        }
        let shown_report = self.folder.shown(&self.folder.report());
        // What becomes of an item is the outer loop's to say.
        if !self.plan.outer.as_ref().is_some_and(|outer| outer.has_plan) {
            self.call_people(&shown_report);
        }
        let mut text = report(&self.trees.workspace, &self.folder, &self.state);
        if self.summarise(&text) {
            text = report(&self.trees.workspace, &self.folder, &self.state);
        }
        write_whole(&self.folder.report(), text.as_bytes())?;
        let stop = self.state.stop.as_ref();
        self.events.say(&Event::Finished {
            session: self.plan.session.clone(),
            status: self.state.status,
            reason: stop.map(|stop| stop.reason),
            detail: stop.map(|stop| stop.detail.clone()).unwrap_or_else(|| self.remark()),
            attempts: self.state.attempts_charged(),
            tree: self.state.tree().map(|tree| tree.tree.clone()),
            report: shown_report,
        });
        if !self.plan.hosted {
            self.settle_known();
        }
        // Nothing is left to do that needs a secret.
        let _ = self.folder.withheld_plan().map(|path| forget(&path));
        Ok(())
    }
}
