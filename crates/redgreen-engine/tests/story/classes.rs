//! Tests distinguished by what they were before.

use redgreen_engine::declaration::{Declarable, Refusal};
use redgreen_engine::effect::Action;
use redgreen_model::execution::Purpose;
use redgreen_model::report::TestOutcome::{ExpectedFailure, Failed, Passed, Skipped};
use redgreen_model::verdict::{StopReason, Verdict};

use crate::common::run::run;
use crate::common::story::Story;
use crate::common::{at_most, id, id_in, rules};

#[test]
fn only_what_was_there_before_can_be_declared() {
    let mut story = Story::begin(rules());
    assert!(Declarable::of(&story.state).is_none(), "nothing is known yet");
    story.runs(run([("t1", Passed), ("t2", Skipped)]));
    story.edits("a").runs_twice(run([("t1", Passed), ("t2", Skipped), ("t3", Failed)]));
    let known = Declarable::of(&story.state).unwrap();
    assert_eq!(known.meant("t1"), Ok(vec!["t1".to_owned()]));
    assert_eq!(known.meant("t2"), Ok(vec!["t2".to_owned()]));
    let Err(Refusal::NoEffect(why)) = known.meant("t3") else { panic!("was not there") };
    assert!(why.contains("removing a red test does not fix it"), "{why}");
    let Err(Refusal::NoSuchTest(why)) = known.meant("t11") else { panic!("no such test") };
    assert!(why.contains("similar ones: t1"), "{why}");
    let nothing = [known.meant("t*"), known.in_file("test_a.py")];
    assert!(nothing.iter().all(|it| matches!(it, Err(Refusal::NoSuchTest(_)))), "{nothing:?}");
}

#[test]
fn red_then_green_on_the_same_tree_is_flaky() {
    let mut story = Story::after(rules(), run([("t1", Passed)]));
    story.edits("a").runs(run([("t1", Failed)])).reruns(&["t1"], run([("t1", Passed)]));
    assert_eq!(story.verdict().0, Verdict::Inconclusive);
    assert_eq!(story.classes().flaky, [id("t1")]);
    assert!(story.classes().regressed.is_empty());
    assert!(story.asked_for_fix());
    assert!(story.request().prompt.contains("(flaky)"));
}

#[test]
fn green_by_luck_of_a_test_that_was_red_is_not_a_pass() {
    let mut story = Story::after(rules(), run([("t1", Failed)]));
    story.runs(run([("t1", Failed)])).edits("a").runs(run([("t1", Passed)]));
    story.reruns(&["t1"], run([("t1", Failed)]));
    assert_eq!(story.verdict().0, Verdict::Inconclusive);
    assert_eq!(story.classes().flaky, [id("t1")]);
    assert!(story.asked_for_fix());
}

#[test]
fn a_flaky_test_is_never_a_regression_later() {
    let mut story = Story::after(at_most(4), run([("t1", Failed)]));
    story.reruns(&["t1"], run([("t1", Passed)])).edits("a").runs(run([("t1", Passed)]));
    story.reruns(&["t1"], run([("t1", Failed)])).edits("b").runs_twice(run([("t1", Failed)]));
    assert!(story.classes().regressed.is_empty());
    assert_eq!(story.classes().pre_existing, [id("t1")]);
    story.edits("c").runs(run([("t1", Passed)])).reruns(&["t1"], run([("t1", Passed)]));
    story.seals().passed();
}

#[test]
fn a_lucky_pass_needs_a_re_run_that_passes_as_a_whole() {
    let mut story = Story::after(rules(), run([("t1", Failed)]));
    story.runs(run([("t1", Failed)])).edits("a").runs(run([("t1", Passed)]));
    story.reruns(&["t1"], run([("t1", Passed)]).exit(1));
    assert_eq!(story.verdict().0, Verdict::Inconclusive);
    assert!(story.asked_for_fix());
}

#[test]
fn what_was_red_before_the_agent_came_is_said_and_not_a_regression() {
    let mut story = Story::after(at_most(1), run([("old", Failed), ("t1", Passed)]));
    story.reruns(&["old"], run([("old", Failed)])).edits("a");
    story.runs_twice(run([("old", Failed), ("t1", Passed)]));
    assert_eq!(story.classes().pre_existing, [id("old")]);
    assert!(story.classes().regressed.is_empty() && story.classes().new_failures.is_empty());
    story.escalated(StopReason::BoundedAttemptsExceeded);
}

#[test]
fn a_green_test_that_is_gone_or_skipped_is_named() {
    let mut story = Story::after(rules(), run([("t1", Passed), ("t2", Passed), ("t3", Passed)]));
    story.edits("a").runs(run([("t1", Passed), ("t2", Skipped)]));
    assert_eq!(story.classes().lost, [id("t3")]);
    assert_eq!(story.classes().newly_skipped, [id("t2")]);
    story.squares();
    assert!(story.asked_for_fix());
    let prompt = &story.request().prompt;
    assert!(prompt.contains("t2: it passed before, is skipped now"), "{prompt}");
    assert!(prompt.contains("redgreen declare 't3'"), "{prompt}");
}

