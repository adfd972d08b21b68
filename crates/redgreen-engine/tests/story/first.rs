//! The tests that failed last and those next to the change run before the others.

use redgreen_engine::feedback::blocked;
use redgreen_engine::first::{ASKED_MAX, LONG_MS};
use redgreen_engine::input::{Input, Settings};
use redgreen_engine::record::{RecordFacts, record};
use redgreen_model::config::FailedFirst;
use redgreen_model::event::Event;
use redgreen_model::execution::{Ended, Purpose, TestId};
use redgreen_model::report::TestOutcome::{Failed, Passed};
use redgreen_model::report::{Failure, FailureKind};
use redgreen_model::verdict::{StopReason, Verdict};

use crate::common::run::{Run, run, silent};
use crate::common::story::Story;
use crate::common::{at_most, id, rules, tree};

fn always(settings: Settings) -> Settings {
    Settings { failed_first: FailedFirst::Always, ..settings }
}

/// `t1` is green, these are red.
fn red(tests: &[&str]) -> Run {
    run([("t1", Passed)]).and_tests(run(tests.iter().map(|test| (*test, Failed)))).exit(1)
}

fn green() -> Run {
    run([("t1", Passed), ("t2", Passed), ("t3", Passed)])
}

fn some(tests: &[(&str, bool)]) -> Run {
    run(tests.iter().map(|(test, passes)| (*test, if *passes { Passed } else { Failed })))
}

/// A loop in which `t2` and `t3` were red, and that goes on for five attempts.
fn begun(settings: Settings) -> Story {
    let mut story = Story::after(settings, red(&["t2", "t3"]));
    story.runs(run([("t2", Failed), ("t3", Failed)]));
    story
}

#[test]
fn red_again_ends_an_attempt_before_the_rest_has_run() {
    let mut story = begun(always(at_most(5)));
    story.edits("a").runs_first(&["t2", "t3"], some(&[("t2", true), ("t3", false)]));
    let (verdict, why) = story.verdict();
    assert_eq!(verdict, Verdict::Failed);
    let words = "of the tests that failed last, 1 of 2 still do; the rest of the suite was not run";
    assert_eq!(why, words);
    assert!(story.asked_for_fix());
    let request = story.request();
    assert!(request.prompt.contains(words), "{}", request.prompt);
    assert_eq!(request.feedback.failures.len(), 1);
    assert_eq!(request.feedback.failures[0].class, "pre_existing");
    let recorded = record(&story.state, &RecordFacts::default()).executions.pop().unwrap();
    assert_eq!(recorded.environment.unwrap().additional["purpose"], "failed_first");
    // Nothing was learned of what did not run, and the ones that failed last are the same.
    let classes = story.classes();
    assert!(classes.lost.is_empty() && classes.regressed.is_empty() && classes.fixed.is_empty());
    story.edits("b").runs_first(&["t2", "t3"], some(&[("t2", true), ("t3", true)]));
    story.runs_all(green()).reruns(&["t2", "t3"], some(&[("t2", true), ("t3", true)]));
    story.seals().passed();
}

#[test]
fn green_in_the_first_stage_is_no_pass() {
    let mut story = begun(always(at_most(5)));
    story.edits("a").runs_first(&["t2", "t3"], some(&[("t2", true), ("t3", true)]));
    // What is broken elsewhere is seen by the full run.
    story.runs_all(run([("t1", Failed), ("t2", Passed), ("t3", Passed)]));
    story.runs(run([("t1", Failed), ("t2", Passed), ("t3", Passed)]));
    assert_eq!(story.classes().regressed, [id("t1")]);
    assert!(story.asked_for_fix());
}

