//! How much of a change tests run, against what its kind asks for.

use redgreen_engine::square::coverage::{Held, KnownKind, hold};
use redgreen_engine::square::mutants::is_hollow;
use redgreen_model::config::CoverageSettings;
use redgreen_model::coverage::{ChangedFunction, ChangedStatement, CoverageFacts};
use redgreen_model::mutants::{Fate, MutantKind, TriedMutant};
use redgreen_model::square::Declaration;
use redgreen_model::workflow::CodeType;

/// A function of a file, and for each statement whether it ran: `+`, `-`, or `?` where nobody counted.
fn function(name: &str, is_new: bool, ran: &str) -> ChangedFunction {
    let statement = |(line, mark): (u32, char)| ChangedStatement {
        first: line,
        last: line,
        column: 0,
        text: format!("line {line}"),
        ran: [('+', true), ('-', false)]
            .into_iter()
            .find(|(it, _)| *it == mark)
            .map(|(_, ran)| ran),
    };
    ChangedFunction {
        file: "a.py".into(),
        function: name.into(),
        line: 1,
        is_new,
        mutants: Vec::new(),
        untested_before: false,
        statements: (1..).zip(ran.chars()).map(statement).collect(),
        change: format!("change of {name}"),
        near: Vec::new(),
    }
}

fn known(said: Option<CodeType>) -> KnownKind {
    KnownKind { said, ..KnownKind::default() }
}

fn held(functions: &[ChangedFunction], kind: Option<CodeType>, declared: &[Declaration]) -> Held {
    let facts =
        CoverageFacts { functions: functions.to_vec(), problems: Vec::new(), example: None };
    hold(&facts, &CoverageSettings::default(), known(kind), declared).expect("something changed")
}

fn met(functions: &[ChangedFunction], kind: Option<CodeType>) -> bool {
    held(functions, kind, &[]).figures.met
}

#[test]
fn each_kind_has_its_threshold() {
    let four_of_five = [function("f", true, "++++-")];
    for (kind, is_met) in [
        (None, true),
        (Some(CodeType::NewFunction), true),
        (Some(CodeType::Integration), true),
        (Some(CodeType::ApiEndpoint), false),
        (Some(CodeType::BugFix), false),
    ] {
        assert_eq!(met(&four_of_five, kind), is_met, "{kind:?}");
    }
    assert!(!met(&[function("f", true, "+++-")], None));
}

#[test]
fn of_what_an_agent_says_and_what_the_change_says_the_stricter_one_counts() {
    let four_of_five = CoverageFacts {
        functions: vec![function("f", false, "++++-")],
        ..CoverageFacts::default()
    };
    for (said, repairs, kind, is_met) in [
        (CodeType::Refactor, true, CodeType::BugFix, false),
        (CodeType::ApiEndpoint, false, CodeType::ApiEndpoint, false),
        (CodeType::Refactor, false, CodeType::Refactor, true),
        (CodeType::Integration, false, CodeType::Integration, true),
    ] {
        let known = KnownKind { said: Some(said), by_agent: true, repairs };
        let held = hold(&four_of_five, &CoverageSettings::default(), known, &[]);
        let figures = held.expect("something changed").figures;
        assert_eq!((figures.kind, figures.met), (kind, is_met), "{said}");
        assert!(figures.derived.is_some_and(|why| why.contains("the agent says")), "{said}");
    }
}

#[test]
fn what_is_a_repair_has_to_run_whole() {
    let facts = |functions: Vec<ChangedFunction>| CoverageFacts {
        functions,
        problems: Vec::new(),
        example: None,
    };
    let settings = CoverageSettings::default();
    let edited = facts(vec![function("f", false, "++++-")]);
    let repairs = hold(&edited, &settings, KnownKind { repairs: true, ..known(None) }, &[])
        .expect("something changed");
    assert_eq!((repairs.figures.kind, repairs.figures.met), (CodeType::BugFix, false));
    // What is more than a fix, though it mends something, too.
    let large = facts(vec![function("f", false, "++++++++++-")]);
    let large = hold(&large, &settings, KnownKind { repairs: true, ..known(None) }, &[])
        .expect("something changed");
    assert_eq!((large.figures.kind, large.figures.met), (CodeType::NewFunction, true));
    let added = facts(vec![function("f", true, "++++-")]);
    let adds = hold(&added, &settings, KnownKind { repairs: true, ..known(None) }, &[])
        .expect("something changed");
    assert_eq!((adds.figures.kind, adds.figures.met), (CodeType::NewFunction, true));
}

