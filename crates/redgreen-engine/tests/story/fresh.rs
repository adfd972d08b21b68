//! Edits that turn nothing lead to a fresh start, and what is handed back is the best there was.

use redgreen_engine::input::Settings;
use redgreen_model::report::TestOutcome::{Failed, Passed};
use redgreen_model::verdict::StopReason;

use crate::common::at_most;
use crate::common::run::{Run, run};
use crate::common::story::Story;

fn red() -> Run {
    run([("t1", Passed), ("t2", Failed), ("t3", Failed)])
}

fn half() -> Run {
    run([("t1", Passed), ("t2", Passed), ("t3", Failed)])
}

fn after(edits: u32) -> Story {
    let settings = Settings { fresh_start_after: edits, ..at_most(5) };
    let mut story = Story::after(settings, red());
    story.reruns(&["t2", "t3"], run([("t2", Failed), ("t3", Failed)]));
    story
}

#[test]
fn edits_that_turn_nothing_are_undone_and_the_agent_begins_anew() {
    let mut story = after(2);
    story.edits("a").runs_twice(red());
    assert!(story.asked(), "one is no reason");
    story.edits("b").runs_twice(red()).restores("start");
    let request = story.request().clone();
    assert!(request.prompt.contains("This is a fresh start"), "{}", request.prompt);
    assert!(
        request.feedback.tried.iter().all(|tried| tried.undone),
        "{:?}",
        request.feedback.tried
    );
    assert_eq!(request.attempt_in_round, 3, "it costs no attempt, and gives none");
    // The same edit again is no new attempt.
    story.edits("a").escalated(StopReason::NoProgress);
}

#[test]
fn what_mended_something_is_begun_from_and_its_thread_is_longer() {
    let mut story = after(2);
    story.edits("a").runs_twice(red());
    story.edits("b").runs(half());
    story.reruns(&["t2", "t3"], run([("t2", Passed), ("t3", Failed)]));
    assert!(story.asked(), "it mended one");
    let tried = story.request().feedback.tried.clone();
    assert_eq!(
        (tried[1].turned_green.as_slice(), tried[1].still_red),
        (["t2".to_owned()].as_slice(), 1)
    );
    story.edits("c").runs(half()).reruns(&["t2", "t3"], run([("t2", Passed), ("t3", Failed)]));
    assert!(story.asked());
    story.edits("d").runs(half()).reruns(&["t2", "t3"], run([("t2", Passed), ("t3", Failed)]));
    story.restores("b");
    let undone: Vec<bool> = story.request().feedback.tried.iter().map(|it| it.undone).collect();
    assert_eq!(undone, [false, false, true, true]);
}

#[test]
fn nobody_begins_anew_who_is_not_to() {
    let mut story = after(0);
    for name in ["a", "b", "c", "d"] {
        story.edits(name).runs_twice(red());
        assert!(story.asked());
    }
}

#[test]
fn the_best_tree_is_handed_back_at_the_bound_and_not_the_last() {
    let two = run([("t1", Passed), ("n1", Failed), ("n2", Failed)]);
    let one = run([("t1", Passed), ("n1", Failed), ("n2", Passed)]);
    let mut story = Story::after(at_most(3), run([("t1", Passed)]));
    story.edits("a").runs_twice(two.clone());
    story.edits("b").runs(one).reruns(&["n1", "n2"], run([("n1", Failed), ("n2", Passed)]));
    story.edits("c").runs(run([("t1", Passed), ("n1", Failed), ("n2", Passed), ("n3", Failed)]));
    story.reruns(&["n1", "n2", "n3"], run([("n1", Failed), ("n2", Passed), ("n3", Failed)]));
    story.restores("b").escalated(StopReason::BoundedAttemptsExceeded);
    // Of equals it is the last, and nothing is put back.
    let mut story = Story::after(at_most(2), run([("t1", Passed)]));
    story.edits("a").runs_twice(two.clone()).edits("b").runs_twice(two);
    story.escalated(StopReason::BoundedAttemptsExceeded);
}
