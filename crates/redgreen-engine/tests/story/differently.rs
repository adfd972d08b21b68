//! What an agent is told of its last edit, and that what it is told is never the same twice.

use redgreen_model::analysis::ProposedAnalysis;
use redgreen_model::report::TestOutcome::{Failed, Passed};
use redgreen_model::report::{Failure, FailureKind};
use redgreen_model::square::SquareFacts;

use crate::common::run::{Run, run};
use crate::common::story::Story;
use crate::common::{at_most, corners, place, ran};

fn red() -> Run {
    run([("t1", Passed), ("t2", Failed)])
}

/// What stands there without its numbers.
fn unnumbered(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_ascii_digit()).collect()
}

#[test]
fn an_edit_that_breaks_the_build_did_not_turn_nothing() {
    let mut story = Story::after(at_most(3), run([("t1", Passed), ("t2", Passed)]));
    let broken = Failure::new(FailureKind::CompileError, "SyntaxError", "unexpected token");
    story.edits("a").runs(run([]).error(broken).exit(1));
    let request = story.request().clone();
    let tried = &request.feedback.tried[0];
    assert_eq!(tried.did_not_run, ["t1", "t2"]);
    assert!(request.prompt.contains("did not run any more: t1, t2"), "{}", request.prompt);
    assert!(request.prompt.contains("What attempt 1 left does not build"), "{}", request.prompt);
    assert!(!request.prompt.contains("turned no test"), "{}", request.prompt);
}

#[test]
fn tests_that_are_gone_are_asked_for() {
    let mut story = Story::after(at_most(3), run([("t1", Passed), ("t2", Failed), ("t3", Passed)]));
    story.reruns(&["t2"], run([("t2", Failed)]));
    story.edits("a").runs_twice(red());
    let prompt = story.request().prompt.clone();
    assert!(prompt.contains("did not run any more: t3"), "{prompt}");
    assert!(prompt.contains("see to it that they run and pass"), "{prompt}");
}

/// Ours are not repeated, whether or not the agent's took the place of one of them.
#[test]
fn our_analyses_are_never_the_same_twice() {
    for own in [false, true] {
        let mut story = Story::after(at_most(6), run([("t1", Passed)]));
        story.edits("a").runs_twice(red());
        let mut told: Vec<(String, String)> = Vec::new();
        for (number, name) in ["b", "c", "d", "e"].into_iter().enumerate() {
            let analysis = story.state.attempts.iter().rev().find_map(|it| it.analysis.clone());
            let analysis = analysis.unwrap();
            let said = (unnumbered(&analysis.root_cause), unnumbered(&analysis.fix_strategy));
            assert!(!told.contains(&said), "{said:?} again");
            told.push(said);
            if own && number == 0 {
                let proposed = ProposedAnalysis {
                    root_cause: "the month is read before the year".to_owned(),
                    fix_strategy: "read the year first, then the month".to_owned(),
                    confidence: 0.8,
                    tests: vec!["t2".to_owned()],
                    place: "src/a.py:12".to_owned(),
                    found: Some(place()),
                };
                story.edits_with(name, proposed).runs_twice(red());
            } else {
                story.edits(name).runs_twice(red());
            }
        }
    }
}

/// What passes only because a test was bent was not mended, and is not to be kept.
#[test]
fn an_edit_that_bends_a_test_is_to_be_taken_back() {
    let both = || run([("t1", Passed), ("t2", Passed)]);
    let mut story = Story::after(at_most(3), red());
    story.reruns(&["t2"], run([("t2", Failed)]));
    story.edits("a").runs(both()).reruns(&["t2"], run([("t2", Passed)]));
    story.squares_with(|base, tree| SquareFacts {
        referee: ran(red(), tree),
        ..corners(base, tree)
    });
    let request = story.request().clone();
    assert_eq!(request.feedback.tried[0].turned_green, Vec::<String>::new());
    assert!(request.prompt.contains("take that back, and mend the code"), "{}", request.prompt);
    assert!(!request.prompt.contains("Keep what attempt 1 changed"), "{}", request.prompt);
}
