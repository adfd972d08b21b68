//! How every test stands in one corner.

use std::collections::BTreeMap;

use redgreen_model::config::JudgeBy;
use redgreen_model::execution::{Ended, Execution, TestId};
use redgreen_model::report::{Failure, FailureKind, TestOutcome};
use redgreen_model::square::{CornerSeen, Standing};

use crate::classes::Judged;
use crate::judge::{CheckFailure, judge};

/// The tests of a corner.
#[derive(Clone, Debug, Default)]
pub(super) struct Standings {
    tests: BTreeMap<TestId, Standing>,
    failures: Vec<CheckFailure>,
    /// Whether a build or a collection failed.
    broken: bool,
    /// Checks that were ended at a limit, and it: what did not come out of them is not known.
    cut_short: BTreeMap<String, String>,
}

fn standing(outcome: TestOutcome) -> Standing {
    match outcome {
        TestOutcome::Passed | TestOutcome::UnexpectedPass => Standing::Green,
        TestOutcome::Failed | TestOutcome::Errored => Standing::Red,
        TestOutcome::Skipped | TestOutcome::ExpectedFailure => Standing::Skipped,
    }
}

impl Standings {
    /// Of an execution that was settled, re-run included.
    pub(super) fn of_judged(judged: &Judged) -> Self {
        let mut standings = Self::of_execution(&judged.execution);
        for test in &judged.classes.flaky {
            standings.tests.insert(test.clone(), Standing::Flaky);
        }
        standings
    }

    /// Of a corner; none where nothing was seen of it.
    pub(super) fn of_corner(seen: &CornerSeen, same: &Self) -> Option<Self> {
        match seen {
            CornerSeen::Same => Some(same.clone()),
            CornerSeen::Needless | CornerSeen::Unseen { .. } => None,
            CornerSeen::Ran { execution, confirm } => {
                let mut standings = Self::of_execution(execution);
                if let Some(confirm) = confirm {
                    standings.confirmed_by(&Self::of_execution(confirm));
                }
                Some(standings)
            }
        }
    }

    pub(super) fn of_execution(execution: &Execution) -> Self {
        let required = || execution.checks.iter().filter(|run| run.required);
        let judgement = judge(execution, &required().map(|run| run.check.clone()).collect());
        let mut tests = BTreeMap::new();
        for run in required() {
            let mut add = |test: &str, standing: Standing| {
                let id = TestId { check: run.check.clone(), test: test.to_owned() };
                let known = tests.entry(id).or_insert(standing);
                if standing == Standing::Red {
                    *known = standing;
                }
            };
            if run.judge_by == JudgeBy::ExitCode {
                let passed = matches!(run.ended, Ended::Exited { code: 0 });
                add(&run.check, if passed { Standing::Green } else { Standing::Red });
                continue;
            }
            run.report.tests.iter().for_each(|test| add(&test.id, standing(test.outcome)));
            let in_flight = match run.ended {
                Ended::TimedOut { .. } => Standing::Unseen,
                _ => Standing::Red,
            };
            run.report.unfinished.iter().for_each(|test| add(test, in_flight));
        }
        let errors = || required().flat_map(|run| &run.report.errors);
        let broken = errors().any(|error| error.kind == FailureKind::CompileError);
        let cut_short = required().filter_map(|run| Some((run.check.clone(), run.ended.limit()?)));
        Self { tests, failures: judgement.failures, broken, cut_short: cut_short.collect() }
    }

    /// Checks that were ended at a limit, in words.
    pub(super) fn cut_short(&self) -> impl Iterator<Item = String> {
        let ended = |(check, limit)| format!("`{check}` was ended at its {limit}");
        self.cut_short.iter().map(ended)
    }

    /// Whether a check was ended at a limit.
    pub(super) fn is_cut_short(&self) -> bool {
        !self.cut_short.is_empty()
    }

    /// Red once and green once on the same tree.
    fn confirmed_by(&mut self, again: &Self) {
        for (test, standing) in &mut self.tests {
            if *standing == Standing::Red && again.of(test) == Standing::Green {
                *standing = Standing::Flaky;
            }
        }
    }

    pub(super) fn tests(&self) -> impl Iterator<Item = &TestId> {
        self.tests.keys()
    }

    pub(super) fn of(&self, test: &TestId) -> Standing {
        let absent = match self.cut_short.contains_key(&test.check) {
            true => Standing::Unseen,
            false => Standing::Missing,
        };
        self.tests.get(test).copied().unwrap_or(absent)
    }

    /// Several tests that are one: all must be green.
    pub(super) fn together(&self, tests: &[TestId]) -> Standing {
        let all: Vec<Standing> = tests.iter().map(|test| self.of(test)).collect();
        use Standing::{Flaky, Missing, Red, Skipped, Unseen};
        let worst = [Red, Flaky, Missing, Unseen, Skipped];
        match worst.into_iter().find(|standing| all.contains(standing)) {
            Some(standing) => standing,
            None if all.is_empty() => Missing,
            None => Standing::Green,
        }
    }

    /// What a test said when it failed.
    pub(super) fn failure(&self, test: &TestId) -> Option<&Failure> {
        let of_test = |failure: &&CheckFailure| {
            failure.check == test.check && failure.failure.test.as_ref() == Some(&test.test)
        };
        self.failures.iter().find(of_test).map(|failure| &failure.failure)
    }

    /// What went wrong outside any test, in a line.
    pub(super) fn outside(&self) -> String {
        let outside = self.failures.iter().find(|failure| failure.failure.test.is_none());
        outside.map_or_else(|| "it is not there".to_owned(), |failure| failure.failure.summary())
    }

    /// Not one test came out, and not because something did not build.
    pub(super) fn says_nothing(&self) -> bool {
        self.tests.is_empty() && !self.broken && self.cut_short.is_empty()
    }
}
