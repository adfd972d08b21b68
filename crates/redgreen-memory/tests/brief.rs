//! What a brief says before files are touched.

use crate::common::{Trouble, day, memory, memory_of, passing, session, troubled};
use redgreen_memory::{Brief, BriefRequest, Memory, Recollection, Scope};
use redgreen_model::debug_memory::{FixApplied, Record, Verification};
use redgreen_model::report::{Failure, FailureKind};

const CART: &str = "shop/cart.py";

fn brief(memory: &mut Memory, files: &[&str]) -> Brief {
    let files = files.iter().map(|file| (*file).to_owned()).collect();
    memory.brief(&BriefRequest { files, asking_session: None }).unwrap()
}

fn near(brief: &Brief) -> Vec<(Scope, &str)> {
    brief.sessions.iter().map(|(scope, session)| (*scope, session.session.as_str())).collect()
}

#[test]
fn nothing_is_known_of_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let brief = brief(&mut memory(&folder.path().join("none")), &[CART]);
    assert!(brief.is_empty());
    assert_eq!(brief.text(400), "");
    assert!(!folder.path().join("none").exists(), "asking makes no folders");
}

#[test]
fn the_file_comes_before_its_folder_and_that_before_the_project() {
    let folder = tempfile::tempdir().unwrap();
    let trouble = Trouble::default();
    let mut memory = memory_of(
        folder.path(),
        &[
            troubled(1, CART, day(1), &trouble, true),
            troubled(
                2,
                "shop/store.py",
                day(2),
                &Trouble { fingerprint: "v1:2", ..trouble.clone() },
                true,
            ),
            troubled(
                3,
                "web/page.py",
                day(3),
                &Trouble { fingerprint: "v1:3", ..trouble.clone() },
                true,
            ),
            passing(4, CART, day(4)),
        ],
    );
    // Every one of them touched the cart: it is in their failures.
    let found = brief(&mut memory, &[CART]);
    assert_eq!(found.looked_at, 4);
    assert_eq!(near(&found).len(), 3, "one that passed at once teaches nothing");
    assert!(near(&found).iter().all(|(scope, _)| *scope == Scope::File));
    let found = brief(&mut memory, &["./shop/other.py"]);
    assert_eq!(near(&found).iter().filter(|(scope, _)| *scope == Scope::Folder).count(), 3);
    let found = brief(&mut memory, &["web/page.py"]);
    let (three, two, one) = (session(3), session(2), session(1));
    let wanted = [(Scope::File, three.as_str()), (Scope::Project, &two), (Scope::Project, &one)];
    assert_eq!(near(&found), wanted);
}

#[test]
fn at_most_ten_records_are_looked_at_and_the_newest_are() {
    let folder = tempfile::tempdir().unwrap();
    let records: Vec<_> = (1..=25)
        .map(|number| {
            let on = day(i64::try_from(number).unwrap());
            troubled(number, CART, on, &Trouble::default(), true)
        })
        .collect();
    let mut memory = memory_of(folder.path(), &records);
    let found = brief(&mut memory, &[CART, "shop/store.py"]);
    assert_eq!(found.looked_at, 10);
    let wanted: Vec<String> = (16..=25).rev().map(session).collect();
    assert_eq!(near(&found).iter().map(|(_, id)| (*id).to_owned()).collect::<Vec<_>>(), wanted);
}

#[test]
fn the_best_pattern_leads_and_it_stays_short() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(3_000);
    let records: Vec<_> = (1..=12)
        .map(|number| {
            let trouble = Trouble { message: &long, ..Trouble::default() };
            troubled(number, CART, day(1), &trouble, true)
        })
        .collect();
    let mut memory = memory_of(folder.path(), &records);
    let found = brief(&mut memory, &[CART]);
    let pattern = found.pattern.as_ref().unwrap();
    assert_eq!((pattern.occurrences, pattern.worked, pattern.failed), (12, 12, 0));
    let text = found.text(400);
    assert!(text.chars().count() <= 1_600, "{text}");
    let second = text.lines().nth(1).unwrap();
    assert!(second.starts_with("Known failure: TypeError"), "{text}");
    assert!(
        text.contains("Return 0 for an empty cart") && text.contains("\n    +return 0\n"),
        "{text}"
    );
    assert_eq!(found.text(5), "", "nothing is better than half of a sentence");
}

