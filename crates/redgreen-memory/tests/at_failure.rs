//! What memory says at a failure.

use crate::common::{Trouble, day, memory_of, session, troubled};
use redgreen_memory::{Memory, Nearness, Recollection};
use redgreen_model::debug_memory::Resolution;
use redgreen_model::report::{Failure, FailureKind, Location};

const CART: &str = "shop/cart.py";

fn seen_now(fingerprint: &str, test: &str, function: &str, message: &str) -> Failure {
    Failure {
        test: Some(test.to_owned()),
        fingerprint: fingerprint.to_owned(),
        location: Some(Location {
            file: CART.to_owned(),
            line: Some(3),
            function: Some(function.to_owned()),
        }),
        ..Failure::new(FailureKind::TestFailure, "TypeError", message)
    }
}

fn nearness(memory: &mut Memory, failure: Failure) -> Vec<(Nearness, String)> {
    let known = memory.at_failure(&[failure], None).unwrap();
    let past = known.into_iter().flat_map(|known| known.past);
    past.map(|(nearness, session)| (nearness, session.session)).collect()
}

#[test]
fn the_nearest_comes_first_and_each_session_once() {
    let folder = tempfile::tempdir().unwrap();
    let base = Trouble::default();
    let mut memory = memory_of(
        folder.path(),
        &[
            troubled(
                1,
                CART,
                day(1),
                &Trouble { fingerprint: "v1:a", test: "t_a", ..base.clone() },
                true,
            ),
            troubled(
                2,
                CART,
                day(2),
                &Trouble { fingerprint: "v1:b", test: "t_b", ..base.clone() },
                true,
            ),
            troubled(
                3,
                CART,
                day(3),
                &Trouble { fingerprint: "v1:c", test: "t_b", ..base.clone() },
                false,
            ),
        ],
    );
    let found = nearness(&mut memory, seen_now("v1:a", "t_b", "total", "quite another thing"));
    assert_eq!(
        found,
        [
            (Nearness::SameCause, session(1)),
            (Nearness::SameTest, session(3)),
            (Nearness::SameTest, session(2)),
        ]
    );
    let found = nearness(&mut memory, seen_now("v1:new", "t_new", "total", "quite another thing"));
    assert!(found.iter().all(|(near, _)| *near == Nearness::SameFunction), "{found:?}");
    assert_eq!(found.len(), 3);
    let words = "Unsupported OPERAND: 'None' somewhere";
    let found = nearness(&mut memory, seen_now("v1:new", "t_new", "elsewhere", words));
    assert_eq!(found, [], "every telling word must be there");
    let words = "unsupported operand";
    let found = nearness(&mut memory, seen_now("v1:new", "t_new", "elsewhere", words));
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|(near, _)| *near == Nearness::AlikeWords), "{found:?}");
    assert_eq!(nearness(&mut memory, seen_now("v1:new", "t_new", "elsewhere", "12 \" AND")), []);
}

#[test]
fn what_was_tried_is_shown_with_whether_it_worked() {
    let folder = tempfile::tempdir().unwrap();
    let records = [
        troubled(1, CART, day(1), &Trouble::default(), true),
        troubled(2, CART, day(2), &Trouble { fix: "Raise an error", ..Trouble::default() }, false),
    ];
    let mut memory = memory_of(folder.path(), &records);
    let failure = seen_now("v1:0000000000000001", "t", "f", "m");
    let known = memory.at_failure(&[failure.clone(), failure.clone()], None).unwrap();
    assert_eq!(known.len(), 1, "one cause is reported once");
    let text = Recollection::text(&known, 400);
    assert!(
        text.contains("this did NOT work: edit of shop/cart.py; the agent said: Raise an error"),
        "{text}"
    );
    assert!(
        text.contains(
            "this worked: edit of shop/cart.py; the agent said: Return 0 for an empty cart"
        ),
        "{text}"
    );
    assert!(text.contains("2026-01-02") && text.contains("the same cause"), "{text}");
    assert!(
        text.find("Raise").unwrap() < text.find("Return 0").unwrap(),
        "the newest first: {text}"
    );
    assert_eq!(known[0].pattern, None, "it helped once only");
    let asking = memory.at_failure(&[failure], Some(&session(2))).unwrap();
    assert_eq!(asking[0].past.len(), 1);
    assert!(Recollection::text(&known, 60).chars().count() <= 240);
}

#[test]
fn what_is_recorded_of_a_failure_is_what_it_is_found_by() {
    let folder = tempfile::tempdir().unwrap();
    let seen = seen_now("v1:seen", "t_seen", "f_seen", "never heard of it");
    let mut record = troubled(1, CART, day(1), &Trouble::default(), true);
    record.executions[0].failures = vec![(&seen).into()];
    let mut memory = memory_of(folder.path(), &[record]);
    let forget = |change: fn(&mut Failure)| {
        let mut failure = seen.clone();
        change(&mut failure);
        failure
    };
    let cases: [(Failure, Nearness); 4] = [
        (seen.clone(), Nearness::SameCause),
        (forget(|failure| failure.fingerprint.clear()), Nearness::SameTest),
        (
            forget(|failure| {
                failure.fingerprint.clear();
                failure.test = None;
            }),
            Nearness::SameFunction,
        ),
        (
            forget(|failure| {
                failure.fingerprint.clear();
                failure.test = None;
                failure.location = None;
            }),
            Nearness::AlikeWords,
        ),
    ];
    for (failure, wanted) in cases {
        assert_eq!(nearness(&mut memory, failure), [(wanted, session(1))]);
    }
}

