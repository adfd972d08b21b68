//! Green is about one tree: the one that was executed.

use redgreen_engine::effect::Action;
use redgreen_engine::input::Input;
use redgreen_model::execution::Purpose;
use redgreen_model::report::TestOutcome::{Failed, Passed};
use redgreen_model::verdict::{StopReason, Verdict};
use redgreen_model::workflow::LoopStatus;

use crate::common::run::run;
use crate::common::story::Story;
use crate::common::{at_most, rules, tree};

fn green() -> crate::common::run::Run {
    run([("t1", Passed)])
}

#[test]
fn what_the_checks_leave_is_run_too_and_only_what_ran_is_sealed() {
    let mut story = Story::after(rules(), green());
    story.edits("a").runs(green().leaving("a with a log"));
    assert_eq!(story.execution(), (Purpose::Judge, Vec::new()));
    story.runs(green()).seals().passed();
    // What they write each time is a by-product.
    let mut story = Story::after(rules(), green());
    story.edits("a").runs(green().leaving("a with a log")).runs(green().leaving("a with more"));
    assert_eq!(story.verdict().0, Verdict::Passed);
    story.seals();
    assert_eq!(story.end().1, LoopStatus::Passed);
    assert_eq!(story.state.sealed, Some(tree("a with a log")));
}

#[test]
fn checks_that_pass_only_on_what_they_use_up_do_not_pass() {
    let mut story = Story::after(rules(), green());
    story.edits("a").runs(green().leaving("a used")).runs(run([("t1", Failed)]));
    let (verdict, reasons) = story.verdict();
    assert_eq!(verdict, Verdict::Failed);
    assert!(
        reasons.contains("run.log") && reasons.contains("`generated` under [loop]"),
        "{reasons}"
    );
    assert!(story.asked_for_fix(), "it is no regression");
    story.edits("b").runs_twice(green()).seals().passed();
}

#[test]
fn an_agent_that_lives_outside_and_edits_nothing_is_not_judged_by_what_was_used_up() {
    let mut story = Story::begin(rules().hosted());
    story.runs(green().leaving("start used"));
    story.declares(Vec::new());
    assert_eq!(story.execution(), (Purpose::Judge, Vec::new()));
    story.runs(run([("t1", Failed)]));
    assert!(story.asked_for_fix());
}

#[test]
fn what_somebody_writes_beside_the_code_after_the_pass_is_run_too() {
    let mut story = Story::after(rules(), green());
    story.edits("a").runs(green()).seals_on(tree("a with notes"));
    assert_eq!(story.execution(), (Purpose::Judge, Vec::new()));
    story.runs(green()).seals().passed();
}

#[test]
fn code_that_was_written_while_the_checks_ran_is_believed_as_little_as_code_that_changed() {
    let rewritten = || {
        let mut run = green();
        run.rewritten = vec!["src/a.py".to_owned()];
        run
    };
    let mut story = Story::after(at_most(1), green());
    story.edits("a").runs(rewritten());
    assert_eq!(story.execution(), (Purpose::Judge, Vec::new()), "once more");
    story.runs(rewritten());
    let (verdict, reasons) = story.verdict();
    assert_eq!(verdict, Verdict::Inconclusive);
    assert!(reasons.contains("src/a.py was written while the checks ran"), "{reasons}");
    story.escalated(StopReason::BoundedAttemptsExceeded);
}

#[test]
fn code_that_changes_while_the_checks_run_is_run_once_more_and_then_a_finding() {
    let mut story = Story::after(rules(), green());
    story.edits("a").runs(green().leaving("b"));
    assert_eq!(story.execution(), (Purpose::Judge, Vec::new()));
    story.runs(green()).seals().passed();
    assert_eq!(story.state.sealed, Some(tree("b")));
    let mut story = Story::after(at_most(1), green());
    story.edits("a").runs(green().leaving("b")).runs(green().leaving("c"));
    let (verdict, reasons) = story.verdict();
    assert_eq!(verdict, Verdict::Inconclusive);
    assert!(reasons.contains("src/rewritten.py"), "{reasons}");
    story.escalated(StopReason::BoundedAttemptsExceeded);
    let analysis = story.state.attempts[0].analysis.as_ref().unwrap();
    assert!(analysis.root_cause.contains("src/rewritten.py"), "{}", analysis.root_cause);
}

#[test]
fn code_that_changes_during_the_baseline_does_not_stop_the_loop() {
    let mut story = Story::begin(rules());
    story.runs(green().leaving("b"));
    assert_eq!(story.execution().0, Purpose::Baseline);
    story.runs(green().leaving("c"));
    assert_eq!(story.request().tree, tree("c"));
}

#[test]
fn a_tree_that_changed_after_the_pass_is_run_again_but_not_for_ever() {
    let mut story = Story::after(rules(), green());
    story.edits("a").runs(green()).seals_on(tree("b"));
    assert_eq!(story.execution(), (Purpose::Judge, Vec::new()));
    story.runs(green());
    assert!(matches!(story.action(), Action::Square { tree: passed, .. } if *passed == tree("b")));
    story.seals().passed();
    let mut story = Story::after(rules(), green());
    story.edits("a").runs(green()).seals_on(tree("b")).runs(green()).seals_on(tree("c"));
    story.aborted(StopReason::ToolingError);
    assert_eq!(story.state.sealed, None);
}

#[test]
fn a_re_run_on_another_tree_shows_nothing() {
    for (on, leaving) in [("b", "b"), ("a", "b"), ("b", "a")] {
        let rerun = || run([("t2", Passed)]).on(on).leaving(leaving);
        let mut story = Story::after(rules(), green());
        story.edits("a").runs(run([("t1", Passed), ("t2", Failed)])).runs(rerun());
        assert_eq!(story.execution(), (Purpose::Judge, Vec::new()));
        story.runs(run([("t1", Passed), ("t2", Failed)])).runs(rerun().on("z"));
        story.aborted(StopReason::ToolingError);
    }
}

/// An answer for another purpose is no answer: some tests once more are not the full suite, and a
/// second baseline is not an attempt that nobody counts.
#[test]
fn an_execution_for_another_purpose_is_not_listened_to() {
    let purposes = [Purpose::Baseline, Purpose::Judge, Purpose::Confirm];
    let mut story = Story::begin(rules());
    let ignores_others = |story: &mut Story| {
        let (wanted, _) = story.execution();
        let before = story.state.clone();
        for purpose in purposes.into_iter().filter(|purpose| *purpose != wanted) {
            let execution = Box::new(green().execution(9, purpose, &story.here));
            let effects = story.tell(Input::Executed { id: story.pending_id(), execution });
            assert!(effects.is_empty() && story.state == before);
        }
    };
    ignores_others(&mut story);
    story.runs(green()).edits("a");
    ignores_others(&mut story);
    story.runs(run([("t1", Failed)]));
    ignores_others(&mut story);
    story.runs(run([("t1", Failed)]));
    assert!(story.asked_for_fix());
}
