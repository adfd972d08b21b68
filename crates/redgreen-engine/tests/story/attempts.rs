//! The ordinary way, and the bound on it.

use redgreen_engine::effect::{Action, Ask};
use redgreen_model::report::TestOutcome::{Failed, Passed};
use redgreen_model::square::SquareFacts;
use redgreen_model::tree::{FileRole, TreeState};
use redgreen_model::verdict::{StopReason, Verdict};
use redgreen_model::workflow::{Backoff, CodeType, LoopStatus, Phase};

use crate::common::run::run;
use crate::common::story::Story;
use crate::common::{at_most, change, corners, id, on, ran, rules, tree};

#[test]
fn a_good_edit_passes_after_one_attempt() {
    let mut story = Story::begin(rules());
    assert_eq!(story.state.phase, Phase::GenerateCode);
    story.runs(run([("t1", Passed)]));
    assert_eq!(story.request().ask, Ask::Code);
    assert_eq!(story.request().tree, tree("start"));
    story.edits("a");
    assert_eq!(story.state.phase, Phase::ExecuteTests);
    story.runs(run([("t1", Passed), ("t2", Passed)]));
    story.squares();
    assert_eq!(story.action(), &Action::Seal { tree: tree("a") });
    assert_eq!(story.state.status, LoopStatus::InProgress);
    story.seals().passed();
    assert_eq!(story.state.attempts.len(), 1);
}

#[test]
fn red_then_a_fix_then_green() {
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs_twice(run([("t1", Passed), ("t2", Failed)]));
    assert!(story.asked_for_fix());
    assert_eq!(story.state.phase, Phase::ApplyFix);
    assert_eq!((story.request().attempt, story.request().attempt_in_round), (2, 2));
    story.edits("b");
    assert_eq!(story.state.phase, Phase::VerifyFix);
    let green = run([("t1", Passed), ("t2", Passed)]);
    story.runs(green).reruns(&["t2"], run([("t2", Passed)])).seals().passed();
    assert_eq!(story.classes().new_failures, []);
}

#[test]
fn a_persistent_failure_ends_after_exactly_the_attempts_allowed() {
    for bound in [1, 3, 10] {
        let mut story = Story::after(at_most(bound), run([("t1", Failed)]));
        story.runs(run([("t1", Failed)]));
        let mut asked = 0;
        while !story.state.ended() {
            asked += 1;
            assert!(asked <= bound, "asked more often than allowed");
            story.edits(&format!("a{asked}")).runs_twice(run([("t1", Failed)]));
        }
        assert_eq!(asked, bound);
        story.escalated(StopReason::BoundedAttemptsExceeded);
        assert_eq!(story.detail(), format!("{bound} of {bound} used, still red: t1"));
        assert!(story.state.attempts.iter().all(|attempt| attempt.analysis.is_some()));
    }
}

/// Names and messages of one letter, and failures that come back in turns without a place: each
/// attempt still gets an analysis of its own.
#[test]
fn what_there_is_little_to_say_of_does_not_end_the_loop_early() {
    let mut story = Story::after(at_most(5), run([("t", Passed)]));
    for (attempt, message) in ["a", "b", "a", "b", "a"].into_iter().enumerate() {
        let red = run([("n", Failed)]).failing_with(|failure| {
            failure.error_type = "E".to_owned();
            failure.message = message.to_owned();
        });
        story.edits(&format!("tree{attempt}")).runs_twice(red);
    }
    story.escalated(StopReason::BoundedAttemptsExceeded);
    let causes: Vec<String> = story
        .state
        .attempts
        .iter()
        .map(|attempt| attempt.analysis.as_ref().unwrap().root_cause.clone())
        .collect();
    assert!(causes[2].contains("brought back the same failures as attempt 1"), "{causes:#?}");
}

#[test]
fn without_escalation_on_max_the_loop_just_failed() {
    let mut settings = at_most(1);
    settings.retry.escalation_on_max = false;
    let mut story = Story::after(settings, run([("t1", Passed)]));
    story.edits("a").runs_twice(run([("t1", Passed), ("t2", Failed)]));
    let reason = Some(StopReason::BoundedAttemptsExceeded);
    assert_eq!(story.end(), (Phase::Aborted, LoopStatus::Failed, reason));
}

#[test]
fn waits_grow_as_the_policy_says() {
    for (backoff, seconds) in [(Backoff::Linear, [5, 10, 15]), (Backoff::Exponential, [5, 10, 20])]
    {
        let mut settings = at_most(4);
        settings.retry.backoff = backoff;
        settings.backoff_base_seconds = 5;
        let mut story = Story::after(settings, run([("t1", Passed)]));
        for (attempt, seconds) in seconds.into_iter().enumerate() {
            let red = run([("t1", Passed), ("t2", Failed)]);
            story.edits(&format!("a{attempt}")).runs_twice(red).waits(seconds);
            assert!(story.asked_for_fix());
        }
    }
}

#[test]
fn the_first_attempt_is_not_waited_for_and_no_base_means_no_wait() {
    let mut settings = rules();
    settings.retry.backoff = Backoff::Linear;
    let mut story = Story::after(settings, run([("t1", Passed)]));
    story.edits("a").runs_twice(run([("t2", Failed)]));
    assert!(story.asked_for_fix());
}

