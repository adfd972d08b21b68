//! A person answers a loop that ended without green.

use redgreen_engine::input::{Input, PersonsAnswer};
use redgreen_engine::report::{ReportFacts, markdown};
use redgreen_model::report::TestOutcome::{Failed, Passed};
use redgreen_model::verdict::StopReason;
use redgreen_model::workflow::LoopStatus;

use crate::common::run::run;
use crate::common::story::Story;
use crate::common::{at_most, rules, tree};

fn answer(hint: &str, attempts: Option<u32>) -> PersonsAnswer {
    let by = "ann".to_owned();
    PersonsAnswer { by, hint: hint.to_owned(), attempts, ..PersonsAnswer::default() }
}

fn answers(story: &mut Story, answer: PersonsAnswer, now: &str) {
    story.tell(Input::Answered { answer: Box::new(answer), tree: tree(now) });
}

/// A loop that used up its one attempt.
fn at_its_end() -> Story {
    let mut story = Story::after(at_most(1), run([("t1", Failed)]));
    story.runs(run([("t1", Failed)])).edits("a").runs_twice(run([("t1", Failed)]));
    story.escalated(StopReason::BoundedAttemptsExceeded);
    story
}

#[test]
fn a_hint_begins_a_round_of_its_own_from_the_tree_as_the_person_left_it() {
    let mut story = at_its_end();
    answers(&mut story, answer("the table is one off", None), "by hand");
    assert_eq!(story.state.status, LoopStatus::InProgress);
    assert_eq!((story.request().attempt, story.request().attempt_in_round), (2, 1));
    assert_eq!(story.request().tree, tree("by hand"));
    let prompt = &story.request().prompt;
    assert!(
        prompt.contains("A person looked at what was tried, and says:\n\n> the table is one off"),
        "{prompt}"
    );
    story.edits("b").runs_twice(run([("t1", Passed)])).seals().passed();
}

#[test]
fn each_answer_is_bounded_and_never_counted_as_the_agents() {
    let mut story = at_its_end();
    for (round, more) in [2, 1, 3].into_iter().enumerate() {
        answers(&mut story, answer("", Some(more)), &format!("round {round}"));
        for attempt in 0..more {
            assert!(!story.state.ended(), "{attempt} of {more}");
            story.edits(&format!("{round}-{attempt}")).runs_twice(run([("t1", Failed)]));
        }
        story.escalated(StopReason::BoundedAttemptsExceeded);
    }
    assert_eq!(story.state.attempts_charged(), 1 + 2 + 1 + 3);
    let report = markdown(&story.state, &ReportFacts::default());
    assert!(report.contains("ann let it go on"), "{report}");
}

#[test]
fn what_passed_or_still_works_waits_for_no_answer() {
    let mut passed = Story::after(rules(), run([("t1", Passed)]));
    answers(&mut passed, answer("faster", None), "a");
    assert!(passed.asked(), "it is still at work");
    passed.edits("a").runs(run([("t1", Passed)])).seals().passed();
    answers(&mut passed, answer("again", None), "a");
    passed.passed();
}

#[test]
fn the_time_begins_anew() {
    let mut story = Story::after(at_most(2), run([("t1", Failed)]));
    story.runs(run([("t1", Failed)])).edits("a").deadline();
    assert_eq!(story.end().2, Some(StopReason::TimeoutExceeded));
    let began = story.state.clock_began().to_owned();
    answers(&mut story, answer("go on", None), "a");
    assert!(story.asked() && *story.state.clock_began() > *began, "{began}");
}
