//! The invariants over arbitrary and hostile sequences of inputs.

use std::collections::BTreeSet;

use crate::common::story::Story;
use crate::hostile::{Answer, Move, Noise, moves, settings, stamped};
use proptest::prelude::*;
use redgreen_engine::classes::Judged;
use redgreen_engine::effect::{Action, AgentRequest, Ask, Effect};
use redgreen_engine::input::{Input, Settings, Stamped};
use redgreen_engine::state::{SquareRead, State};
use redgreen_engine::{fold, step};
use redgreen_model::analysis::ANALYSIS_CHARS_MIN;
use redgreen_model::config::JudgeBy;
use redgreen_model::event::Event;
use redgreen_model::execution::{Ended, Execution, Purpose};
use redgreen_model::report::TestOutcome;
use redgreen_model::tree::{CodeHash, TreeHash};
use redgreen_model::verdict::{StopReason, Verdict};
use redgreen_model::workflow::{EscalationAction, EscalationCondition, LoopStatus, Phase};

/// Steps that one attempt can take at most: two questions (code, tests), a wait, three full runs with
/// their re-runs, one more that is thrown away, two looks at the tree, a first stage.
const STEPS_PER_ATTEMPT_MAX: usize = 15;
/// Steps outside attempts: the start, the baseline with its repetitions, two restores.
const STEPS_AROUND_MAX: usize = 8;

/// What was seen on the way, kept apart from the engine's own state.
#[derive(Default)]
struct Witness {
    executions: Vec<Execution>,
    asked: Vec<AgentRequest>,
    /// The keys of analyses whose fix was executed and not found green.
    failed_keys: BTreeSet<String>,
    answers: usize,
    regression_round: Option<bool>,
}

/// Green, derived from the facts alone.
fn is_green(execution: &Execution) -> bool {
    let required: Vec<_> = execution.checks.iter().filter(|run| run.required).collect();
    !required.is_empty()
        && execution.before.code == execution.after.code
        && execution.rewritten_while_running.is_empty()
        && required.iter().all(|run| {
            let report = &run.report;
            let red = |outcome| matches!(outcome, TestOutcome::Failed | TestOutcome::Errored);
            let executed = |outcome| !matches!(outcome, TestOutcome::Skipped);
            run.ended == Ended::Exited { code: 0 }
                && (run.judge_by == JudgeBy::ExitCode
                    || (report.began
                        && report.complete
                        && report.errors.is_empty()
                        && report.unfinished.is_empty()
                        && report.not_run.is_empty()
                        && report.tests.iter().any(|test| executed(test.outcome))
                        && !report.tests.iter().any(|test| red(test.outcome))))
        })
}

/// Tools that failed, derived from the facts alone.
fn tools_failed(execution: &Execution) -> bool {
    execution.checks.iter().filter(|run| run.required).any(|run| {
        matches!(run.ended, Ended::NotStarted { .. } | Ended::Lost | Ended::Stopped)
            || (matches!(run.ended, Ended::Exited { code: 126 | 127 }) && !run.report.began)
    })
}

