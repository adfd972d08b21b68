//! Where the index is: not among the records, where whoever works with them could write it.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use crate::common::{Names, Trouble, day, session, troubled};
use nix::fcntl::{Flock, FlockArg};
use redgreen_memory::{BriefRequest, Memory, Settings};
use redgreen_model::debug_memory::Record;
use rusqlite::Connection;
use tempfile::TempDir;

const CART: &str = "shop/cart.py";
/// Written by who placed a record that indexes may not notice by themselves.
const MARK: &str = ".index-is-behind";

fn worked(number: u64) -> Record {
    troubled(number, CART, day(1), &Trouble::default(), true)
}

/// A memory in a folder, with its index in another one.
fn memory_at(folder: &Path, indexes: &Path) -> Memory {
    Memory::new(folder, Ok(indexes), Settings::default(), Arc::new(Names::default()))
}

/// The folder of a memory, and the one of indexes.
fn places() -> (TempDir, TempDir) {
    (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap())
}

fn sessions(memory: &mut Memory) -> Vec<String> {
    let request = BriefRequest { files: vec![CART.to_owned()], asking_session: None };
    let brief = memory.brief(&request).unwrap();
    let mut found: Vec<String> =
        brief.sessions.into_iter().map(|(_, session)| session.session).collect();
    found.sort();
    found
}

#[test]
fn the_index_has_a_folder_of_its_own_that_says_what_it_is_of() {
    let (folder, indexes) = places();
    let indexes = indexes.path().join("state/memory");
    let mut memory = memory_at(folder.path(), &indexes);
    // What an older version left.
    for name in ["index.sqlite3", "index.sqlite3-wal", "index.sqlite3-shm", ".index-lock"] {
        fs::write(folder.path().join(name), "old").unwrap();
    }
    memory.write(&worked(1), day(1)).unwrap();
    let stats = memory.stats().unwrap();
    assert_eq!((stats.records, stats.index_file.clone()), (1, memory.index_file()));
    let index = stats.index_file.unwrap();
    let own = index.parent().unwrap();
    assert_eq!(own.parent(), Some(indexes.as_path()));
    let label = fs::read_to_string(own.join("folder")).unwrap();
    assert_eq!(label, format!("{}\n", folder.path().canonicalize().unwrap().display()));
    for folder in [own, &indexes] {
        assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
    }
    let mut left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    // The first record may come within the tick of its folder.
    left.retain(|name| name != MARK);
    left.sort();
    assert_eq!(left, [".drafts", ".gitattributes", ".gitignore", "sessions"]);
    assert!(memory.take_notes().is_empty());
}

#[test]
fn without_a_place_every_process_has_its_own_and_it_is_said_once() {
    let (folder, indexes) = places();
    let mut other = memory_at(folder.path(), indexes.path());
    other.write(&worked(1), day(1)).unwrap();
    assert_eq!(sessions(&mut other), [session(1)]);
    fs::write(indexes.path().join("file"), "").unwrap();
    let file = indexes.path().join("file/memory");
    let nowhere = || Err("there is no home".to_owned());
    for (number, indexes) in [(2, nowhere()), (3, Ok(file.as_path()))] {
        let names = Arc::new(Names::default());
        let mut memory = Memory::new(folder.path(), indexes, Settings::default(), names);
        let before: Vec<String> = (1..number).map(session).collect();
        assert_eq!(sessions(&mut memory), before);
        memory.write(&worked(number), day(1)).unwrap();
        let after: Vec<String> = (1..=number).map(session).collect();
        assert_eq!(sessions(&mut memory), after);
        assert_eq!(sessions(&mut other), after, "who has an index notices");
        let rebuilt = memory.rebuild().unwrap();
        assert_eq!((rebuilt.seen, rebuilt.index_file), (u32::try_from(number).unwrap(), None));
        let notes = memory.take_notes();
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].starts_with("the index of the debug memory is not kept: "), "{notes:?}");
        memory.write(&worked(number), day(2)).unwrap();
        assert_eq!(sessions(&mut memory), after);
        assert!(memory.take_notes().is_empty());
    }
    assert!(other.take_notes().is_empty());
}

