//! People are asked before a step.

use redgreen_engine::effect::{Action, Ask};
use redgreen_engine::input::{PersonsWord, Settings};
use redgreen_model::config::{AskBefore, NoAnswer};
use redgreen_model::report::TestOutcome::{Failed, Passed};
use redgreen_model::verdict::StopReason;
use redgreen_model::workflow::{LoopStatus, Phase};

use crate::common::at_most;
use crate::common::run::{Run, run};
use crate::common::story::Story;

fn green() -> Run {
    run([("t1", Passed)])
}

fn gated(on_no_answer: NoAnswer) -> Settings {
    let ask_before = vec![AskBefore::ApplyFix, AskBefore::Return];
    Settings { ask_before, on_no_answer, ..at_most(2) }
}

fn hint() -> PersonsWord {
    PersonsWord::Hint { by: "Ada".to_owned(), text: "look at zero".to_owned() }
}

fn go_on() -> PersonsWord {
    PersonsWord::GoOn { by: "Ada".to_owned() }
}

#[test]
fn a_fix_and_a_return_wait_for_a_word() {
    let mut story = Story::after(gated(NoAnswer::Stop), green());
    story.edits("a").runs_twice(run([("t1", Failed)]));
    let Action::AskPerson { question, .. } = story.action() else { panic!("{:?}", story.action()) };
    assert!(question.contains("still red: t1"), "{question}");
    story.says(hint());
    assert!(story.asked_for_fix() && story.request().prompt.contains("look at zero"));
    story.edits("b").runs(green()).reruns(&["t1"], green()).squares();
    assert_eq!(story.state.asks_before(), Some(AskBefore::Return));
    story.says(go_on()).seals().passed();
}

#[test]
fn a_hint_to_a_change_that_passed_is_one_more_attempt_if_there_is_one() {
    let mut story = Story::after(gated(NoAnswer::Stop), green());
    story.edits("a").runs(green()).squares().says(hint());
    assert_eq!((story.request().ask.clone(), story.request().attempt), (Ask::Code, 2));
    assert!(story.request().prompt.contains("look at zero"));
    story.edits("b").runs(green()).squares().says(hint()).escalated(StopReason::PersonNeeded);
}

#[test]
fn who_says_no_ends_it_and_silence_does_what_is_configured() {
    let stop = PersonsWord::Stop { by: "Ada".to_owned(), reason: "not like this".to_owned() };
    let mut story = Story::after(gated(NoAnswer::Stop), green());
    story.edits("a").runs(green()).squares().says(stop);
    let end = (Phase::Aborted, LoopStatus::Failed, Some(StopReason::StoppedByPerson));
    assert_eq!(story.end(), end);
    let nobody = || PersonsWord::Nobody { seconds: 5 };
    let mut story = Story::after(gated(NoAnswer::Stop), green());
    story.edits("a").runs(green()).squares().says(nobody()).escalated(StopReason::PersonNeeded);
    let mut story = Story::after(gated(NoAnswer::GoOn), green());
    story.edits("a").runs(green()).squares().says(nobody()).seals().passed();
    assert!(story.state.flags[0].contains("nobody answered within 5 s"), "{:?}", story.state.flags);
}
