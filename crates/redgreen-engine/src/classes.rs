//! An execution against those before it: flaky distinguished from red, regressions from old failures.

use std::collections::BTreeSet;

use redgreen_model::config::JudgeBy;
use redgreen_model::execution::{Ended, Execution, Purpose, TestId};
use redgreen_model::report::{Counts, Failure, FailureKind};
use redgreen_model::tree::TreeState;
use redgreen_model::verdict::{TestClasses, Verdict};

use crate::judge::{CheckFailure, Judgement, judge, some_of};

/// The error type of a test that has both outcomes on one tree.
pub const FLAKY: &str = "Flaky";
/// The error type of code or tests that changed while they ran.
pub const TREE_CHANGED: &str = "TreeChanged";
/// The error type of a red test that is gone or skipped.
pub const TEST_VANISHED: &str = "TestVanished";

/// What is known of tests from the executions so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Green at the baseline.
    pub baseline_green: BTreeSet<TestId>,
    /// Red at the baseline.
    pub baseline_red: BTreeSet<TestId>,
    /// Both outcomes at the baseline.
    pub baseline_flaky: BTreeSet<TestId>,
    /// Without an end at the baseline.
    pub baseline_cut: BTreeSet<TestId>,
    /// Green at the baseline or in an earlier attempt, and not flaky.
    pub green_before: BTreeSet<TestId>,
    /// Red or flaky in any execution so far.
    pub red_before: BTreeSet<TestId>,
    /// Red, flaky or without an end when last seen: one that is gone has not been fixed.
    pub unresolved: BTreeSet<TestId>,
    /// Green in an attempt: what a later fix must not break.
    pub green_in_attempts: BTreeSet<TestId>,
    /// Seen in any execution so far.
    pub known: BTreeSet<TestId>,
    /// Both outcomes on one tree, at any time.
    pub flaky: BTreeSet<TestId>,
    /// Checks whose runner was seen to start.
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
    /// The tree as the last process of the run left it.
    pub fn tree(&self) -> &TreeState {
        &self.execution.after
    }

    /// The tree that the verdict is about, and the only one that may be signed: it was run.
    pub fn ran_on(&self) -> &TreeState {
        self.execution.ran_on()
    }

    /// Files of the tree, beside code and tests, that the checks themselves wrote.
    pub fn wrote(&self) -> Vec<String> {
        let again = self.confirm.iter().flat_map(|confirm| &confirm.wrote);
        let wrote: BTreeSet<&String> = self.execution.wrote.iter().chain(again).collect();
        wrote.into_iter().cloned().collect()
    }

    /// Whether a tree is the one that ran, or as the checks left it: nobody else was at it.
    pub fn is_of(&self, tree: &TreeState) -> bool {
        let again = self.confirm.as_ref().map(|confirm| &confirm.after);
        let known = [&self.execution.before, &self.execution.after].into_iter().chain(again);
        self.tree().code == tree.code && known.into_iter().any(|known| known.tree == tree.tree)
    }

    /// Whether every required check came to its own end and executed something: only then do few
    /// red tests speak for a tree.
    pub fn ran_to_the_end(&self) -> bool {
        self.execution.checks.iter().filter(|run| run.required).all(|run| match run.judge_by {
            JudgeBy::ExitCode => matches!(run.ended, Ended::Exited { .. }),
            JudgeBy::Tests => {
                run.report.complete
                    && run.report.unfinished.is_empty()
                    && run.report.not_run.is_empty()
                    && run.report.tests.iter().any(|test| test.outcome.executed())
            }
        })
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
    if again.as_ref().is_none_or(|again| again.verdict != Verdict::Failed) {
        // Nobody saw it fail a second time.
        classes.regressed.clear();
    }
    if execution.purpose == Purpose::Baseline {
        classes.pre_existing = std::mem::take(&mut classes.new_failures);
    }
    classes.flaky = flaky.iter().cloned().collect();
    let (gone, skipped) = vanished(&judgement, history);
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
    weigh_again(&mut judged, again);
    if judged.execution.purpose != Purpose::Baseline {
        weigh_vanished(&mut judged, &gone, "was red before and is gone now");
        weigh_vanished(&mut judged, &skipped, "was red before and is skipped now");
    }
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

/// Red tests, and tests that were cut short and did not come to a good end in the re-run either. One
/// that the re-run did not come to may only have run beside the one that took the process with it.
fn confirmed_red(judgement: &Judgement, again: Option<&Judgement>) -> BTreeSet<TestId> {
    let mut red = judgement.red.clone();
    if let Some(again) = again {
        let seen = |test: &&TestId| again.red.contains(test) || again.cut.contains(test);
        red.extend(judgement.cut.iter().filter(seen).cloned());
    }
    red
}

fn compare(
    judgement: &Judgement,
    red: &BTreeSet<TestId>,
    green: &BTreeSet<TestId>,
    history: &History,
) -> TestClasses {
    let baseline: BTreeSet<&TestId> = history
        .baseline_green
        .iter()
        .chain(&history.baseline_red)
        .chain(&history.baseline_flaky)
        .collect();
    let pick = |tests: &BTreeSet<TestId>, keep: &dyn Fn(&TestId) -> bool| -> Vec<TestId> {
        tests.iter().filter(|test| keep(test)).cloned().collect()
    };
    TestClasses {
        known: Vec::new(),
        pre_existing: pick(red, &|test| {
            let red_then =
                history.baseline_red.contains(test) || history.baseline_flaky.contains(test);
            red_then && !history.green_before.contains(test)
        }),
        new_failures: pick(red, &|test| {
            !baseline.contains(test) && !history.green_before.contains(test)
        }),
        fixed: pick(green, &|test| history.baseline_red.contains(test)),
        regressed: pick(red, &|test| {
            history.green_before.contains(test) && !history.flaky.contains(test)
        }),
        flaky: Vec::new(),
        lost: baseline
            .iter()
            .filter(|test| is_gone(test, judgement))
            .map(|test| (*test).clone())
            .collect(),
        newly_skipped: pick(&judgement.skipped, &|test| baseline.contains(test)),
    }
}

/// What is known of red tests where nothing was seen of the others, nor of these a second time.
pub(crate) fn red_classes(red: &BTreeSet<TestId>, history: &History) -> TestClasses {
    let none = BTreeSet::new();
    let of_others = Judgement::of_nothing();
    TestClasses { regressed: Vec::new(), ..compare(&of_others, red, &none, history) }
}

/// Not in a report that is complete.
fn is_gone(test: &TestId, judgement: &Judgement) -> bool {
    let here = [&judgement.green, &judgement.red, &judgement.cut, &judgement.skipped]
        .iter()
        .any(|tests| tests.contains(test));
    judgement.inventoried.contains(&test.check) && !here
}

/// Tests that were red or flaky when they were last seen and now are gone, or skipped. Those with an outcome at
/// the baseline are the square's to judge: it can tell a lost test from one that was renamed. Of those that came
/// with the change, one that is new and green stands for one that is gone.
fn vanished(judgement: &Judgement, history: &History) -> (Vec<TestId>, Vec<TestId>) {
    let of_the_square = |test: &&TestId| {
        let baseline = [&history.baseline_green, &history.baseline_red, &history.baseline_flaky];
        baseline.iter().any(|tests| tests.contains(*test))
    };
    let own = || history.unresolved.iter().filter(|test| !of_the_square(test));
    let gone: Vec<TestId> = own().filter(|test| is_gone(test, judgement)).cloned().collect();
    let skipped = own().filter(|test| judgement.skipped.contains(test)).cloned().collect();
    let fresh = judgement.green.difference(&history.known).count();
    let renamed = |test: &TestId| !history.baseline_cut.contains(test);
    let (own, old): (Vec<TestId>, Vec<TestId>) = gone.into_iter().partition(renamed);
    (own.into_iter().skip(fresh).chain(old).collect(), skipped)
}

/// A test that passes only now and then is neither a pass nor a plain failure.
fn weigh_flaky(judged: &mut Judged, flaky: &BTreeSet<TestId>) {
    if flaky.is_empty() {
        return;
    }
    let names: Vec<&str> = flaky.iter().map(|test| test.test.as_str()).collect();
    judged.reasons.push(format!("flaky, passed and failed on the same tree: {}", some_of(&names)));
    let only_flaky = judged
        .failures
        .iter()
        .all(|failure| failure.test_id().is_some_and(|test| flaky.contains(&test)));
    if judged.verdict == Verdict::Passed || (judged.verdict == Verdict::Failed && only_flaky) {
        judged.verdict = Verdict::Inconclusive;
    }
    let known: BTreeSet<TestId> =
        judged.failures.iter().filter_map(CheckFailure::test_id).collect();
    judged.failures.extend(
        flaky
            .difference(&known)
            .map(|test| named(test, FLAKY, "it passed once and failed once on the same tree")),
    );
}

/// The re-run has a word too: without its tools it shows nothing, and a pass needs it to pass.
fn weigh_again(judged: &mut Judged, again: Option<Judgement>) {
    let Some(again) = again else { return };
    if again.verdict == Verdict::ToolingError {
        judged.verdict = Verdict::ToolingError;
    } else if judged.verdict == Verdict::Passed && again.verdict != Verdict::Passed {
        judged.verdict = Verdict::Inconclusive;
    } else {
        return;
    }
    judged.reasons.extend(again.reasons.into_iter().map(|reason| format!("re-run: {reason}")));
    judged.failures.extend(again.failures);
}

/// A test that was red and now is gone or skipped has not been fixed.
fn weigh_vanished(judged: &mut Judged, tests: &[TestId], what: &str) {
    if tests.is_empty() {
        return;
    }
    let names: Vec<&str> = tests.iter().map(|test| test.test.as_str()).collect();
    judged.reasons.push(format!("{what}: {}", some_of(&names)));
    judged.failures.extend(tests.iter().map(|test| {
        named(
            test,
            TEST_VANISHED,
            &format!("this test {what}; a test that does not run is not fixed"),
        )
    }));
    judged.verdict = judged.verdict.max(Verdict::Failed);
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
            self.baseline_flaky.extend(judged.classes.flaky.iter().cloned());
            self.baseline_cut.extend(judged.execution.unfinished());
        } else {
            self.green_in_attempts.extend(judged.green.iter().cloned());
        }
        self.known.extend(judged.execution.tests());
        let began = judged.execution.checks.iter().filter(|run| run.report.began);
        self.ran_before.extend(began.map(|run| run.check.clone()));
        self.flaky.extend(judged.classes.flaky.iter().cloned());
        self.green_before.extend(judged.green.iter().cloned());
        self.red_before.extend(judged.red.iter().cloned());
        self.red_before.extend(judged.classes.flaky.iter().cloned());
        self.unresolved.retain(|test| !judged.green.contains(test));
        self.unresolved.extend(judged.failures.iter().filter_map(CheckFailure::test_id));
        self.unresolved.extend(self.flaky.iter().cloned());
        for test in &self.flaky {
            self.green_before.remove(test);
            self.green_in_attempts.remove(test);
        }
    }
}
