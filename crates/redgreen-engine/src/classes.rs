//! An execution against those before it: flaky told from red, regressions from old failures.

use std::collections::BTreeSet;

use redgreen_model::execution::{Execution, Purpose, TestId};
use redgreen_model::report::{Counts, Failure, FailureKind};
use redgreen_model::tree::TreeState;
use redgreen_model::verdict::{TestClasses, Verdict};

use crate::judge::{CheckFailure, Judgement, judge};

/// What is known of tests from the executions so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Green at the baseline.
    pub baseline_green: BTreeSet<TestId>,
    /// Red at the baseline.
    pub baseline_red: BTreeSet<TestId>,
    /// Green at the baseline or in an earlier attempt, and not flaky.
    pub green_before: BTreeSet<TestId>,
    /// Red or flaky in any execution so far.
    pub red_before: BTreeSet<TestId>,
    /// Both outcomes on one tree, at any time.
    pub flaky: BTreeSet<TestId>,
    /// Checks whose runner was seen to start at the baseline.
    pub ran_before: BTreeSet<String>,
}

/// An execution, confirmed and compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// What was seen.
    pub execution: Execution,
    /// The re-run of the suspects, where there were any.
    pub confirm: Option<Execution>,
    /// The verdict.
    pub verdict: Verdict,
    /// Why, where it is not `passed`.
    pub reasons: Vec<String>,
    /// Everything that went wrong.
    pub failures: Vec<CheckFailure>,
    /// Tests that passed, and passed again where they were run again.
    pub green: BTreeSet<TestId>,
    /// Tests that are red, flaky ones not included.
    pub red: BTreeSet<TestId>,
    /// The tests against those before.
    pub classes: TestClasses,
}

impl Judged {
    /// The tree that the verdict is about: as the last process left it.
    pub fn tree(&self) -> &TreeState {
        &self.execution.after
    }

    /// The tests of the full run.
    pub fn counts(&self) -> Counts {
        self.execution.counts()
    }

    /// What makes two failing executions the same: the names and the messages.
    pub fn failure_signature(&self) -> BTreeSet<(String, String)> {
        self.failures
            .iter()
            .map(|failure| (failure.name().to_owned(), failure.failure.summary()))
            .collect()
    }
}

/// The tests to run once more before the execution is believed: red ones (flaky?), ones that were
/// cut short, and green ones that were red before (luck?).
pub fn suspects(judgement: &Judgement, history: &History) -> Vec<TestId> {
    let lucky = judgement.green.intersection(&history.red_before);
    let all: BTreeSet<TestId> =
        judgement.red.iter().chain(&judgement.cut).chain(lucky).cloned().collect();
    all.into_iter().collect()
}

/// Joins a full execution with the re-run of its suspects, and compares it with what was before.
pub fn settle(
    execution: Execution,
    judgement: Judgement,
    confirm: Option<Execution>,
    history: &History,
) -> Judged {
    let again = confirm.as_ref().map(|confirm| judge(confirm, &history.ran_before));
    let flaky = flaky_tests(&judgement, again.as_ref(), history);
    let red: BTreeSet<TestId> =
        confirmed_red(&judgement, again.as_ref()).difference(&flaky).cloned().collect();
    let green: BTreeSet<TestId> = judgement.green.difference(&flaky).cloned().collect();
    let mut classes = compare(&judgement, &red, &green, history);
    classes.flaky = flaky.iter().cloned().collect();
    let mut judged = Judged {
        execution,
        confirm,
        verdict: judgement.verdict,
        reasons: judgement.reasons,
        failures: judgement.failures,
        green,
        red,
        classes,
    };
    weigh_flaky(&mut judged, &flaky);
    weigh_vanished(&mut judged, history);
    judged
}

/// Red once and green once on the same tree, in either order.
fn flaky_tests(
    judgement: &Judgement,
    again: Option<&Judgement>,
    history: &History,
) -> BTreeSet<TestId> {
    let Some(again) = again else { return BTreeSet::new() };
    let healed = judgement.red.iter().filter(|test| again.green.contains(test));
    let lucky = judgement
        .green
        .intersection(&history.red_before)
        .filter(|test| !again.green.contains(test));
    healed.chain(lucky).cloned().collect()
}

/// Red tests, and tests that were cut short and did not come to a good end in the re-run either.
fn confirmed_red(judgement: &Judgement, again: Option<&Judgement>) -> BTreeSet<TestId> {
    let mut red = judgement.red.clone();
    if let Some(again) = again {
        red.extend(judgement.cut.iter().filter(|test| !again.green.contains(test)).cloned());
    }
    red
}

