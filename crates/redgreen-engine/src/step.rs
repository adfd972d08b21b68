//! The loop itself: one input in, the next state and what to do about it out.

use std::collections::BTreeSet;

use redgreen_model::event::Event;
use redgreen_model::execution::{Execution, Purpose, TestId};
use redgreen_model::tree::TreeState;
use redgreen_model::verdict::{StopReason, Verdict};
use redgreen_model::workflow::{LoopStatus, Phase};

use crate::classes::{History, Judged, settle, suspects};
use crate::effect::{Action, Ask, Effect, Pending};
use crate::input::{Input, Settings, Stamped};
use crate::judge::{cut_off, judge, some_of, weigh_what_was_left};
use crate::state::{AfterRestore, InformedOf, State, Unconfirmed};
use crate::{known, red_before};

/// How often an execution that cannot be believed is repeated for one attempt: once for somebody
/// who edits while the tests run.
const REDO_MAX: u32 = 1;

/// A state and the consequences of the input that led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The new state.
    pub state: State,
    /// What to do and to say.
    pub effects: Vec<Effect>,
}

/// Takes one input. An input that does not answer the pending action changes nothing.
pub fn step(state: State, stamped: &Stamped) -> Step {
    let mut turn = Turn { state, effects: Vec::new() };
    if !turn.expects(&stamped.input) {
        return Step { state: turn.state, effects: turn.effects };
    }
    if let Input::Remembered { memory } = &stamped.input {
        turn.state.remembered.add(memory);
        return Step { state: turn.state, effects: turn.effects };
    }
    turn.state.updated_at.clone_from(&stamped.at);
    if turn.state.settings.is_none() {
        turn.state.started_at.clone_from(&stamped.at);
    }
    let answered = turn.state.pending.take().map(|pending| pending.action);
    turn.take(&stamped.input, answered.as_ref());
    Step { state: turn.state, effects: turn.effects }
}

/// The state after all of these inputs: how a loop is taken up again.
pub fn fold<'inputs>(inputs: impl IntoIterator<Item = &'inputs Stamped>) -> State {
    inputs.into_iter().fold(State::new(), |state, input| step(state, input).state)
}

/// A step in the making.
pub(crate) struct Turn {
    pub(crate) state: State,
    pub(crate) effects: Vec<Effect>,
}

impl Turn {
    /// Whether the input is the answer that the state waits for.
    fn expects(&self, input: &Input) -> bool {
        let Some(pending) = &self.state.pending else {
            return match input {
                Input::Started { .. } => self.state.settings.is_none(),
                Input::Answered { .. } => self.state.may_be_answered(),
                _ => false,
            };
        };
        match (input, &pending.action) {
            (Input::Executed { id, execution }, Action::Execute { purpose, .. }) => {
                *id == pending.id && execution.purpose == *purpose
            }
            (Input::AgentEnded { id, .. }, Action::AskAgent(_))
            | (Input::PersonSaid { id, .. }, Action::AskPerson { .. })
            | (Input::Waited { id }, Action::Wait { .. })
            | (Input::Restored { id, .. }, Action::Restore { .. })
            | (Input::Squared { id, .. }, Action::Square { .. })
            | (Input::Sealed { id, .. }, Action::Seal { .. })
            | (Input::Failed { id, .. }, _) => *id == pending.id,
            (Input::Remembered { .. }, _) => true,
            (Input::DeadlinePassed { .. }, action) => !matches!(action, Action::Restore { .. }),
            _ => false,
        }
    }

