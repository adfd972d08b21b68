//! Arbitrary answers and noise for a loop.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use redgreen_engine::effect::Action;
use redgreen_engine::input::{
    AgentOutcome, AgentResult, Input, PersonsWord, Settings, Stamped, Weight,
};
use redgreen_model::analysis::ProposedAnalysis;
use redgreen_model::config::{CoverageSettings, FailedFirst, HalfEdit, JudgeBy};
use redgreen_model::execution::{CheckRun, Ended, LeakedProcess, Purpose};
use redgreen_model::report::{Failure, FailureKind, Location, Report, TestOutcome};
use redgreen_model::tree::{FileRole, TreeState};
use redgreen_model::workflow::{
    Backoff, CodeType, EscalationAction, EscalationCondition, EscalationPolicy, EscalationTrigger,
    RetryPolicy,
};

use crate::common::run::{Run, case, run};
use crate::common::story::Story;
use crate::common::{SESSION, change, corners, id as test_id, tampered, tree, unseen};

const SAME: &str = "the same long explanation as always";

/// One thing that happens to a loop.
#[derive(Clone, Debug)]
pub enum Move {
    Answer(Answer),
    Noise(Noise),
}

/// An answer to whatever is pending.
#[derive(Clone, Debug)]
pub struct Answer {
    kind: u8,
    checks: Vec<CheckRun>,
    agent: AgentOutcome,
    /// Which tree there is now: 0–5 as it was, 6–15 a new one, above that one seen before.
    tree: u8,
    pick: usize,
    tests_changed: bool,
    analysis: Option<ProposedAnalysis>,
}

/// An input that nobody waits for.
#[derive(Clone, Debug)]
pub enum Noise {
    /// One that came before, once more.
    Again(Index),
    /// An answer to the pending action with another id.
    WrongId(Answer, u64),
    /// An answer of another kind with the right id.
    WrongKind(Answer),
    /// An execution for another purpose with the right id.
    WrongPurpose(Answer),
    /// Another beginning.
    SecondStart(Box<Settings>),
}

impl Answer {
    /// A bad agent that goes on for as long as it is let, always with the same explanation.
    pub fn worst(number: usize) -> Self {
        let checks = run([("t1", TestOutcome::Passed), ("new", TestOutcome::Failed)]).checks;
        Self {
            kind: 100,
            checks,
            agent: AgentOutcome::Finished,
            tree: if number % 7 == 6 { 0 } else { 6 },
            pick: 0,
            tests_changed: false,
            analysis: Some(ProposedAnalysis {
                root_cause: SAME.to_owned(),
                fix_strategy: SAME.to_owned(),
                confidence: 1.0,
                tests: vec!["new".to_owned()],
                place: String::new(),
                found: Some(crate::common::place()),
            }),
        }
    }

    /// The answer to what is pending in the story.
    pub fn to(&self, story: &mut Story) -> Input {
        let id = story.pending_id();
        match self.kind {
            0 => return Input::Failed { id, problem: "disk full".to_owned() },
            1 => return Input::DeadlinePassed { limit_seconds: 60 },
            _ => {}
        }
        match story.action().clone() {
            Action::Execute { purpose, .. } => self.executed(story, purpose),
            Action::AskAgent(_) => {
                let tree = self.tree(story);
                self.agent_ended(id, tree)
            }
            Action::Wait { .. } => Input::Waited { id },
            Action::AskPerson { .. } => Input::PersonSaid { id, word: self.word() },
            Action::Restore { tree: wanted, .. } => {
                story.here = if self.kind == 2 { tree("elsewhere") } else { tree(&wanted.0) };
                Input::Restored { id, tree: story.here.clone(), saved: "refs/x".to_owned() }
            }
            Action::Square { base, tree } => {
                let facts =
                    [corners, tampered, unseen][usize::from(self.kind < 20) * (1 + self.pick % 2)];
                Input::Squared { id, facts: Box::new(facts(&base, &tree)) }
            }
            Action::Seal { .. } => {
                if self.kind < 20 {
                    story.here = self.tree(story);
                }
                Input::Sealed { id, tree: story.here.clone() }
            }
        }
    }

    /// What a person says: mostly to go on.
    fn word(&self) -> PersonsWord {
        let by = "Ada".to_owned();
        match self.kind {
            2..10 => PersonsWord::Nobody { seconds: 1 },
            10..20 => PersonsWord::Stop { by, reason: "no".to_owned() },
            20..40 => PersonsWord::Hint { by, text: "look at zero".to_owned() },
            _ => PersonsWord::GoOn { by },
        }
    }

