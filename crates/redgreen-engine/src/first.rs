//! The first stage of an attempt: the tests that failed last and those next to the change run before
//! all the others, so that an attempt which is red anyway is known to be after seconds.
//!
//! It can say one thing only, and only about an attempt: red. Everything else that comes of it (green,
//! nothing ran, tools that fail, a report that is not whole, a tree that changed) is no answer, and all of
//! the checks run as if there had been no first stage. What it saw is neither learned nor compared: of a
//! suite that was not run nothing is lost, skipped, regressed, flaky or fixed.
//!
//! A test that fails only where the others do not run before it would be red here for ever. So:
//! - the same red tests end an attempt early once; the next time all of the suite runs;
//! - the last attempt of a round is judged by all of the suite, so that nobody is asked to take over because
//!   of a part of it;
//! - where a regression ends the loop, a test that was green before is not asked for here: such an end
//!   needs the suite, and a re-run.

use std::collections::BTreeSet;

use redgreen_model::config::{FailedFirst, JudgeBy};
use redgreen_model::event::Event;
use redgreen_model::execution::{CheckRun, Ended, Execution, Purpose, TestId};
use redgreen_model::verdict::Verdict;
use redgreen_redact::is_redacted;

use crate::classes::{Judged, red_classes};
use crate::judge::{cut_off, judge};
use crate::known::set_apart;
use crate::state::State;
use crate::step::Turn;

/// From when on a suite takes long: a first stage starts the test runner once more.
pub const LONG_MS: u64 = 20_000;
/// The most tests of a first stage.
pub const ASKED_MAX: usize = 200;

impl State {
    /// The last execution of all checks that was judged, the baseline included.
    pub fn last_full(&self) -> Option<&Judged> {
        let judged = self.attempts.iter().rev().filter_map(|attempt| attempt.judged.as_ref());
        judged.chain(&self.baseline).find(|judged| !judged.is_first())
    }

    /// Whether tests next to a change would be run before the others: else nobody needs to look for them.
    pub fn wants_neighbours(&self) -> bool {
        self.has_first_stage() && !self.stops_at_regression()
    }

    fn has_first_stage(&self) -> bool {
        let Some(settings) = &self.settings else { return false };
        match settings.failed_first {
            FailedFirst::Never => false,
            FailedFirst::Always => true,
            FailedFirst::Auto => {
                self.last_full().is_some_and(|full| full.execution.duration_ms >= LONG_MS)
            }
        }
    }
}

impl Turn {
    /// The agent has made its edit: now it is judged.
    pub(crate) fn judge_attempt(&mut self, near: &[TestId]) {
        match self.to_run_first(near) {
            tests if tests.is_empty() => self.execute(Purpose::Judge, Vec::new()),
            tests => self.execute(Purpose::First, tests),
        }
    }

    /// The tests of the first stage; none where there is none.
    fn to_run_first(&self, near: &[TestId]) -> Vec<TestId> {
        let state = &self.state;
        let Some(full) = state.last_full().filter(|_| state.has_first_stage()) else {
            return Vec::new();
        };
        if self.attempts_in_round() >= state.max_attempts() {
            return Vec::new();
        }
        let near = near
            .iter()
            .filter(|test| state.wants_neighbours() && state.history.green_before.contains(test));
        let failed = full.other_red().chain(state.early.iter().flatten());
        let can_be_asked_for = |test: &&TestId| {
            // Under a name without its secret no framework knows it.
            let known = !is_redacted(&test.test);
            let decides = |run: &CheckRun| run.required && run.judge_by == JudgeBy::Tests;
            let check = full.execution.checks.iter().find(|run| run.check == test.check);
            known && !state.history.flaky.contains(*test) && check.is_some_and(decides)
        };
        let mut asked = BTreeSet::new();
        for test in failed.chain(near).filter(can_be_asked_for) {
            if asked.len() < ASKED_MAX {
                asked.insert(test.clone());
            }
        }
        let always =
            state.settings.as_ref().is_some_and(|it| it.failed_first == FailedFirst::Always);
        // Most of the suite twice is no way to save time.
        let few = 2 * asked.len() as u64 <= full.counts().total;
        if always || few { asked.into_iter().collect() } else { Vec::new() }
    }