    fn take(&mut self, input: &Input, answered: Option<&Action>) {
        match input {
            Input::Started { settings, tree } => self.start(settings, tree),
            Input::Executed { execution, .. } if execution.purpose == Purpose::Confirm => {
                self.confirmed(execution)
            }
            Input::Executed { execution, .. } if execution.purpose == Purpose::First => {
                self.ran_first(execution, tests_of(answered))
            }
            Input::Executed { execution, .. } => self.executed(execution),
            Input::AgentEnded { result, .. } => match answered {
                Some(Action::AskAgent(request)) if request.ask == Ask::Plan => self.planned(result),
                Some(Action::AskAgent(request)) if request.ask == Ask::Review => {
                    self.reviewed(result, request)
                }
                _ => self.agent_ended(result),
            },
            Input::PersonSaid { word, .. } => {
                if let Some(Action::AskPerson { before, .. }) = answered {
                    self.person_said(word, *before);
                }
            }
            Input::Waited { .. } => self.ask_for_fix(),
            Input::Restored { tree, .. } => self.restored(tree, answered),
            Input::Squared { facts, .. } => self.squared(facts),
            Input::Sealed { tree, .. } => self.sealed(tree),
            Input::Failed { problem, .. }
                if matches!(answered, Some(Action::Execute { purpose: Purpose::First, .. })) =>
            {
                self.first_failed(problem)
            }
            Input::Failed { problem, .. } => self.stop(StopReason::ToolingError, problem.clone()),
            Input::DeadlinePassed { limit_seconds } => self.out_of_time(*limit_seconds, answered),
            Input::Answered { answer, tree } => self.answered(answer, tree),
            Input::Remembered { .. } => {}
        }
    }

    pub(crate) fn say(&mut self, event: Event) {
        self.effects.push(Effect::Announce(event));
    }

    pub(crate) fn perform(&mut self, action: Action) {
        let pending = Pending { id: self.state.next_id, action };
        self.state.next_id += 1;
        self.state.pending = Some(pending.clone());
        self.effects.push(Effect::Perform(pending));
    }

    fn start(&mut self, settings: &Settings, tree: &TreeState) {
        self.state.settings = Some(settings.clone());
        self.state.start = Some(tree.clone());
        self.state.history.ran_before.extend(settings.accepting.iter().cloned());
        self.saw(tree);
        match settings.alone {
            true => self.ask(Ask::Code),
            false => self.execute(Purpose::Baseline, Vec::new()),
        }
    }

    /// A tree was judged: bringing it back is no new attempt.
    pub(crate) fn saw(&mut self, tree: &TreeState) {
        self.state.seen.insert(tree.code.clone());
        self.state.seen_trees.insert(tree.tree.clone());
    }

    pub(crate) fn execute(&mut self, purpose: Purpose, only: Vec<TestId>) {
        let attempt = self.state.attempt_number();
        self.perform(Action::Execute { purpose, attempt, only });
    }

    /// A full execution came back.
    fn executed(&mut self, execution: &Execution) {
        if cut_off(execution) {
            return self.stale("a check was ended from outside", execution.purpose);
        }
        let mut judgement = judge(execution, &self.state.history.ran_before);
        let changed = execution.is_disturbed();
        if changed && self.state.redone < REDO_MAX {
            self.state.redone += 1;
            self.say(Event::Notice {
                text: format!("{}; the checks run again", judgement.reasons.join("; ")),
            });
            return self.execute(execution.purpose, Vec::new());
        }
        self.saw(&execution.before);
        self.saw(&execution.after);
        let mut suspects = suspects(&judgement, &self.state.history);
        let known = known::excused(&judgement.failures, self.state.known(), &self.state.history);
        suspects.retain(|test| !known.contains(test));
        let mut worth_it =
            matches!(judgement.verdict, Verdict::Failed | Verdict::Passed) && !changed;
        if let Some(wrote) = &self.state.as_left
            && matches!(judgement.verdict, Verdict::Failed | Verdict::Inconclusive)
        {
            weigh_what_was_left(execution, wrote, &mut judgement);
            worth_it = false;
        }
        if worth_it && !suspects.is_empty() {
            self.state.unconfirmed = Some(Unconfirmed { execution: execution.clone(), judgement });
            return self.execute(Purpose::Confirm, suspects);
        }
        let judged = settle(execution.clone(), judgement, None, &self.state.history);
        self.judged(judged);
    }

    /// The re-run of the suspects came back.
    fn confirmed(&mut self, confirm: &Execution) {
        let Some(Unconfirmed { execution, judgement }) = self.state.unconfirmed.take() else {
            return self.stop(
                StopReason::ToolingError,
                "the result of a second run came, and none was asked for".to_owned(),
            );
        };
        if confirm.before.code != execution.after.code || confirm.after.code != execution.after.code
        {
            let purpose = execution.purpose;
            return self.stale("code or tests changed between the run and its re-run", purpose);
        }
        if cut_off(confirm) {
            return self.stale("the re-run was ended from outside", execution.purpose);
        }
        let judged = settle(execution, judgement, Some(confirm.clone()), &self.state.history);
        self.judged(judged);
    }

