//! What memory tells comes from what redgreen saw; what others say changes none of it.

use std::fs;
use std::path::Path;

use crate::common::{
    OWN, Trouble, day, memory, memory_knowing, memory_of, sealed, session, troubled,
};
use jiff::Timestamp;
use proptest::prelude::*;
use redgreen_memory::{Brief, BriefRequest, Memory, Nearness, Pattern};
use redgreen_model::debug_memory::Record;
use redgreen_model::report::{Failure, FailureKind, Location};

const CART: &str = "shop/cart.py";

/// The record of a session that says this, as a file that anybody could write.
fn saying(number: u64, on: Timestamp, message: &str) -> Record {
    troubled(number, CART, on, &Trouble { message, ..Trouble::default() }, false)
}

fn put(folder: &Path, record: &Record, text: &str) {
    fs::create_dir_all(folder.join("sessions")).unwrap();
    let name = format!("sessions/session-{}.json", record.session_id);
    fs::write(folder.join(name), text).unwrap();
}

/// Puts a record there that nobody sealed.
fn tell(folder: &Path, record: &Record) {
    put(folder, record, &serde_json::to_string(record).unwrap());
}

fn only(memory: &mut Memory) -> Pattern {
    let mut patterns = memory.patterns().unwrap();
    assert_eq!(patterns.len(), 1, "{patterns:?}");
    patterns.remove(0)
}

#[test]
fn a_cause_is_described_in_the_words_that_redgreen_saw_last() {
    let folder = tempfile::tempdir().unwrap();
    let seen = [saying(1, day(1), "no user 1"), saying(2, day(3), "no user 3")];
    let mut memory = memory_of(folder.path(), &seen);
    assert_eq!(only(&mut memory).message, "no user 3");
    // Neither what is least nor what is newest of what others say.
    let mut forged = saying(3, day(9), "all is well");
    for run in &mut forged.executions {
        let place = run.failures[0].source_location.as_mut().unwrap();
        place.function = Some("elsewhere".to_owned());
    }
    tell(folder.path(), &forged);
    let pattern = only(&mut memory);
    assert_eq!(
        (pattern.message.as_str(), pattern.occurrences, pattern.unverified),
        ("no user 3", 2, 1)
    );
    assert_eq!(pattern.function.as_deref(), Some("total"));
    assert!(pattern.last_seen.starts_with("2026-01-04"), "{pattern:?}");
    // An older one does not change it, and the newest that is gone no longer says it.
    memory.write(&saying(4, day(2), "a user 2"), day(2)).unwrap();
    assert_eq!(only(&mut memory).message, "no user 3");
    fs::remove_file(folder.path().join(format!("sessions/session-{}.json", session(2)))).unwrap();
    assert_eq!(only(&mut memory).message, "a user 2");
    // Where nothing was seen, it is described as others did last.
    let pattern = only(&mut memory_knowing(folder.path(), &[]));
    assert_eq!(
        (pattern.message.as_str(), pattern.occurrences, pattern.unverified),
        ("all is well", 0, 3)
    );
    assert_eq!(pattern.function.as_deref(), Some("elsewhere"));
}

#[test]
fn only_what_redgreen_saw_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = memory_of(folder.path(), &[saying(1, day(1), "no user 1")]);
    for number in 2..5 {
        tell(folder.path(), &saying(number, day(2), "no user 1"));
    }
    assert_eq!(memory.recurring().unwrap(), [], "one session is no recurring failure");
    let stats = memory.stats().unwrap();
    assert_eq!((stats.causes, stats.unverified_causes), (1, 0));
    assert_eq!(memory.write_patterns().unwrap().patterns, 0, "and no pattern");
    let second = saying(5, day(3), "no user 1");
    memory.write(&second, day(3)).unwrap();
    assert_eq!(memory.recurring().unwrap()[0].sessions, 2);
    let learnings = memory.learnings(&second).unwrap();
    assert_eq!(learnings.recurring_failures[0].occurrences, Some(2));
    assert_eq!(learnings.patterns_identified[0].frequency, 2);
    let file = memory.write_patterns().unwrap();
    let text = fs::read_to_string(file.path).unwrap();
    assert!(text.contains("occurrences: 2\n") && text.contains("told: 3\n"), "{text}");
    let mut nobody = memory_knowing(folder.path(), &[]);
    let stats = nobody.stats().unwrap();
    assert_eq!((stats.causes, stats.unverified_causes), (0, 1));
}

