//! The loop itself: one input in, the next state and what to do about it out.

use std::collections::BTreeSet;

use redgreen_model::event::Event;
use redgreen_model::execution::{Execution, Purpose};
use redgreen_model::report::FailureKind;
use redgreen_model::tree::{FileRole, TreeState, diff_summary};
use redgreen_model::verdict::{StopReason, Verdict};
use redgreen_model::workflow::{CodeType, LoopStatus, Phase};

use crate::analysis::{self, AcceptedAnalysis, Evidence};
use crate::classes::{Judged, settle, suspects};
use crate::effect::{Action, AgentRequest, Ask, Effect, Pending};
use crate::feedback;
use crate::input::{AgentOutcome, AgentResult, Input, Settings, Stamped};
use crate::judge::{CheckFailure, cut_off, judge, some_of, weigh_what_was_left};
use crate::state::{AfterRestore, Attempt, State, Unconfirmed};

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
            return matches!(input, Input::Started { .. }) && self.state.settings.is_none();
        };
        match (input, &pending.action) {
            (Input::Executed { id, execution }, Action::Execute { purpose, .. }) => {
                *id == pending.id && execution.purpose == *purpose
            }
            (Input::AgentEnded { id, .. }, Action::AskAgent(_))
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
            Input::AgentEnded { result, .. } => self.agent_ended(result),
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
        self.state.seen.insert(tree.code.clone());
        self.execute(Purpose::Baseline, Vec::new());
    }

    pub(crate) fn execute(
        &mut self,
        purpose: Purpose,
        only: Vec<redgreen_model::execution::TestId>,
    ) {
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
                text: format!("{}; the checks run once more", judgement.reasons.join("; ")),
            });
            return self.execute(execution.purpose, Vec::new());
        }
        self.state.seen.insert(execution.after.code.clone());
        let suspects = suspects(&judgement, &self.state.history);
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
                "a re-run came back that nobody asked for".to_owned(),
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
                format!("{what}, again: nothing can be judged like this"),
            );
        }
        self.state.redone += 1;
        self.say(Event::Notice { text: format!("{what}; the checks run once more") });
        self.execute(purpose, Vec::new());
    }

    /// Has the checks run once more where they passed and wrote to the tree: what is returned is what they
    /// left, and only what was run is known to pass. What they write again then is known to be a
    /// by-product.
    fn runs_as_left(&mut self, judged: &Judged) -> bool {
        let wrote = judged.wrote();
        let passed = judged.verdict == Verdict::Passed;
        if !passed || wrote.is_empty() || self.state.as_left.is_some() {
            return false;
        }
        let text = format!(
            "the checks themselves write {}, which git does not ignore: they run once more, on the tree as they left it",
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
            attempt: self.state.attempt_number(),
            verdict: judged.verdict,
            reasons: judged.reasons.clone(),
            counts: judged.counts(),
            classes: judged.classes.clone(),
        });
    }

    /// An execution is settled: pass, stop, or go on.
    fn judged(&mut self, judged: Judged) {
        let is_baseline = judged.execution.purpose == Purpose::Baseline;
        if !is_baseline && self.runs_as_left(&judged) {
            return;
        }
        self.say_judged(&judged);
        if judged.verdict == Verdict::ToolingError {
            let detail = judged.reasons.join("; ");
            self.keep(judged);
            return self.stop(StopReason::ToolingError, detail);
        }
        self.state.early = None;
        self.state.history.learn(&judged);
        let verdict = judged.verdict;
        let tree = judged.tree().clone();
        let regressed: Vec<String> =
            judged.classes.regressed.iter().map(ToString::to_string).collect();
        self.keep(judged);
        match (is_baseline, verdict) {
            (true, _) => self.ask(Ask::Code),
            (false, Verdict::Passed) => self.look_at_the_corners(tree),
            (false, _) if !regressed.is_empty() => self.regression(&regressed),
            (false, _) => self.analyse(),
        }
    }

    pub(crate) fn keep(&mut self, judged: Judged) {
        match self.state.attempts.last_mut() {
            Some(attempt) if judged.execution.purpose != Purpose::Baseline => {
                attempt.judged = Some(judged)
            }
            _ => self.state.baseline = Some(judged),
        }
    }

    /// The tree that passed was looked at once more.
    fn sealed(&mut self, tree: &TreeState) {
        let passed = self.state.attempts.last().and_then(|attempt| attempt.judged.as_ref());
        let still = passed.filter(|it| it.verdict == Verdict::Passed && it.is_of(tree));
        let Some(ran_on) = still.map(|judged| judged.ran_on().clone()) else {
            return self.stale("the tree changed after the checks had passed", Purpose::Judge);
        };
        self.state.sealed = Some(ran_on);
        self.finish(Phase::Complete, LoopStatus::Passed);
    }

    fn agent_ended(&mut self, result: &AgentResult) {
        self.say(Event::AgentEnded {
            attempt: self.state.attempt_number(),
            how: describe(&result.outcome),
            said: result.said.clone(),
            diff_summary: diff_summary(&result.changes),
            files: result.changes.iter().map(|change| change.path.clone()).collect(),
        });
        self.hear_analysis(result);
        let seen = self.state.seen.contains(&result.tree.code);
        let Some(attempt) = self.state.attempts.last_mut() else {
            return self
                .stop(StopReason::ToolingError, "an agent answered that nobody asked".to_owned());
        };
        let edited = attempt.before.code != result.tree.code;
        attempt.agent = Some(result.outcome.clone());
        attempt.add_changes(&result.changes);
        attempt.diff.push_str(&result.diff);
        attempt.said.clone_from(&result.said);
        attempt.proposed.clone_from(&result.analysis);
        let before = attempt.before.clone();
        match &result.outcome {
            AgentOutcome::Failed { how } => {
                let half_edit = edited.then_some(&result.tree);
                return self.agent_broke(StopReason::AgentFailed, how.clone(), &before, half_edit);
            }
            AgentOutcome::TimedOut { limit_seconds } => {
                let detail = format!("the agent reached its limit of {limit_seconds} s");
                let half_edit = edited.then_some(&result.tree);
                return self.agent_broke(StopReason::TimeoutExceeded, detail, &before, half_edit);
            }
            AgentOutcome::GaveUp { reason } => {
                return self.stop(StopReason::AgentGaveUp, reason.clone());
            }
            AgentOutcome::Finished => {}
        }
        self.state.redone = 0;
        self.state.as_left = None;
        if !edited && self.owned_more(&result.declared, &result.waived) {
            return;
        }
        if !edited && self.is_hosted() {
            return self.as_before();
        }
        if !edited {
            return self.stop(
                StopReason::NoProgress,
                "the agent edited nothing that could change a test".to_owned(),
            );
        }
        if edited && seen {
            return self.stop(
                StopReason::NoProgress,
                "the agent brought back a tree that was judged before".to_owned(),
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

    pub(crate) fn is_hosted(&self) -> bool {
        self.state.settings.as_ref().is_some_and(|settings| settings.hosted)
    }

    /// Nothing was edited: what was seen of this tree is what the attempt is judged by.
    fn as_before(&mut self) {
        let Some(mut judged) = self.state.last_judged().cloned() else {
            return self.stop(StopReason::ToolingError, "there is nothing to judge by".to_owned());
        };
        if judged.is_first() {
            // The agent insists on it: now all of the suite has its word.
            return self.execute(Purpose::Judge, Vec::new());
        }
        judged.execution.purpose = Purpose::Judge;
        let (verdict, tree) = (judged.verdict, judged.tree().clone());
        if self.runs_as_left(&judged) {
            return;
        }
        self.keep(judged);
        match verdict {
            Verdict::Passed => self.look_at_the_corners(tree),
            _ => self.analyse(),
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
        wants && !has_tests && self.state.attempt_number() == 1 && !self.state.tests_asked
    }

    fn ask_for_tests(&mut self, tree: &TreeState) {
        if let Some(attempt) = self.state.attempts.last().cloned() {
            self.state.phase = Phase::GenerateTests;
            self.request(&attempt, Ask::Tests, tree.clone());
        }
    }

    /// The agent's own analysis takes the place of ours if it passes the door.
    fn hear_analysis(&mut self, result: &AgentResult) {
        let Some(proposed) = &result.analysis else { return };
        let count = self.state.attempts.len();
        let Some(previous) =
            count.checked_sub(2).and_then(|index| self.state.attempts.get_mut(index))
        else {
            return;
        };
        let (Some(judged), Some(ours)) = (&previous.judged, &previous.analysis) else { return };
        let failing: BTreeSet<&str> =
            judged.failures.iter().map(|failure| failure.name()).collect();
        let attempt = previous.number;
        let event =
            match analysis::accept(analysis::from_agent(proposed), &failing, &self.state.tried) {
                Ok(accepted) => {
                    self.state.tried.remove(&ours.key());
                    self.state.tried.insert(accepted.key());
                    let event = Event::AnalysisAccepted { attempt, analysis: (*accepted).clone() };
                    previous.analysis = Some(accepted);
                    event
                }
                Err(reason) => Event::AnalysisRefused { attempt, reason },
            };
        self.say(event);
    }

    /// The last attempt is red: explain it and ask for a fix, if there is an attempt left.
    pub(crate) fn analyse(&mut self) {
        self.state.phase = Phase::AnalyzeFailures;
        let Some(accepted) = self.explain() else {
            return self.stop(
                StopReason::UnknownErrorType,
                "nothing that could be analysed was seen".to_owned(),
            );
        };
        let number = self.state.attempt_number();
        self.say(Event::AnalysisAccepted { attempt: number, analysis: (*accepted).clone() });
        if self.all_unknown() && !self.flag_unknown() {
            return;
        }
        if self.attempts_in_round() >= self.state.max_attempts() {
            return self.stop(
                StopReason::BoundedAttemptsExceeded,
                format!(
                    "{} of {} used, still red: {}",
                    self.attempts_in_round(),
                    self.state.max_attempts(),
                    self.still_red()
                ),
            );
        }
        self.go_on();
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

    /// Makes our analysis of the last attempt, lets it through the door, and keeps it.
    pub(crate) fn explain(&mut self) -> Option<AcceptedAnalysis> {
        let attempt = self.state.attempts.last()?;
        let judged = attempt.judged.as_ref()?;
        let signature = judged.failure_signature();
        let earlier = self.state.attempts.iter().rev().skip(1);
        let same_as = earlier
            .filter_map(|earlier| Some((earlier.number, earlier.judged.as_ref()?)))
            .chain(self.state.baseline.as_ref().map(|baseline| (0, baseline)))
            .find(|(_, earlier)| earlier.failure_signature() == signature)
            .map(|(number, _)| number);
        let evidence = Evidence {
            attempt: attempt.number,
            failures: &judged.failures,
            changes: &attempt.changes,
            same_as,
        };
        let failing: BTreeSet<&str> =
            judged.failures.iter().map(|failure| failure.name()).collect();
        let accepted =
            analysis::accept(analysis::builtin(&evidence)?, &failing, &self.state.tried).ok()?;
        self.state.tried.insert(accepted.key());
        if let Some(attempt) = self.state.attempts.last_mut() {
            attempt.analysis = Some(accepted.clone());
        }
        Some(accepted)
    }

    fn all_unknown(&self) -> bool {
        let judged = self.state.attempts.last().and_then(|attempt| attempt.judged.as_ref());
        judged.is_some_and(|judged| {
            judged.failures.iter().all(|failure| failure.failure.kind == FailureKind::Unknown)
        })
    }

    pub(crate) fn attempts_in_round(&self) -> u32 {
        u32::try_from(self.state.attempts.len().saturating_sub(self.state.round_start))
            .unwrap_or(u32::MAX)
    }

    fn ask_for_fix(&mut self) {
        let analysis =
            self.state.attempts.iter().rev().find_map(|attempt| attempt.analysis.clone());
        match analysis {
            Some(analysis) => self.ask(Ask::Fix(analysis)),
            None => self.stop(StopReason::UnknownErrorType, "no analysis was accepted".to_owned()),
        }
    }

    /// Begins an attempt.
    pub(crate) fn ask(&mut self, ask: Ask) {
        let Some(tree) = self.state.tree().cloned() else {
            return self.stop(StopReason::ToolingError, "there is no tree to work on".to_owned());
        };
        let attempt = Attempt {
            number: self.state.attempt_number() + 1,
            in_round: self.attempts_in_round() + 1,
            senior: self.state.senior,
            before: tree.clone(),
            agent: None,
            changes: Vec::new(),
            diff: String::new(),
            said: String::new(),
            proposed: None,
            judged: None,
            square: None,
            analysis: None,
        };
        self.state.phase =
            if matches!(ask, Ask::Code) { Phase::GenerateCode } else { Phase::ApplyFix };
        self.state.attempts.push(attempt.clone());
        self.request(&attempt, ask, tree);
    }

    /// What the last execution left red, for a sentence.
    fn still_red(&self) -> String {
        let failures = self.state.last_judged().map_or(&[][..], |judged| &judged.failures);
        some_of(&failures.iter().map(CheckFailure::name).collect::<Vec<_>>())
    }

    fn request(&mut self, attempt: &Attempt, ask: Ask, tree: TreeState) {
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
            None => self.stop(
                StopReason::ToolingError,
                "a tree was put back that nobody asked for".to_owned(),
            ),
        }
    }
}

/// The tests that an execution was confined to.
fn tests_of(answered: Option<&Action>) -> &[redgreen_model::execution::TestId] {
    match answered {
        Some(Action::Execute { only, .. }) => only,
        _ => &[],
    }
}

fn describe(outcome: &AgentOutcome) -> String {
    match outcome {
        AgentOutcome::Finished => "finished".to_owned(),
        AgentOutcome::Failed { how } => format!("failed: {how}"),
        AgentOutcome::TimedOut { limit_seconds } => {
            format!("ended at its limit of {limit_seconds} s")
        }
        AgentOutcome::GaveUp { reason } => format!("gave up: {reason}"),
    }
}
