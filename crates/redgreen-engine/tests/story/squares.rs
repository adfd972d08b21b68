//! A run that passed is believed once the tests as they were agree.

use redgreen_model::report::TestOutcome::{Failed, Passed};
use redgreen_model::square::{Declaration, SquareFacts};
use redgreen_model::tree::TreeState;
use redgreen_model::verdict::{StopReason, Verdict};

use crate::common::run::run;
use crate::common::story::Story;
use crate::common::{at_most, corners, ran, rules, tampered, unseen};

fn declaration(test: &str) -> Declaration {
    Declaration {
        test: test.to_owned(),
        change: String::new(),
        reason: "the task asks for it".to_owned(),
        by: "agent".to_owned(),
        at: "2026-11-15T10:00:00Z".to_owned(),
    }
}

/// The old form of `t1` fails on the new code.
fn expects_otherwise(base: &TreeState, tree: &TreeState) -> SquareFacts {
    SquareFacts { referee: ran(run([("t1", Failed)]), tree), ..corners(base, tree) }
}

#[test]
fn a_finding_goes_back_to_the_agent_and_is_never_green() {
    let mut story = Story::after(at_most(2), run([("t1", Passed)]));
    story.edits("a").runs(run([("t1", Passed)])).squares_with(tampered);
    assert!(story.asked_for_fix());
    assert!(story.request().prompt.contains("redgreen.toml changed"));
    assert!(story.request().prompt.contains("Strategy: Put redgreen.toml back as it was"));
    story.edits("b").runs(run([("t1", Passed)])).squares_with(tampered);
    story.escalated(StopReason::BoundedAttemptsExceeded);
    assert_eq!(story.state.last_judged().unwrap().verdict, Verdict::Failed);
}

#[test]
fn a_corner_that_was_not_seen_leaves_the_verdict_open() {
    let mut story = Story::after(at_most(1), run([("t1", Passed)]));
    story.edits("a").runs(run([("t1", Passed)])).squares_with(unseen);
    assert_eq!(story.state.last_judged().unwrap().verdict, Verdict::Inconclusive);
    story.escalated(StopReason::BoundedAttemptsExceeded);
}

#[test]
fn a_changed_expectation_is_declared_without_another_edit_or_run() {
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs(run([("t1", Passed)])).squares_with(expects_otherwise);
    assert!(story.request().prompt.contains("redgreen declare 't1'"));
    assert!(story.request().prompt.contains("Strategy: If the task asks for"));
    let executions = story.state.executions().count();
    story.declares(vec![declaration("t1")]).seals().passed();
    assert_eq!(story.state.executions().count(), executions + 1, "the attempt has its own copy");
    let square = &story.state.attempts.last().unwrap().square.as_ref().unwrap().square;
    assert_eq!(square.expectations[0].declared, Some(declaration("t1")));
}

#[test]
fn a_declaration_of_something_else_changes_nothing() {
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs(run([("t1", Passed)])).squares_with(expects_otherwise);
    story.declares(vec![declaration("t2")]);
    assert!(story.asked_for_fix());
    let stale = Declaration { change: "another".to_owned(), ..declaration("t1") };
    story.declares(vec![declaration("t2"), stale.clone()]);
    assert!(story.asked_for_fix());
    // None of these was an attempt; but that is bounded, too.
    assert_eq!(story.request().attempt_in_round, 1);
    let mut asked = 0;
    while !story.state.ended() {
        let change = format!("another {asked}");
        story.declares(vec![Declaration { change, ..stale.clone() }]);
        asked += 1;
    }
    assert_eq!(asked, 3);
    story.escalated(StopReason::BoundedAttemptsExceeded);
}

#[test]
fn to_edit_and_declare_nothing_is_no_progress() {
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs(run([("t1", Passed)])).squares_with(expects_otherwise);
    story.declares(Vec::new()).escalated(StopReason::NoProgress);
}

#[test]
fn comments_alone_are_no_answer_to_a_task() {
    let blank = |base: &TreeState, tree: &TreeState| SquareFacts {
        meaningful: false,
        ..corners(base, tree)
    };
    let mut story = Story::after(at_most(1), run([("t1", Passed)]));
    story.edits("a").runs(run([("t1", Passed)])).squares_with(blank);
    assert_eq!(story.state.last_judged().unwrap().verdict, Verdict::Inconclusive);
}
