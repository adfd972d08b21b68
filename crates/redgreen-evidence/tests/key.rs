//! The key: made once, kept to its owner, and refused with words where something is wrong with it.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::Barrier;

use redgreen_evidence::{Key, PublicKey};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

#[test]
fn it_is_made_on_first_use_and_is_its_owners_alone() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("state/redgreen");
    assert!(Key::open(&folder).expect("nothing is wrong").is_none());
    assert!(!folder.exists(), "looking for a key makes nothing");
    let key = Key::open_or_make(&folder).expect("a key");
    assert_eq!((mode(&folder), mode(&folder.join("key"))), (0o700, 0o600));
    let names: Vec<_> = fs::read_dir(&folder).expect("a folder").flatten().collect();
    assert_eq!(names.len(), 1, "nothing else is left: {names:?}");
    let again = Key::open_or_make(&folder).expect("a key");
    assert_eq!(again.public(), key.public());
    let other = Key::open_or_make(&home.path().join("other")).expect("a key");
    assert_ne!(other.public(), key.public());
    assert!(
        !format!("{key:?}").contains(&fs::read_to_string(folder.join("key")).expect("it")[28..60])
    );
}

#[test]
fn a_folder_that_was_there_is_closed_to_others() {
    let home = tempfile::tempdir().expect("a folder");
    set_mode(home.path(), 0o775);
    Key::open_or_make(home.path()).expect("a key");
    assert_eq!(mode(home.path()), 0o700);
}

#[test]
fn all_that_come_first_at_once_get_the_same() {
    for _ in 0..20 {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().join("redgreen");
        let together = Barrier::new(8);
        let keys: Vec<PublicKey> = std::thread::scope(|scope| {
            let open = || {
                together.wait();
                Key::open_or_make(&folder).expect("a key").public()
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
            threads.into_iter().map(|thread| thread.join().expect("a thread")).collect()
        });
        assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    }
}

/// What is put in the key's place, given a good one elsewhere, and what is said of it.
type Wrong = (fn(&Path, &Path), &'static str);

#[test]
fn what_is_wrong_with_it_is_said_and_nothing_is_replaced() {
    let cases: [Wrong; 10] = [
        (|key, good| drop(fs::copy(good, key).map(|_| set_mode(key, 0o640))), "mode 0640"),
        (|key, good| drop(fs::copy(good, key).map(|_| set_mode(key, 0o604))), "mode 0604"),
        (|key, good| symlink(good, key).expect("a link"), "a symbolic link"),
        (|key, _| symlink("/nowhere", key).expect("a link"), "a symbolic link"),
        (|key, _| fs::create_dir(key).expect("a folder"), "a folder"),
        (|key, _| fifo(key), "a pipe"),
        (|key, _| private(key, b""), "cut short"),
        (|key, _| private(key, b"-----BEGIN PRIVATE KEY-----\nMC4CAQAw\n"), "cut short"),
        (|key, _| private(key, &[0xff; 200]), "cut short"),
        (|key, _| private(key, &vec![b'A'; 50 << 20]), "cut short"),
    ];
    for (index, (put, words)) in cases.into_iter().enumerate() {
        let home = tempfile::tempdir().expect("a folder");
        Key::open_or_make(&home.path().join("good")).expect("a key");
        let folder = home.path().join("redgreen");
        fs::create_dir(&folder).expect("a folder");
        let path = folder.join("key");
        put(&path, &home.path().join("good/key"));
        let before = fs::symlink_metadata(&path).expect("something");
        for result in [Key::open(&folder).map(drop), Key::open_or_make(&folder).map(drop)] {
            let error = result.expect_err("refused").to_string();
            assert!(error.contains(words), "case {index}: {error}");
            assert!(error.contains(&path.display().to_string()), "case {index}: {error}");
        }
        let after = fs::symlink_metadata(&path).expect("something");
        assert_eq!((before.len(), before.file_type()), (after.len(), after.file_type()));
    }
}

fn private(path: &Path, content: &[u8]) {
    fs::write(path, content).expect("a file");
    set_mode(path, 0o600);
}

fn fifo(path: &Path) {
    let made = Command::new("mkfifo").args(["-m", "600"]).arg(path).status().expect("mkfifo");
    assert!(made.success());
}

#[test]
fn a_public_key_is_read_in_both_forms_and_nothing_else_is() {
    let home = tempfile::tempdir().expect("a folder");
    let public = Key::open_or_make(home.path()).expect("a key").public();
    for text in [public.to_pem(), public.to_base64(), format!("  {}\n", public.to_base64())] {
        assert_eq!(PublicKey::parse(&text).expect("a key"), public);
    }
    let private = fs::read_to_string(home.path().join("key")).expect("a key");
    let error = PublicKey::parse(&private).expect_err("refused").to_string();
    assert!(error.contains("a private key"), "{error}");
    // The neutral element, for which a signature of nothing fits everything.
    let weak = format!("AQ{}=", "A".repeat(41));
    let error = PublicKey::parse(&weak).expect_err("refused").to_string();
    assert!(error.contains("anybody can sign"), "{error}");
    let cut = &public.to_pem()[..50];
    for text in ["", "AAAA", "no key", cut, &"A".repeat(1 << 20)] {
        PublicKey::parse(text).expect_err("refused");
    }
}