    /// The first stage came back: red ends the attempt, and nothing else decides anything.
    pub(crate) fn ran_first(&mut self, execution: &Execution, asked: &[TestId]) {
        let Some(judged) = self.early_red(execution, asked) else {
            return self.execute(Purpose::Judge, Vec::new());
        };
        // It counts as judged: the same code again is no new attempt.
        self.saw(&execution.after);
        self.state.early = Some(judged.red.clone());
        self.say_judged(&judged);
        self.keep(judged);
        self.analyse();
    }

    /// The first stage could not be made: that is no reason to stop.
    pub(crate) fn first_failed(&mut self, problem: &str) {
        let text = format!(
            "the tests that should run first could not be run ({problem}): the whole suite runs instead"
        );
        self.say(Event::Notice { text });
        self.execute(Purpose::Judge, Vec::new());
    }

    /// What a first stage shows, if that is red beyond doubt.
    fn early_red(&self, execution: &Execution, asked: &[TestId]) -> Option<Judged> {
        if execution.is_disturbed() || cut_off(execution) {
            return None;
        }
        let history = &self.state.history;
        let judgement = judge(execution, &history.ran_before);
        let red: BTreeSet<TestId> =
            asked.iter().filter(|test| judgement.red.contains(test)).cloned().collect();
        let plain = judgement.verdict == Verdict::Failed && execution.checks.iter().all(is_plain);
        let regressed = |test: &TestId| history.green_before.contains(test);
        let needs_the_suite =
            self.state.stops_at_regression() && judgement.red.iter().any(regressed);
        let again = self.state.early.as_ref() == Some(&red);
        if red.is_empty() || !plain || needs_the_suite || again {
            return None;
        }
        let reasons = vec![self.in_words(execution, asked, &red)];
        let mut judged = Judged {
            classes: red_classes(&red, history),
            execution: execution.clone(),
            confirm: None,
            verdict: Verdict::Failed,
            reasons,
            failures: judgement.failures,
            green: BTreeSet::new(),
            red,
        };
        set_apart(&mut judged, self.state.known(), history);
        Some(judged)
    }

    fn in_words(&self, execution: &Execution, asked: &[TestId], red: &BTreeSet<TestId>) -> String {
        let failed_last =
            |test: &&TestId| self.state.last_full().is_some_and(|full| full.red.contains(*test));
        let count = |tests: Vec<&TestId>| {
            (tests.iter().filter(|test| red.contains(**test)).count(), tests.len())
        };
        let (failed, near) = asked.iter().partition::<Vec<&TestId>, _>(failed_last);
        let mut parts = Vec::new();
        if let (still, all @ 1..) = count(failed) {
            parts.push(format!("of the tests that failed last, {still} of {all} still do"));
        }
        if let (broken, all @ 1..) = count(near) {
            parts.push(format!("of the tests close to the change, {broken} of {all} fail"));
        }
        let asked_for = |run: &CheckRun| {
            let is_asked = |id: &str| asked.iter().any(|it| it.check == run.check && it.test == id);
            run.report.tests.iter().all(|test| is_asked(&test.id))
        };
        let all = self.state.last_full().map_or(0, |full| full.counts().total);
        if execution.checks.iter().all(asked_for) && all > asked.len() as u64 {
            parts.push("the rest of the suite was not run".to_owned());
        } else {
            // Not every runner can be confined to some tests.
            parts.push("the whole suite is judged when they pass".to_owned());
        }
        parts.join("; ")
    }
}

impl Judged {
    /// Whether only a first stage was run: nothing of it says that something passes.
    pub fn is_first(&self) -> bool {
        self.execution.purpose == Purpose::First
    }
}

/// A run that came to its end, with an exit code that agrees with its report.
pub(crate) fn is_plain(run: &CheckRun) -> bool {
    if run.judge_by == JudgeBy::ExitCode {
        return matches!(run.ended, Ended::Exited { code: 0 });
    }
    let report = &run.report;
    let red = report.tests.iter().any(|test| test.outcome.is_red());
    let ended = matches!(run.ended, Ended::Exited { code } if (code != 0) == red);
    let whole = report.began && report.complete && report.errors.is_empty();
    ended && whole && report.unfinished.is_empty() && report.not_run.is_empty()
}