#[test]
fn whatever_is_not_plainly_red_leads_to_all_of_the_suite() {
    let broken = || Failure::new(FailureKind::CompileError, "SyntaxError", "no");
    let still = || some(&[("t2", true), ("t3", false)]);
    for (what, first) in [
        ("nothing ran", run([]).exit(5)),
        ("no tools", silent(127)),
        ("not heard of", silent(1)),
        ("not a word", run([]).ended(Ended::NotStarted { reason: "no".to_owned() })),
        ("an odd exit code", still().exit(0)),
        ("an exit code without red", some(&[("t2", true), ("t3", true)]).exit(3)),
        ("a limit", still().ended(Ended::TimedOut { limit_seconds: 1 })),
        ("a signal", still().ended(Ended::Signalled { signal: 9 })),
        ("ended from outside", still().ended(Ended::Stopped)),
        ("no end", still().incomplete()),
        ("one without an end", still().unfinished(&["t2"])),
        ("one that never ran", still().not_run(&["t2"])),
        ("a failure outside", still().error(broken())),
        ("another test is red", some(&[("t2", true), ("t9", false)])),
        ("another tree", still().leaving("other")),
        ("written meanwhile", Run { rewritten: vec!["a.py".to_owned()], ..still() }),
    ] {
        let mut story = begun(always(at_most(5)));
        story.edits("a").runs_first(&["t2", "t3"], first);
        assert_eq!(story.execution(), (Purpose::Judge, Vec::new()), "{what}");
        assert!(story.state.stop.is_none() && story.state.attempts[0].judged.is_none(), "{what}");
    }
    let mut story = begun(always(at_most(5)));
    story.edits("a").tools_fail("no room");
    assert_eq!(story.execution(), (Purpose::Judge, Vec::new()));
    assert!(
        story
            .events
            .iter()
            .any(|it| matches!(it, Event::Notice { text } if text.contains("no room")))
    );
}

#[test]
fn a_test_that_fails_only_alone_holds_nobody_for_ever() {
    let mut story = begun(always(at_most(9)));
    let alone = || some(&[("t2", true), ("t3", false)]);
    story.edits("a").runs_first(&["t2", "t3"], alone());
    assert!(story.asked_for_fix());
    // The same test on another tree: now all of them.
    story.edits("b").runs_first(&["t2", "t3"], alone());
    story.runs_all(red(&["t2"])).reruns(&["t2"], run([("t2", Failed)]));
    // All of them ran in between: it may end an attempt once more.
    story.edits("c").runs_first(&["t2"], run([("t2", Failed)]));
    assert!(story.asked_for_fix());
    story.edits("d").runs_first(&["t2"], run([("t2", Failed)]));
    story.runs_all(green()).reruns(&["t2", "t3"], some(&[("t2", true), ("t3", true)]));
    story.seals().passed();
}

#[test]
fn other_red_tests_are_another_matter() {
    let mut story = begun(always(at_most(9)));
    story.edits("a").runs_first(&["t2", "t3"], some(&[("t2", true), ("t3", false)]));
    story.edits("b").runs_first(&["t2", "t3"], some(&[("t2", false), ("t3", true)]));
    assert!(story.asked_for_fix());
    story.edits("c").runs_first(&["t2", "t3"], some(&[("t2", true), ("t3", false)]));
    assert!(story.asked_for_fix());
}

#[test]
fn the_last_attempt_is_judged_by_all_of_the_suite() {
    let mut story = begun(always(at_most(2)));
    story.edits("a").runs_first(&["t2", "t3"], some(&[("t2", false), ("t3", false)]));
    story.edits("b").runs_all(red(&["t2", "t3"])).runs(run([("t2", Failed), ("t3", Failed)]));
    story.escalated(StopReason::BoundedAttemptsExceeded);
}

#[test]
fn a_tree_that_was_seen_to_be_red_early_counts_as_judged() {
    let mut story = begun(always(at_most(5)));
    story.edits("a").runs_first(&["t2", "t3"], some(&[("t2", false), ("t3", false)]));
    story.edits("b").runs_first(&["t2", "t3"], some(&[("t2", true), ("t3", false)]));
    story.edits("a").escalated(StopReason::NoProgress);
}

#[test]
fn few_red_tests_of_few_make_no_tree_the_best() {
    let mut story = begun(always(at_most(3)));
    story.edits("a").runs_first(&["t2", "t3"], some(&[("t2", true), ("t3", false)]));
    story.edits("b").runs_first(&["t2", "t3"], some(&[("t2", true), ("t3", true)]));
    let worse = || run([("t1", Failed), ("t2", Passed), ("t3", Passed)]);
    story.runs_all(worse()).runs(worse()).edits("c").runs_all(worse()).runs(worse());
    story.restores("start").escalated(StopReason::BoundedAttemptsExceeded);
}