#[test]
fn what_is_unverified_does_not_stand_before_what_was_seen() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = memory_of(folder.path(), &[saying(1, day(1), "no user 1")]);
    for number in 2..20 {
        tell(folder.path(), &saying(number, day(9), "no user 1"));
    }
    let trouble = Trouble::default();
    for fingerprint in [trouble.fingerprint, "v1:another"] {
        let mut failure = Failure::new(FailureKind::TestFailure, "TypeError", "none");
        failure.fingerprint = fingerprint.to_owned();
        failure.test = Some(trouble.test.to_owned());
        let known = memory.at_failure(&[failure], None).unwrap();
        let past: Vec<bool> = known[0].past.iter().map(|(_, session)| session.seen).collect();
        assert_eq!(past, [true, false, false]);
    }
}

#[test]
fn a_record_is_no_younger_than_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = memory_of(folder.path(), &[saying(1, day(1), "no user 1")]);
    let future: Timestamp = "2999-01-01T00:00:00Z".parse().unwrap();
    let unverified = saying(2, future, "no user 2");
    tell(folder.path(), &unverified);
    // The time of the content can be set, too.
    let path = folder.path().join(format!("sessions/session-{}.json", session(2)));
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(std::time::SystemTime::from(future)).unwrap();
    // One that redgreen wrote, when its clock was wrong.
    memory.write(&saying(3, future, "no user 3"), future).unwrap();
    // As moments: texts of the same millisecond have other lengths.
    let now = Timestamp::now();
    let is_past = |at: &str| at.parse::<Timestamp>().unwrap() <= now;
    let check = |memory: &mut Memory| {
        let brief = memory.brief(&BriefRequest::default()).unwrap();
        assert_eq!(brief.sessions.len(), 3);
        for (_, session) in &brief.sessions {
            let tried = session.failures.iter().flat_map(|failure| &failure.tried);
            let tried = tried.clone().all(|tried| is_past(&tried.at));
            assert!(is_past(&session.at) && tried, "{session:?}");
        }
        assert!(is_past(&only(memory).last_seen));
        brief
    };
    let before = check(&mut memory);
    memory.rebuild().unwrap();
    assert_eq!(check(&mut memory), before, "and the same if it is made anew");
}

/// A record: when it was, what it says of which cause, and whether it is sealed.
type Drawn = (u8, u8, u8, bool);

fn drawn(number: usize, (at, says, cause, is_sealed): Drawn) -> (Record, bool) {
    let (fingerprint, test) = (format!("v1:{:016x}", cause % 3), format!("test_{}", says % 2));
    let message = format!("no user {}", says % 5);
    let trouble =
        Trouble { fingerprint: &fingerprint, test: &test, message: &message, ..Trouble::default() };
    let number = u64::try_from(number).unwrap();
    let mut record = troubled(number, CART, day(i64::from(at % 4)), &trouble, says % 3 == 0);
    // Several causes in one session, in some order.
    let other = format!("v1:{:016x}", (cause % 3 + 1) % 3);
    let more = Trouble { fingerprint: &other, test: "test_2", ..trouble };
    record.executions[0].failures.push(crate::common::failure(&more));
    record.executions[0].failures[0].source_location.as_mut().unwrap().function =
        Some(format!("f{}", says % 2));
    (record, is_sealed)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn an_index_says_the_same_however_it_came_to_be(
        all in prop::collection::vec(any::<Drawn>(), 1..8),
        gone in any::<prop::sample::Index>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut memory = memory(folder.path());
        // One after the other, from the last to the first; and one of them goes again.
        for (number, one) in all.iter().enumerate().rev() {
            let (record, is_sealed) = drawn(number, *one);
            if is_sealed {
                memory.write(&record, day(0)).unwrap();
            } else {
                tell(folder.path(), &record);
            }
            memory.patterns().unwrap();
        }
        let (record, _) = drawn(gone.index(all.len()), all[gone.index(all.len())]);
        fs::remove_file(folder.path().join(format!("sessions/session-{}.json", record.session_id)))
            .unwrap();
        let said = |memory: &mut Memory| {
            let patterns = memory.patterns().unwrap();
            let recurring = memory.recurring().unwrap();
            let brief = memory.brief(&BriefRequest::default()).unwrap();
            let mut sessions = brief.sessions;
            sessions.sort_by(|left, right| left.1.session.cmp(&right.1.session));
            serde_json::json!([patterns, recurring, sessions])
        };
        let before = said(&mut memory);
        memory.rebuild().unwrap();
        prop_assert_eq!(before, said(&mut memory));
    }
}