#[test]
fn fixes_that_failed_are_shown_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory =
        memory_of(folder.path(), &[troubled(1, CART, day(1), &Trouble::default(), false)]);
    let found = brief(&mut memory, &[CART]);
    assert_eq!(found.pattern, None);
    let text = found.text(400);
    assert!(
        text.contains(
            "this did NOT work: edit of shop/cart.py; the agent said: Return 0 for an empty cart"
        ),
        "{text}"
    );
    assert!(text.contains("escalated after 2 attempts"), "{text}");
}

#[test]
fn who_asks_does_not_get_what_it_wrote_itself() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory =
        memory_of(folder.path(), &[troubled(1, CART, day(1), &Trouble::default(), false)]);
    let request = BriefRequest { files: vec![CART.to_owned()], asking_session: Some(session(1)) };
    assert!(memory.brief(&request).unwrap().sessions.is_empty());
}

#[test]
fn what_others_noted_is_marked_as_unverified() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("session-abc.yaml"),
        "session_id: abc\nfile_path: shop/cart.py\nexecutions: []\nlearnings:\n  patterns_identified:\n    - pattern: Empty carts\n      frequency: 3\n      fix_template: Look at len first\n",
    )
    .unwrap();
    let found = brief(&mut memory(folder.path()), &[CART]);
    assert_eq!(found.pattern, None);
    let text = found.text(400);
    assert!(text.contains("Unverified note: Empty carts (3 times)"), "{text}");
    assert!(!text.contains("Look at len first"), "nobody saw that it helps: {text}");
}

/// A session that nobody wrote an analysis of: its edits are described by the files that they touched.
fn unexplained(number: u64, on: i64, diff: &str, worked: bool) -> Record {
    let trouble = Trouble { fix: "edit of shop/cart.py", diff, ..Trouble::default() };
    let mut record = troubled(number, CART, day(on), &trouble, worked);
    record.executions[0].analysis = None;
    record
}

#[test]
fn a_fix_without_an_analysis_is_described_by_its_lines() {
    let folder = tempfile::tempdir().unwrap();
    let changed: Vec<String> = (1..=9).map(|number| format!("+    line_{number}()")).collect();
    let large = format!("--- a/shop/cart.py\n+++ b/shop/cart.py\n{}\n", changed.join("\n"));
    let mut memory = memory_of(
        folder.path(),
        &[unexplained(1, 1, &large, true), unexplained(2, 2, &large, false)],
    );
    let text = brief(&mut memory, &[CART]).text(400);
    let line = |word: &str, lines: &[&str]| {
        let lines: Vec<String> = lines.iter().map(|line| format!("\n      {line}")).collect();
        format!("{word}: edit of shop/cart.py{}\n", lines.concat())
    };
    let (one, two, three) = ("+line_1()", "+line_2()", "+line_3()");
    let worked = [one, two, three, "+line_4()", "+line_5()", "+line_6()", "(3 more changed lines)"];
    assert!(text.contains(&line("this worked", &worked)), "{text}");
    let failed = [one, two, three, "(6 more changed lines)"];
    assert!(text.contains(&line("this did NOT work", &failed)), "{text}");
}

#[test]
fn a_message_is_shown_by_its_first_line() {
    let folder = tempfile::tempdir().unwrap();
    let message = "\nassert 3 == 2\n +  where 3 = <function f at 0x7f15e1e3d120>()";
    let trouble = Trouble { message, ..Trouble::default() };
    let mut memory = memory_of(folder.path(), &[troubled(1, CART, day(1), &trouble, false)]);
    let text = brief(&mut memory, &[CART]).text(400);
    assert!(text.contains(": TypeError: assert 3 == 2\n"), "{text}");
    assert!(!text.contains("where 3"), "{text}");
}