    fn executed(&self, story: &mut Story, purpose: Purpose) -> Input {
        let number = story.inputs.len() as u64;
        let mut run = self.run();
        if purpose == Purpose::Confirm && !self.kind.is_multiple_of(4) {
            // Mostly tests do again what they did.
            run.checks = last_checks(story).unwrap_or(run.checks);
        }
        let mut execution = run.execution(number, purpose, &story.here);
        if self.kind < 12 {
            execution.before = self.tree(story);
            execution.after = execution.before.clone();
        } else if self.kind < 20 {
            execution.after = self.tree(story);
        } else if self.kind.is_multiple_of(5) {
            // A by-product, now and then another one.
            let code = execution.before.tree.0.split(' ').next().unwrap_or_default().to_owned();
            execution.after = tree(&format!("{code} log{}", self.pick % 3));
        } else if self.kind.is_multiple_of(13) {
            execution.rewritten_while_running = vec!["src/a.py".to_owned()];
        }
        let same_code = execution.before.code == execution.after.code;
        if same_code && execution.before.tree != execution.after.tree {
            execution.wrote = vec!["run.log".to_owned()];
        }
        story.here = execution.after.clone();
        Input::Executed { id: story.pending_id(), execution: Box::new(execution) }
    }

    fn run(&self) -> Run {
        Run { checks: self.checks.clone(), ..run([]) }
    }

    fn agent_ended(&self, id: u64, tree: TreeState) -> Input {
        let role = if self.tests_changed { FileRole::Tests } else { FileRole::Code };
        let result = AgentResult {
            said: String::new(),
            diff: String::new(),
            near: ["t1", "t2"].map(test_id).to_vec(),
            outcome: self.agent.clone(),
            tree,
            changes: vec![change("src/a.py", role)],
            weight: [Weight::Nothing, Weight::Documents, Weight::Runs, Weight::Runs]
                [usize::from(self.kind % 4)],
            analysis: self.analysis.clone(),
            declared: Vec::new(),
            waived: Vec::new(),
            known: None,
            secrets: Vec::new(),
            answer: String::new(),
            log: "agent.log".to_owned(),
            duration_ms: 4,
            cost_micros: 0,
        };
        Input::AgentEnded { id, result: Box::new(result) }
    }

    /// Also where the story is now.
    fn tree(&self, story: &mut Story) -> TreeState {
        let seen: Vec<TreeState> = story
            .inputs
            .iter()
            .filter_map(|stamped| match &stamped.input {
                Input::Executed { execution, .. } => Some(execution.after.clone()),
                Input::Started { tree, .. } => Some(tree.clone()),
                _ => None,
            })
            .collect();
        match self.tree {
            0..=1 => {}
            2..=15 => story.here = tree(&format!("tree{}", story.inputs.len())),
            _ => story.here = picked(&seen, self.pick),
        }
        story.here.clone()
    }
}

impl Noise {
    /// The input, where there is one that would be noise now.
    pub fn at(&self, story: &mut Story) -> Option<Input> {
        let here = story.here.clone();
        let input = self.input(story);
        story.here = here;
        input
    }

    fn input(&self, story: &mut Story) -> Option<Input> {
        let pending = story.state.pending.clone();
        match self {
            Self::Again(index) => {
                let input = index.get(&story.inputs).input.clone();
                let is_noise = match (&input, &pending) {
                    (Input::DeadlinePassed { .. }, Some(pending)) => {
                        matches!(pending.action, Action::Restore { .. })
                    }
                    // What was noise with a wrong id then may have the right one now.
                    (input, Some(pending)) => id_of(input) != Some(pending.id),
                    _ => true,
                };
                is_noise.then_some(input)
            }
            Self::WrongId(answer, offset) => {
                let pending = pending?;
                let mut input = answer.to(story);
                *id_of_mut(&mut input)? = pending.id.wrapping_add(1 + offset % 1_000);
                Some(input)
            }
            Self::WrongKind(answer) => {
                let pending = pending?;
                let id = pending.id;
                let here = story.here.clone();
                let all = [
                    answer.agent_ended(id, here.clone()),
                    Input::Waited { id },
                    Input::Restored { id, tree: here.clone(), saved: String::new() },
                    Input::Sealed { id, tree: here.clone() },
                    Input::Squared { id, facts: Box::new(corners(&here, &here)) },
                    Input::Executed {
                        id,
                        execution: Box::new(answer.run().execution(1, Purpose::Judge, &here)),
                    },
                ];
                let wrong: Vec<Input> =
                    all.into_iter().filter(|input| !fits(input, &pending.action)).collect();
                Some(picked(&wrong, answer.pick))
            }
            Self::WrongPurpose(answer) => {
                let pending = pending?;
                let Action::Execute { purpose, .. } = pending.action else { return None };
                let all = [Purpose::Baseline, Purpose::Judge, Purpose::First, Purpose::Confirm];
                let others: Vec<Purpose> =
                    all.into_iter().filter(|other| *other != purpose).collect();
                Some(answer.executed(story, picked(&others, answer.pick)))
            }
            Self::SecondStart(settings) => {
                Some(Input::Started { settings: settings.clone(), tree: tree("other") })
            }
        }
    }
}

