//! What counts as green, case by case.

use redgreen_model::execution::Ended;
use redgreen_model::report::TestOutcome::{Errored, Failed, Passed, Skipped, UnexpectedPass};
use redgreen_model::report::{Failure, FailureKind, Location};
use redgreen_model::verdict::{StopReason, Verdict};

use crate::common::run::{Run, run, silent};
use crate::common::story::Story;
use crate::common::{at_most, rules};

/// The verdict on an attempt after a green baseline, re-runs included, and its reasons.
fn judged(attempt: Run) -> (Verdict, String, Story) {
    let mut story = Story::after(at_most(2), run([("t1", Passed)]));
    story.edits("a").runs(attempt.clone());
    if story.state.attempts[0].judged.is_none() {
        story.runs(attempt);
    }
    let (verdict, reasons) = story.verdict();
    (verdict, reasons, story)
}

#[test]
fn only_a_whole_run_that_agrees_with_itself_is_green() {
    use Verdict::{Inconclusive, Passed as Green, ToolingError};
    let red = Verdict::Failed;
    let compile = || Failure::new(FailureKind::CompileError, "E0308", "mismatched types");
    let outside =
        || Failure::new(FailureKind::Unknown, "CoverageThreshold", "50 % is less than 90 %");
    let cases: Vec<(Run, Verdict, &str)> = vec![
        (run([("t1", Passed), ("t2", Passed)]), Green, ""),
        (run([("t1", Passed), ("t2", Skipped)]), Green, ""),
        (run([("t1", UnexpectedPass)]), Green, ""),
        (run([("t1", Passed), ("t2", Failed)]), red, "1 of 2 red"),
        (run([("t1", Passed), ("t2", Errored)]), red, "1 of 2 red"),
        (run([("t1", Passed), ("t2", Failed)]).exit(0), red, "but the report says otherwise"),
        (
            run([("t1", Passed), ("t2", Failed)]).error(outside()),
            red,
            "1 of 2 red, and a failure outside of tests",
        ),
        (
            run([("t1", Passed)]).error(outside()).exit(1),
            red,
            "no test failed, but a failure outside of tests: CoverageThreshold: 50 % is less than 90 %",
        ),
        (run([]).error(outside()).error(outside()).exit(1), red, "but 2 failures outside of tests"),
        (run([("t1", Passed)]).exit(1), red, "although no test failed"),
        (run([("t1", Passed)]).exit(1).printing(""), red, "no output"),
        (
            run([("t1", Passed)]).unfinished(&["t2"]).exit(0),
            Inconclusive,
            "before these tests did: t2",
        ),
        (run([("t1", Passed)]).unfinished(&["t2"]).exit(3), red, "before these tests did: t2"),
        (run([("t1", Passed)]).incomplete(), Inconclusive, "stopped in the middle"),
        (run([("t1", Passed)]).not_run(&["t2"]), Inconclusive, "1 collected test never ran: t2"),
        (run([]), Inconclusive, "no test was executed"),
        (run([]).exit(5), Inconclusive, "no test was executed (exit code 5)"),
        (run([("t1", Skipped), ("t2", Skipped)]), Inconclusive, "no test was executed"),
        (silent(0).printing("12 passed in 0.01s"), Inconclusive, "saw no test run"),
        (silent(2), red, "no longer start (exit code 2): the last line"),
        (silent(127).printing("sh: pytest: not found"), ToolingError, "sh: pytest: not found"),
        (silent(126), ToolingError, "cannot be run"),
        (run([("t1", Passed)]).exit(127), red, "although no test failed"),
        (run([("t1", Passed)]).error(compile()), red, "but the report says otherwise"),
        (run([("t1", Passed)]).ended(Ended::TimedOut { limit_seconds: 9 }), red, "limit of 9 s"),
        (run([("t1", Passed)]).ended(Ended::Signalled { signal: 9 }), red, "signal 9"),
        (
            silent(0).ended(Ended::NotStarted { reason: "no such folder".to_owned() }),
            ToolingError,
            "no such folder",
        ),
        (run([("t1", Passed)]).optional(), Inconclusive, "no required check"),
        (run([("t1", Passed)]).and(silent(0).named("lint").by_exit_code()), Green, ""),
        (
            run([("t1", Passed)]).and(silent(1).named("lint").by_exit_code()),
            red,
            "lint: exit code 1",
        ),
        (
            run([("t1", Passed)]).and(silent(127).named("lint").by_exit_code()),
            ToolingError,
            "lint: `pytest -q` cannot be run",
        ),
        (
            run([("t1", Passed)]).and(run([]).named("web")),
            Inconclusive,
            "web: no test was executed",
        ),
    ];
    for (number, (attempt, wanted, reason)) in cases.into_iter().enumerate() {
        let (verdict, reasons, story) = judged(attempt);
        assert_eq!((number, verdict), (number, wanted), "{reasons}");
        assert!(reasons.contains(reason), "case {number}: {reasons}");
        assert_eq!(reasons.is_empty(), wanted == Green, "case {number}");
        if wanted == Green {
            let mut story = story;
            story.seals().passed();
        } else {
            assert_ne!(story.state.status, redgreen_model::workflow::LoopStatus::Passed);
        }
    }
}

