//! Honest work that is not held: what was red before, documents alone, a project without tests.

use redgreen_engine::effect::Action;
use redgreen_engine::feedback::blocked;
use redgreen_engine::input::{AgentOutcome, AgentResult, Input, Settings, Weight};
use redgreen_model::execution::Purpose;
use redgreen_model::report::TestOutcome::{Failed, Passed};
use redgreen_model::square::SquareFacts;
use redgreen_model::tree::{FileRole, TreeState};
use redgreen_model::verdict::{StopReason, Verdict};
use redgreen_model::workflow::{CodeType, LoopStatus, Phase};

use crate::common::run::{Run, run};
use crate::common::story::Story;
use crate::common::{at_most, change, corners, id, rules, tampered, tree};

fn red() -> Run {
    run([("old", Failed), ("t1", Passed)])
}

/// The corners of a change that `old` has nothing to do with.
fn beyond(base: &TreeState, tree: &TreeState) -> SquareFacts {
    SquareFacts { beyond: vec![id("old")], ..corners(base, tree) }
}

/// A loop in which `old` was red before, and the edit leaves it as it is.
fn unrelated(settings: Settings) -> Story {
    let mut story = Story::after(settings, red());
    story.asks_for_corners = true;
    story.reruns(&["old"], run([("old", Failed)])).edits("a").runs_twice(red());
    story
}

#[test]
fn what_was_red_before_and_has_nothing_to_do_with_it_is_reported_once_and_let_go() {
    let mut story = unrelated(at_most(3).hosted());
    story.squares_with(beyond).seals();
    assert_eq!(story.state.verdict(), Some(Verdict::PassedBut));
    let text = blocked(&story.state, "f").unwrap();
    assert!(
        text.contains("If it is your task to repair it, go on") && text.contains("old"),
        "{text}"
    );
    // Nobody is charged for it.
    assert_eq!((story.request().attempt_in_round, story.state.attempts_charged()), (1, 1));
    story.declares(Vec::new()).seals();
    assert_eq!(story.end(), (Phase::Complete, LoopStatus::Failed, None));
    assert_eq!(story.state.sealed, Some(tree("a")));
    assert!(
        story.state.last_judged().unwrap().reasons[0].starts_with("passed, except for 1 that was")
    );
    // Once is enough, also where something else is edited.
    let mut story = unrelated(at_most(3).hosted());
    story.squares_with(beyond).seals().edits("b").runs_twice(red()).squares_with(beyond).seals();
    assert_eq!(story.end(), (Phase::Complete, LoopStatus::Failed, None));
}

#[test]
fn what_reaches_the_change_or_fails_for_another_reason_is_held() {
    let mut story = unrelated(at_most(2).hosted());
    story.squares();
    assert_eq!(story.state.verdict(), Some(Verdict::Failed));
    assert!(story.asked_for_fix() && story.request().attempt_in_round == 2);
    let mut story = Story::after(at_most(2).hosted(), red());
    story.reruns(&["old"], run([("old", Failed)])).edits("a");
    story.runs_twice(red().saying("something else"));
    assert!(story.asked_for_fix() && story.request().attempt_in_round == 2);
    // And the square has its word.
    let mut story = unrelated(at_most(2).hosted());
    story
        .squares_with(|base, tree| SquareFacts { beyond: vec![id("old")], ..tampered(base, tree) });
    assert_eq!(story.state.verdict(), Some(Verdict::Failed));
}

#[test]
fn a_loop_feeds_it_back_and_says_at_the_bound_how_it_stands() {
    let mut story = Story::after(at_most(2), red());
    story.asks_for_corners = true;
    story.reruns(&["old"], run([("old", Failed)])).edits("a").runs_twice(red());
    assert!(story.asked_for_fix(), "it may be the task");
    story.edits("b").runs_twice(red()).squares_with(beyond).seals();
    story.escalated(StopReason::BoundedAttemptsExceeded);
    assert!(
        story.detail().contains("passed, except for 1 that was already red before"),
        "{}",
        story.detail()
    );
}

#[test]
fn a_change_that_is_there_already_is_judged_once() {
    let green = || run([("t1", Passed)]);
    let mut story = Story::after(rules().single(false), green());
    story.edits("a").runs(green()).seals();
    assert_eq!(
        (story.end(), story.state.verdict()),
        ((Phase::Complete, LoopStatus::Passed, None), Some(Verdict::Passed))
    );
    let mut story = Story::after(rules().single(false), green());
    story.edits("a").runs_twice(run([("t1", Failed)]));
    assert_eq!(story.end(), (Phase::Complete, LoopStatus::Failed, None));
    // Compared with nothing there is one run; with itself, too.
    let mut story = Story::begin(rules().single(true));
    story.edits("start").runs(green()).seals().passed();
    let mut story = Story::after(rules().single(false), green());
    story.edits("start").seals().passed();
    let mut story = unrelated(rules().single(false));
    story.squares_with(beyond).seals();
    assert_eq!(story.end(), (Phase::Complete, LoopStatus::Failed, None));
    assert_eq!(story.state.verdict(), Some(Verdict::PassedBut));
}

