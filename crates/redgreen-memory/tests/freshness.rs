//! The next question sees what happened to the records, and reads nothing again that did not change.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use crate::common::{
    INDEXES, Trouble, day, index_files, index_of, memory, memory_of, memory_with, passing, session,
    troubled,
};
use redgreen_memory::{BriefRequest, Memory, Settings};

const CART: &str = "shop/cart.py";

fn sessions(memory: &mut Memory) -> Vec<String> {
    let request = BriefRequest { files: vec![CART.to_owned()], asking_session: None };
    let brief = memory.brief(&request).unwrap();
    let mut found: Vec<String> =
        brief.sessions.into_iter().map(|(_, session)| session.session).collect();
    found.sort();
    found
}

fn trouble(number: u64) -> redgreen_model::debug_memory::Record {
    troubled(number, CART, day(1), &Trouble::default(), true)
}

#[test]
fn files_that_others_add_remove_and_replace_are_noticed() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut memory = memory_of(here.path(), &[trouble(1), trouble(2)]);
    assert_eq!(sessions(&mut memory), [session(1), session(2)]);
    let mut other = memory_of(there.path(), &[]);
    let path = other.write(&trouble(3), day(2)).unwrap();
    let target = here.path().join("sessions").join(path.file_name().unwrap());
    fs::copy(&path, &target).unwrap();
    assert_eq!(sessions(&mut memory), [session(1), session(2), session(3)]);
    fs::remove_file(&target).unwrap();
    assert_eq!(sessions(&mut memory), [session(1), session(2)]);
    // Under the name of one that is known, as a pull does it.
    let first = here.path().join("sessions").join(format!("session-{}.json", session(1)));
    fs::rename(&path, &first).unwrap();
    assert_eq!(sessions(&mut memory), [session(2), session(3)]);
}

#[test]
fn what_others_added_is_not_hidden_by_what_we_write() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut memory = memory_of(here.path(), &[trouble(1)]);
    assert_eq!(sessions(&mut memory).len(), 1);
    let path = memory_of(there.path(), &[]).write(&trouble(2), day(2)).unwrap();
    fs::rename(&path, here.path().join("sessions").join(path.file_name().unwrap())).unwrap();
    memory.write(&trouble(3), day(1)).unwrap();
    assert_eq!(sessions(&mut memory), [session(1), session(2), session(3)]);
}

#[test]
fn who_reads_the_old_record_reads_it_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = memory_of(folder.path(), &[]);
    let path = memory.write(&trouble(1), day(1)).unwrap();
    let old = fs::read_to_string(&path).unwrap();
    let mut reader = fs::File::open(&path).unwrap();
    let mut longer = trouble(1);
    longer.executions.extend(trouble(2).executions);
    assert_eq!(memory.write(&longer, day(2)).unwrap(), path);
    let mut read = String::new();
    std::io::Read::read_to_string(&mut reader, &mut read).unwrap();
    assert_eq!(read, old);
    assert_ne!(fs::read_to_string(&path).unwrap(), old);
    let left = fs::read_dir(folder.path().join(".drafts")).unwrap().count();
    assert_eq!(left, 0);
}

#[test]
fn nobody_hears_of_locks_while_others_hold_them() {
    let folder = tempfile::tempdir().unwrap();
    drop(memory_of(folder.path(), &[trouble(1)]));
    let other = rusqlite::Connection::open(index_of(folder.path())).unwrap();
    // An exclusive lock keeps even readers out, as long as it lasts.
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;").unwrap();
    let mut memory = impatient(folder.path());
    memory.write(&trouble(2), day(1)).unwrap();
    assert_eq!(sessions(&mut memory), [session(1), session(2)]);
    assert!(memory.take_notes().is_empty());
    other.execute_batch("COMMIT").unwrap();
    drop(other);
    assert_eq!(sessions(&mut crate::common::memory(folder.path())), [session(1), session(2)]);
}

/// A memory that does not wait for others.
fn impatient(folder: &Path) -> Memory {
    let settings = Settings { patience: Duration::ZERO, ..Settings::default() };
    memory_with(folder, settings)
}

#[test]
fn an_edit_in_place_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = memory_of(folder.path(), &[trouble(1), trouble(2)]);
    assert_eq!(sessions(&mut memory).len(), 2);
    let path = folder.path().join("sessions").join(format!("session-{}.json", session(2)));
    let text = fs::read_to_string(&path).unwrap().replace(&session(2), &session(9));
    fs::File::options()
        .write(true)
        .truncate(true)
        .open(&path)
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    assert_eq!(sessions(&mut memory), [session(1), session(9)]);
}

/// Lets the index know the folders as they are now. It would by itself, once the clock of the file
/// system has moved on; a test does not wait for that.
fn settle(folder: &Path) {
    let index = rusqlite::Connection::open(index_of(folder)).unwrap();
    let know = |name: &str, stamp: [i64; 3]| {
        let [size, modified, inode] = stamp;
        let insert = "INSERT OR REPLACE INTO folders VALUES (?1, ?2, ?3, ?4)";
        index.execute(insert, rusqlite::params![name, size, modified, inode]).unwrap();
    };
    for (name, path) in [("sessions/", folder.join("sessions")), ("", folder.to_owned())] {
        let found = fs::metadata(path).unwrap();
        let modified = found.mtime() * 1_000_000_000 + found.mtime_nsec();
        let changed = found.ctime() * 1_000_000_000 + found.ctime_nsec();
        let [size, inode] =
            [found.size(), found.ino()].map(|number| i64::try_from(number).unwrap());
        know(name, [size, modified.max(changed), inode]);
    }
    know("is behind", [-1; 3]);
}

