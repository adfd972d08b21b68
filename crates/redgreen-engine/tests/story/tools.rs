//! Errors are not verdicts.

use redgreen_engine::report::{ReportFacts, markdown};
use redgreen_model::execution::Ended;
use redgreen_model::report::TestOutcome::{Failed, Passed};
use redgreen_model::verdict::StopReason;

use crate::common::rules;
use crate::common::run::{run, silent};
use crate::common::story::Story;

#[test]
fn a_missing_runner_at_the_baseline_ends_the_loop_before_anybody_is_asked() {
    let mut story = Story::begin(rules());
    story.runs(silent(127).printing("sh: pytest: not found")).aborted(StopReason::ToolingError);
    assert!(story.state.attempts.is_empty());
    assert!(story.detail().contains("pytest: not found"), "{}", story.detail());
    assert!(markdown(&story.state, &ReportFacts::default()).contains("| attempts | 0 of 3 |"));
}

#[test]
fn a_missing_runner_later_is_not_charged() {
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs_twice(run([("t1", Passed), ("t2", Failed)]));
    story.edits("b").runs(silent(127)).aborted(StopReason::ToolingError);
    assert_eq!((story.state.attempts.len(), story.state.attempts_charged()), (2, 1));
    let report = markdown(&story.state, &ReportFacts::default());
    assert!(report.contains("| attempts | 1 of 3; attempt 2 is not charged |"), "{report}");
}

#[test]
fn tools_that_fail_in_the_re_run_show_nothing() {
    let gone = || silent(0).ended(Ended::NotStarted { reason: "too many open files".to_owned() });
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs(run([("t1", Failed)])).reruns(&["t1"], gone());
    story.aborted(StopReason::ToolingError);
    assert!(story.classes().regressed.is_empty());
    assert!(story.detail().contains("too many open files"), "{}", story.detail());
    assert_eq!(story.state.attempts_charged(), 0);
    let mut story = Story::after(rules(), run([("t1", Failed)]));
    story.runs(run([("t1", Failed)])).edits("a").runs(run([("t1", Passed)]));
    story.reruns(&["t1"], gone()).aborted(StopReason::ToolingError);
}

#[test]
fn a_run_that_was_ended_from_outside_is_repeated_once_and_charged_to_nobody() {
    for ended in [Ended::Lost, Ended::Stopped] {
        let cut = || run([("t1", Passed)]).unfinished(&["t2"]).ended(ended.clone());
        let mut story = Story::begin(rules());
        story.runs(cut()).runs(run([("t1", Passed)])).edits("a").runs(cut());
        assert_eq!(story.state.attempts.len(), 1);
        story.runs(run([("t1", Passed)])).seals().passed();
        let mut story = Story::after(rules(), run([("t1", Passed)]));
        story.edits("a").runs(run([("t2", Failed)])).reruns(&["t2"], cut());
        story.runs(run([("t1", Passed)])).seals().passed();
        let mut story = Story::after(rules(), run([("t1", Passed)]));
        story.edits("a").runs(cut()).runs(cut()).aborted(StopReason::ToolingError);
        assert_eq!(story.state.attempts_charged(), 0);
    }
}

#[test]
fn what_cannot_be_performed_ends_the_loop_and_says_why() {
    let mut story = Story::begin(rules());
    story.tools_fail("no space left on device").aborted(StopReason::ToolingError);
    assert_eq!(story.detail(), "no space left on device");
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").tools_fail("git is gone").aborted(StopReason::ToolingError);
    assert_eq!(story.state.attempts_charged(), 0);
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs(run([("t1", Passed)])).tools_fail("git is gone");
    story.aborted(StopReason::ToolingError);
    assert_eq!(story.state.sealed, None);
}
