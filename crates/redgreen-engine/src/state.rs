//! The state of a loop: the fold of its inputs.

use std::collections::BTreeSet;

use redgreen_model::analysis::ProposedAnalysis;
use redgreen_model::review::ReviewFinding;
use redgreen_model::square::{Square, SquareFacts};
use redgreen_model::tree::{CodeHash, FileChange, TreeHash, TreeState};
use redgreen_model::verdict::{StopReason, Verdict};
use redgreen_model::workflow::{LoopStatus, Phase};

use crate::analysis::AcceptedAnalysis;
use crate::classes::{History, Judged};
use crate::effect::Pending;
use crate::input::{AgentOutcome, AgentResult, PersonsAnswer, Remembered, Settings, Weight};
use crate::judge::Judgement;
use redgreen_model::execution::{Execution, TestId};

/// One edit by the agent and the execution that judges it.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// From 1, over both rounds.
    pub number: u32,
    /// In its round, from 1: what the bound counts.
    pub in_round: u32,
    /// Whether the second agent made it.
    pub senior: bool,
    /// The tree before the edit.
    pub before: TreeState,
    /// How the agent ended.
    pub agent: Option<AgentOutcome>,
    /// What the agent changed.
    pub changes: Vec<FileChange>,
    /// What they can do to an outcome.
    pub weight: Weight,
    /// The same as a diff, bounded.
    pub diff: String,
    /// The last line that the agent printed.
    pub said: String,
    /// Why it failed before, as the agent wrote it down.
    pub proposed: Option<ProposedAnalysis>,
    /// What became of that.
    pub heard: Option<Heard>,
    /// Why it is not counted although it is red: the agent is asked for its analysis once more.
    pub asked_again: Option<AskedAgain>,
    /// The execution that judged it.
    pub judged: Option<Judged>,
    /// What the square showed, for an attempt whose run passed.
    pub square: Option<SquareRead>,
    /// Why it failed, if it did and a next attempt follows.
    pub analysis: Option<AcceptedAnalysis>,
    /// What the debug memory knew to help against its failures, in words.
    pub patterns: Vec<String>,
    /// Ours, where the agent's took its place: it was told all the same.
    pub ours: Option<AcceptedAnalysis>,
    /// What a reviewer said of it.
    pub review: Option<Review>,
    /// Whether it counts towards the bound. One whose agent has done right and is only informed of something does not.
    pub charged: bool,
}

/// What became of an analysis that an agent handed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// It took the place of ours.
    Accepted,
    /// Something is wrong with it.
    Refused(String),
}

/// Why an agent is asked for its analysis once more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskedAgain {
    /// It edited without one, and it is red again.
    Missing,
    /// Something was wrong with it, and it is red again.
    Refused(String),
}

impl Attempt {
    /// How much of its change the tests ran, in per cent, where that was counted.
    pub(crate) fn coverage_percent(&self) -> Option<f64> {
        let figures = self.square.as_ref()?.square.coverage.as_ref()?;
        #[expect(clippy::cast_precision_loss, reason = "there are not that many statements")]
        let percent = figures.covered as f64 * 100.0 / figures.measured as f64;
        (figures.measured > 0).then_some(percent)
    }

    /// Takes what the agent did and said. What it changed is added: the code, and the tests that were asked for after it.
    pub(crate) fn take(&mut self, result: &AgentResult) {
        self.agent = Some(result.outcome.clone());
        self.diff.push_str(&result.diff);
        self.said.clone_from(&result.said);
        self.proposed.clone_from(&result.analysis);
        for change in &result.changes {
            match self.changes.iter_mut().find(|known| known.path == change.path) {
                Some(known) => {
                    known.added = known.added.saturating_add(change.added);
                    known.removed = known.removed.saturating_add(change.removed);
                    known.hunks.extend(&change.hunks);
                }
                None => self.changes.push(change.clone()),
            }
        }
    }
}

