//! No fix without an analysis; the agent's own is heard if it says something new.

use redgreen_engine::effect::Ask;
use redgreen_model::analysis::{AnalysisSource, ProposedAnalysis};
use redgreen_model::event::Event;
use redgreen_model::report::Location;
use redgreen_model::report::TestOutcome::{Failed, Passed};

use crate::common::run::{Run, run};
use crate::common::story::Story;
use crate::common::{at_most, place, rules};

const CAUSE: &str = "the month is read before the year";
const STRATEGY: &str = "read the year first, then the month";

fn proposed(cause: &str, strategy: &str, confidence: f64, tests: &[&str]) -> ProposedAnalysis {
    ProposedAnalysis {
        root_cause: cause.to_owned(),
        fix_strategy: strategy.to_owned(),
        confidence,
        tests: tests.iter().map(ToString::to_string).collect(),
        place: "src/a.py:12".to_owned(),
        found: Some(place()),
    }
}

fn red() -> Run {
    run([("t1", Passed), ("t2", Failed)])
}

/// One attempt is red, and the agent answers the second request with this analysis.
fn answered_with(analysis: ProposedAnalysis) -> Story {
    let mut story = Story::after(at_most(5), run([("t1", Passed)]));
    story.edits("a").runs_twice(red()).edits_with("b", analysis);
    story
}

fn refusals(story: &Story) -> Vec<String> {
    let refused = |event: &Event| match event {
        Event::AnalysisRefused { reason, .. } => Some(reason.clone()),
        _ => None,
    };
    story.events.iter().filter_map(refused).collect()
}

#[test]
fn a_valid_analysis_takes_the_place_of_ours() {
    let story = answered_with(proposed(CAUSE, STRATEGY, 0.8, &["t2"]));
    let accepted = story.state.attempts[0].analysis.as_ref().unwrap();
    assert_eq!(accepted.source, AnalysisSource::Agent);
    assert_eq!(accepted.root_cause, CAUSE);
    assert!(refusals(&story).is_empty());
}

#[test]
fn an_analysis_that_says_nothing_is_refused_and_ours_stays() {
    let cases = [
        (proposed("bug", STRATEGY, 0.8, &["t2"]), "root_cause has fewer"),
        (proposed(CAUSE, "   fix it           ", 0.8, &["t2"]), "fix_strategy has fewer"),
        (proposed(CAUSE, STRATEGY, 1.5, &["t2"]), "confidence 1.5"),
        (proposed(CAUSE, STRATEGY, -0.1, &["t2"]), "confidence -0.1"),
        (proposed(CAUSE, STRATEGY, f64::NAN, &["t2"]), "confidence NaN"),
        (proposed(CAUSE, STRATEGY, 0.8, &[]), "names no failing test"),
        (proposed(CAUSE, STRATEGY, 0.8, &["t1"]), "t1 is not a failing test"),
        (proposed(CAUSE, STRATEGY, 0.8, &["t2", "t9"]), "t9 is not a failing test"),
    ];
    for (analysis, reason) in cases {
        let story = answered_with(analysis);
        let accepted = story.state.attempts[0].analysis.as_ref().unwrap();
        assert_eq!(accepted.source, AnalysisSource::Builtin);
        assert!(refusals(&story)[0].contains(reason), "{:?}", refusals(&story));
    }
}

#[test]
fn an_analysis_whose_fix_failed_is_refused_the_second_time() {
    let mut story = answered_with(proposed(CAUSE, STRATEGY, 0.8, &["t2"]));
    story.runs_twice(red());
    let shouted = proposed(&CAUSE.to_uppercase(), &format!("  {STRATEGY} "), 0.3, &["t2"]);
    story.edits_with("c", shouted);
    assert!(refusals(&story)[0].contains("repeats an analysis"), "{:?}", refusals(&story));
}

#[test]
fn there_is_nothing_to_analyse_before_the_first_attempt() {
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits_with("a", proposed(CAUSE, STRATEGY, 0.8, &["t1"]));
    assert!(refusals(&story).is_empty());
    assert!(story.state.attempts[0].analysis.is_none());
}

#[test]
fn every_request_for_a_fix_has_an_analysis_of_its_own() {
    let mut story = Story::after(at_most(4), run([("t1", Passed)]));
    let mut keys = Vec::new();
    story.edits("a0").runs_twice(red());
    for attempt in 1..4 {
        let Ask::Fix(analysis) = &story.request().ask else { panic!("no fix is asked for") };
        assert_eq!(analysis.tests, ["t2"]);
        // Not the same but for a number.
        let key: String = analysis.key().chars().filter(|it| !it.is_ascii_digit()).collect();
        assert!(!keys.contains(&key), "{key}");
        keys.push(key);
        story.edits(&format!("a{attempt}")).runs_twice(red());
    }
}

#[test]
fn our_analysis_points_at_the_changed_lines_that_fail() {
    let at = |line| {
        red().failing_with(|failure| {
            let location =
                Location { file: "src/a.py".to_owned(), line: Some(line), function: None };
            failure.location = Some(location);
            failure.expected = Some("2026".to_owned());
            failure.actual = Some("26".to_owned());
        })
    };
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs_twice(at(11));
    let Ask::Fix(inside) = story.request().ask.clone() else { panic!("no fix is asked for") };
    assert_eq!(inside.changed_hunk.as_deref(), Some("src/a.py:10-12"));
    assert!(inside.root_cause.contains("attempt 1 changed it"), "{}", inside.root_cause);
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs_twice(at(13));
    let Ask::Fix(outside) = story.request().ask.clone() else { panic!("no fix is asked for") };
    assert_eq!(outside.changed_hunk, None);
    assert!(!outside.root_cause.contains("attempt 1 changed it"), "{}", outside.root_cause);
    assert!(outside.confidence < inside.confidence);
}