fn last_checks(story: &Story) -> Option<Vec<CheckRun>> {
    story.inputs.iter().rev().find_map(|stamped| match &stamped.input {
        Input::Executed { execution, .. } => Some(execution.checks.clone()),
        _ => None,
    })
}

fn picked<T: Clone>(list: &[T], pick: usize) -> T {
    list[pick % list.len()].clone()
}

fn fits(input: &Input, action: &Action) -> bool {
    matches!(
        (input, action),
        (Input::Executed { .. }, Action::Execute { .. })
            | (Input::AgentEnded { .. }, Action::AskAgent(_))
            | (Input::Waited { .. }, Action::Wait { .. })
            | (Input::Restored { .. }, Action::Restore { .. })
            | (Input::Sealed { .. }, Action::Seal { .. })
            | (Input::Squared { .. }, Action::Square { .. })
            | (Input::PersonSaid { .. }, Action::AskPerson { .. })
    )
}

fn id_of(input: &Input) -> Option<u64> {
    id_of_mut(&mut input.clone()).map(|id| *id)
}

fn id_of_mut(input: &mut Input) -> Option<&mut u64> {
    match input {
        Input::Executed { id, .. }
        | Input::AgentEnded { id, .. }
        | Input::Waited { id }
        | Input::Restored { id, .. }
        | Input::Sealed { id, .. }
        | Input::Squared { id, .. }
        | Input::PersonSaid { id, .. }
        | Input::Failed { id, .. } => Some(id),
        Input::Started { .. }
        | Input::Remembered { .. }
        | Input::Answered { .. }
        | Input::DeadlinePassed { .. } => None,
    }
}

pub fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        4 => answer().prop_map(Move::Answer),
        1 => noise().prop_map(Move::Noise),
    ];
    vec(one, 0..40)
}

fn noise() -> impl Strategy<Value = Noise> {
    prop_oneof![
        any::<Index>().prop_map(Noise::Again),
        (answer(), any::<u64>()).prop_map(|(answer, offset)| Noise::WrongId(answer, offset)),
        answer().prop_map(Noise::WrongKind),
        answer().prop_map(Noise::WrongPurpose),
        settings().prop_map(|settings| Noise::SecondStart(Box::new(settings))),
    ]
}

fn answer() -> impl Strategy<Value = Answer> {
    let checks = prop_oneof![
        6 => honest_checks(),
        2 => almost_green(),
        2 => vec(check(), 0..3),
    ];
    (any::<u8>(), checks, agent(), 0..18_u8, any::<usize>(), any::<bool>(), analysis()).prop_map(
        |(kind, checks, agent, tree, pick, tests_changed, analysis)| Answer {
            kind,
            checks,
            agent,
            tree,
            pick,
            tests_changed,
            analysis,
        },
    )
}

/// One check whose report and exit code agree.
fn honest_checks() -> impl Strategy<Value = Vec<CheckRun>> {
    let outcome = prop_oneof![
        6 => Just(TestOutcome::Passed),
        2 => Just(TestOutcome::Failed),
        1 => Just(TestOutcome::Skipped),
    ];
    btree_map(select(vec!["t1", "t2", "t3"]), outcome, 1..4).prop_map(|tests| run(tests).checks)
}