/// The agent writes documents alone.
fn documents(story: &mut Story) {
    let result = AgentResult {
        said: String::new(),
        diff: String::new(),
        near: Vec::new(),
        outcome: AgentOutcome::Finished,
        tree: tree("start with a README"),
        changes: vec![change("README.md", FileRole::Inert)],
        weight: Weight::Documents,
        analysis: None,
        declared: Vec::new(),
        waived: Vec::new(),
        known: None,
        secrets: Vec::new(),
        answer: String::new(),
        log: String::new(),
        duration_ms: 1,
        cost_micros: 0,
    };
    story.tell(Input::AgentEnded { id: story.pending_id(), result: Box::new(result) });
}

#[test]
fn documents_are_run_for_where_a_check_is_judged_by_its_exit_code() {
    for baseline in [run([]).by_exit_code(), run([]).by_exit_code().exit(1)] {
        let mut story = Story::after(rules(), baseline);
        documents(&mut story);
        let runs = matches!(story.action(), Action::Execute { purpose: Purpose::Judge, .. });
        assert!(runs, "nobody sees what it reads: {:?}", story.action());
    }
}

#[test]
fn documents_alone_end_as_passed_by_what_was_seen_before() {
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    documents(&mut story);
    assert_eq!(story.end(), (Phase::Complete, LoopStatus::Passed, None));
    assert!(story.state.flags[0].contains("nothing that runs was changed"));
    assert_eq!(story.state.sealed, None, "nothing is signed that was not run");
    assert_eq!(story.state.tree(), Some(&tree("start with a README")));
    // A kind of change that was named is more than documents, and red is red.
    let mut story = Story::after(
        Settings { code_type: Some(CodeType::Refactor), ..rules() },
        run([("t1", Passed)]),
    );
    documents(&mut story);
    story.escalated(StopReason::NoProgress);
    let mut story = Story::after(rules(), red());
    story.reruns(&["old"], run([("old", Failed)]));
    documents(&mut story);
    assert!(story.asked_for_fix());
}

#[test]
fn data_that_changes_no_code_hash_is_an_edit() {
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    let result = |tree: TreeState, story: &Story| AgentResult {
        said: String::new(),
        diff: String::new(),
        near: Vec::new(),
        outcome: AgentOutcome::Finished,
        tree,
        changes: vec![change("data/rates.txt", FileRole::Inert)],
        weight: Weight::Runs,
        analysis: None,
        declared: Vec::new(),
        waived: Vec::new(),
        known: None,
        secrets: Vec::new(),
        answer: String::new(),
        log: String::new(),
        duration_ms: story.inputs.len() as u64,
        cost_micros: 0,
    };
    for name in ["start with rates", "start with better rates"] {
        let ended = result(tree(name), &story);
        story.here = tree(name);
        story.tell(Input::AgentEnded { id: story.pending_id(), result: Box::new(ended) });
        story.runs_twice(run([("t1", Passed), ("t2", Failed)]));
    }
    let ended = result(tree("start with rates"), &story);
    story.tell(Input::AgentEnded { id: story.pending_id(), result: Box::new(ended) });
    story.escalated(StopReason::NoProgress);
}

#[test]
fn a_project_without_tests_is_held_once() {
    let none = || run([]).exit(5);
    let mut story = Story::after(rules().hosted(), none());
    story.edits("a").runs(none());
    let text = blocked(&story.state, "f").unwrap();
    assert!(
        text.contains("redgreen init --test-command") && text.contains("NOT VERIFIED"),
        "{text}"
    );
    assert_eq!(story.request().attempt_in_round, 1);
    story.edits("b").runs(none()).escalated(StopReason::NoTests);
    // One that says so is not held at all.
    let mut story = Story::after(Settings { no_tests_yet: true, ..rules().hosted() }, none());
    story.edits("a").runs(none()).escalated(StopReason::NoTests);
    // A test that is gone is another matter.
    let mut story = Story::after(rules().hosted(), run([("t1", Passed)]));
    story.edits("a").runs(none());
    assert!(story.asked_for_fix() && story.request().attempt_in_round == 2);
}

#[test]
fn how_much_of_what_ran_before_did_not_run_is_said() {
    let mut story = Story::after(rules(), run([("t1", Passed), ("t2", Passed), ("t3", Passed)]));
    story.edits("a").runs(run([("t1", Failed)]).incomplete());
    story.runs(run([("t1", Failed)]).incomplete());
    let (_, reasons) = story.verdict();
    assert!(reasons.contains("2 of 3 tests that ran before did not run now"), "{reasons}");
}