/// Every way in which a test can have been red: it is not fixed by no longer being run.
#[test]
fn a_red_test_that_is_gone_or_skipped_is_not_green() {
    use redgreen_model::execution::Ended::TimedOut;
    let hangs = || run([("t1", Passed)]).unfinished(&["t2"]).ended(TimedOut { limit_seconds: 9 });
    let red = || run([("t1", Passed), ("t2", Failed)]);
    let green = || run([("t1", Passed), ("t2", Passed)]);
    let hidden = [
        run([("t1", Passed)]),
        run([("t1", Passed), ("t2", Skipped)]),
        run([("t1", Passed), ("t2", ExpectedFailure)]),
    ];
    let refused = |mut story: Story, hidden: &crate::common::run::Run| {
        // By the run itself, or by the square where the test was there before.
        let is_refused = |story: &mut Story| {
            if matches!(story.action(), Action::Square { .. }) {
                story.squares();
            }
            assert!(story.asked_for_fix());
            let judged = story.state.last_judged().unwrap();
            assert_eq!(judged.verdict, Verdict::Failed);
            assert!(judged.reasons.join("; ").contains("t2"), "{:?}", judged.reasons);
        };
        story.edits("hidden").runs(hidden.clone());
        is_refused(&mut story);
        // It stays so until the test is seen to pass.
        story.edits("hidden-again").runs(hidden.clone());
        is_refused(&mut story);
        story.edits("shown").runs(green());
        story.reruns(&["t2"], green()).seals().passed();
    };
    for hidden in &hidden {
        // Red at the baseline.
        let mut story = Story::after(at_most(5), red());
        story.runs(red());
        refused(story, hidden);
        // Flaky at the baseline.
        let mut story = Story::after(at_most(5), red());
        story.runs(green());
        refused(story, hidden);
        // Without an end at the baseline; the re-run of a hanging test is not waited for.
        let story = Story::after(at_most(5), hangs());
        let mut story = story;
        story.edits("hidden").runs(hidden.clone());
        assert_eq!(story.verdict().0, Verdict::Failed);
        // Written by the agent and red.
        let mut story = Story::after(at_most(5), run([("t1", Passed)]));
        story.edits("a").runs(red()).reruns(&["t2"], run([("t2", Failed)]));
        refused(story, hidden);
        // Broken by the agent, and the policy does not stop.
        let mut settings = at_most(5);
        settings.retry.abort_on_regression = false;
        let mut story = Story::after(settings, green());
        story.edits("a").runs(red()).reruns(&["t2"], run([("t2", Failed)]));
        refused(story, hidden);
    }
}

#[test]
fn the_same_name_in_two_checks_is_two_tests() {
    let checks = |api, web| run([("t", api)]).named("api").and(run([("t", web)]).named("web"));
    let mut story = Story::after(rules(), checks(Failed, Passed));
    assert_eq!(story.execution(), (Purpose::Confirm, vec![id_in("api", "t")]));
    story.runs(run([("t", Failed)]).named("api")).edits("a").runs(checks(Failed, Failed));
    assert_eq!(story.execution(), (Purpose::Confirm, vec![id_in("api", "t"), id_in("web", "t")]));
    story.runs(checks(Failed, Passed));
    assert_eq!(story.classes().pre_existing, [id_in("api", "t")]);
    assert_eq!(story.classes().flaky, [id_in("web", "t")]);
    assert_eq!(story.verdict().0, Verdict::Failed);
    assert_eq!(story.state.last_judged().unwrap().failures.len(), 2);
}

/// The luck of one test is not hidden by the failure of its namesake.
#[test]
fn a_lucky_test_is_named_beside_a_red_one_of_the_same_name() {
    let checks = |api, web| run([("t", api)]).named("api").and(run([("t", web)]).named("web"));
    let mut story = Story::after(rules(), checks(Failed, Failed));
    story.runs(checks(Failed, Failed)).edits("a").runs(checks(Failed, Passed));
    story.runs(checks(Failed, Failed));
    let failures = &story.state.last_judged().unwrap().failures;
    let checks: Vec<&str> = failures.iter().map(|failure| failure.check.as_str()).collect();
    assert_eq!(checks, ["api", "web"]);
}

#[test]
fn the_same_id_twice_in_a_report_is_red_if_one_is() {
    let twice = || run([("t1", Passed), ("t1", Failed)]);
    let mut story = Story::after(rules(), twice());
    story.reruns(&["t1"], twice()).edits("a").runs(twice());
    story.reruns(&["t1"], twice());
    assert_eq!(story.classes().pre_existing, [id("t1")]);
    assert!(story.classes().regressed.is_empty() && story.classes().flaky.is_empty());
}

#[test]
fn an_optional_check_decides_nothing() {
    let with_lint =
        |lint: crate::common::run::Run| run([("t1", Passed)]).and(lint.named("lint").optional());
    let outcomes =
        [run([("l", Failed)]), run([("l", Passed)]), run([]), crate::common::run::silent(127)];
    for lint in outcomes {
        let mut story = Story::after(rules(), with_lint(run([("l", Failed)])));
        story.edits("a").runs(with_lint(lint)).seals().passed();
    }
    let mut story = Story::after(rules(), with_lint(run([("l", Passed)])));
    story.edits("a").runs(run([("t2", Failed)]).and(run([("l", Failed)]).named("lint").optional()));
    story.reruns(&["t2"], run([("t2", Failed)]));
    assert!(story.classes().regressed.is_empty());
    assert!(story.asked_for_fix());
}

/// A check by exit code alone names tests on its console only when they fail: that they are not
/// named any more is how a fix looks, and what its console says is not evidence.
#[test]
fn a_check_by_exit_code_is_judged_by_its_exit_code() {
    let red = || run([("t1", Failed)]).incomplete().by_exit_code();
    let mut story = Story::after(rules(), red());
    story.runs(red()).edits("a").runs(run([]).incomplete().by_exit_code()).seals().passed();
    let mut story = Story::after(rules(), run([]).incomplete().by_exit_code());
    story.edits("a").runs(red().exit(0)).seals().passed();
}
