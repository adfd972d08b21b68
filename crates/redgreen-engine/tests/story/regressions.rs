//! Never worse than before.

use redgreen_engine::effect::{Action, Ask};
use redgreen_model::report::TestOutcome::{Failed, Passed, Skipped};
use redgreen_model::report::{Failure, FailureKind};
use redgreen_model::verdict::{StopReason, Verdict};
use redgreen_model::workflow::{EscalationAction, EscalationCondition};

use crate::common::run::{run, silent};
use crate::common::story::Story;
use crate::common::{at_most, id, on, rules, tree};

/// t1 is green at the baseline and after the first attempt; t2 is red, and the fix mends it but breaks t1.
fn breaks_t1(settings: redgreen_engine::input::Settings) -> Story {
    let red = || run([("t1", Passed), ("t2", Failed)]);
    let mut story = Story::after(settings, red());
    story.reruns(&["t2"], run([("t2", Failed)])).edits("first").runs(red());
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
    story.restores("first").escalated(StopReason::RegressionDetected);
    let detail = story.detail();
    assert!(detail.contains("t1") && detail.contains("on_regression = \"retry\""), "{detail}");
    let mut story = breaks_t1(on_regression(EscalationAction::HumanReview));
    story.restores("first").escalated(StopReason::RegressionDetected);
    let mut story = breaks_t1(on_regression(EscalationAction::AbortWithReport));
    story.restores("first").aborted(StopReason::RegressionDetected);
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
    settings.retry.max_attempts = 2;
    let mut story = breaks_t1(settings);
    story.restores("first");
    let request = story.request();
    assert!(request.senior);
    assert_eq!((request.attempt, request.attempt_in_round), (3, 1));
    assert_eq!(request.tree, tree("first"));
    assert!(matches!(&request.ask, Ask::Fix(analysis) if analysis.tests == ["t1"]));
    assert!(request.prompt.contains("was undone"), "{}", request.prompt);
    assert!(story.state.stop.is_none());
    story.edits("b").runs(run([("t1", Failed), ("t2", Passed)]));
    story.runs(run([("t1", Failed), ("t2", Passed)]));
    story.restores("first").escalated(StopReason::RegressionDetected);
    assert_eq!(story.state.attempts.len(), 3);
}

#[test]
fn without_a_second_agent_a_person_is_asked() {
    let mut story = breaks_t1(on_regression(EscalationAction::SeniorAgent));
    story.restores("first").escalated(StopReason::RegressionDetected);
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
            Story::after(at_most(3), run([("t0", Passed), ("t1", Passed), ("t2", Failed)]));
        story.reruns(&["t2"], run([("t2", Failed)])).edits("poor").runs(poor());
        if matches!(story.action(), Action::Square { .. }) {
            story.squares();
        }
        assert!(story.asked_for_fix());
        story.edits("broken").runs(run([("t0", Failed), ("t1", Failed), ("t2", Failed)]));
        story.runs(run([("t0", Failed), ("t1", Failed), ("t2", Failed)]));
        if story.asked() {
            // Nothing was green in an attempt: it is red like any other, and the bound ends it.
            story.edits("again").runs_twice(run([("t0", Failed), ("t1", Failed), ("t2", Failed)]));
            story.restores("start").escalated(StopReason::BoundedAttemptsExceeded);
            continue;
        }
        story.restores("start");
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
    let other = || run([("t1", Passed), ("t2", Passed), ("t3", Failed)]);
    let mut story = Story::after(rules(), run([("t1", Passed), ("t2", Passed)]));
    story.edits("first").runs_twice(other());
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
    story.deadline().restores("first").escalated(StopReason::RegressionDetected);
}

#[test]
fn what_the_first_attempt_breaks_is_fed_back_and_charged_like_any_red() {
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs_twice(run([("t1", Failed)]));
    assert_eq!(story.classes().regressed, [id("t1")]);
    assert!(story.asked_for_fix());
    assert_eq!(story.request().attempt_in_round, 2);
    // Still red: no earlier attempt had it green.
    story.edits("b").runs_twice(run([("t1", Failed)]));
    assert!(story.asked_for_fix());
    story.edits("c").runs(run([("t1", Passed)])).reruns(&["t1"], run([("t1", Passed)]));
    story.seals().passed();
}

#[test]
fn nothing_worse_than_the_start_is_handed_back() {
    let breaks = |settings| {
        let mut story = Story::after(settings, run([("t1", Passed)]));
        story.edits("a").runs_twice(run([("t1", Failed)]));
        story
    };
    breaks(at_most(1)).restores("start").escalated(StopReason::BoundedAttemptsExceeded);
    let mut story = breaks(rules());
    story.edits("a").restores("start").escalated(StopReason::NoProgress);
    let mut story = breaks(rules());
    let stuck = redgreen_engine::input::AgentOutcome::GaveUp { reason: "stuck".to_owned() };
    story.agent(stuck, "a", Vec::new(), None).restores("start");
    story.escalated(StopReason::AgentGaveUp);
}

#[test]
fn a_fix_that_breaks_something_is_put_away_and_another_asked_for_within_the_bound() {
    let settings = || {
        let mut settings = at_most(3);
        settings.retry_regression = true;
        settings
    };
    let mut story = breaks_t1(settings());
    story.restores("first");
    assert!(story.asked_for_fix() && story.state.stop.is_none());
    assert_eq!((story.request().attempt_in_round, &story.request().tree), (3, &tree("first")));
    let green = || run([("t1", Passed), ("t2", Passed)]);
    story.edits("b").runs(green()).reruns(&["t1", "t2"], green()).seals().passed();
    let mut story = breaks_t1(settings());
    let broken = || run([("t1", Failed), ("t2", Passed)]);
    story.restores("first").edits("b").runs(broken()).runs(broken());
    story.restores("first").escalated(StopReason::RegressionDetected);
    assert!(!story.detail().contains("on_regression"), "it is set already: {}", story.detail());
}
