//! An agent at the gate says why it is red before it mends it.

use crate::common::Project;
use crate::gate::visitor::Visitor;

/// The agent edits and ends its turn; what it is told.
fn held(visitor: &Visitor, body: &str) -> String {
    let calc =
        format!("def add(a, b):\n    return {body}\n\n\ndef subtract(a, b):\n    return a - b\n");
    visitor.project.write("calc.py", calc);
    visitor.event("Stop").0["reason"].as_str().expect("it is held").to_owned()
}

fn began() -> Visitor {
    let project = Project::pytest();
    project.write(
        "calc.py",
        "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a - b\n",
    );
    project.commit();
    Visitor::of(project)
}

const ASKED: &str = "Before you edit, say why it is red: `redgreen analyse ";

#[test]
fn an_edit_without_an_analysis_is_held_once_for_that_alone_and_not_counted() {
    let visitor = began();
    let first = held(&visitor, "a * b * 2");
    assert!(first.starts_with("You are not done yet (attempt 1 of 3)"), "{first}");
    assert!(first.contains(ASKED), "{first}");
    let asked = held(&visitor, "a ** b + 7");
    assert!(asked.contains("You edited without saying why it was red"), "{asked}");
    assert!(asked.contains("this does not count as an attempt"), "{asked}");
    // Once.
    let second = held(&visitor, "a % b + 9");
    assert!(second.starts_with("You are not done yet (attempt 2 of 3)"), "{second}");
}

#[test]
fn one_that_says_nothing_is_refused_at_once_and_goes_back_uncounted() {
    let visitor = began();
    held(&visitor, "a * b * 2");
    let analyse = |more: &[&str]| visitor.project.redgreen(&[&["analyse"], more].concat());
    let random =
        ["--cause", "something is wrong somewhere", "--fix", "change random things until it works"];
    let refused = analyse(&random);
    refused.assert_code(1);
    assert!(refused.stdout.starts_with("Not accepted: "), "{}", refused.stdout);
    let refused = analyse(&[&random[..], &["--place", "calc.py:2"]].concat());
    refused.assert_code(1);
    assert!(refused.stdout.contains("says no more than the error does"), "{}", refused.stdout);
    let said = held(&visitor, "a ** b + 7");
    assert!(said.contains("You edited without saying why it was red"), "{said}");
    let second = held(&visitor, "a % b + 9");
    assert!(second.starts_with("You are not done yet (attempt 2 of 3)"), "{second}");
}

#[test]
fn one_that_says_something_takes_the_place_of_ours_and_not_twice() {
    let visitor = began();
    held(&visitor, "a * b * 2");
    let analyse = |cause: &str, fix: &str| {
        let ended = visitor.project.redgreen(&[
            "analyse",
            "--cause",
            cause,
            "--fix",
            fix,
            "--place",
            "calc.py:2",
        ]);
        (ended.code, ended.stdout)
    };
    let recorded =
        analyse("both operands are multiplied and doubled", "raise one operand to the other");
    assert_eq!(
        recorded,
        (Some(0), "Recorded. Now make the change, and end your turn.\n".to_owned())
    );
    let second = held(&visitor, "a ** b + 7");
    assert!(second.starts_with("You are not done yet (attempt 2 of 3)"), "{second}");
    let events = visitor.project.session_file("events.jsonl");
    let accepted = events.lines().filter(|line| line.contains("analysis_accepted"));
    assert!(accepted.into_iter().any(|line| line.contains("multiplied and doubled")), "{events}");
    // The same place and cause in other words was tried.
    let (code, said) =
        analyse("the operands are multiplied, then doubled", "take the doubling away");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("the same place and cause"), "{said}");
    // What was tried is told with its diff and what it turned.
    for words in [
        "attempt 2: +1/-1 lines in calc.py",
        "+    return a ** b + 7",
        "attempt 1: ",
        "turned red: tests/test_calc.py::test_add",
    ] {
        assert!(second.contains(words), "{words}: {second}");
    }
}