/// Everything green but for one thing.
fn almost_green() -> impl Strategy<Value = Vec<CheckRun>> {
    let green = || run([("t1", TestOutcome::Passed), ("t2", TestOutcome::Passed)]);
    let error = Failure::new(FailureKind::RuntimeError, "E", "after the last test");
    let mut without_end = green().unfinished(&["t3"]);
    without_end.checks[0].report.complete = true;
    let mut unheard = green();
    unheard.checks[0].report.began = false;
    let runs = [
        green().incomplete(),
        without_end,
        green().not_run(&["t3"]),
        green().error(error),
        green().exit(1),
        run([("t1", TestOutcome::Failed), ("t2", TestOutcome::Passed)]).exit(0),
        run([("t1", TestOutcome::Skipped)]),
        green().and(run([]).named("other")),
        unheard,
    ];
    select(runs.into_iter().map(|run| run.checks).collect::<Vec<_>>())
}

fn agent() -> impl Strategy<Value = AgentOutcome> {
    prop_oneof![
        20 => Just(AgentOutcome::Finished),
        1 => "\\PC{0,12}".prop_map(|how| AgentOutcome::Failed { how }),
        1 => any::<u64>().prop_map(|limit_seconds| AgentOutcome::TimedOut { limit_seconds }),
        1 => "\\PC{0,12}".prop_map(|reason| AgentOutcome::GaveUp { reason }),
    ]
}

fn analysis() -> impl Strategy<Value = Option<ProposedAnalysis>> {
    let text = prop_oneof![Just(SAME.to_owned()), "[a-z ]{0,40}",];
    let tests = vec(select(vec!["t1", "t2", "t3", "new", "unit"]), 0..3);
    // Thousandths: what JSON gives back to the last bit.
    let confidence = (-200..1_200_i32).prop_map(|thousandths| f64::from(thousandths) / 1_000.0);
    let proposed = (text.clone(), text, confidence, tests).prop_map(
        |(root_cause, fix_strategy, confidence, tests)| ProposedAnalysis {
            root_cause,
            fix_strategy,
            confidence,
            tests: tests.into_iter().map(str::to_owned).collect(),
            place: String::new(),
            found: Some(crate::common::place()),
        },
    );
    proptest::option::of(proposed)
}

fn ended() -> impl Strategy<Value = Ended> {
    prop_oneof![
        6 => select(vec![0, 0, 0, 1, 2, 5, 126, 127, -1]).prop_map(|code| Ended::Exited { code }),
        1 => select(vec![6, 9, 11]).prop_map(|signal| Ended::Signalled { signal }),
        1 => any::<u64>().prop_map(|limit_seconds| Ended::TimedOut { limit_seconds }),
        1 => Just(Ended::Stopped),
        1 => Just(Ended::Lost),
        1 => "\\PC{0,9}".prop_map(|reason| Ended::NotStarted { reason }),
    ]
}

fn failure() -> impl Strategy<Value = Failure> {
    let kind = select(vec![
        FailureKind::CompileError,
        FailureKind::RuntimeError,
        FailureKind::ToolingError,
        FailureKind::Unknown,
    ]);
    (kind, "\\PC{0,9}", "\\PC{0,30}", any::<Option<u32>>()).prop_map(
        |(kind, error_type, message, line)| {
            let mut failure = Failure::new(kind, error_type, message);
            failure.location = line.map(|line| Location {
                file: "src/a.py".to_owned(),
                line: Some(line),
                function: None,
            });
            failure
        },
    )
}

fn report() -> impl Strategy<Value = Report> {
    let outcome = select(vec![
        TestOutcome::Passed,
        TestOutcome::Failed,
        TestOutcome::Errored,
        TestOutcome::Skipped,
        TestOutcome::ExpectedFailure,
        TestOutcome::UnexpectedPass,
    ]);
    let name = || select(vec!["t1", "t2", "t3"]);
    let names = || vec(name().prop_map(str::to_owned), 0..2);
    (
        any::<bool>(),
        any::<bool>(),
        vec((name(), outcome), 0..4),
        names(),
        names(),
        vec(failure(), 0..2),
    )
        .prop_map(|(began, complete, tests, unfinished, not_run, errors)| Report {
            began,
            complete,
            tests: tests.into_iter().map(|(id, outcome)| case(id, outcome)).collect(),
            unfinished,
            not_run,
            errors,
            diagnostics: Vec::new(),
        })
}

