//! An agent says why it is red before it mends it; one that mended it was right, whatever it said.

use redgreen_engine::feedback::blocked;
use redgreen_engine::input::Settings;
use redgreen_engine::state::{AskedAgain, Heard};
use redgreen_model::analysis::{AnalysisSource, ProposedAnalysis};
use redgreen_model::report::Location;
use redgreen_model::report::TestOutcome::{Failed, Passed};
use redgreen_model::verdict::StopReason;

use crate::common::run::{Run, run};
use crate::common::story::Story;
use crate::common::{at_most, place};
use crate::story::prompts::outside_fences;

fn analysis(cause: &str, fix: &str) -> ProposedAnalysis {
    ProposedAnalysis {
        root_cause: cause.to_owned(),
        fix_strategy: fix.to_owned(),
        confidence: 0.8,
        tests: vec!["t2".to_owned()],
        place: "src/a.py:12".to_owned(),
        found: Some(place()),
    }
}

fn good() -> ProposedAnalysis {
    analysis("the month is read before the year", "read the year first, then the month")
}

fn random() -> ProposedAnalysis {
    analysis("something is wrong somewhere in there", "change random things until it works")
}

fn red() -> Run {
    run([("t1", Passed), ("t2", Failed)])
}

fn rules(asks: bool) -> Settings {
    Settings { asks_for_analysis: asks, ..at_most(3) }
}

/// One attempt was red, and a fix is asked for.
fn held(settings: Settings) -> Story {
    let mut story = Story::after(settings, run([("t1", Passed)]));
    story.edits("a").runs_twice(red());
    assert!(story.asked_for_fix());
    story
}

fn charged(story: &Story) -> Vec<bool> {
    story.state.attempts.iter().map(|attempt| attempt.charged).collect()
}

fn source(story: &Story, attempt: usize) -> AnalysisSource {
    story.state.attempts[attempt].analysis.as_ref().unwrap().source
}

#[test]
fn at_the_gate_an_edit_without_an_analysis_is_held_once_for_that_and_not_charged() {
    let mut story = held(rules(true).hosted());
    let said = blocked(&story.state, "f").unwrap();
    assert!(said.contains("Before you edit, say why it is red: `redgreen analyse"), "{said}");
    story.edits("b").runs_twice(red());
    assert_eq!(story.state.attempts[1].asked_again, Some(AskedAgain::Missing));
    assert_eq!(charged(&story), [true, false, true]);
    let said = blocked(&story.state, "f").unwrap();
    assert!(said.contains("You edited without saying why it was red"), "{said}");
    assert!(said.contains("t2") && said.contains("does not count as an attempt"), "{said}");
    // Once: then ours is used, and it counts.
    story.edits("c").runs_twice(red());
    assert_eq!(
        (charged(&story).as_slice(), source(&story, 1)),
        ([true, false, true, true].as_slice(), AnalysisSource::Builtin)
    );
    assert_eq!(story.state.attempts[2].asked_again, None);
    story.edits("d").runs_twice(red()).escalated(StopReason::BoundedAttemptsExceeded);
}

#[test]
fn one_that_mended_it_goes_through_at_once_whatever_it_said() {
    for proposed in [None, Some(random()), Some(good())] {
        let mut story = held(rules(true).hosted());
        match proposed {
            None => story.edits("b"),
            Some(proposed) => story.edits_with("b", proposed),
        };
        let green = run([("t1", Passed), ("t2", Passed)]);
        story.runs(green).reruns(&["t2"], run([("t2", Passed)])).seals().passed();
    }
}

