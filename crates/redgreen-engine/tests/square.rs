//! The square, test by test: what was before, what its old form says on the new code, what it is
//! now, and what follows.

use std::collections::BTreeSet;

use crate::common::run::{Run, run};
use crate::common::{corners, id, ran, settings, tree};
use redgreen_engine::classes::{History, Judged, settle};
use redgreen_engine::judge::judge;
use redgreen_engine::square::outside::lost;
use redgreen_engine::square::{Context, read};
use redgreen_model::config::CoverageSettings;
use redgreen_model::error_class::ErrorClass;
use redgreen_model::execution::{Ended, Purpose};
use redgreen_model::outside::{Outside, OutsideChange, OutsideKind};
use redgreen_model::report::TestOutcome::{self, Failed, Passed, Skipped};
use redgreen_model::square::{
    CornerSeen, Declaration, Heirs, MatchReason, Silenced, Square, SquareFacts, TestEdit, Waiver,
    Warning, WeakerAssertion,
};
use redgreen_model::verdict::Verdict;
use redgreen_model::workflow::CodeType;

fn judged(run: Run, at: &str) -> Judged {
    let execution = run.execution(1, Purpose::Judge, &tree(at));
    let history = History::default();
    settle(execution.clone(), judge(&execution, &history.ran_before), None, &history)
}

/// A corner: one test with this outcome beside one that is green; none for a test that is not there.
fn corner(outcome: Option<TestOutcome>) -> Run {
    run(std::iter::once(("steady", Passed)).chain(outcome.map(|outcome| ("t", outcome))))
}

fn facts() -> SquareFacts {
    corners(&tree("old"), &tree("new"))
}

fn square_of(before: Run, now: Run, facts: &SquareFacts, code_type: Option<CodeType>) -> Square {
    let (baseline, run) = (judged(before, "old"), judged(now, "new"));
    let coverage = &CoverageSettings::default();
    read(&Context {
        baseline: &baseline,
        run: &run,
        facts,
        code_type,
        kind_by_agent: false,
        coverage,
        task: false,
    })
}

fn edit(same: bool, weaker: Vec<WeakerAssertion>) -> TestEdit {
    TestEdit {
        follows_rename: false,
        old: id("t"),
        new: vec![id("t")],
        why: MatchReason::SamePlace,
        same,
        weaker,
        file: "tests/test_a.py".to_owned(),
        line: 7,
        before: "assert f() == 3".to_owned(),
        after: "assert f()".to_owned(),
        change: "1-2".to_owned(),
    }
}

fn weaker(emptied: bool) -> Vec<WeakerAssertion> {
    vec![WeakerAssertion {
        what: "an assertion became looser".to_owned(),
        emptied,
        line: Some(9),
        before: "assert f() == 3".to_owned(),
        after: "assert f()".to_owned(),
    }]
}