#[test]
fn that_there_is_no_place_is_not_said_beside_what_is_worse() {
    let folder = tempfile::tempdir().unwrap();
    let names = Arc::new(Names { own: None, ..Names::default() });
    let nowhere = Err("there is no home".to_owned());
    let mut memory = Memory::new(folder.path(), nowhere, Settings::default(), names);
    memory.write(&worked(1), day(1)).unwrap();
    assert_eq!(sessions(&mut memory), [session(1)]);
    let notes = memory.take_notes();
    assert!(notes.len() == 1 && notes[0].contains("is not sealed"), "{notes:?}");
}

#[test]
fn who_has_another_home_has_another_index_and_both_notice_what_the_other_writes() {
    let (folder, here) = places();
    let there = tempfile::tempdir().unwrap();
    let mut one = memory_at(folder.path(), here.path());
    let mut other = memory_at(folder.path(), there.path());
    for number in 1..=10 {
        // Quickly enough for one tick of the clock, sometimes.
        let writer = if number % 2 == 0 { &mut one } else { &mut other };
        writer.write(&worked(number), day(1)).unwrap();
        let all: Vec<String> = (1..=number).map(session).collect();
        assert_eq!((sessions(&mut one), sessions(&mut other)), (all.clone(), all));
    }
    assert_ne!(one.index_file(), other.index_file());
}

#[test]
fn a_record_that_was_placed_without_the_lock_is_marked() {
    let (folder, indexes) = places();
    let mut memory = memory_at(folder.path(), indexes.path());
    memory.write(&worked(1), day(1)).unwrap();
    let _ = fs::remove_file(folder.path().join(MARK));
    let held = File::open(folder.path().join("sessions")).unwrap();
    let held = Flock::lock(held, FlockArg::LockExclusiveNonblock).unwrap();
    memory.write(&worked(2), day(1)).unwrap();
    assert!(folder.path().join(MARK).is_file());
    assert_eq!(sessions(&mut memory), [session(1), session(2)]);
    drop(held);
    assert!(memory.take_notes().is_empty());
}

#[test]
fn a_memory_that_was_asked_before_it_was_there_gets_its_index() {
    let (folder, indexes) = places();
    let folder = folder.path().join("memory");
    let mut memory = memory_at(&folder, indexes.path());
    assert!(sessions(&mut memory).is_empty());
    assert_eq!(fs::read_dir(indexes.path()).unwrap().count(), 0, "asking leaves no traces");
    memory.write(&worked(1), day(1)).unwrap();
    assert!(memory.index_file().unwrap().is_file());
}

#[test]
fn an_index_that_is_another_memorys_is_not_believed() {
    let (folder, indexes) = places();
    let other = tempfile::tempdir().unwrap();
    let mut theirs = memory_at(other.path(), indexes.path());
    theirs.write(&worked(1), day(1)).unwrap();
    theirs.stats().unwrap();
    let from = theirs.index_file().unwrap();
    drop(theirs);
    // What follows from no file is found by no look at files.
    let index = Connection::open(&from).unwrap();
    index
        .execute_batch(
            "CREATE TEMP TABLE forged AS SELECT * FROM patterns; UPDATE forged SET cause = 99;
             INSERT INTO patterns SELECT * FROM forged; PRAGMA wal_checkpoint;",
        )
        .unwrap();
    drop(index);
    let to = memory_at(folder.path(), indexes.path()).index_file().unwrap();
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::copy(&from, &to).unwrap();
    assert_eq!(memory_at(folder.path(), indexes.path()).stats().unwrap().causes, 0);
    assert_eq!(memory_at(other.path(), indexes.path()).stats().unwrap().causes, 2);
}
