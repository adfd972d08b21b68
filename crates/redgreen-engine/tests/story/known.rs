//! Tests that a person knows to be red hold nobody, and excuse nothing else.

use redgreen_engine::input::Settings;
use redgreen_model::execution::TestId;
use redgreen_model::known::KnownTest;
use redgreen_model::report::TestOutcome::{Failed, Passed};
use redgreen_model::verdict::{StopReason, Verdict};
use redgreen_model::workflow::{LoopStatus, Phase};

use crate::common::run::{Run, run};
use crate::common::story::Story;
use crate::common::{at_most, id, known, tree};

/// `old` is red and known to be.
fn red() -> Run {
    run([("old", Failed), ("t1", Passed)])
}

fn knowing(max_attempts: u32) -> Settings {
    Settings { known: vec![known("old")], ..at_most(max_attempts) }
}

#[test]
fn a_loop_in_which_only_known_tests_are_red_is_done_at_once_and_is_no_pass() {
    let mut story = Story::after(knowing(3), red());
    story.asks_for_corners = true;
    // Nothing is run a second time for what is known.
    story.edits("a").runs(red()).squares().seals();
    assert_eq!(story.end(), (Phase::Complete, LoopStatus::Failed, None));
    assert_eq!(story.state.verdict(), Some(Verdict::PassedBut));
    assert!(story.state.is_but_for_known());
    assert_eq!(story.state.sealed, Some(tree("a")));
    assert_eq!(story.classes().known, [id("old")]);
    assert!(story.verdict().1.contains("1 that is known to be red: old"), "{:?}", story.verdict());
}

#[test]
fn the_gate_lets_go_without_informing_anybody() {
    let mut story = Story::after(knowing(3).hosted(), red());
    story.asks_for_corners = true;
    story.edits("a").runs(red()).squares().seals();
    assert_eq!(story.end(), (Phase::Complete, LoopStatus::Failed, None));
    assert!(story.state.is_but_for_known());
}

#[test]
fn another_cause_or_another_test_is_red() {
    let mut story = Story::after(knowing(3), red());
    story.edits("a").runs_twice(red().saying("something else"));
    assert!(story.asked_for_fix());
    let (verdict, reasons) = story.verdict();
    assert_eq!(verdict, Verdict::Failed);
    assert!(reasons.contains("now for another cause: "), "{reasons}");
    // The agent is asked for the other one alone.
    let both = || run([("old", Failed), ("t1", Failed)]);
    let mut story = Story::after(knowing(3), red());
    story.edits("a").runs(both());
    story.reruns(&["t1"], run([("t1", Failed)]));
    assert!(story.asked_for_fix());
    let failures = &story.state.last_judged().unwrap().failures;
    assert_eq!(failures.iter().map(|it| it.name()).collect::<Vec<_>>(), ["t1"]);
    assert!(!story.request().prompt.contains("### old"), "{}", story.request().prompt);
}

#[test]
fn one_that_passes_leaves_the_list_and_may_not_come_back() {
    let green = || run([("old", Passed), ("t1", Passed)]);
    let mut story = Story::after(knowing(3), red());
    // It was red before: green has to be seen twice.
    story.edits("a").runs(green()).reruns(&["old"], run([("old", Passed)]));
    story.squares().seals().passed();
    let healed: Vec<TestId> = story.state.healed().into_iter().map(KnownTest::id).collect();
    assert_eq!(healed, [id("old")]);
    let mut story = Story::after(knowing(3), red());
    let half = || run([("old", Passed), ("t1", Failed)]);
    story.edits("a").runs(half()).reruns(&["old", "t1"], half()).edits("b").runs(red());
    // Each was red or green before, and is seen twice.
    story.reruns(&["old", "t1"], red());
    story.restores("start").escalated(StopReason::RegressionDetected);
}

#[test]
fn what_is_listed_meanwhile_counts_at_the_gate_and_not_in_a_loop() {
    for hosted in [true, false] {
        let rules = if hosted { at_most(3).hosted() } else { at_most(3) };
        let mut story = Story::after(rules, red());
        story.reruns(&["old"], run([("old", Failed)]));
        story.lists = Some(vec![known("old")]).filter(|_| hosted);
        story.edits("a").runs(red());
        match hosted {
            true => {
                story.seals();
                assert!(story.state.is_but_for_known());
            }
            false => assert_eq!(story.execution().1, [id("old")]),
        }
    }
}