/// What a square holds, in words.
fn kinds(square: &Square) -> String {
    let findings = square.findings.iter().map(|finding| finding.kind.as_str());
    let expectations = square.expectations.iter().map(|expectation| expectation.kind.as_str());
    findings.chain(expectations).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_row_of_the_table() {
    let (green, red, skip, gone) = (Some(Passed), Some(Failed), Some(Skipped), None);
    let cases = [
        (green, green, green, ""),
        (green, red, green, "changed"),
        (green, gone, green, "changed"),
        (green, skip, green, "hidden"),
        (green, green, gone, "removed"),
        (green, red, gone, "red_removed"),
        (green, gone, gone, "removed"),
        (green, green, skip, "skipped"),
        (green, red, skip, "hidden"),
        (green, gone, skip, "hidden"),
        (green, skip, skip, "hidden"),
        (red, green, green, ""),
        (red, red, green, "green_by_edit"),
        (red, gone, green, "green_by_edit"),
        (red, skip, green, "green_by_edit"),
        (red, green, gone, "removed"),
        (red, red, gone, "red_removed"),
        (red, green, skip, "skipped"),
        (red, red, skip, "hidden"),
        (skip, red, skip, ""),
        (skip, gone, gone, ""),
        (gone, gone, green, ""),
        (gone, red, green, "changed"),
        (gone, red, gone, "red_removed"),
        (gone, red, skip, "red_removed"),
        (gone, green, gone, ""),
        (gone, red, red, ""),
        (green, green, red, ""),
        (red, red, red, ""),
    ];
    for (before, referee, now, wanted) in cases {
        let facts = SquareFacts { referee: ran(corner(referee), &tree("mixed")), ..facts() };
        let square = square_of(corner(before), corner(now), &facts, None);
        assert_eq!(kinds(&square), wanted, "{before:?} {referee:?} {now:?}");
        let blocked = square.verdict() != Verdict::Passed;
        assert_eq!(blocked, !wanted.is_empty(), "{before:?} {referee:?} {now:?}");
    }
}

#[test]
fn a_test_that_asserts_less_is_found_by_its_structure() {
    let cases = [
        (Some(Passed), weaker(false), "loosened"),
        (Some(Passed), weaker(true), "weakened"),
        (Some(Failed), weaker(false), "weakened"),
        (Some(Failed), Vec::new(), "changed"),
        (Some(Passed), Vec::new(), ""),
    ];
    for (referee, weaker, wanted) in cases {
        let facts = SquareFacts {
            referee: ran(corner(referee), &tree("mixed")),
            edits: vec![edit(false, weaker)],
            ..facts()
        };
        let square = square_of(corner(Some(Passed)), corner(Some(Passed)), &facts, None);
        assert_eq!(kinds(&square), wanted, "{referee:?}");
        if let Some(finding) = square.findings.first() {
            assert_eq!((finding.file.as_deref(), finding.line), (Some("tests/test_a.py"), Some(9)));
            assert_eq!(finding.before, "assert f() == 3");
        }
    }
}

#[test]
fn a_renamed_test_is_followed() {
    let renamed = TestEdit { new: vec![id("u")], why: MatchReason::Renamed, ..edit(true, vec![]) };
    let now = |outcome| run([("steady", Passed), ("u", outcome)]);
    for (referee, outcome, wanted) in [(Passed, Passed, ""), (Failed, Passed, "changed")] {
        let facts = SquareFacts {
            referee: ran(corner(Some(referee)), &tree("mixed")),
            edits: vec![renamed.clone()],
            ..facts()
        };
        let square = square_of(corner(Some(Passed)), now(outcome), &facts, None);
        assert_eq!(kinds(&square), wanted);
        assert_eq!(square.matches.len(), 1);
        assert!(!square.rows.iter().any(|row| row.test == id("u")), "it is not new");
    }
}

#[test]
fn a_test_that_follows_a_rename_asks_what_it_asked() {
    for (before, follows_rename, wanted) in
        [(Passed, false, "changed"), (Passed, true, ""), (Failed, true, "green_by_edit")]
    {
        let facts = SquareFacts {
            referee: ran(corner(Some(Failed)), &tree("mixed")),
            edits: vec![TestEdit { follows_rename, ..edit(false, vec![]) }],
            ..facts()
        };
        let square = square_of(corner(Some(before)), corner(Some(Passed)), &facts, None);
        assert_eq!(kinds(&square), wanted, "{before:?}");
    }
}

#[test]
fn an_old_test_that_does_not_build_any_more_stands_where_it_is_intact() {
    let referee = ran(corner(None), &tree("mixed"));
    let facts = SquareFacts { referee, intact: vec![id("t")], ..facts() };
    let square = square_of(corner(Some(Passed)), corner(Some(Passed)), &facts, None);
    assert_eq!((kinds(&square).as_str(), square.steady), ("", 2));
}

#[test]
fn what_tests_stand_on_is_one_thing_to_own_and_no_excuse_for_a_red_test() {
    let helper = |same| TestEdit {
        old: id("tests/base.py"),
        new: Vec::new(),
        file: "tests/base.py".to_owned(),
        ..edit(same, vec![])
    };
    let all = |outcome| run([("steady", Passed), ("t", outcome), ("u", outcome)]);
    let intact = vec![id("t"), id("u")];
    for (before, same, wanted) in [
        (Passed, false, "changed"),
        (Passed, true, ""),
        (Failed, false, "green_by_edit green_by_edit"),
        (Failed, true, ""),
    ] {
        let facts = SquareFacts {
            referee: ran(corner(None), &tree("mixed")),
            intact: intact.clone(),
            helpers: vec![helper(same)],
            ..facts()
        };
        let square = square_of(all(before), all(Passed), &facts, None);
        assert_eq!(kinds(&square), wanted, "{before:?} {same}");
        let owned = square.expectations.iter().all(|it| it.test == id("tests/base.py"));
        assert!(owned, "{:?}", square.expectations);
    }
}

#[test]
fn a_referee_that_says_nothing_is_a_finding_of_its_own() {
    let facts = SquareFacts { referee: ran(run([]), &tree("mixed")), ..facts() };
    let square = square_of(corner(Some(Passed)), corner(Some(Passed)), &facts, None);
    assert_eq!(kinds(&square), "hidden");
    assert!(square.findings[0].message.contains("cannot be run on the new code"));
}

#[test]
fn a_test_that_fails_now_and_then_in_the_corner_is_flaky() {
    let CornerSeen::Ran { execution, .. } = ran(corner(Some(Failed)), &tree("mixed")) else {
        unreachable!()
    };
    let again = run([("t", Passed)]).execution(2, Purpose::Confirm, &tree("mixed"));
    let referee = CornerSeen::Ran { execution, confirm: Some(Box::new(again)) };
    let facts = SquareFacts { referee, ..facts() };
    let square = square_of(corner(Some(Passed)), corner(Some(Passed)), &facts, None);
    assert_eq!(square.verdict(), Verdict::Inconclusive, "{square:?}");
    assert!(square.doubts[0].contains("flaky"), "{:?}", square.doubts);
}

#[test]
fn what_a_time_limit_kept_from_running_is_a_doubt_and_not_a_change() {
    let cut = run([("steady", Passed)])
        .unfinished(&["slow"])
        .ended(Ended::TimedOut { limit_seconds: 300 });
    let all = || run([("steady", Passed), ("slow", Passed), ("t", Passed), ("gone", Passed)]);
    let now = run([("steady", Passed), ("slow", Passed), ("t", Passed)]);
    let facts = SquareFacts { referee: ran(cut, &tree("mixed")), ..facts() };
    let square = square_of(all(), now, &facts, None);
    assert_eq!(kinds(&square), "removed", "only what the run itself shows");
    assert_eq!(square.doubts.len(), 1, "{:?}", square.doubts);
    assert!(square.doubts[0].contains("limit of 300 s (`timeout_seconds`"), "{:?}", square.doubts);
    let nothing = run([]).incomplete().ended(Ended::TimedOut { limit_seconds: 1 });
    let facts = SquareFacts { referee: ran(nothing, &tree("mixed")), ..facts };
    let square = square_of(all(), all(), &facts, None);
    assert_eq!((kinds(&square).as_str(), square.verdict()), ("", Verdict::Inconclusive));
}

#[test]
fn a_test_that_hangs_fills_memory_or_crashes_on_the_old_code_proves_a_fix() {
    let ends = [
        (Ended::TimedOut { limit_seconds: 5 }, "it did not end within 5 s"),
        (Ended::OutOfMemory { limit_mib: 512 }, "it used more than 512 MiB of memory"),
        (Ended::Signalled { signal: 11 }, "its process was killed by signal 11"),
        (Ended::Exited { code: 134 }, "its process ended with exit code 134"),
    ];
    for (ended, failure) in ends {
        let never = run([]).unfinished(&["new"]).incomplete().ended(ended);
        let facts = SquareFacts { proof: ran(never, &tree("mixed")), ..facts() };
        let now = run([("t", Passed), ("new", Passed)]);
        let square = square_of(run([("t", Passed)]), now, &facts, Some(CodeType::BugFix));
        assert_eq!(kinds(&square), "");
        assert_eq!(square.proofs[0].failure, failure);
    }
}

#[test]
fn a_test_that_fills_memory_is_red_and_those_behind_it_are_not_seen() {
    let filled = || {
        let ended = Ended::OutOfMemory { limit_mib: 512 };
        run([("steady", Passed)]).unfinished(&["t"]).incomplete().ended(ended)
    };
    let all = || run([("steady", Passed), ("t", Passed), ("behind", Passed)]);
    let facts = SquareFacts { referee: ran(filled(), &tree("mixed")), ..facts() };
    let square = square_of(all(), all(), &facts, None);
    assert_eq!(kinds(&square), "changed", "the one that was running, and no other");
    assert!(square.doubts[0].contains("limit of 512 MiB of memory (`memory_mib`"), "{square:?}");
    let execution = filled().execution(1, Purpose::Judge, &tree("new"));
    let judgement = judge(&execution, &BTreeSet::new());
    assert_eq!(judgement.verdict, Verdict::Failed);
    assert!(judgement.reasons[0].contains("512 MiB of memory (memory_mib) while t ran"));
}

#[test]
fn an_old_code_that_ran_into_its_limit_before_the_new_test_is_a_doubt_that_names_the_setting() {
    let cut = run([("t", Passed)]).ended(Ended::TimedOut { limit_seconds: 5 });
    let facts = SquareFacts { proof: ran(cut, &tree("mixed")), ..facts() };
    let now = || run([("t", Passed), ("new", Passed)]);
    let square = square_of(run([("t", Passed)]), now(), &facts, Some(CodeType::BugFix));
    assert_eq!((kinds(&square).as_str(), square.verdict()), ("", Verdict::Inconclusive));
    let doubt = &square.doubts[0];
    assert!(doubt.contains("old code, new tests") && doubt.contains("timeout_seconds"), "{doubt}");
    let other = square_of(run([("t", Passed)]), now(), &facts, None);
    assert_eq!(other.verdict(), Verdict::Passed, "only a fix needs it");
}

#[test]
fn a_fix_needs_a_test_that_was_red_for_the_right_reason() {
    let failing = |class: ErrorClass| {
        let mut run = run([("new", Failed)]);
        let failure = run.checks[0].report.tests[0].failure.as_mut().unwrap();
        failure.error_class = class;
        run
    };
    let now = run([("t", Passed), ("new", Passed)]);
    let cases = [
        (failing(ErrorClass::AssertionError), ""),
        (failing(ErrorClass::RuntimeError), ""),
        (failing(ErrorClass::ReferenceError), "no_proof"),
        (failing(ErrorClass::SyntaxError), "no_proof"),
        (run([("new", Passed)]), "no_proof"),
    ];
    for (proof, wanted) in cases {
        let facts = SquareFacts { proof: ran(proof, &tree("mixed")), ..facts() };
        let square = square_of(run([("t", Passed)]), now.clone(), &facts, Some(CodeType::BugFix));
        assert_eq!(kinds(&square), wanted);
        assert_eq!(square.proofs.len(), usize::from(wanted.is_empty()));
        let other = square_of(run([("t", Passed)]), now.clone(), &facts, None);
        assert_eq!(kinds(&other), "", "only a fix needs it");
    }
    let fixed =
        square_of(corner(Some(Failed)), corner(Some(Passed)), &facts(), Some(CodeType::BugFix));
    assert_eq!((kinds(&fixed).as_str(), fixed.proofs.len()), ("", 1));
}

#[test]
fn a_test_that_fails_and_is_gone_may_be_owned_where_another_asks_anew_for_its_code() {
    let now = || run([("steady", Passed), ("new", Passed)]);
    let heirs = || vec![Heirs { of: id("t"), tests: vec![id("new")] }];
    for (on_the_old_code, heirs, wanted) in [
        (Failed, heirs(), "removed"),
        (Passed, heirs(), "red_removed"),
        (Failed, Vec::new(), "red_removed"),
    ] {
        let facts = SquareFacts {
            referee: ran(corner(Some(Failed)), &tree("mixed")),
            proof: ran(run([("new", on_the_old_code)]), &tree("proof")),
            heirs,
            ..facts()
        };
        let square = square_of(corner(Some(Passed)), now(), &facts, None);
        assert_eq!(kinds(&square), wanted, "{on_the_old_code:?}");
    }
}

#[test]
fn a_waiver_holds_for_this_code_and_this_finding() {
    let mut facts = SquareFacts { settings: vec![settings("a", "b")], ..facts() };
    let read = |facts: &SquareFacts| square_of(corner(None), corner(None), facts, None);
    let finding = read(&facts).findings[0].id.clone();
    let waiver = Waiver {
        finding,
        code: tree("new").code,
        reason: "wanted".to_owned(),
        by: "ada".to_owned(),
        at: "2026-11-15T10:00:00Z".to_owned(),
    };
    facts.waived = vec![waiver.clone()];
    assert_eq!(read(&facts).verdict(), Verdict::Passed);
    facts.waived = vec![Waiver { code: tree("older").code, ..waiver.clone() }];
    assert_eq!(read(&facts).verdict(), Verdict::Failed);
    facts.waived = vec![Waiver { finding: "F-00000000".to_owned(), ..waiver }];
    assert_eq!(read(&facts).verdict(), Verdict::Failed);
}

#[test]
fn what_passes_only_beside_what_git_does_not_keep_is_a_doubt_that_names_it() {
    let change = |name: &str| OutsideChange {
        kind: OutsideKind::Ignored,
        name: name.to_owned(),
        at: "14:02 UTC".to_owned(),
    };
    let outside = |lost: &[&str], decisive: &[&str], clean: CornerSeen| Outside {
        since: "2026-01-01T00:00:00Z".to_owned(),
        changed: vec![change("notes.txt"), change("dist/slug.js")],
        count: 2,
        clean,
        lost: lost.iter().map(|test| id(test)).collect(),
        decisive: decisive.iter().map(|name| change(name)).collect(),
    };
    let square = |outside: &Outside| {
        let facts = SquareFacts { outside: Some(outside.clone()), ..facts() };
        square_of(corner(Some(Passed)), corner(Some(Passed)), &facts, None)
    };
    let clean = || ran(corner(Some(Failed)), &tree("new"));
    let lost = outside(&["t"], &["dist/slug.js"], clean());
    let doubts = square(&lost).doubts;
    assert!(doubts[0].contains("passes only with `dist/slug.js`, which git ignores"), "{doubts:?}");
    assert_eq!(square(&lost).verdict(), Verdict::Inconclusive);
    let unknown = square(&outside(&["t", "steady"], &[], clean())).doubts;
    assert!(
        unknown[0].contains("2 tests pass") && unknown[0].contains("`notes.txt`"),
        "{unknown:?}"
    );
    let passes = square(&outside(&[], &[], ran(corner(Some(Passed)), &tree("new"))));
    assert_eq!((passes.verdict(), passes.remarks.len()), (Verdict::Passed, 0));
    let unseen = square(&outside(&[], &[], CornerSeen::Unseen { reason: "no views".to_owned() }));
    assert_eq!(
        unseen.verdict(),
        Verdict::Passed,
        "nobody is held for what this machine cannot show"
    );
    assert!(unseen.remarks[0].contains("not looked at") && unseen.remarks[0].contains("no views"));
}

#[test]
fn only_tests_that_were_seen_to_pass_can_be_lost() {
    let here = judged(run([("a", Passed), ("b", Passed), ("c", Failed), ("d", Skipped)]), "new");
    let elsewhere = run([("a", Passed), ("b", Failed), ("c", Failed)]);
    let elsewhere = elsewhere.execution(2, Purpose::Clean, &tree("new"));
    assert_eq!(lost(&here, &elsewhere), [id("b")]);
    let nothing = run([]).execution(2, Purpose::Clean, &tree("new"));
    assert_eq!(lost(&here, &nothing), [id("a"), id("b")]);
}

#[test]
fn a_silenced_judge_is_owned_by_the_name_of_its_file_and_by_what_it_says() {
    let silenced = Silenced {
        file: "src/a.py".to_owned(),
        line: 3,
        what: "it silences the linter".to_owned(),
        before: String::new(),
        after: "x = 1  # noqa".to_owned(),
        change: "c1".to_owned(),
    };
    let green = || corner(Some(Passed));
    for (declared, change, owned) in [
        ("src/a.py", "c1", true),
        ("src/a.py (silenced)", "c1", true),
        ("src/a.py", "c0", false),
        ("src/b.py", "c1", false),
    ] {
        let declaration = Declaration {
            test: declared.to_owned(),
            change: change.to_owned(),
            reason: "the stubs are wrong".to_owned(),
            by: "somebody".to_owned(),
            at: "2026-01-01T00:00:00Z".to_owned(),
        };
        let facts = SquareFacts {
            silenced: vec![silenced.clone()],
            declared: vec![declaration],
            ..facts()
        };
        let square = square_of(green(), green(), &facts, None);
        assert_eq!(square.expectations.len(), 1);
        assert_eq!(square.undeclared().count(), usize::from(!owned), "{declared} {change}");
    }
}

#[test]
fn what_is_made_for_its_tests_is_a_finding_and_what_may_be_honest_a_warning() {
    let warning = |certain| Warning {
        what: "asks whether it runs under a test".to_owned(),
        file: "src/a.py".to_owned(),
        line: 3,
        text: "if 'PYTEST_CURRENT_TEST' in os.environ:".to_owned(),
        certain,
    };
    for certain in [true, false] {
        let facts = SquareFacts { warnings: vec![warning(certain)], ..facts() };
        let square = square_of(corner(Some(Passed)), corner(Some(Passed)), &facts, None);
        assert_eq!(square.blocking().count(), usize::from(certain));
        assert_eq!(square.warnings.len(), usize::from(!certain));
    }
}