/// What a reviewer said of a change that passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// The code that it is about.
    pub code: CodeHash,
    /// What it found.
    pub findings: Vec<ReviewFinding>,
    /// Why there is no review, in words.
    pub problem: Option<String>,
}

/// A square and what it was read from: what is declared later is read into it.
#[derive(Clone, Debug, PartialEq)]
pub struct SquareRead {
    /// What was seen.
    pub facts: SquareFacts,
    /// The run, as it was judged before the square.
    pub(crate) run: Judged,
    /// What it shows.
    pub square: Square,
}

/// A full execution that waits for the re-run of its suspects.
#[derive(Clone, Debug, PartialEq)]
pub struct Unconfirmed {
    /// What was seen.
    pub execution: Execution,
    /// What it shows by itself.
    pub judgement: Judgement,
}

/// Why the loop ended without green.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The reason.
    pub reason: StopReason,
    /// More of it, in words.
    pub detail: String,
}

/// A loop. Only [`crate::step()`] changes it.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The rules; none before the start.
    pub settings: Option<Settings>,
    /// Where the loop is.
    pub phase: Phase,
    /// How it stands.
    pub status: LoopStatus,
    /// The tree it started from.
    pub start: Option<TreeState>,
    /// What was green and red before the agent came.
    pub baseline: Option<Judged>,
    /// The attempts.
    pub attempts: Vec<Attempt>,
    /// Why it ended without green.
    pub stop: Option<Stop>,
    /// Things that were flagged on the way and did not stop the loop.
    pub flags: Vec<String>,
    /// What people said on the way.
    pub hints: Vec<String>,
    /// How the task is to be done, as a planner said.
    pub plan: Option<String>,
    /// Where the change as it is now adds what looks like a secret.
    pub secrets: Vec<String>,
    /// What the debug memory had to say.
    pub remembered: Remembered,
    /// The tree that passed, once it has been sealed.
    pub sealed: Option<TreeState>,
    /// The action that is waited for.
    pub pending: Option<Pending>,
    /// When the loop started, RFC 3339.
    pub started_at: String,
    /// When the last input was recorded, RFC 3339.
    pub updated_at: String,
    /// What the agents say that they cost, in millionths of a dollar.
    pub cost_micros: u64,

    pub(crate) next_id: u64,
    pub(crate) history: History,
    pub(crate) seen: BTreeSet<CodeHash>,
    /// The same by every file: a change of data is one, too.
    pub(crate) seen_trees: BTreeSet<TreeHash>,
    /// What the agent was informed of once, uncharged.
    pub(crate) informed_of: BTreeSet<InformedOf>,
    pub(crate) tried: BTreeSet<String>,
    pub(crate) unconfirmed: Option<Unconfirmed>,
    pub(crate) redone: u32,
    /// The red tests by which the last execution ended an attempt before all of the suite had run.
    pub(crate) early: Option<BTreeSet<TestId>>,
    /// What the checks had written to the tree when they passed: they run once more, on what they left.
    pub(crate) as_left: Option<Vec<String>>,
    /// What people said to it after it had ended.
    pub(crate) answers: Vec<PersonsAnswer>,
    /// Whether a person has let the next step be taken.
    pub(crate) permitted: bool,
    pub(crate) round_start: usize,
    /// The attempts before it were on another thread.
    pub(crate) thread_start: usize,
    pub(crate) senior: bool,
    pub(crate) tests_asked: bool,
    /// Whether the session's time limit was reached: nobody is asked any more.
    pub(crate) time_is_up: bool,
    /// The tree as it is where that is not the one judged last: put back, or left half edited;
    /// until the agent is asked again.
    pub(crate) put_back: Option<TreeState>,
    /// What to do once the tree is back.
    pub(crate) after_restore: Option<AfterRestore>,
}

/// What follows a restore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AfterRestore {
    /// The loop ends.
    End { phase: Phase, status: LoopStatus },
    /// The second agent gets its round.
    SeniorRound,
    /// The agent is asked for another fix.
    GoOn,
    /// The agent is asked for the same once more.
    AskAgain,
    /// The review of what is back counts.
    Reviewed,
}