#[test]
fn what_is_wrong_with_an_analysis_goes_back_once_and_then_ours_is_used() {
    for hosted in [false, true] {
        let settings = if hosted { rules(true).hosted() } else { rules(true) };
        let mut story = held(settings);
        story.edits_with("b", random()).runs_twice(red());
        assert!(matches!(story.state.attempts[1].heard, Some(Heard::Refused(_))));
        assert_eq!(charged(&story), [true, false, true], "hosted: {hosted}");
        let said = match hosted {
            true => blocked(&story.state, "f").unwrap(),
            false => story.request().prompt.clone(),
        };
        assert!(said.contains("Your analysis was not accepted"), "{said}");
        assert!(said.contains("it says no more than the error does"), "{said}");
        assert!(!outside_fences(&said).contains("no more than the error"), "{said}");
        story.edits_with("c", random()).runs_twice(red());
        assert_eq!(charged(&story), [true, false, true, true], "hosted: {hosted}");
        assert_eq!(source(&story, 1), AnalysisSource::Builtin);
    }
}

#[test]
fn a_command_that_never_writes_one_is_not_asked_again_and_one_that_need_not_is_not_asked() {
    for settings in [rules(true), rules(false), rules(false).hosted()] {
        let mut story = held(settings);
        story.edits("b").runs_twice(red());
        assert_eq!(charged(&story), [true; 3]);
    }
    let story = held(rules(false).hosted());
    assert!(!blocked(&story.state, "f").unwrap().contains("redgreen analyse"));
}

#[test]
fn the_same_place_and_cause_is_not_tried_twice_in_whatever_words() {
    let elsewhere = |file: &str, line| {
        Some(Location { file: file.to_owned(), line: Some(line), function: None })
    };
    let cases = [
        ("the month is being read before any year", place(), false),
        ("the month is being read before any year", Location { line: Some(15), ..place() }, false),
        ("the month is being read before any year", elsewhere("src/a.py", 90).unwrap(), true),
        ("the month is being read before any year", elsewhere("src/b.py", 12).unwrap(), true),
        ("leap seconds are counted although nobody asked", place(), true),
    ];
    for (cause, at, is_new) in cases {
        let mut story = held(Settings { retry: at_most(6).retry, ..rules(true) });
        story.edits_with("b", good()).runs_twice(red());
        assert_eq!(source(&story, 0), AnalysisSource::Agent);
        let again = analysis(cause, "take the year out of the text before the month is");
        story.edits_with("c", ProposedAnalysis { found: Some(at.clone()), ..again });
        let heard = story.state.attempts[2].heard.clone().unwrap();
        assert_eq!(heard == Heard::Accepted, is_new, "{cause} at {at}: {heard:?}");
    }
}

#[test]
fn an_analysis_names_a_place_that_is_there_and_says_more_than_the_error() {
    let says =
        || red().failing_with(|failure| failure.message = "KeyError: 'price' of pear".to_owned());
    let cases = [
        (ProposedAnalysis { found: None, place: String::new(), ..good() }, "it names no place"),
        (
            ProposedAnalysis { found: None, place: "src/z.py:1".to_owned(), ..good() },
            "src/z.py:1 is no place in the tree",
        ),
        (
            analysis(
                "there is a KeyError 'price' of pear",
                "fix the KeyError of 'price' of the pear",
            ),
            "no more than the error",
        ),
        (ProposedAnalysis { tests: vec!["t1".to_owned()], ..good() }, "t1 is not a failing test"),
    ];
    for (proposed, problem) in cases {
        let mut story = Story::after(rules(true), run([("t1", Passed)]));
        story.edits("a").runs_twice(says()).edits_with("b", proposed);
        let Some(Heard::Refused(reason)) = &story.state.attempts[1].heard else {
            panic!("it was accepted: {problem}")
        };
        assert!(reason.contains(problem), "{reason}");
    }
    let mut story = Story::after(rules(true), run([("t1", Passed)]));
    let honest = analysis(
        "the catalogue has no entry for fruit without a season",
        "look it up with a default of zero",
    );
    story.edits("a").runs_twice(says()).edits_with("b", honest);
    assert_eq!(story.state.attempts[1].heard, Some(Heard::Accepted));
}
