#![allow(clippy::expect_used, reason = "a test that cannot go on should say so at once")]

use std::os::unix::fs::PermissionsExt as _;

use super::*;

#[test]
fn a_file_is_replaced_whole_and_nothing_else_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("file");
    for content in ["one", "another", ""] {
        write_whole(&path, content.as_bytes()).expect("written");
        assert_eq!(fs::read_to_string(&path).expect("read"), content);
    }
    write_cache(&path, b"cached").expect("written");
    write_with_mode(&path, b"mine", 0o600).expect("written");
    assert_eq!(fs::read_to_string(&path).expect("read"), "mine");
    let mode = fs::metadata(&path).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn what_cannot_be_placed_leaves_no_draft() {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = folder.path().join("taken");
    fs::create_dir(&taken).expect("a folder");
    write_whole(&taken, b"text").expect_err("a folder is there");
    write_whole(Path::new("/"), b"text").expect_err("it has no name");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

/// Drafts had one name for all: of two that wrote at once, one renamed what the other had begun.
#[test]
fn many_write_the_same_file_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("file");
    let texts: Vec<String> = ('a'..='h').map(|letter| letter.to_string().repeat(9_000)).collect();
    std::thread::scope(|scope| {
        for text in &texts {
            scope.spawn(|| {
                for _ in 0..20 {
                    write_cache(&path, text.as_bytes()).expect("written");
                }
            });
        }
    });
    assert!(texts.contains(&fs::read_to_string(&path).expect("read")));
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn only_regular_files_are_opened_and_none_is_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("file"), "text").expect("a file");
    std::os::unix::fs::symlink(at("file"), at("link")).expect("a link");
    nix::unistd::mkfifo(&at("pipe"), nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    let said = |name: &str| open_regular(&at(name)).err().map(|unfit| unfit.to_string());
    assert_eq!(said("link").as_deref(), Some("it is a symbolic link"));
    assert_eq!(said("pipe").as_deref(), Some("it is a pipe"));
    assert_eq!(said(".").as_deref(), Some("it is a folder"));
    assert!(open_regular(&at("none")).expect("fit").is_none());
    let read = |most| {
        let opened = open_regular(&at("file")).expect("fit").expect("there");
        read_at_most(opened.file, most).expect("read")
    };
    assert_eq!(read(4).as_deref(), Some(&b"text"[..]));
    assert_eq!(read(3), None);
}