#[test]
fn an_offered_pattern_comes_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let records: Vec<_> =
        (1..=3).map(|n| troubled(n, CART, day(1), &Trouble::default(), true)).collect();
    let mut memory = memory_of(folder.path(), &records);
    let failure = seen_now("v1:0000000000000001", "t", "f", "m");
    let known = memory.at_failure(&[failure], None).unwrap();
    assert_eq!(known[0].pattern.as_ref().unwrap().worked, 3);
    let text = Recollection::text(&known, 400);
    let repair = "A fix worked 3 of 3 times; the smallest: edit of shop/cart.py; the agent said: Return 0 for an empty cart\n";
    assert!(text.contains(repair), "{text}");
    assert!(memory.at_failure(&[], None).unwrap().is_empty());
}

#[test]
fn the_same_is_said_once_of_sessions_and_of_failures() {
    let folder = tempfile::tempdir().unwrap();
    let records: Vec<_> = (1..=3)
        .map(|n| troubled(n, CART, day(i64::try_from(n).unwrap()), &Trouble::default(), false))
        .collect();
    let mut memory = memory_of(folder.path(), &records);
    let known_cause = seen_now("v1:0000000000000001", "t_1", "f", "m");
    let alike = |number: u32| seen_now("v1:new", &format!("t_new_{number}"), "total", "m");
    let known = memory.at_failure(std::slice::from_ref(&known_cause), None).unwrap();
    let text = Recollection::text(&known, 400);
    let wanted = "- the same cause in 3 sessions, last on 2026-01-04 (escalated after 2 attempts)\n    this did NOT work: edit of shop/cart.py; the agent said: Return 0 for an empty cart\n      -return None\n      +return 0\n";
    assert!(text.contains(wanted), "{text}");
    // Another failure is like them: that was said.
    let both = memory.at_failure(&[known_cause, alike(1)], None).unwrap();
    assert_eq!(both.len(), 2);
    let (said, shown) = Recollection::text_and_shown(&both, 400);
    assert_eq!((said, shown.len()), (text, 2));
    let mut many = vec![both[1].clone(), both[1].clone()];
    many[1].test = Some("t_new_2".to_owned());
    let text = Recollection::text(&many, 400);
    assert!(text.contains("\nt_new_1 and 1 more:\n"), "{text}");
    assert_eq!(text.matches("Return 0").count(), 1, "{text}");
}

#[test]
fn a_record_can_name_what_its_failures_are_like() {
    let folder = tempfile::tempdir().unwrap();
    let other = |number: u64| format!("v1:{number}");
    let fingerprints: Vec<String> = (1..=4).map(other).collect();
    let records: Vec<_> = (1..=4_u64)
        .zip(&fingerprints)
        .map(|(n, fingerprint)| {
            let trouble = Trouble { fingerprint, ..Trouble::default() };
            troubled(n, CART, day(1), &trouble, n == 2)
        })
        .collect();
    let mut memory = memory_of(folder.path(), &records);
    let failures = [
        seen_now("v1:2", "t_2", "f", "m"),
        seen_now("v1:new", "t_new", "total", "m"),
        seen_now("v1:1", "t_1", "f", "m"),
    ];
    let known = memory.at_failure(&failures, None).unwrap();
    let similar = Recollection::similar(&known, 3);
    let named: Vec<_> = similar.iter().map(|issue| issue.session_id.clone().unwrap()).collect();
    assert_eq!(similar.len(), 3);
    assert_eq!(named[..2], [session(2), session(1)], "the nearest first");
    assert_eq!(similar[0].file.as_deref(), Some(CART));
    let came = |index: usize| similar[index].resolution.clone().unwrap();
    let wanted = "tests/test_cart.py::test_total: this worked: edit of shop/cart.py; the agent said: Return 0 for an empty cart";
    assert_eq!(came(0), wanted);
    assert!(came(1).contains("this did NOT work: "), "{}", came(1));
    let is_known: Vec<bool> = known.iter().map(Recollection::is_known).collect();
    assert_eq!(is_known, [true, false, true]);
}

#[test]
fn an_edit_that_brought_other_failures_is_shown_as_such_and_resolves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (known, brought) = (
        Trouble { fingerprint: "v1:a", test: "t_a", ..Trouble::default() },
        Trouble { fingerprint: "v1:b", test: "t_b", ..Trouble::default() },
    );
    let mut records = Vec::new();
    for number in 1..=2 {
        let on = day(i64::try_from(number).unwrap());
        let mut record = troubled(number, CART, on, &known, false);
        let mut other = crate::common::failure(&brought);
        other.brought_by_edit = true;
        record.executions[1].failures = vec![other];
        records.push(record);
    }
    let mut memory = memory_of(folder.path(), &records);
    let past = memory.at_failure(&[seen_now("v1:a", "t_a", "total", "None")], None).unwrap();
    let text = Recollection::text(&past, 350);
    let wanted = "this caused other failures (t_b: TypeError: unsupported operand: None): edit of shop/cart.py";
    assert!(text.contains(wanted), "{text}");
    // The loop may have put back what it began with: both tests are still to be expected.
    let open = memory.recurring().unwrap();
    let open: Vec<(&str, Resolution)> =
        open.iter().map(|test| (test.test.as_str(), test.resolution)).collect();
    assert_eq!(open, [("t_a", Resolution::Escalated), ("t_b", Resolution::Escalated)]);
    assert!(memory.patterns().unwrap().iter().all(|pattern| pattern.worked == 0));
}
