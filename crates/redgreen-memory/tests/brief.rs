//! What a brief says before files are touched.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Trouble, day, memory, memory_of, passing, session, troubled};
use redgreen_memory::{Brief, BriefRequest, Memory, Scope};

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
        text.contains("Return 0 for an empty cart") && text.contains("+    return 0"),
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
    assert!(text.contains("this did NOT work: Return 0 for an empty cart"), "{text}");
    assert!(text.contains("escalated after 2 attempts"), "{text}");
}

#[test]
fn who_asks_is_not_told_what_it_wrote_itself() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory =
        memory_of(folder.path(), &[troubled(1, CART, day(1), &Trouble::default(), false)]);
    let request = BriefRequest { files: vec![CART.to_owned()], asking_session: Some(session(1)) };
    assert!(memory.brief(&request).unwrap().sessions.is_empty());
}

#[test]
fn what_others_noted_is_told_as_not_verified() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("session-abc.yaml"),
        "session_id: abc\nfile_path: shop/cart.py\nexecutions: []\nlearnings:\n  patterns_identified:\n    - pattern: Empty carts\n      frequency: 3\n      fix_template: Look at len first\n",
    )
    .unwrap();
    let found = brief(&mut memory(folder.path()), &[CART]);
    assert_eq!(found.pattern, None);
    let text = found.text(400);
    let wanted = "Noted, not verified: Empty carts (3 times); said to help: Look at len first";
    assert!(text.contains(wanted), "{text}");
}