#[test]
fn an_edit_in_place_is_noticed_although_no_folder_shows_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = memory_of(folder.path(), &[trouble(1), trouble(2)]);
    settle(folder.path());
    let path = folder.path().join("sessions").join(format!("session-{}.json", session(2)));
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace(&session(2), &session(9))).unwrap();
    assert_eq!(sessions(&mut memory), [session(1), session(9)]);
    // One that is not near is noticed, too: every file of a small memory is looked at.
    fs::write(&path, text.replace(CART, "web/page.py")).unwrap();
    let hits = memory.at_failure(&[], None).map(|_| memory.patterns().unwrap().remove(0)).unwrap();
    assert_eq!((hits.occurrences, hits.unverified), (1, 1), "its seal no longer fits");
}

#[test]
fn folders_that_did_not_change_are_not_looked_through() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = memory_of(folder.path(), &[trouble(1), trouble(2)]);
    settle(folder.path());
    // What the index does not know of, and no folder shows, is what nobody looked for.
    let index = rusqlite::Connection::open(index_of(folder.path())).unwrap();
    index
        .execute_batch("DELETE FROM files WHERE id = 1; DELETE FROM records WHERE id = 1;")
        .unwrap();
    assert_eq!(sessions(&mut memory), [session(2)]);
    memory.write(&trouble(3), day(1)).unwrap();
    assert_eq!(
        sessions(&mut memory),
        [session(2), session(3)],
        "what is written is known by itself"
    );
    memory.stats().unwrap();
    assert_eq!(sessions(&mut memory), [session(1), session(2), session(3)]);
}

#[test]
fn an_index_that_is_deleted_or_damaged_comes_back_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = memory_of(folder.path(), &[trouble(1), trouble(2)]);
    assert_eq!(sessions(&mut first).len(), 2);
    drop(first);
    let [index, log, shared] = index_files(folder.path());
    let wanted = [session(1), session(2)];
    // The folder of the index, too: all of it comes back.
    fs::remove_dir_all(folder.path().join(INDEXES)).unwrap();
    let mut again = memory(folder.path());
    assert_eq!(sessions(&mut again), wanted);
    assert!(again.take_notes().is_empty(), "one that was not there is no news");
    drop(again);
    for damage in [b"not a database at all, but long enough to be one".repeat(100), Vec::new()] {
        for beside in [&log, &shared] {
            let _ = fs::remove_file(beside);
        }
        fs::write(&index, &damage).unwrap();
        let mut again = memory(folder.path());
        assert_eq!(sessions(&mut again), wanted);
        assert_eq!(again.take_notes().len(), usize::from(!damage.is_empty()));
        assert_eq!(sessions(&mut memory(folder.path())), wanted);
    }
    // A hole in the middle of it.
    let mut bytes = fs::read(&index).unwrap();
    let _ = fs::remove_file(&log);
    let _ = fs::remove_file(&shared);
    bytes.iter_mut().skip(100).for_each(|byte| *byte = 0x5a);
    fs::write(&index, &bytes).unwrap();
    let mut again = memory(folder.path());
    assert_eq!(sessions(&mut again), wanted);
    assert_eq!(again.take_notes().len(), 1);
}

#[test]
fn an_index_of_another_version_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    drop(memory_of(folder.path(), &[trouble(1)]));
    let connection = rusqlite::Connection::open(index_of(folder.path())).unwrap();
    connection.execute_batch("DROP TABLE patterns; PRAGMA user_version = 999;").unwrap();
    drop(connection);
    assert_eq!(sessions(&mut memory(folder.path())), [session(1)]);
}

#[test]
fn a_record_is_written_whole_without_an_index() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = memory_of(folder.path(), &[trouble(1)]);
    assert_eq!(sessions(&mut memory).len(), 1);
    // Somebody holds the index for longer than anybody waits; here it is a folder.
    drop(memory);
    for file in index_files(folder.path()) {
        let _ = fs::remove_file(file);
    }
    fs::create_dir(index_of(folder.path())).unwrap();
    let mut memory = crate::common::memory(folder.path());
    memory.write(&trouble(2), day(1)).unwrap();
    assert_eq!(sessions(&mut memory), [session(1), session(2)]);
    assert_eq!(memory.take_notes().len(), 1, "that it is not kept is said");
}

#[test]
fn asking_writes_nothing_among_the_records_and_who_writes_is_kept_out_of_git() {
    let folder = tempfile::tempdir().unwrap();
    let record = serde_json::to_string(&passing(1, "a.py", day(1))).unwrap();
    fs::write(folder.path().join("session-1.json"), record).unwrap();
    let ignore = folder.path().join(".gitignore");
    assert_eq!(memory(folder.path()).stats().unwrap().records, 1);
    assert!(!ignore.exists());
    memory(folder.path()).write(&trouble(2), day(1)).unwrap();
    let ours = fs::read_to_string(&ignore).unwrap();
    assert_eq!(ours, ".drafts/\n.in-use/\n.index-*\nindex.sqlite3*\n");
    // Somebody else's stays, and what is missing in it is said.
    for (theirs, missing) in [("*.tmp\n", Some("add .drafts/ .in-use/ .index-*")), ("*\n", None)] {
        fs::write(&ignore, theirs).unwrap();
        let mut memory = memory(folder.path());
        memory.stats().unwrap();
        assert_eq!(fs::read_to_string(&ignore).unwrap(), theirs);
        let notes = memory.take_notes();
        assert_eq!(notes.len(), usize::from(missing.is_some()), "{notes:?}");
        assert!(missing.is_none_or(|missing| notes[0].ends_with(missing)), "{notes:?}");
    }
}
