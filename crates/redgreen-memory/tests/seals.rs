//! Only what is sealed with a key that counts was seen; everything else is unverified.

use std::fs;
use std::path::Path;

use crate::common::{
    Names, OWN, Trouble, day, memory, memory_by, memory_knowing, memory_of, memory_with, sealed,
    sealed_by, session, troubled,
};
use redgreen_memory::{Format, Memory, Origin, Settings, Shown};
use redgreen_model::debug_memory::Record;

const CART: &str = "shop/cart.py";

fn worked(number: u64) -> Record {
    troubled(number, CART, day(1), &Trouble::default(), true)
}

fn put(folder: &Path, number: u64, text: &str) {
    fs::create_dir_all(folder.join("sessions")).unwrap();
    fs::write(folder.join(format!("sessions/session-{}.json", session(number))), text).unwrap();
}

/// How many records are seen, unverified, sealed with an unknown key, and broken.
fn origins(memory: &mut Memory) -> [u32; 4] {
    let stats = memory.stats().unwrap();
    [stats.seen, stats.unverified, stats.by_unknown_keys, stats.broken_seals]
}

/// How often a fix was seen to work, and whether it is offered.
fn offered(memory: &mut Memory) -> (u32, bool) {
    let pattern = memory.patterns().unwrap().remove(0);
    (pattern.worked, pattern.offered)
}

#[test]
fn what_is_forged_is_unverified_and_makes_no_pattern() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = memory_of(folder.path(), &[worked(1)]);
    assert_eq!((origins(&mut memory), offered(&mut memory)), ([1, 0, 0, 0], (1, false)));
    // It says that redgreen wrote it; its seal is another record's; its fix is another one; it is sealed by anybody.
    put(folder.path(), 2, &serde_json::to_string(&worked(2)).unwrap());
    put(folder.path(), 3, &sealed(&worked(1)).replace(&session(1), &session(3)));
    put(folder.path(), 4, &sealed(&worked(4)).replace("return 0", "return 1"));
    put(folder.path(), 5, &sealed_by("anybody", &worked(5)));
    put(folder.path(), 6, &sealed_by("anybody", &worked(6)).replace("anybody", OWN));
    assert_eq!((origins(&mut memory), offered(&mut memory)), ([1, 1, 1, 3], (1, false)));
    assert_eq!(memory.metrics(None, day(9)).unwrap().sessions, 1);
    let shown: Vec<Origin> = (1..=6)
        .map(|number| match memory.show(&session(number)).unwrap() {
            Shown::Record(_, _, origin) => origin,
            other => panic!("{other:?}"),
        })
        .collect();
    let broken = Origin::Broken;
    assert_eq!(shown, [Origin::Seen, Origin::Unverified, broken, broken, Origin::Unknown, broken]);
    // A second success that redgreen saw is enough, made anew or not.
    put(folder.path(), 7, &sealed(&worked(7)));
    assert_eq!(offered(&mut memory), (2, true));
    memory.rebuild().unwrap();
    assert_eq!((origins(&mut memory), offered(&mut memory)), ([2, 1, 1, 3], (2, true)));
}

#[test]
fn an_edit_of_what_was_sealed_takes_its_success_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = memory_of(folder.path(), &[worked(1), worked(2)]);
    assert_eq!(offered(&mut memory), (2, true));
    let text = sealed(&worked(2));
    put(folder.path(), 2, &text.replace("return 0", "return 7"));
    assert_eq!((origins(&mut memory), offered(&mut memory)), ([1, 0, 0, 1], (1, false)));
    // Formatted in another way, it is the same.
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    put(folder.path(), 2, &value.to_string());
    assert_eq!((origins(&mut memory), offered(&mut memory)), ([2, 0, 0, 0], (2, true)));
}

#[test]
fn keys_that_count_from_now_on_or_no_longer_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    for number in 1..=2 {
        put(folder.path(), number, &sealed_by("colleague", &worked(number)));
    }
    // Unverified in the own name, and newer: what the colleague's redgreen saw counts nevertheless, once it is known.
    let mut later = worked(2);
    later.updated_at = Some(day(5).to_string());
    fs::write(folder.path().join("session-later.json"), serde_json::to_string(&later).unwrap())
        .unwrap();
    let mut alone = memory(folder.path());
    assert_eq!((origins(&mut alone), offered(&mut alone)), ([0, 1, 1, 0], (0, false)));
    let unknown = alone.stats().unwrap().unknown_keys;
    assert_eq!((unknown[0].key.as_str(), unknown[0].records), ("colleague", 1));
    let mut together = memory_knowing(folder.path(), &[OWN, "colleague"]);
    assert_eq!(offered(&mut together), (2, true));
    assert_eq!(origins(&mut together), [2, 0, 0, 0]);
    // Both at once, and none of them is wrong for long.
    for _ in 0..2 {
        assert_eq!(offered(&mut alone), (0, false));
        assert_eq!(offered(&mut together), (2, true));
    }
    // What somebody takes in for whom other keys count is weighed again.
    put(folder.path(), 3, &sealed_by("colleague", &worked(3)));
    assert_eq!(offered(&mut together), (3, true));
    alone.write(&worked(4), day(1)).unwrap();
    assert_eq!(offered(&mut together), (4, true));
    assert_eq!(offered(&mut alone), (1, false));
    let names = Names { own: Some("colleague"), known: vec!["colleague"] };
    let mut there = memory_by(folder.path(), Settings::default(), names);
    there.write(&worked(5), day(1)).unwrap();
    assert_eq!(offered(&mut alone), (1, false));
}

#[test]
fn without_a_key_records_are_written_and_it_is_said_once() {
    let folder = tempfile::tempdir().unwrap();
    let names = Names { own: None, ..Names::default() };
    let mut memory = memory_by(folder.path(), Settings::default(), names);
    memory.write(&worked(1), day(1)).unwrap();
    memory.write(&worked(2), day(1)).unwrap();
    assert_eq!(origins(&mut memory), [0, 2, 0, 0]);
    let notes = memory.take_notes();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].ends_with("is not sealed, and counts as unverified: there is none"),
        "{notes:?}"
    );
    memory.write(&worked(3), day(1)).unwrap();
    assert!(memory.take_notes().is_empty());
}

#[test]
fn what_is_written_as_yaml_is_sealed_too() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { format: Format::Yaml, ..Settings::default() };
    let mut memory = memory_with(folder.path(), settings);
    for number in 1..=2 {
        let path = memory.write(&worked(number), day(1)).unwrap();
        assert!(path.extension().is_some_and(|ending| ending == "yaml"));
    }
    memory.rebuild().unwrap();
    assert_eq!((origins(&mut memory), offered(&mut memory)), ([2, 0, 0, 0], (2, true)));
}