/// What an agent that lives outside is informed of once before it is let go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum InformedOf {
    /// Tests are red that were red before.
    RedBefore,
    /// There are no tests.
    NoTests,
    /// It edited without an analysis.
    MissingAnalysis,
    /// Something was wrong with its analysis.
    RefusedAnalysis,
}

impl State {
    /// Before anything happened.
    pub fn new() -> Self {
        Self {
            settings: None,
            phase: Phase::GenerateCode,
            status: LoopStatus::InProgress,
            start: None,
            baseline: None,
            attempts: Vec::new(),
            stop: None,
            flags: Vec::new(),
            hints: Vec::new(),
            plan: None,
            secrets: Vec::new(),
            remembered: Remembered::default(),
            sealed: None,
            pending: None,
            started_at: String::new(),
            updated_at: String::new(),
            cost_micros: 0,
            next_id: 1,
            history: History::default(),
            seen: BTreeSet::new(),
            seen_trees: BTreeSet::new(),
            informed_of: BTreeSet::new(),
            tried: BTreeSet::new(),
            unconfirmed: None,
            redone: 0,
            early: None,
            as_left: None,
            answers: Vec::new(),
            permitted: false,
            round_start: 0,
            thread_start: 0,
            senior: false,
            tests_asked: false,
            time_is_up: false,
            put_back: None,
            after_restore: None,
        }
    }

    /// Whether the loop has ended.
    pub fn ended(&self) -> bool {
        matches!(self.phase, Phase::Complete | Phase::Escalated | Phase::Aborted)
    }

    /// The number of the current attempt; 0 before the first.
    pub fn attempt_number(&self) -> u32 {
        self.attempts.last().map_or(0, |attempt| attempt.number)
    }

    /// The attempts that count: one that the tools kept from being judged does not.
    pub fn attempts_charged(&self) -> u32 {
        let tools_failed =
            self.stop.as_ref().is_some_and(|stop| stop.reason == StopReason::ToolingError);
        let judged = |attempt: &Attempt| {
            attempt.judged.as_ref().is_some_and(|judged| judged.verdict != Verdict::ToolingError)
        };
        let last = self.attempts.last().filter(|last| tools_failed && !judged(last));
        let spared = |attempt: &&Attempt| {
            attempt.charged && last.is_none_or(|last| last.number != attempt.number)
        };
        u32::try_from(self.attempts.iter().filter(spared).count()).unwrap_or(u32::MAX)
    }

    /// The verdict on the last attempt that was judged.
    pub fn verdict(&self) -> Option<Verdict> {
        self.attempts.iter().rev().find_map(|attempt| Some(attempt.judged.as_ref()?.verdict))
    }

    /// The tree as it was left: sealed, put back, else by the last execution.
    pub fn tree(&self) -> Option<&TreeState> {
        let judged = || self.last_judged().map(Judged::tree);
        self.sealed.as_ref().or(self.put_back.as_ref()).or_else(judged)
    }

    /// The last execution that was judged, the baseline included.
    pub fn last_judged(&self) -> Option<&Judged> {
        self.attempts
            .iter()
            .rev()
            .find_map(|attempt| attempt.judged.as_ref())
            .or(self.baseline.as_ref())
    }

    /// Every execution so far, in order, re-runs included.
    pub fn executions(&self) -> impl Iterator<Item = &Execution> {
        self.baseline
            .iter()
            .chain(self.attempts.iter().filter_map(|attempt| attempt.judged.as_ref()))
            .flat_map(|judged| std::iter::once(&judged.execution).chain(judged.confirm.as_ref()))
            .chain(self.unconfirmed.as_ref().map(|unconfirmed| &unconfirmed.execution))
    }

    /// The best tree before the last attempt, see [`State::best`].
    pub(crate) fn best_earlier_tree(&self) -> Option<TreeState> {
        let last = self.attempts.last().map_or(0, |attempt| attempt.number);
        self.best_before(last).map(|(_, tree)| tree)
    }