impl Witness {
    fn see(&mut self, state: &State, stamped: &Stamped, effects: &[Effect]) {
        self.answers += 1;
        if let Input::Executed { execution, .. } = &stamped.input {
            self.executions.push((**execution).clone());
            let action = state.pending.as_ref().map(|pending| &pending.action);
            let goes_on = matches!(
                action,
                Some(Action::AskAgent(_) | Action::Square { .. } | Action::Seal { .. })
            );
            let hosted = state.settings.as_ref().is_some_and(|settings| settings.hosted);
            // What was before an agent that lives outside is looked at in hindsight.
            let judged = state.attempts.last().is_some_and(|attempt| attempt.judged.is_some());
            let hindsight = hosted && !judged;
            let failed = tools_failed(execution) && !hindsight;
            assert!(!(failed && goes_on), "the tools failed, and the loop goes on: {action:?}");
            let reason = state.stop.as_ref().map(|stop| stop.reason);
            assert!(!(failed && state.ended()) || reason == Some(StopReason::ToolingError));
        }
        if let Some(judged) = state.attempts.last().and_then(|attempt| attempt.judged.as_ref())
            && judged.verdict != Verdict::Passed
            && let Some(AgentRequest { ask: Ask::Fix(analysis), .. }) = self.asked.last()
        {
            self.failed_keys.insert(analysis.key());
        }
        let confirmed = state.attempts.split_last().is_some_and(|(last, earlier)| {
            let regressed = last.judged.iter().flat_map(|judged| &judged.classes.regressed);
            let mut earlier = earlier.iter().filter_map(|attempt| attempt.judged.as_ref());
            let greens: BTreeSet<_> = earlier.by_ref().flat_map(|judged| &judged.green).collect();
            regressed.into_iter().any(|test| greens.contains(test))
        });
        let settings = state.settings.as_ref().unwrap();
        if confirmed && stops_on_regression(settings) && self.regression_round.is_none() {
            self.regression_round = Some(state.attempts.last().unwrap().senior);
        }
        for effect in effects {
            match effect {
                Effect::Perform(pending) => self.check_action(state, &pending.action),
                Effect::Announce(Event::AnalysisAccepted { analysis, .. }) => {
                    assert!(!self.failed_keys.contains(&analysis.key()), "accepted a second time");
                }
                Effect::Announce(_) => {}
            }
        }
        // An agent's own analysis stands at the attempt before the one that it guided.
        for pair in state.attempts.windows(2) {
            let judged = pair[1].judged.as_ref();
            if judged.is_some_and(|judged| judged.verdict != Verdict::Passed) {
                self.failed_keys.extend(pair[0].analysis.as_ref().map(|analysis| analysis.key()));
            }
        }
    }

    fn check_action(&mut self, state: &State, action: &Action) {
        match action {
            Action::AskAgent(request) => self.check_request(state, request),
            Action::Restore { tree, .. } => self.check_restore(state, tree),
            Action::Seal { tree } => {
                let last = self.last_full().unwrap();
                assert!(is_green(last) && last.after == *tree, "a seal without green");
                let square = state.attempts.last().and_then(|attempt| attempt.square.as_ref());
                let agrees = |read: &SquareRead| read.square.verdict() == Verdict::Passed;
                assert!(square.is_some_and(agrees), "a seal without the corners");
            }
            Action::Square { tree, .. } => {
                let last = self.last_full().unwrap();
                // What was red before may have nothing to do with the change.
                let run = state.attempts.last().and_then(|attempt| attempt.judged.as_ref());
                let red = run.map(|run| run.red.clone()).unwrap_or_default();
                let before = state.baseline.as_ref().map(|it| it.red.clone()).unwrap_or_default();
                let as_before = !red.is_empty() && red.is_subset(&before);
                assert!(
                    (is_green(last) || as_before) && last.after == *tree,
                    "corners of a run that is not green"
                );
            }
            Action::Execute { only, purpose, .. } => {
                let some = matches!(purpose, Purpose::Confirm | Purpose::First);
                assert_eq!(some, !only.is_empty());
            }
            Action::Wait { seconds } => assert!(*seconds > 0),
            Action::AskPerson { question, .. } => assert!(!question.is_empty()),
        }
    }

    fn last_full(&self) -> Option<&Execution> {
        let some = |it: &Execution| matches!(it.purpose, Purpose::Confirm | Purpose::First);
        self.executions.iter().rev().find(|execution| !some(execution))
    }

    /// Invariants 2 and 3, and the half of 4 that is about asking.
    fn check_request(&mut self, state: &State, request: &AgentRequest) {
        let bound = state.settings.as_ref().unwrap().retry.max_attempts;
        assert!((1..=bound).contains(&request.attempt_in_round), "more attempts than allowed");
        assert_ne!(self.regression_round, Some(request.senior), "asked on after a regression");
        let asked_again = matches!(request.ask, Ask::Tests);
        let last = self.asked.last().map_or(0, |last| last.attempt);
        assert_eq!(request.attempt, if asked_again { last } else { last + 1 });
        if let Ask::Fix(analysis) = &request.ask {
            let says = |text: &str| text.trim().chars().count() >= ANALYSIS_CHARS_MIN;
            assert!(says(&analysis.root_cause) && says(&analysis.fix_strategy));
            assert!((0.0..=1.0).contains(&analysis.confidence));
            assert!(!analysis.tests.is_empty());
            assert!(
                !self.failed_keys.contains(&analysis.key()),
                "tried before: {}",
                analysis.key()
            );
        }
        self.asked.push(request.clone());
    }

