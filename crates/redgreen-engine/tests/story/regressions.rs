//! Never worse than before.

use redgreen_engine::effect::Ask;
use redgreen_model::report::TestOutcome::{Failed, Passed, Skipped};
use redgreen_model::report::{Failure, FailureKind};
use redgreen_model::verdict::{StopReason, Verdict};
use redgreen_model::workflow::{EscalationAction, EscalationCondition};

use crate::common::run::{run, silent};
use crate::common::story::Story;
use crate::common::{at_most, id, on, rules, tree};

/// t1 was green at the baseline; t2 was red, and the edit mends it but breaks t1.
fn breaks_t1(settings: redgreen_engine::input::Settings) -> Story {
    let baseline = run([("t1", Passed), ("t2", Failed)]);
    let mut story = Story::after(settings, baseline);
    story.reruns(&["t2"], run([("t2", Failed)])).edits("a");
    story.runs(run([("t1", Failed), ("t2", Passed)]));
    story.reruns(&["t1", "t2"], run([("t1", Failed), ("t2", Passed)]));
    assert_eq!(story.classes().regressed, [id("t1")]);
    assert_eq!(story.classes().fixed, [id("t2")]);
    story
}

fn on_regression(action: EscalationAction) -> redgreen_engine::input::Settings {
    on(EscalationCondition::RegressionDetected, action)
}

#[test]
fn a_regression_puts_the_tree_before_it_back_and_escalates() {
    let mut story = breaks_t1(rules());
    story.restores("start").escalated(StopReason::RegressionDetected);
    assert!(story.detail().contains("t1"), "{}", story.detail());
    let mut story = breaks_t1(on_regression(EscalationAction::HumanReview));
    story.restores("start").escalated(StopReason::RegressionDetected);
    let mut story = breaks_t1(on_regression(EscalationAction::AbortWithReport));
    story.restores("start").aborted(StopReason::RegressionDetected);
}

#[test]
fn a_regression_that_is_flagged_does_not_stop_the_loop() {
    let mut lenient = rules();
    lenient.retry.abort_on_regression = false;
    for settings in [on_regression(EscalationAction::FlagAndContinue), lenient] {
        let mut story = breaks_t1(settings);
        assert!(story.asked_for_fix());
        assert!(story.state.flags[0].contains("regression_detected"), "{:?}", story.state.flags);
        story.edits("b").runs(run([("t1", Passed), ("t2", Passed)]));
        story.reruns(&["t1", "t2"], run([("t1", Passed), ("t2", Passed)])).seals().passed();
    }
}

#[test]
fn a_second_agent_gets_one_round_from_the_tree_that_was_put_back() {
    let mut settings = on_regression(EscalationAction::SeniorAgent);
    settings.senior = true;
    settings.retry.max_attempts = 1;
    let mut story = breaks_t1(settings);
    story.restores("start");
    let request = story.request();
    assert!(request.senior);
    assert_eq!((request.attempt, request.attempt_in_round), (2, 1));
    assert_eq!(request.tree, tree("start"));
    assert!(matches!(&request.ask, Ask::Fix(analysis) if analysis.tests == ["t1"]));
    assert!(request.prompt.contains("has been taken back"), "{}", request.prompt);
    assert!(story.state.stop.is_none());
    story.edits("b").runs(run([("t1", Failed), ("t2", Passed)]));
    story.runs(run([("t1", Failed), ("t2", Passed)]));
    story.restores("start").escalated(StopReason::RegressionDetected);
    assert_eq!(story.state.attempts.len(), 2);
}

#[test]
fn without_a_second_agent_a_person_is_asked() {
    let mut story = breaks_t1(on_regression(EscalationAction::SeniorAgent));
    story.restores("start").escalated(StopReason::RegressionDetected);
}

#[test]
fn the_best_earlier_tree_is_the_one_with_the_fewest_failures() {
    let both_red = || run([("t0", Passed), ("t1", Failed), ("t2", Failed)]);
    let mut story = Story::after(at_most(5), both_red());
    story.runs(both_red()).edits("one-red");
    story.runs_twice(run([("t0", Passed), ("t1", Passed), ("t2", Failed)]));
    story.edits("new-red");
    let worse = || run([("t0", Passed), ("t1", Passed), ("t2", Failed), ("t3", Failed)]);
    story.runs_twice(worse()).edits("broken");
    let broken = || run([("t0", Passed), ("t1", Failed), ("t2", Passed), ("t3", Passed)]);
    story.runs_twice(broken()).restores("one-red").escalated(StopReason::RegressionDetected);
}