#[test]
fn a_silent_runner_is_the_tools_fault_unless_it_ran_before() {
    let mut story = Story::begin(rules());
    story.runs(silent(4).printing("pytest: command line error")).aborted(StopReason::ToolingError);
    assert!(story.detail().contains("command line error"), "{}", story.detail());
    // It started, and could do nothing.
    let usage = Failure::new(FailureKind::ToolingError, "UsageError", "unrecognized arguments");
    let mut story = Story::begin(rules());
    story.runs(run([]).error(usage).exit(4)).aborted(StopReason::ToolingError);
    // A place in the code: the build is broken, not the tools.
    let mut failure = Failure::new(FailureKind::CompileError, "E0425", "cannot find value");
    failure.location =
        Some(Location { file: "src/lib.rs".to_owned(), line: Some(3), function: None });
    let mut story = Story::begin(at_most(3));
    story.runs(silent(101).error(failure));
    assert_eq!(story.verdict().0, Verdict::Failed);
    // A place that only stood somewhere in the log blames nobody.
    for kind in [FailureKind::Unknown, FailureKind::Timeout] {
        let mut failure = Failure::new(kind, "exit code 1", "cannot reach the registry");
        failure.location =
            Some(Location { file: "warns.py".to_owned(), line: Some(3), function: None });
        let mut story = Story::begin(rules());
        story.runs(silent(1).error(failure)).aborted(StopReason::ToolingError);
    }
    // It ran in an attempt, though not at the baseline: what no longer starts was broken.
    story.edits("a").runs_twice(run([("t1", Failed)])).edits("b").runs(silent(101));
    assert_eq!(story.verdict().0, Verdict::Failed);
    assert!(story.asked_for_fix());
}

#[test]
fn a_test_in_flight_is_named_when_the_process_dies() {
    for ended in [Ended::Signalled { signal: 11 }, Ended::TimedOut { limit_seconds: 60 }] {
        let dying = run([("t1", Passed)]).unfinished(&["t_dying"]).ended(ended);
        let (verdict, reasons, story) = judged(dying);
        assert_eq!(verdict, Verdict::Failed);
        assert!(reasons.contains("while t_dying ran"), "{reasons}");
        assert_eq!(story.state.last_judged().unwrap().failures[0].name(), "t_dying");
    }
}

#[test]
fn thousands_of_names_do_not_make_a_reason_long() {
    let names: Vec<String> = (0..10_000).map(|number| format!("t{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for attempt in [
        run([("t1", Passed)]).unfinished(&names).exit(0),
        run([("t1", Passed)]).unfinished(&names).ended(Ended::TimedOut { limit_seconds: 1 }),
    ] {
        let (_, reasons, _) = judged(attempt);
        assert!(reasons.len() < 1_000 && reasons.contains("and 9980 more"), "{reasons}");
    }
}