#[test]
fn what_was_untested_before_is_asked_for_only_of_a_kind_that_somebody_named() {
    let old = ChangedFunction { untested_before: true, ..function("f", false, "--") };
    let facts = CoverageFacts { functions: vec![old.clone()], problems: Vec::new(), example: None };
    for kind in [None, Some(CodeType::Refactor)] {
        let held = hold(&facts, &CoverageSettings::default(), known(kind), &[]);
        assert_eq!(held, None, "nothing is asked");
    }
    assert!(!met(&[old], Some(CodeType::NewFunction)));
    assert!(!met(&[function("f", true, "--")], Some(CodeType::Refactor)), "it is new");
}

#[test]
fn what_tests_run_without_noticing_is_not_run() {
    let hollow = tried(&[(MutantKind::AtOnce, Fate::Survived)]);
    let held = held(&[hollow], None, &[]);
    assert!(!held.figures.met && held.untested[0].is_hollow());
    assert!(held.untested[0].headline().contains("would pass if it did nothing"));
}

/// A function of which some mutants were tried.
fn tried(mutants: &[(MutantKind, Fate)]) -> ChangedFunction {
    let mutants = mutants.iter().map(|&(kind, fate)| TriedMutant {
        kind,
        line: 1,
        diff: "- a\n+ b".into(),
        fate,
    });
    ChangedFunction { mutants: mutants.collect(), ..function("f", true, "+++") }
}

#[test]
fn a_function_is_hollow_if_no_test_notices_what_it_does() {
    use Fate::{Nonsense, Noticed, Survived, Unknown};
    use MutantKind::{Arithmetic, AtOnce, Boundary, Call, Condition, Constant, NoEffect, Return};
    let hollow: [&[(MutantKind, Fate)]; 5] = [
        &[(AtOnce, Survived)],
        &[(Return, Nonsense), (Boundary, Unknown), (AtOnce, Survived)],
        &[(Return, Survived), (Condition, Survived), (Call, Unknown), (AtOnce, Survived)],
        // That something is given at all is noticed, and not what.
        &[(Return, Survived), (Constant, Survived), (Call, Survived), (AtOnce, Noticed)],
        &[(Return, Survived), (Arithmetic, Survived), (Constant, Survived)],
    ];
    let looked_at: [&[(MutantKind, Fate)]; 11] = [
        &[],
        &[(AtOnce, Noticed)],
        // What is given may be what is given at once.
        &[(AtOnce, Survived), (Return, Unknown)],
        &[(AtOnce, Survived), (Condition, Survived), (Return, Unknown)],
        &[(NoEffect, Survived)],
        &[(AtOnce, Unknown), (Return, Nonsense)],
        &[(Return, Survived), (Constant, Survived), (AtOnce, Noticed)],
        &[(Return, Survived), (Constant, Survived), (Boundary, Survived), (Boundary, Survived)],
        &[(Return, Survived), (Constant, Survived), (Call, Survived), (Condition, Noticed)],
        // The numbers of one table say the same.
        &[(Constant, Survived), (Constant, Survived), (Constant, Survived), (Return, Survived)],
        &[(Condition, Noticed), (AtOnce, Survived)],
    ];
    for mutants in hollow {
        assert!(is_hollow(&tried(mutants)), "{mutants:?}");
    }
    for mutants in looked_at {
        assert!(!is_hollow(&tried(mutants)), "{mutants:?}");
    }
}

#[test]
fn what_somebody_owns_is_not_asked_for_unless_the_kind_was_named() {
    let functions = [function("f", true, "---"), function("g", true, "++")];
    let declaration = Declaration {
        test: "a.py".into(),
        change: "change of f".into(),
        reason: "a script".into(),
        by: "me".into(),
        at: "2026-01-01T00:00:00Z".into(),
    };
    let declared = std::slice::from_ref(&declaration);
    let owned = held(&functions, None, declared);
    assert!(owned.figures.met && owned.untested[0].declared.is_some());
    assert!(!held(&functions, Some(CodeType::NewFunction), declared).figures.met);
    let other = Declaration { change: "another change".into(), ..declaration };
    assert!(!held(&functions, None, &[other]).figures.met, "of another change");
}

#[test]
fn what_nobody_counted_holds_nobody_and_is_said() {
    let held = held(&[function("f", true, "???")], None, &[]);
    assert!(held.figures.met && held.figures.measured == 0 && held.figures.unmeasured == 3);
    assert_eq!(held.figures.to_string(), "coverage of the change: not measured (it adds f)");
}

#[test]
fn lines_are_said_together() {
    let held = held(&[function("f", true, "--+-+++-")], Some(CodeType::ApiEndpoint), &[]);
    let untested = &held.untested[0];
    assert_eq!(
        untested.headline(),
        "untested change: f in a.py (new): no test runs lines 1-2, 4, 8"
    );
    assert_eq!(untested.place, "a.py:1-8");
}