    /// What was seen cannot be believed or is about a tree that is no more: run again, but not
    /// for ever.
    fn stale(&mut self, what: &str, purpose: Purpose) {
        if self.state.redone >= REDO_MAX {
            return self.stop(
                StopReason::ToolingError,
                format!("{what}, twice: nothing can be judged like this"),
            );
        }
        self.state.redone += 1;
        self.state.permitted = false;
        self.say(Event::Notice { text: format!("{what}; the checks run again") });
        self.execute(purpose, Vec::new());
    }

    /// Has the checks run once more where they passed and wrote to the tree: what is returned is what they
    /// left, and only what was run is known to pass. What they write again then is known to be a
    /// by-product.
    pub(crate) fn runs_as_left(&mut self, judged: &Judged) -> bool {
        let wrote = judged.wrote();
        let passed = judged.verdict <= Verdict::PassedBut;
        if !passed || wrote.is_empty() || self.state.as_left.is_some() {
            return false;
        }
        let text = format!(
            "the checks write {}, which git does not ignore: they run again, on the tree that they left",
            some_of(&wrote)
        );
        self.say(Event::Notice { text });
        self.state.as_left = Some(wrote);
        self.execute(Purpose::Judge, Vec::new());
        true
    }

    pub(crate) fn say_judged(&mut self, judged: &Judged) {
        let execution = &judged.execution;
        self.say(Event::Judged {
            number: execution.number,
            purpose: execution.purpose,
            attempt: self.shown_attempt(),
            verdict: judged.verdict,
            reasons: judged.reasons.clone(),
            counts: judged.counts(),
            classes: judged.classes.clone(),
        });
    }

    /// An execution is settled: pass, stop, or go on.
    fn judged(&mut self, judged: Judged) {
        let is_baseline = judged.execution.purpose == Purpose::Baseline;
        let mut judged = judged;
        known::set_apart(&mut judged, self.state.known(), &self.state.history);
        if !is_baseline && self.runs_as_left(&judged) {
            return;
        }
        if !is_baseline {
            say_what_did_not_run(&mut judged, &self.state.history);
        }
        self.say_judged(&judged);
        // Where what was before is looked at in hindsight, its tools may be those that the change brought.
        let in_hindsight = is_baseline && self.is_hosted();
        if judged.verdict == Verdict::ToolingError && !in_hindsight {
            let detail = judged.reasons.join("; ");
            self.keep(judged);
            return self.stop(StopReason::ToolingError, detail);
        }
        self.state.early = None;
        let broken = &self.state.history.green_in_attempts;
        let regressed = judged.classes.regressed.iter().filter(|test| broken.contains(test));
        let regressed: Vec<String> = regressed.map(ToString::to_string).collect();
        self.state.history.learn(&judged);
        self.keep(judged);
        match is_baseline {
            true => self.begin_work(),
            false if !regressed.is_empty() => self.regression(&regressed),
            false => self.weigh_run(),
        }
    }

    /// The run of the last attempt is settled: a pass, and what may be as good as one, has to pass with the tests
    /// as they were, too.
    pub(crate) fn weigh_run(&mut self) {
        let state = &self.state;
        let Some(run) = state.attempts.last().and_then(|attempt| attempt.judged.as_ref()) else {
            return self.stop(
                StopReason::ToolingError,
                "no run of the checks was seen, so there is nothing to judge".to_owned(),
            );
        };
        // In a loop they may be the task: they are fed back, and looked at once nobody is asked any more.
        let is_last = self.attempts_in_round() >= state.max_attempts();
        let alone = state.settings.as_ref().is_some_and(|settings| settings.alone);
        let asks = (self.is_hosted() || is_last) && !alone;
        let excusable =
            state.baseline.as_ref().is_some_and(|it| asks && red_before::may_be(run, it));
        match run.verdict <= Verdict::PassedBut || excusable {
            true => self.look_at_the_corners(run.tree().clone()),
            false => self.analyse(),
        }
    }

    /// Keeps an execution: the baseline's, or that of the last attempt, which is its own baseline where it is
    /// compared with nothing.
    pub(crate) fn keep(&mut self, judged: Judged) {
        let alone = self.state.settings.as_ref().is_some_and(|settings| settings.alone);
        if alone {
            self.state.baseline = Some(judged.clone());
        }
        match self.state.attempts.last_mut() {
            Some(attempt) if judged.execution.purpose != Purpose::Baseline => {
                attempt.judged = Some(judged);
                attempt.square = None; // It was of another run.
            }
            _ => self.state.baseline = Some(judged),
        }
    }