#[test]
fn tests_are_asked_for_once_where_the_kind_of_change_needs_them() {
    use CodeType::{ApiEndpoint, BugFix, Integration, NewFunction};
    for kind in [NewFunction, BugFix, ApiEndpoint, Integration] {
        let mut settings = rules();
        settings.code_type = Some(kind);
        let mut story = Story::after(settings, run([("t1", Passed)]));
        story.edits("code");
        assert_eq!(story.state.phase, Phase::GenerateTests);
        assert_eq!(story.request().ask, Ask::Tests);
        assert_eq!((story.request().attempt, &story.request().tree), (1, &tree("code")));
        let tests = vec![change("tests/test_a.py", FileRole::Tests)];
        story.agent(redgreen_engine::input::AgentOutcome::Finished, "both", tests, None);
        story.runs_twice(run([("t1", Passed), ("t2", Failed)]));
        // What was changed in both steps is the attempt's change.
        let paths: Vec<&str> =
            story.state.attempts[0].changes.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(paths, ["src/a.py", "tests/test_a.py"]);
        story.edits("fixed").runs(run([("t1", Passed), ("t2", Passed)]));
        let proof = |base: &TreeState, tree: &TreeState| SquareFacts {
            proof: ran(run([("t2", Failed)]), base),
            ..corners(base, tree)
        };
        story.reruns(&["t2"], run([("t2", Passed)])).squares_with(proof).seals().passed();
    }
}

#[test]
fn tests_are_not_asked_for_where_there_are_some_or_none_are_needed() {
    for kind in [None, Some(CodeType::Refactor)] {
        let mut settings = rules();
        settings.code_type = kind;
        let mut story = Story::after(settings, run([("t1", Passed)]));
        story.edits("a").runs(run([("t1", Passed)])).seals().passed();
    }
    let mut settings = rules();
    settings.code_type = Some(CodeType::NewFunction);
    let mut story = Story::after(settings, run([("t1", Passed)]));
    let changes = vec![change("src/a.py", FileRole::Code), change("t.py", FileRole::Tests)];
    story.agent(redgreen_engine::input::AgentOutcome::Finished, "a", changes, None);
    story.runs(run([("t1", Passed)])).seals().passed();
}

#[test]
fn an_agent_that_writes_no_test_when_asked_is_judged_all_the_same() {
    let mut settings = rules();
    settings.code_type = Some(CodeType::NewFunction);
    let mut story = Story::after(settings, run([("t1", Passed)]));
    story.edits("code").edits("code").runs(run([("t1", Passed)])).seals().passed();
}

#[test]
fn taking_the_code_back_when_asked_for_tests_is_no_progress() {
    let mut settings = rules();
    settings.code_type = Some(CodeType::NewFunction);
    let mut story = Story::after(settings, run([("t1", Passed)]));
    story.edits("code").edits("start").escalated(StopReason::NoProgress);
}

#[test]
fn no_edit_is_no_progress() {
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("start with a log").escalated(StopReason::NoProgress);
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs_twice(run([("t2", Failed)])).edits("a");
    story.escalated(StopReason::NoProgress);
}

#[test]
fn a_tree_that_was_seen_before_is_no_progress() {
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    let red = run([("t1", Passed), ("t2", Failed)]);
    story.edits("a").runs_twice(red.clone()).edits("b").runs_twice(red);
    story.edits("a").escalated(StopReason::NoProgress);
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs_twice(run([("t2", Failed)])).edits("start");
    story.escalated(StopReason::NoProgress);
}

#[test]
fn failures_of_no_known_type_follow_the_policy() {
    use redgreen_model::workflow::{EscalationAction, EscalationCondition};
    let unknown = || run([("t1", Passed)]).exit(3);
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs(unknown());
    assert!(story.asked_for_fix());
    let condition = EscalationCondition::UnknownErrorType;
    let settings = on(condition, EscalationAction::FlagAndContinue);
    let mut story = Story::after(settings, run([("t1", Passed)]));
    story.edits("a").runs(unknown());
    assert!(story.asked_for_fix());
    assert_eq!(story.state.flags.len(), 1);
    let settings = on(condition, EscalationAction::HumanReview);
    let mut story = Story::after(settings, run([("t1", Passed)]));
    story.edits("a").runs(unknown()).escalated(StopReason::UnknownErrorType);
}

#[test]
fn the_deadline_ends_the_loop_wherever_it_is() {
    let mut story = Story::begin(rules());
    story.deadline().escalated(StopReason::TimeoutExceeded);
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").deadline().escalated(StopReason::TimeoutExceeded);
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs(run([("t2", Failed)])).deadline();
    story.escalated(StopReason::TimeoutExceeded);
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs(run([("t1", Passed)])).deadline();
    story.escalated(StopReason::TimeoutExceeded);
    assert_eq!(story.verdict().0, Verdict::Passed);
    assert_eq!(story.state.sealed, None);
    assert_eq!(story.classes().fixed, [] as [redgreen_model::execution::TestId; 0]);
    assert!(story.state.last_judged().unwrap().green.contains(&id("t1")));
}