fn check() -> impl Strategy<Value = CheckRun> {
    let name = select(vec!["unit", "lint"]);
    let by = select(vec![JudgeBy::Tests, JudgeBy::ExitCode]);
    (name, any::<bool>(), by, ended(), report(), "\\PC{0,20}").prop_map(
        |(name, required, judge_by, ended, report, output_tail)| {
            let mut check = run([]).checks.remove(0);
            check.check = name.to_owned();
            check.leaks = vec![LeakedProcess { pid: 7, command: output_tail.clone() }];
            CheckRun { required, judge_by, ended, report, output_tail, ..check }
        },
    )
}

pub fn settings() -> impl Strategy<Value = Settings> {
    let retry = (1..=4_u32, select(Backoff::ALL), any::<bool>(), any::<bool>()).prop_map(
        |(max_attempts, backoff, escalation_on_max, abort_on_regression)| RetryPolicy {
            max_attempts,
            backoff,
            escalation_on_max,
            abort_on_regression,
        },
    );
    let trigger = (select(EscalationCondition::ALL), select(EscalationAction::ALL)).prop_map(
        |(condition, action)| EscalationTrigger {
            condition,
            action,
            include_in_report: Vec::new(),
        },
    );
    let half_edit = select(vec![HalfEdit::Restore, HalfEdit::Keep]);
    let code_type = proptest::option::of(select(CodeType::ALL));
    let first = select(FailedFirst::ALL);
    let policy = (retry, vec(trigger, 0..4), first, any::<bool>(), any::<bool>(), 0..4_u32);
    (policy, any::<bool>(), half_edit, code_type, 0..5_u64, 0..12_u8).prop_map(
        |(policy, senior, half_edit, code_type, backoff_base_seconds, who)| {
            let (retry, triggers, failed_first, retry_regression, asks, fresh) = policy;
            let settings = Settings {
                session: SESSION.to_owned(),
                task: "a task".to_owned(),
                code_type,
                retry,
                backoff_base_seconds,
                escalation: EscalationPolicy { triggers, notification: None },
                senior,
                half_edit,
                failed_first,
                retry_regression,
                hosted: false,
                single: false,
                alone: false,
                known: Vec::new(),
                accepting: Vec::new(),
                security_checks: Vec::new(),
                ask_before: Vec::new(),
                on_no_answer: Default::default(),
                planner: false,
                test_engineer: false,
                reviewer: None,
                kind_by_agent: false,
                coverage: CoverageSettings::default(),
                no_tests_yet: false,
                feedback_tokens: 1_500,
                feedback_template: None,
                mends: std::collections::BTreeMap::new(),
                asks_for_analysis: asks,
                fresh_start_after: fresh,
            };
            match who {
                0 | 1 => settings.hosted(),
                2 => settings.single(false),
                3 => settings.single(true),
                _ => settings,
            }
        },
    )
}

/// Any input, also one that no loop would ever see.
pub fn stamped() -> impl Strategy<Value = Stamped> {
    let trees = || "[a-z]{1,5}( [a-z]{1,5})?".prop_map(|name| tree(&name));
    let executed = (any::<u64>(), vec(check(), 0..3), trees(), trees(), any::<u64>()).prop_map(
        |(id, checks, before, after, number)| {
            let run = Run { checks, ..run([]) };
            let mut execution = run.execution(number, Purpose::Judge, &before);
            execution.changed_while_running = vec![change("a b", FileRole::Inert)];
            execution.after = after;
            Input::Executed { id, execution: Box::new(execution) }
        },
    );
    let asked = (any::<u64>(), answer(), trees())
        .prop_map(|(id, answer, tree)| answer.agent_ended(id, tree));
    let input = prop_oneof![
        (settings(), trees())
            .prop_map(|(settings, tree)| Input::Started { settings: Box::new(settings), tree }),
        executed,
        asked,
        any::<u64>().prop_map(|id| Input::Waited { id }),
        (any::<u64>(), trees(), "\\PC{0,9}").prop_map(|(id, tree, saved)| Input::Restored {
            id,
            tree,
            saved
        }),
        (any::<u64>(), trees()).prop_map(|(id, tree)| Input::Sealed { id, tree }),
        (any::<u64>(), "\\PC{0,30}|.{0,9}\n.{0,9}")
            .prop_map(|(id, problem)| Input::Failed { id, problem }),
        any::<u64>().prop_map(|limit_seconds| Input::DeadlinePassed { limit_seconds }),
    ];
    ("\\PC{0,20}", input).prop_map(|(at, input)| Stamped { at, input })
}