    /// The tree that passed was looked at once more.
    fn sealed(&mut self, tree: &TreeState) {
        let judged = self.state.attempts.last().and_then(|attempt| attempt.judged.as_ref());
        let still = judged.filter(|it| it.verdict <= Verdict::PassedBut && it.is_of(tree));
        let but_for_known = still.is_some_and(Judged::is_but_for_known);
        let Some((verdict, ran_on)) = still.map(|it| (it.verdict, it.ran_on().clone())) else {
            return self.stale("the tree changed after the checks had passed", Purpose::Judge);
        };
        if verdict == Verdict::Passed {
            self.state.sealed = Some(ran_on);
            return self.finish(Phase::Complete, LoopStatus::Passed);
        }
        if but_for_known {
            // A person has said so already: there is nobody to inform and nothing to mend.
            self.state.sealed = Some(ran_on);
            return self.finish(Phase::Complete, LoopStatus::Failed);
        }
        let is_single = self.is_single();
        if self.is_hosted() && (is_single || !self.state.informed_of.insert(InformedOf::RedBefore))
        {
            self.state.sealed = Some(ran_on);
            return self.finish(Phase::Complete, LoopStatus::Failed);
        }
        if self.is_hosted() {
            self.spare();
        }
        self.analyse();
    }

    pub(crate) fn is_hosted(&self) -> bool {
        self.state.settings.as_ref().is_some_and(|settings| settings.hosted)
    }

    /// The attempt as it is shown: there is none where nobody is asked.
    pub(crate) fn shown_attempt(&self) -> u32 {
        if self.is_single() { 0 } else { self.state.attempt_number() }
    }

    pub(crate) fn is_single(&self) -> bool {
        self.state.settings.as_ref().is_some_and(|settings| settings.single)
    }

    fn restored(&mut self, tree: &TreeState, answered: Option<&Action>) {
        if let Some(Action::Restore { tree: wanted, .. }) = answered
            && *wanted != tree.tree
        {
            let found = &tree.tree;
            self.state
                .flags
                .push(format!("tree {wanted} was to be put back, but {found} is there"));
        }
        self.state.put_back = Some(tree.clone());
        match self.state.after_restore.take() {
            Some(AfterRestore::End { phase, status }) => self.finish(phase, status),
            Some(AfterRestore::SeniorRound) => self.senior_round(),
            Some(AfterRestore::GoOn) => self.go_on(),
            Some(AfterRestore::AskAgain) => self.ask_again(),
            Some(AfterRestore::Reviewed) => self.act_on_review(),
            None => self.stop(
                StopReason::ToolingError,
                "a tree was put back although that was not asked for".to_owned(),
            ),
        }
    }
}

/// A run that was cut short, by a panic or at the first failure, is not the whole truth: how much of what ran before
/// did not run now is said.
fn say_what_did_not_run(judged: &mut Judged, history: &History) {
    if judged.verdict == Verdict::Passed || judged.is_first() {
        return;
    }
    let gone: Vec<&str> = judged.classes.lost.iter().map(|test| test.test.as_str()).collect();
    if !gone.is_empty() {
        judged.reasons.push(format!("ran before, and are gone now: {}", some_of(&gone)));
    }
    let seen: BTreeSet<TestId> = judged.execution.tests().collect();
    let before = history.baseline_green.iter().chain(&history.baseline_red);
    let before: BTreeSet<&TestId> = before.collect();
    let lost = &judged.classes.lost;
    let missing: Vec<&str> = before
        .iter()
        .filter(|test| !seen.contains(**test) && !lost.contains(test))
        .map(|test| test.test.as_str())
        .collect();
    if !missing.is_empty() {
        judged.reasons.push(format!(
            "{} of {} tests that ran before did not run now, and what became of them is not known: {}",
            missing.len(),
            before.len(),
            some_of(&missing)
        ));
    }
}

/// The tests that an execution was confined to.
fn tests_of(answered: Option<&Action>) -> &[TestId] {
    match answered {
        Some(Action::Execute { only, .. }) => only,
        _ => &[],
    }
}
