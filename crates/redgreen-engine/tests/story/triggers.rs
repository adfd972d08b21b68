//! What an attempt itself shows of the escalation policy.

use redgreen_engine::input::Settings;
use redgreen_model::execution::Ended;
use redgreen_model::report::TestOutcome::{Failed, Passed};
use redgreen_model::verdict::StopReason;
use redgreen_model::workflow::{
    EscalationAction, EscalationCondition, EscalationTrigger, LoopStatus, Phase,
};

use crate::common::run::{Run, run};
use crate::common::story::Story;
use crate::common::{CHECK, on, rules};

fn green() -> Run {
    run([("t1", Passed)])
}

/// A test that hangs until the check reaches its limit.
fn hangs() -> Run {
    green().unfinished(&["t2"]).ended(Ended::TimedOut { limit_seconds: 5 })
}

fn trigger(condition: EscalationCondition, action: EscalationAction) -> EscalationTrigger {
    EscalationTrigger { condition, action, include_in_report: Vec::new() }
}

#[test]
fn a_time_out_of_a_test_is_fed_back_unless_the_policy_says_otherwise() {
    let of = |settings: Settings| {
        let mut story = Story::after(settings, green());
        story.edits("a").runs(hangs());
        if story.asked_to_confirm() {
            story.runs(hangs());
        }
        story
    };
    assert!(of(rules()).asked_for_fix());
    let condition = EscalationCondition::TimeoutExceeded;
    let story = of(on(condition, EscalationAction::HumanReview));
    story.escalated(StopReason::TimeoutExceeded);
    assert!(story.detail().contains("took longer than it may: t2"), "{}", story.detail());
    let story = of(on(condition, EscalationAction::AbortWithReport));
    assert_eq!(
        story.end(),
        (Phase::Aborted, LoopStatus::Aborted, Some(StopReason::TimeoutExceeded))
    );
    let story = of(on(condition, EscalationAction::FlagAndContinue));
    assert!(story.asked_for_fix() && story.state.flags.len() == 1);
    let settings = Settings { senior: true, ..on(condition, EscalationAction::SeniorAgent) };
    assert!(of(settings).request().senior);
}

#[test]
fn a_red_check_for_security_and_an_added_secret_are_one_case() {
    let condition = EscalationCondition::SecurityIssueFound;
    let of =
        |action| Settings { security_checks: vec!["scan".to_owned()], ..on(condition, action) };
    let scan = |code: i32| {
        let mut scan = green().and(run([]).named("scan").by_exit_code().exit(code));
        scan.checks[0].check = CHECK.to_owned();
        scan
    };
    let mut story = Story::after(of(EscalationAction::HumanReview), scan(0));
    story.edits("a").runs(scan(1)).escalated(StopReason::SecurityIssueFound);
    assert!(story.detail().contains("scan is red"), "{}", story.detail());
    let mut story = Story::after(of(EscalationAction::FlagAndContinue), scan(0));
    story.edits("a").runs(scan(1));
    assert!(story.asked_for_fix() && story.state.flags.len() == 1);
    // Green does not hide what was added.
    let mut story = Story::after(of(EscalationAction::HumanReview), scan(0));
    story.secrets = vec!["src/a.py:3".to_owned()];
    story.edits("a").runs(scan(0)).squares().escalated(StopReason::SecurityIssueFound);
    assert!(story.detail().contains("src/a.py:3"), "{}", story.detail());
    // Without a rule it is said, and no more.
    let mut story = Story::after(rules(), green());
    story.secrets = vec!["src/a.py:3".to_owned()];
    story.edits("a").runs(green()).squares().seals().passed();
    assert!(story.state.flags[0].contains("src/a.py:3"), "{:?}", story.state.flags);
}

#[test]
fn one_that_nobody_has_to_repair_counts_where_it_was_not_red_before() {
    let scan = |code: i32| green().and(run([]).named("scan").by_exit_code().exit(code).optional());
    for (before, fires) in [(0, true), (1, false)] {
        let settings = Settings {
            security_checks: vec!["scan".to_owned()],
            ..on(EscalationCondition::SecurityIssueFound, EscalationAction::HumanReview)
        };
        let mut story = Story::after(settings, scan(before));
        story.edits("a").runs(scan(1)).squares();
        assert_eq!(story.state.ended(), fires, "{before}");
    }
}

#[test]
fn the_first_case_that_is_there_counts() {
    let mut settings = rules();
    settings.escalation.triggers = vec![
        trigger(EscalationCondition::UnknownErrorType, EscalationAction::AbortWithReport),
        trigger(EscalationCondition::TimeoutExceeded, EscalationAction::AbortWithReport),
        trigger(EscalationCondition::SecurityIssueFound, EscalationAction::HumanReview),
    ];
    let mut story = Story::after(settings, green());
    story.secrets = vec!["src/a.py:3".to_owned()];
    story.edits("a").runs(hangs());
    if story.asked_to_confirm() {
        story.runs(hangs());
    }
    assert_eq!(story.end().2, Some(StopReason::TimeoutExceeded));
}

#[test]
fn an_agent_that_is_too_slow_is_asked_again_where_nobody_is_called() {
    use redgreen_engine::input::AgentOutcome;
    let settings = on(EscalationCondition::TimeoutExceeded, EscalationAction::FlagAndContinue);
    let mut story = Story::after(settings, run([("t1", Failed)]));
    story.runs(run([("t1", Failed)]));
    let slow = AgentOutcome::TimedOut { limit_seconds: 5 };
    let changes = || vec![crate::common::change("src/a.py", redgreen_model::tree::FileRole::Code)];
    story.agent(slow.clone(), "half", changes(), None).restores("start");
    assert!(story.asked() && story.request().attempt == 2);
    story.agent(slow.clone(), "half again", changes(), None).restores("start");
    // The bound is the bound.
    story.agent(slow, "half once more", changes(), None).restores("start");
    assert_eq!(
        story.end(),
        (Phase::Aborted, LoopStatus::Failed, Some(StopReason::TimeoutExceeded))
    );
}
