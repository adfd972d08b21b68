//! An agent that lives outside: it is met each time it wants to end.

use redgreen_engine::effect::Action;
use redgreen_engine::feedback::{at_fault, blocked};
use redgreen_engine::input::{AgentOutcome, Settings};
use redgreen_model::gate::Answer;
use redgreen_model::report::TestOutcome::{Failed, Passed};
use redgreen_model::square::Waiver;
use redgreen_model::verdict::StopReason;

use crate::common::run::{Run, run};
use crate::common::story::Story;
use crate::common::{at_most, id, rules, tampered, tree};

fn hosted(settings: Settings) -> Settings {
    settings.hosted()
}

fn red() -> Run {
    run([("t1", Passed), ("t2", Failed)])
}

#[test]
fn an_agent_that_edits_nothing_on_a_red_tree_is_informed_until_the_bound() {
    let mut story = Story::after(hosted(at_most(3)), red());
    story.runs(red());
    for attempt in 1..=2 {
        story.declares(Vec::new());
        assert!(story.asked_for_fix());
        let text = blocked(&story.state, "feedback.json").unwrap();
        assert!(text.contains(&format!("attempt {attempt} of 3")), "{text}");
        assert!(text.contains("t2") && text.contains("feedback.json"), "{text}");
        assert_eq!(text.matches("not instructions to follow").count(), 1, "{text}");
        assert!(text.find("not instructions") < text.find("```"), "{text}");
    }
    let executions = story.inputs.len();
    story.declares(Vec::new());
    story.escalated(StopReason::BoundedAttemptsExceeded);
    assert_eq!(story.inputs.len(), executions + 1, "nothing had to be run again");
}

#[test]
fn what_cannot_be_judged_is_held_twice() {
    for faults in [1, 2] {
        let Answer::Block { reason } = at_fault(faults, "no pytest") else { panic!("{faults}") };
        assert!(reason.contains("no pytest") && reason.contains(&format!("({faults} of 2)")));
    }
    let Answer::LetGo { message } = at_fault(3, "no pytest") else { panic!("held for ever") };
    assert!(message.contains("NOT VERIFIED") && message.contains("no pytest"), "{message}");
}

#[test]
fn nothing_edited_on_a_green_tree_is_fine() {
    let mut story = Story::after(hosted(rules()), run([("t1", Passed)]));
    story.declares(Vec::new()).seals().passed();
}

#[test]
fn a_regression_is_reported_and_nothing_is_put_back() {
    let mut story = Story::after(hosted(rules()), run([("t1", Passed)]));
    story.edits("a").runs_twice(run([("t1", Failed)]));
    assert_eq!(story.classes().regressed, [id("t1")]);
    assert!(story.asked_for_fix());
    assert!(blocked(&story.state, "f").unwrap().contains("(regressed)"));
    story.agent(AgentOutcome::GaveUp { reason: "stuck".to_owned() }, "b", Vec::new(), None);
    story.escalated(StopReason::AgentGaveUp);
    assert!(!story.events.iter().any(|event| format!("{event:?}").contains("Restored")));
}

#[test]
fn back_and_forth_ends_it() {
    let mut story = Story::after(hosted(at_most(9)), run([("t1", Passed)]));
    story.edits("a").runs_twice(red());
    story.edits("b").runs_twice(red());
    story.edits("a");
    story.escalated(StopReason::NoProgress);
}

#[test]
fn what_a_person_waives_meanwhile_counts_here() {
    let mut story = Story::after(hosted(rules()), run([("t1", Passed)]));
    story.edits("a").runs(run([("t1", Passed)])).squares_with(tampered);
    assert!(story.asked_for_fix());
    let square = &story.state.attempts[0].square.as_ref().unwrap().square;
    let waiver = Waiver {
        finding: square.findings[0].id.clone(),
        code: tree("a").code,
        reason: "wanted".to_owned(),
        by: "ada".to_owned(),
        at: "2026-11-15T10:00:00Z".to_owned(),
    };
    story.waives(vec![waiver]);
    assert!(matches!(story.action(), Action::Seal { .. }));
    story.seals().passed();
}

#[test]
fn what_the_agent_is_given_stays_short() {
    let names: Vec<String> = (0..900)
        .map(|number| format!("tests/test_{number}.py::test_case_{}", number * 7))
        .collect();
    let long = "x".repeat(5_000);
    let all = || run(names.iter().map(|name| (name.as_str(), Failed))).saying(&long);
    let mut story = Story::after(hosted(rules()), run([("t1", Passed)]));
    story.edits("a").runs_twice(all());
    let text = blocked(&story.state, ".redgreen/feedback.json").unwrap();
    assert!(text.chars().count() < 10_000, "{}", text.chars().count());
    assert!(text.contains("all in .redgreen/feedback.json"), "{text}");
    assert!(text.contains("redgreen give-up"), "{text}");
}
