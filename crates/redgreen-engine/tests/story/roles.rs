//! A planner before the work, a test engineer of its own, and a reviewer of what passed.

use redgreen_engine::effect::Ask;
use redgreen_engine::input::{AgentOutcome, Settings};
use redgreen_model::config::Blocks;
use redgreen_model::report::TestOutcome::Passed;
use redgreen_model::verdict::{StopReason, Verdict};

use crate::common::run::{Run, run};
use crate::common::story::Story;
use crate::common::{at_most, rules};

fn green() -> Run {
    run([("t1", Passed)])
}

fn finding(severity: &str) -> String {
    format!(
        "[{{\"file\": \"src/a.py\", \"line\": 3, \"severity\": \"{severity}\", \"text\": \"zero is lost\"}}]"
    )
}

fn reviewed(blocks: Blocks) -> Settings {
    Settings { reviewer: Some(blocks), ..at_most(2) }
}

#[test]
fn what_a_planner_says_stands_in_the_task_and_is_no_attempt() {
    let mut story = Story::after(Settings { planner: true, ..rules() }, green());
    assert_eq!(story.request().ask, Ask::Plan);
    story.answers("first the parser");
    assert_eq!((story.request().attempt, story.request().ask.clone()), (1, Ask::Code));
    assert!(story.request().prompt.contains("first the parser"));
    story.edits("a").runs(green()).seals().passed();
    // Without one the work begins all the same.
    let mut story = Story::after(Settings { planner: true, ..rules() }, green());
    story.answers("").edits("a").runs(green()).seals().passed();
    assert!(story.state.flags[0].contains("there is no plan"), "{:?}", story.state.flags);
}

#[test]
fn a_finding_that_blocks_is_mended_and_the_others_are_listed() {
    let mut story = Story::after(reviewed(Blocks::Error), green());
    story.edits("a").runs(green()).squares();
    assert_eq!(story.request().ask, Ask::Review);
    story.answers(&finding("error"));
    assert!(story.asked_for_fix() && story.request().attempt == 2);
    assert!(story.request().prompt.contains("zero is lost"), "{}", story.request().prompt);
    assert_eq!(story.state.verdict(), Some(Verdict::Failed));
    story.edits("b").runs(green()).squares().answers(&finding("warning")).seals().passed();
    // The bound is the bound.
    let mut story = Story::after(reviewed(Blocks::Warning), green());
    for edit in ["a", "b"] {
        story.edits(edit).runs(green()).squares().answers(&finding("warning"));
    }
    story.escalated(StopReason::BoundedAttemptsExceeded);
    assert!(story.detail().contains("zero is lost"), "{}", story.detail());
}

#[test]
fn a_reviewer_that_fails_blocks_nobody_and_one_that_edits_is_undone() {
    let mut story = Story::after(reviewed(Blocks::Error), green());
    story.edits("a").runs(green()).squares().answers("looks good to me").seals().passed();
    assert!(story.state.flags[0].contains("there is no review"), "{:?}", story.state.flags);
    let mut story = Story::after(reviewed(Blocks::Error), green());
    story.edits("a").runs(green()).squares();
    story.answers_from(AgentOutcome::Finished, "[]", "mine").restores("a").seals().passed();
}

#[test]
fn a_review_that_reaches_the_end_of_the_session_loses_nothing() {
    let mut story = Story::after(reviewed(Blocks::Error), green());
    story.edits("a").runs(green()).squares().deadline().escalated(StopReason::TimeoutExceeded);
    assert_eq!(story.verdict().0, Verdict::Passed);
}

#[test]
fn a_test_engineer_does_not_read_what_was_tried() {
    let settings = Settings { test_engineer: true, ..rules() };
    let mut story = Story::after(settings, green());
    story.edits("a");
    assert_eq!(story.request().ask, Ask::Tests);
    assert!(story.request().feedback.tried.is_empty());
}