#[test]
fn a_tree_on_which_nothing_was_seen_or_tests_were_cut_out_is_not_the_best() {
    type Attempt = fn() -> crate::common::run::Run;
    let poor: [Attempt; 5] = [
        || run([("t1", Passed)]).unfinished(&["t2"]).exit(0),
        || run([]),
        || silent(0),
        || run([("t0", Passed), ("t1", Passed)]),
        || run([("t0", Passed), ("t1", Passed), ("t2", Skipped)]),
    ];
    for poor in poor {
        let mut story =
            Story::after(at_most(5), run([("t0", Passed), ("t1", Passed), ("t2", Failed)]));
        story.reruns(&["t2"], run([("t2", Failed)])).edits("poor").runs(poor());
        assert!(story.asked_for_fix());
        story.edits("broken").runs(run([("t0", Passed), ("t1", Failed), ("t2", Failed)]));
        story.runs(run([("t1", Failed), ("t2", Failed)])).restores("start");
        story.escalated(StopReason::RegressionDetected);
    }
}

#[test]
fn what_nobody_saw_fail_twice_is_not_a_regression() {
    // The re-run saw nothing of it.
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs(run([("t1", Failed)])).reruns(&["t1"], run([]));
    assert_eq!(story.verdict().0, Verdict::Failed);
    assert!(story.classes().regressed.is_empty());
    assert!(story.asked_for_fix());
    // There was no re-run, because the tree did not hold still.
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs(run([("t1", Failed)]).leaving("a2"));
    story.runs(run([("t1", Failed)]).leaving("a3"));
    assert!(story.classes().regressed.is_empty());
    assert!(story.asked_for_fix());
}

#[test]
fn a_test_that_kills_the_process_twice_is_a_regression() {
    use redgreen_model::execution::Ended;
    let killed =
        || run([("t1", Passed)]).unfinished(&["t2"]).ended(Ended::Signalled { signal: 11 });
    let mut story = Story::after(rules(), run([("t1", Passed), ("t2", Passed)]));
    story.edits("a").runs(killed()).reruns(&["t2"], killed());
    assert_eq!(story.classes().regressed, [id("t2")]);
    story.restores("start").escalated(StopReason::RegressionDetected);
}

#[test]
fn a_broken_build_is_red_and_not_a_loss_of_all_tests() {
    let broken = || {
        run([]).exit(2).error(Failure::new(FailureKind::CompileError, "SyntaxError", "bad token"))
    };
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs(broken());
    assert_eq!(story.verdict().0, Verdict::Failed);
    assert!(story.classes().lost.is_empty());
    assert!(story.asked_for_fix());
}

#[test]
fn a_regression_of_what_an_attempt_made_green_counts_too() {
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs_twice(run([("t1", Passed), ("t2", Passed), ("t3", Failed)]));
    story.edits("b").runs(run([("t1", Passed), ("t2", Failed), ("t3", Passed)]));
    story.reruns(&["t2", "t3"], run([("t2", Failed), ("t3", Passed)]));
    assert_eq!(story.classes().regressed, [id("t2")]);
    // The baseline was all green: no earlier tree is better.
    story.restores("start").escalated(StopReason::RegressionDetected);
}

#[test]
fn a_restore_that_fails_or_brings_something_else_is_said() {
    let mut story = breaks_t1(rules());
    story.tools_fail("disk full");
    story.aborted(StopReason::RegressionDetected);
    assert!(story.detail().contains("then tooling_error: disk full"), "{}", story.detail());
    let mut story = breaks_t1(rules());
    let id = story.pending_id();
    let saved = "refs/redgreen/saved".to_owned();
    let other = tree("other");
    story.tell(redgreen_engine::input::Input::Restored { id, tree: other, saved });
    story.escalated(StopReason::RegressionDetected);
    assert!(story.state.flags[0].contains("other is there"), "{:?}", story.state.flags);
}

#[test]
fn the_deadline_does_not_keep_a_tree_from_being_put_back() {
    let mut story = breaks_t1(rules());
    story.deadline().restores("start").escalated(StopReason::RegressionDetected);
}