    /// Invariant 4: what is put back was executed or is where it all began, and is no regression;
    /// or it is what an agent had begun with that broke; or the best tree there was, to begin anew or to end with.
    fn check_restore(&self, state: &State, tree: &TreeHash) {
        let start = state.start.iter().map(|start| &start.tree);
        let executed = self.executions.iter().map(|execution| &execution.after.tree);
        let given = self.asked.iter().map(|request| &request.tree.tree);
        let last = state.attempts.last().unwrap();
        let regressed =
            last.judged.as_ref().is_some_and(|judged| !judged.classes.regressed.is_empty());
        if !regressed {
            let mut known = given.chain(start).chain(executed);
            assert!(known.any(|known| known == tree), "{tree} was never there");
            return;
        }
        assert!(executed.chain(start).any(|known| known == tree), "{tree} was never executed");
        let earlier =
            state.attempts.iter().rev().skip(1).filter_map(|attempt| attempt.judged.as_ref());
        let candidates: Vec<&Judged> = earlier
            .chain(&state.baseline)
            .filter(|judged| judged.classes.regressed.is_empty())
            .collect();
        // A tree may have been judged more than once.
        let mut chosen = candidates.iter().filter(|judged| judged.tree().tree == *tree).peekable();
        assert!(chosen.peek().is_some(), "{tree} is itself a regression");
        let passed = |judged: &&Judged| judged.verdict == Verdict::Passed;
        assert!(
            chosen.any(passed) || !candidates.iter().any(passed),
            "a green tree was not chosen"
        );
    }

    /// Invariants 1, 3 and 7, on the state.
    fn check_state(&self, state: &State) {
        let settings = state.settings.as_ref().unwrap();
        let bound = settings.retry.max_attempts as usize;
        assert!(state.attempts.len() <= 4 * bound);
        let rounds: BTreeSet<bool> = state.attempts.iter().map(|attempt| attempt.senior).collect();
        for senior in rounds {
            let round = state.attempts.iter().filter(|attempt| attempt.senior == senior);
            let (charged, spared): (Vec<_>, Vec<_>) = round.partition(|attempt| attempt.charged);
            assert!(charged.len() <= bound && spared.len() <= bound);
        }
        assert!(self.answers <= STEPS_AROUND_MAX + 4 * bound * STEPS_PER_ATTEMPT_MAX);
        assert_eq!(state.ended(), state.pending.is_none());
        let passed = state.status == LoopStatus::Passed;
        assert_eq!(
            state.phase == Phase::Complete,
            passed || (settings.single && state.stop.is_none() && state.ended())
        );
        // Where nothing that runs was changed, what was seen before holds.
        let as_before = passed && state.last_full().is_some_and(|it| it.verdict == Verdict::Passed);
        assert!(state.sealed.is_some() == passed || as_before);
        let action = state.pending.as_ref().map(|pending| &pending.action);
        let ending = matches!(action, Some(Action::Restore { .. })) || state.ended();
        assert!(ending || state.stop.is_none());
        assert!(!state.ended() || settings.single || state.stop.is_some() != passed);
        if let Some(sealed) = &state.sealed {
            let last = self.last_full().unwrap();
            assert!(is_green(last), "passed without green: {last:#?}");
            assert_eq!(last.after.code, sealed.code);
            let unchanged = last.wrote.is_empty() && last.after == *sealed;
            assert!(unchanged || last.before == *sealed, "sealed and never run");
            // An agent that lives outside and edited nothing is judged by what was seen before it.
            let as_before = settings.hosted && last.purpose == Purpose::Baseline;
            assert!(last.purpose == Purpose::Judge || as_before);
            assert_ne!(self.regression_round, Some(state.attempts.last().unwrap().senior));
        }
    }
}

fn stops_on_regression(settings: &Settings) -> bool {
    let action = settings
        .escalation
        .trigger_for(EscalationCondition::RegressionDetected)
        .map(|trigger| trigger.action);
    let stops = settings.retry.abort_on_regression && !settings.retry_regression;
    stops && action != Some(EscalationAction::FlagAndContinue)
}