#[test]
fn where_there_is_no_room_for_lines_there_are_words() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!("+{}\n", "x".repeat(80)).repeat(6);
    let mut memory = memory_of(folder.path(), &[unexplained(1, 1, &line, true)]);
    let text = brief(&mut memory, &[CART]).text(100);
    assert!(
        text.contains("this worked: edit of shop/cart.py\n") && !text.contains("+xx"),
        "{text}"
    );
    assert!(brief(&mut memory, &[CART]).text(400).contains("+xx"));
}

#[test]
fn an_edit_that_changed_nothing_is_no_fix() {
    let folder = tempfile::tempdir().unwrap();
    let mut idle = unexplained(1, 1, "", false);
    idle.executions[0].fix_applied = Some(FixApplied {
        description: "nothing was changed".to_owned(),
        verification: Some(Verification::Failed),
        ..FixApplied::default()
    });
    let mut memory = memory_of(folder.path(), &[idle.clone()]);
    let text = brief(&mut memory, &[CART]).text(400);
    assert!(text.contains("test_total") && !text.contains("nothing was changed"), "{text}");
    // Of what others tell nobody knows what they changed.
    idle.metadata = None;
    memory.write(&idle, day(1)).unwrap();
    let text = brief(&mut memory, &[CART]).text(400);
    assert!(text.contains("nothing was changed"), "{text}");
}

#[test]
fn sessions_that_say_the_same_are_shown_once() {
    let folder = tempfile::tempdir().unwrap();
    let (same, other) = ("-a\n+b\n", "-a\n+c\n");
    let mut memory = memory_of(
        folder.path(),
        &[
            unexplained(1, 1, same, false),
            unexplained(2, 2, other, false),
            unexplained(3, 3, same, false),
            unexplained(4, 4, same, false),
        ],
    );
    let found = brief(&mut memory, &[CART]);
    assert_eq!(found.sessions.len(), 4, "all are there for who reads them as data");
    let text = found.text(400);
    assert_eq!(text.matches("tests/test_cart.py::test_total").count(), 2, "{text}");
    let folded = "- 3 sessions, last 2026-01-05: shop/cart.py, escalated after 2 attempts\n";
    let single = "- 2026-01-03 shop/cart.py, escalated after 2 attempts\n";
    assert!(text.find(folded).unwrap() < text.find(single).unwrap(), "{text}");
}

#[test]
fn what_the_pattern_says_is_not_said_again_of_every_session() {
    let folder = tempfile::tempdir().unwrap();
    let records: Vec<_> =
        (1..=3).map(|n| troubled(n, CART, day(1), &Trouble::default(), true)).collect();
    let mut memory = memory_of(folder.path(), &records);
    let text = brief(&mut memory, &[CART]).text(400);
    assert_eq!(text.matches("Return 0 for an empty cart").count(), 1, "{text}");
    assert_eq!(text.matches("unsupported operand").count(), 1, "{text}");
    assert!(text.contains("3 sessions, last 2026-01-02: shop/cart.py"), "{text}");
    assert!(text.contains("the known failure above"), "{text}");
}

#[test]
fn what_is_shown_of_a_failure_is_left_out_above_it() {
    let folder = tempfile::tempdir().unwrap();
    let other = Trouble { fingerprint: "v1:other", test: "t_other", ..Trouble::default() };
    let mut memory = memory_of(
        folder.path(),
        &[
            troubled(1, CART, day(1), &Trouble::default(), false),
            troubled(2, CART, day(2), &other, false),
        ],
    );
    let failure = Failure {
        fingerprint: "v1:other".to_owned(),
        ..Failure::new(FailureKind::TestFailure, "TypeError", "m")
    };
    let known = memory.at_failure(&[failure], None).unwrap();
    let (_, shown) = Recollection::text_and_shown(&known, 400);
    let left = brief(&mut memory, &[CART]).without(&shown);
    assert_eq!(near(&left), [(Scope::File, session(1).as_str())]);
    // What there was no room for is still to be said.
    let (text, shown) = Recollection::text_and_shown(&known, 20);
    assert_eq!((text.as_str(), shown.len()), ("", 0));
    assert_eq!(brief(&mut memory, &[CART]).without(&shown).sessions.len(), 2);
}