    /// The best tree and the attempt that it is of, 0 for the one before the change: without a regression, its checks
    /// seen to their end, with the fewest failures and missing tests; the latest of equals.
    pub fn best(&self) -> Option<(u32, TreeState)> {
        self.best_before(u32::MAX)
    }

    fn best_before(&self, end: u32) -> Option<(u32, TreeState)> {
        let earlier = self
            .attempts
            .iter()
            .filter(|attempt| attempt.number < end)
            .filter_map(|attempt| Some((attempt.number, attempt.judged.as_ref()?)))
            // Few red tests of few say nothing for a tree.
            .filter(|(_, judged)| !judged.is_first());
        self.baseline
            .iter()
            .map(|baseline| (0, baseline))
            .chain(earlier)
            .filter(|(_, judged)| judged.classes.regressed.is_empty())
            .rev()
            .min_by_key(|(_, judged)| badness(judged))
            .map(|(attempt, judged)| (attempt, judged.tree().clone()))
            .or_else(|| Some((0, self.start.clone()?)))
    }

    /// How many attempts there may be in all rounds together.
    pub(crate) fn bound_of_all_rounds(&self) -> u32 {
        let each = self.settings.as_ref().map_or(1, |it| it.retry.max_attempts);
        let senior = u32::from(self.attempts.iter().any(|attempt| attempt.senior));
        let answered = self.answers.iter().map(|answer| answer.attempts.unwrap_or(each));
        (each * (1 + senior)).saturating_add(answered.sum())
    }

    /// The tree of an earlier attempt that is better than that of the last; the latest of equals. What was there before
    /// the work is none: it has nothing of what was asked for.
    pub(crate) fn better_attempt(&self) -> Option<TreeState> {
        let (last, earlier) = self.attempts.split_last()?;
        let last = last.judged.as_ref().filter(|judged| !judged.is_first())?;
        let sound = |judged: &&Judged| !judged.is_first() && judged.classes.regressed.is_empty();
        let earlier = earlier.iter().filter_map(|attempt| attempt.judged.as_ref()).filter(sound);
        let best = earlier.rev().min_by_key(|judged| badness(judged))?;
        (badness(best) < badness(last)).then(|| best.tree().clone())
    }

    /// The tree to begin anew from: the first of the best, which is the pristine one where no edit turned anything.
    pub(crate) fn fresh_tree(&self) -> Option<TreeState> {
        let attempts = self.attempts.iter().filter_map(|attempt| attempt.judged.as_ref());
        let sound = |judged: &&Judged| !judged.is_first() && judged.classes.regressed.is_empty();
        let best = self.baseline.iter().chain(attempts).filter(sound).min_by_key(|it| badness(it));
        best.map(|judged| judged.tree().clone()).or_else(|| self.start.clone())
    }

    /// How many edits in a row, up to the last one and on the same thread, turned no test green.
    pub(crate) fn edits_in_vain(&self) -> usize {
        let thread = self.attempts.get(self.thread_start..).unwrap_or_default();
        let in_vain =
            |attempt: &&Attempt| attempt.judged.is_some() && self.turned(attempt).green.is_empty();
        thread.iter().rev().take_while(in_vain).count()
    }

    /// The bound on attempts.
    pub fn max_attempts(&self) -> u32 {
        let given = self.answers.last().and_then(|answer| answer.attempts);
        given.unwrap_or_else(|| self.settings.as_ref().map_or(1, |it| it.retry.max_attempts))
    }
}

/// How bad a tree is: one that did not pass, or was not run to the end; then by what failed and is missing.
fn badness(judged: &Judged) -> (bool, bool, bool, usize) {
    let outside = judged.failures.iter().any(|failure| failure.failure.test.is_none());
    let missing = judged.classes.lost.len() + judged.classes.newly_skipped.len();
    let passed = judged.verdict == Verdict::Passed;
    (!passed, !judged.ran_to_the_end(), outside, judged.failures.len() + missing)
}

impl Default for State {
    fn default() -> Self {
        Self::new()
    }
}