/// Plays the moves on a loop and checks everything after each; ends the loop if the moves do not.
fn play(settings: Settings, moves: &[Move]) -> (Story, Witness) {
    let mut story = Story::begin(settings);
    let mut witness = Witness { answers: 1, ..Witness::default() };
    witness.check_state(&story.state);
    for next in moves {
        match next {
            Move::Noise(noise) => ignored(&mut story, noise),
            Move::Answer(answer) => answered(&mut story, &mut witness, answer),
        }
    }
    let limit = STEPS_AROUND_MAX + 20 * STEPS_PER_ATTEMPT_MAX;
    for number in 0..=limit {
        assert!(number < limit, "the loop does not end");
        if story.state.ended() {
            break;
        }
        answered(&mut story, &mut witness, &Answer::worst(number));
    }
    (story, witness)
}

fn answered(story: &mut Story, witness: &mut Witness, answer: &Answer) {
    if story.state.ended() {
        return;
    }
    let input = answer.to(story);
    let deadline_ignored = matches!(input, Input::DeadlinePassed { .. })
        && matches!(story.action(), Action::Restore { .. });
    let effects = story.tell(input);
    if !deadline_ignored {
        let stamped = story.inputs.last().unwrap().clone();
        witness.see(&story.state, &stamped, &effects);
    }
    witness.check_state(&story.state);
}

/// An input that answers nothing leaves the state as it was and has no effects.
fn ignored(story: &mut Story, noise: &Noise) {
    let Some(input) = noise.at(story) else { return };
    let before = story.state.clone();
    let effects = story.tell(input);
    assert!(effects.is_empty(), "{effects:?}");
    assert!(story.state == before, "noise changed the state");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_invariants_hold_whatever_happens(settings in settings(), moves in moves()) {
        // What is compared with nothing is asked for at once.
        let first = u32::from(settings.alone);
        let (story, witness) = play(settings, &moves);
        prop_assert!(story.state.ended());
        let asked = witness.asked.iter().map(|request| request.attempt);
        let last = asked.max().unwrap_or(first);
        prop_assert_eq!(last as usize, story.state.attempts.len());
    }

    #[test]
    fn the_state_is_the_fold_of_its_journal(
        settings in settings(),
        moves in moves(),
        cut in any::<prop::sample::Index>(),
    ) {
        let (story, _) = play(settings, &moves);
        let mut state = State::new();
        let mut journal = Vec::new();
        for stamped in &story.inputs {
            state = step(state, stamped).state;
            let line = serde_json::to_string(stamped).unwrap();
            let read: Stamped = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(&read, stamped);
            journal.push(read);
        }
        prop_assert!(state == story.state);
        prop_assert!(fold(&journal) == story.state);
        let (before, after) = journal.split_at(cut.index(journal.len() + 1));
        let resumed = after.iter().fold(fold(before), |state, input| step(state, input).state);
        prop_assert!(resumed == story.state);
    }

    #[test]
    fn every_input_survives_the_journal(stamped in stamped()) {
        let line = serde_json::to_string(&stamped).unwrap();
        prop_assert_eq!(line.lines().count(), 1);
        let read: Stamped = serde_json::from_str(&line).unwrap();
        prop_assert_eq!(read, stamped);
    }
}

/// The property is worth something only if its loops reach every kind of end.
#[test]
fn the_moves_reach_every_end() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut ends = std::collections::BTreeMap::new();
    for _ in 0..4_000 {
        let (settings, moves) = (settings(), moves()).new_tree(&mut runner).unwrap().current();
        let (story, _) = play(settings, &moves);
        let reason = story.state.stop.as_ref().map_or("green", |stop| stop.reason.as_str());
        *ends.entry(reason).or_insert(0) += 1;
    }
    println!("ends of 4,000 arbitrary loops: {ends:?}");
    for wanted in [
        "green",
        "bounded_attempts_exceeded",
        "regression_detected",
        "no_progress",
        "timeout_exceeded",
        "tooling_error",
        "agent_failed",
        "agent_gave_up",
    ] {
        assert!(ends.contains_key(wanted), "no loop ends with {wanted}: {ends:?}");
    }
}

#[test]
fn a_code_hash_is_what_makes_trees_the_same() {
    assert_eq!(crate::common::tree("a with a cache").code, crate::common::tree("a").code);
    assert_ne!(crate::common::tree("a").code, CodeHash(String::new()));
}