#[test]
fn it_is_done_where_the_suite_takes_long_and_what_is_asked_for_is_little() {
    let long = |settings: Settings, duration_ms: u64, tests: Run| {
        let mut story = Story::begin(settings);
        let here = tree("start");
        let mut execution = tests.clone().execution(1, Purpose::Baseline, &here);
        execution.duration_ms = duration_ms;
        let id = story.pending_id();
        story.tell(Input::Executed { id, execution: Box::new(execution) });
        let only = run([("t2", Failed)]);
        story.reruns(&["t2"], only).edits("a").execution().0
    };
    let many = || red(&["t2"]);
    assert_eq!(long(rules(), LONG_MS, many()), Purpose::First);
    assert_eq!(long(rules(), LONG_MS - 1, many()), Purpose::Judge);
    assert_eq!(long(rules(), LONG_MS, run([("t2", Failed)])), Purpose::Judge);
    let never = Settings { failed_first: FailedFirst::Never, ..rules() };
    assert_eq!(long(never, LONG_MS, many()), Purpose::Judge);
    assert_eq!(long(always(rules()), 0, run([("t2", Failed)])), Purpose::First);
    // A journal from before there was such a thing.
    let text = serde_json::to_string(&rules()).unwrap().replace(r#""failed_first":"auto","#, "");
    let old: Settings = serde_json::from_str(&text).unwrap();
    assert_eq!(long(old, LONG_MS, many()), Purpose::Judge);
}

#[test]
fn tests_next_to_the_change_are_asked_for_where_a_regression_does_not_end_it() {
    let near = || vec![id("t1"), id("t9")];
    let mut story = begun(always(at_most(5)).hosted());
    story.near = near();
    story
        .edits("a")
        .runs_first(&["t1", "t2", "t3"], some(&[("t1", false), ("t2", true), ("t3", false)]));
    let words = "of the tests that failed last, 1 of 2 still do; of the tests close to the change, \
                 1 of 1 fail; the whole suite is judged when they pass";
    assert_eq!(story.verdict().1, words);
    assert!(blocked(&story.state, "f").unwrap().contains(words));
    assert!(story.classes().regressed.is_empty(), "nobody saw it a second time");
    // Nothing was learned of it: as far as anybody knows, `t1` was never red.
    let all = || some(&[("t1", true), ("t2", true), ("t3", true)]);
    story.edits("b").runs_first(&["t1", "t2", "t3"], all()).runs_all(green());
    story.reruns(&["t2", "t3"], some(&[("t2", true), ("t3", true)])).seals().passed();
    // In a loop that a regression ends, it has to be seen in full.
    let mut story = begun(always(at_most(5)));
    story.near = near();
    story.edits("a").runs_first(&["t2", "t3"], some(&[("t1", false), ("t2", true), ("t3", false)]));
    assert_eq!(story.execution().0, Purpose::Judge);
}

#[test]
fn an_agent_outside_that_insists_has_all_of_the_suite_judged() {
    let mut story = begun(always(at_most(5)).hosted());
    story.edits("a").runs_first(&["t2", "t3"], some(&[("t2", true), ("t3", false)]));
    story.declares(Vec::new());
    story.runs_all(green()).reruns(&["t2", "t3"], some(&[("t2", true), ("t3", true)]));
    story.seals().passed();
}

#[test]
fn flaky_and_undecisive_tests_are_not_asked_for_and_never_too_many() {
    let lint = run([("l", Failed)]).named("lint").by_exit_code();
    let extra = run([("e", Failed)]).named("extra").optional();
    let mut story = Story::after(always(rules()), red(&["t2", "t3"]).and(lint).and(extra));
    story.runs(some(&[("t2", true), ("t3", false)]));
    assert_eq!(story.classes().flaky, [id("t2")]);
    story.edits("a");
    assert_eq!(story.execution(), (Purpose::First, vec![id("t3")]));

    let names: Vec<String> = (0..ASKED_MAX + 9).map(|number| format!("n{number:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut story = Story::after(always(rules()), red(&names));
    story.runs(red(&names)).edits("a");
    let asked: Vec<TestId> = story.execution().1;
    assert_eq!((asked.len(), &asked[0]), (ASKED_MAX, &id("n000")));
}