#[test]
fn a_seal_makes_what_was_unverified_seen() {
    let folder = tempfile::tempdir().unwrap();
    let (unverified, seen) = (saying(1, day(5), "unverified"), saying(2, day(1), "seen"));
    tell(folder.path(), &unverified);
    put(folder.path(), &seen, &sealed(&seen));
    let mut memory = memory_knowing(folder.path(), &[OWN]);
    assert_eq!(only(&mut memory).message, "seen");
    put(folder.path(), &unverified, &sealed(&unverified));
    assert_eq!(only(&mut memory).message, "unverified");
}

fn sessions_in(brief: &Brief) -> Vec<&str> {
    brief.sessions.iter().map(|(_, session)| session.session.as_str()).collect()
}

#[test]
fn what_is_unverified_hides_nothing_that_was_seen() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = Trouble {
        fingerprint: "v1:seen",
        test: "test_other",
        message: "no cart_of_user",
        ..Trouble::default()
    };
    let mut seen = troubled(1, "web/page.py", day(1), &elsewhere, false);
    for failure in seen.executions.iter_mut().flat_map(|run| &mut run.failures) {
        failure.source_location.as_mut().unwrap().file = Some("web/page.py".to_owned());
    }
    let mut memory = memory_of(folder.path(), &[seen]);
    // Nearer in every way, newer, and many.
    for number in 0..30 {
        let fingerprint = format!("v1:unverified{}", number % 15);
        let message = format!("no cart_of_user {number}");
        let trouble = Trouble {
            fingerprint: &fingerprint,
            test: "test_total",
            message: &message,
            ..Trouble::default()
        };
        tell(folder.path(), &troubled(100 + number, CART, day(9), &trouble, false));
    }
    let files = vec![CART.to_owned()];
    let check = |memory: &mut Memory| {
        for files in [files.clone(), Vec::new()] {
            let brief = memory.brief(&BriefRequest { files, asking_session: None }).unwrap();
            assert_eq!((sessions_in(&brief)[0], brief.looked_at), (session(1).as_str(), 10));
            assert!(brief.text(400).contains("no cart_of_user\n"), "{}", brief.text(400));
        }
        let mut failure = Failure::new(FailureKind::TestFailure, "TypeError", "no cart_of_user");
        failure.fingerprint = "v1:unverified1".to_owned();
        failure.test = Some("test_total".to_owned());
        let known = memory.at_failure(&[failure.clone()], None).unwrap().remove(0);
        let past: Vec<(Nearness, bool)> =
            known.past.iter().map(|(nearness, past)| (*nearness, past.seen)).collect();
        let unverified = (Nearness::SameCause, false);
        assert_eq!(past, [(Nearness::AlikeWords, true), unverified, unverified]);
        assert!(!known.is_known(), "redgreen never saw it");
        // The same function, and words that nobody said.
        failure.message = "another".to_owned();
        failure.location = Some(Location {
            file: CART.to_owned(),
            line: None,
            function: Some("total".to_owned()),
        });
        let known = memory.at_failure(&[failure], None).unwrap().remove(0);
        assert_eq!((known.past[0].0, known.past[0].1.seen), (Nearness::SameFunction, true));
    };
    check(&mut memory);
    memory.rebuild().unwrap();
    check(&mut memory);
}
