//! Agents that die, hang or give up.

use redgreen_engine::effect::{Action, Ask};
use redgreen_engine::input::{AgentOutcome, Settings};
use redgreen_model::config::HalfEdit;
use redgreen_model::report::TestOutcome::{Failed, Passed};
use redgreen_model::verdict::StopReason;
use redgreen_model::workflow::{EscalationAction, EscalationCondition};

use crate::common::run::run;
use crate::common::story::Story;
use crate::common::{on, rules, tree};

fn keeping(half_edit: HalfEdit) -> Settings {
    Settings { half_edit, ..rules() }
}

fn failed() -> AgentOutcome {
    AgentOutcome::Failed { how: "exit code 1".to_owned() }
}

fn timed_out() -> AgentOutcome {
    AgentOutcome::TimedOut { limit_seconds: 30 }
}

fn ends(settings: Settings, outcome: AgentOutcome, name: &str) -> Story {
    let mut story = Story::after(settings, run([("t1", Passed)]));
    story.agent(outcome, name, Vec::new(), None);
    story
}

#[test]
fn half_an_edit_is_put_away_or_kept_as_the_policy_says() {
    for (outcome, reason) in
        [(failed(), StopReason::AgentFailed), (timed_out(), StopReason::TimeoutExceeded)]
    {
        let mut story = ends(keeping(HalfEdit::Restore), outcome.clone(), "half");
        story.restores("start").escalated(reason);
        ends(keeping(HalfEdit::Keep), outcome.clone(), "half").escalated(reason);
        ends(keeping(HalfEdit::Restore), outcome, "start").escalated(reason);
    }
}

#[test]
fn giving_up_is_an_honest_end_that_leaves_the_edit() {
    let stuck = || AgentOutcome::GaveUp { reason: "the task contradicts the tests".to_owned() };
    for half_edit in [HalfEdit::Restore, HalfEdit::Keep] {
        for name in ["start", "half"] {
            let story = ends(keeping(half_edit), stuck(), name);
            story.escalated(StopReason::AgentGaveUp);
            assert_eq!(story.detail(), "the task contradicts the tests");
        }
    }
}

#[test]
fn an_agent_that_dies_in_a_later_attempt_leaves_the_tree_of_the_one_before() {
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs_twice(run([("t1", Passed), ("t2", Failed)]));
    story.agent(failed(), "half", Vec::new(), None).restores("a");
    story.escalated(StopReason::AgentFailed);
}

#[test]
fn the_deadline_while_the_agent_works_leaves_half_an_edit() {
    let mut story = Story::after(keeping(HalfEdit::Restore), run([("t1", Passed)]));
    story.deadline().restores("start").escalated(StopReason::TimeoutExceeded);
    let mut story = Story::after(keeping(HalfEdit::Keep), run([("t1", Passed)]));
    story.deadline().escalated(StopReason::TimeoutExceeded);
}

#[test]
fn a_second_agent_takes_over_from_one_that_hangs_but_not_after_the_deadline() {
    let settings = |half_edit| Settings {
        senior: true,
        half_edit,
        ..on(EscalationCondition::TimeoutExceeded, EscalationAction::SeniorAgent)
    };
    let mut story = ends(settings(HalfEdit::Restore), timed_out(), "half");
    story.restores("start");
    assert!(story.request().senior);
    assert_eq!((&story.request().ask, &story.request().tree), (&Ask::Code, &tree("start")));
    let story = ends(settings(HalfEdit::Keep), timed_out(), "half");
    assert_eq!(story.request().tree, tree("half"));
    let mut story = Story::after(settings(HalfEdit::Restore), run([("t1", Passed)]));
    story.edits("a").deadline().escalated(StopReason::TimeoutExceeded);
}

#[test]
fn a_second_round_has_the_same_bound_and_is_the_last() {
    let mut settings = on(EscalationCondition::MaxAttemptsReached, EscalationAction::SeniorAgent);
    settings.senior = true;
    settings.retry.max_attempts = 2;
    let mut story = Story::after(settings, run([("t1", Passed)]));
    let mut asked = Vec::new();
    while !story.state.ended() {
        let request = story.request();
        asked.push((request.senior, request.attempt, request.attempt_in_round));
        assert!(asked.len() <= 4, "the rounds do not end: {asked:?}");
        let name = format!("a{}", asked.len());
        story.edits(&name).runs_twice(run([("t1", Passed), ("t2", Failed)]));
    }
    assert_eq!(asked, [(false, 1, 1), (false, 2, 2), (true, 3, 1), (true, 4, 2)]);
    story.escalated(StopReason::BoundedAttemptsExceeded);
}

#[test]
fn an_agent_that_cannot_be_started_is_a_tooling_error() {
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    assert!(matches!(story.action(), Action::AskAgent(_)));
    story.tools_fail("no such program").aborted(StopReason::ToolingError);
    assert_eq!(story.state.attempts_charged(), 0);
}