fn compare(
    judgement: &Judgement,
    red: &BTreeSet<TestId>,
    green: &BTreeSet<TestId>,
    history: &History,
) -> TestClasses {
    let here = |test: &TestId| {
        judgement.green.contains(test)
            || judgement.red.contains(test)
            || judgement.cut.contains(test)
            || judgement.skipped.contains(test)
    };
    let baseline: BTreeSet<&TestId> = history.baseline_green.union(&history.baseline_red).collect();
    let pick = |tests: &BTreeSet<TestId>, keep: &dyn Fn(&TestId) -> bool| -> Vec<TestId> {
        tests.iter().filter(|test| keep(test)).cloned().collect()
    };
    TestClasses {
        pre_existing: pick(red, &|test| {
            history.baseline_red.contains(test) && !history.green_before.contains(test)
        }),
        new_failures: pick(red, &|test| {
            !baseline.contains(test) && !history.green_before.contains(test)
        }),
        fixed: pick(green, &|test| history.baseline_red.contains(test)),
        regressed: pick(red, &|test| {
            history.green_before.contains(test) && !history.flaky.contains(test)
        }),
        flaky: Vec::new(),
        lost: if judgement.inventory_complete {
            baseline.iter().filter(|test| !here(test)).map(|test| (*test).clone()).collect()
        } else {
            Vec::new()
        },
        newly_skipped: pick(&judgement.skipped, &|test| baseline.contains(test)),
    }
}

/// A test that passes only now and then is neither a pass nor a plain failure.
fn weigh_flaky(judged: &mut Judged, flaky: &BTreeSet<TestId>) {
    if flaky.is_empty() {
        return;
    }
    let names: Vec<&str> = flaky.iter().map(|test| test.test.as_str()).collect();
    judged.reasons.push(format!("flaky, both outcomes on the same tree: {}", names.join(", ")));
    let is_flaky = |failure: &CheckFailure| {
        failure.failure.test.as_ref().is_some_and(|test| {
            flaky.contains(&TestId { check: failure.check.clone(), test: test.clone() })
        })
    };
    let only_flaky = judged.failures.iter().all(is_flaky);
    if judged.verdict == Verdict::Passed || (judged.verdict == Verdict::Failed && only_flaky) {
        judged.verdict = Verdict::Inconclusive;
    }
    for test in flaky {
        if !judged.failures.iter().any(|failure| failure.name() == test.test) {
            judged.failures.push(named(
                test,
                "Flaky",
                "it passed once and failed once on the same tree",
            ));
        }
    }
}

/// A test that was red and now is gone or skipped has not been fixed.
fn weigh_vanished(judged: &mut Judged, history: &History) {
    if judged.execution.purpose == Purpose::Baseline {
        return;
    }
    let was_red = |test: &&TestId| {
        history.red_before.contains(*test) && !history.green_before.contains(*test)
    };
    let lost: Vec<TestId> = judged.classes.lost.iter().filter(was_red).cloned().collect();
    let skipped: Vec<TestId> =
        judged.classes.newly_skipped.iter().filter(was_red).cloned().collect();
    for (tests, what) in
        [(lost, "was red before and is gone now"), (skipped, "was red before and is skipped now")]
    {
        for test in tests {
            judged.reasons.push(format!("{}: {} {what}", test.check, test.test));
            judged.failures.push(named(
                &test,
                "TestVanished",
                &format!("this test {what}; a test that is not run has not been fixed"),
            ));
            judged.verdict = judged.verdict.max(Verdict::Failed);
        }
    }
}

fn named(test: &TestId, error_type: &str, message: &str) -> CheckFailure {
    let mut failure = Failure::new(FailureKind::TestFailure, error_type, message);
    failure.test = Some(test.test.clone());
    CheckFailure { check: test.check.clone(), failure }
}

impl History {
    /// Takes an execution into account.
    pub fn learn(&mut self, judged: &Judged) {
        if judged.execution.purpose == Purpose::Baseline {
            self.baseline_green.clone_from(&judged.green);
            self.baseline_red.clone_from(&judged.red);
            self.ran_before = judged
                .execution
                .checks
                .iter()
                .filter(|run| run.report.began)
                .map(|run| run.check.clone())
                .collect();
        }
        self.flaky.extend(judged.classes.flaky.iter().cloned());
        self.green_before.extend(judged.green.iter().cloned());
        self.red_before.extend(judged.red.iter().cloned());
        self.red_before.extend(judged.classes.flaky.iter().cloned());
        for test in &self.flaky {
            self.green_before.remove(test);
        }
    }
}
