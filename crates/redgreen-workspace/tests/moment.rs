//! What was written since a moment, though it is as it was.

use std::fs;

use crate::common::Repo;
use redgreen_workspace::{Moment, Workspace};

/// The next tick of the clock that stamps files.
fn next_tick(workspace: &Workspace) -> Moment {
    let now = workspace.moment().expect("a moment");
    loop {
        let next = workspace.moment().expect("a moment");
        if next > now {
            return next;
        }
    }
}

#[test]
fn files_that_were_written_and_put_back_are_named() {
    let repo = Repo::new();
    for path in ["a.py", "b.py", "c.py", "src/deep/d.py", "src/e.py", "generated.py"] {
        repo.write(path, "same");
    }
    let workspace = repo.open();
    let tree = workspace.tree().expect("a tree");
    let moment = next_tick(&workspace);
    let written = || {
        assert_eq!(workspace.tree().expect("a tree"), tree, "nothing has changed");
        let include = |path: &str| path != "generated.py";
        workspace.written_since(&tree, moment, &include).expect("readable")
    };
    assert_eq!(written(), [""; 0], "what was there before");
    next_tick(&workspace);
    // In place, by another file, and back by the file itself, which was only moved.
    repo.write("a.py", "other");
    repo.write("a.py", "same");
    repo.write("elsewhere", "same");
    fs::rename(repo.path("elsewhere"), repo.path("b.py")).expect("moved");
    repo.write("generated.py", "same");
    assert_eq!(written(), ["a.py", "b.py"]);
    fs::rename(repo.path("src/deep"), repo.path("src/away")).expect("moved");
    fs::rename(repo.path("src/away"), repo.path("src/deep")).expect("moved");
    assert_eq!(written(), ["a.py", "b.py", "src/deep"], "a folder that was away for a while");
    repo.write("src/deep/new.py", "new");
    repo.remove("src/deep/new.py");
    assert_eq!(written(), ["a.py", "b.py"], "a folder in which something was is not distinguished");
}

#[test]
fn differing_files_are_those_of_either_side() {
    let repo = Repo::new();
    repo.write("gone", "x");
    repo.write("same", "x");
    repo.write("other", "x");
    let workspace = repo.open();
    let before = workspace.tree().expect("a tree");
    repo.remove("gone");
    repo.write("new", "x");
    repo.write("other", "y");
    let after = workspace.tree().expect("a tree");
    let paths = workspace.differing(&before, &after).expect("both are there");
    assert_eq!(paths, ["gone", "new", "other"]);
    assert_eq!(workspace.differing(&before, &before).expect("it is there"), [""; 0]);
}

/// What is written, in words and in deed.
type Write = (&'static str, fn(&Repo));

#[test]
fn a_look_shows_that_nothing_was_written_since_the_one_before() {
    let writes: &[Write] = &[
        ("in place and back", |repo| {
            repo.write("src/e.py", "other");
            repo.write("src/e.py", "same");
        }),
        ("another file of the same text", |repo| {
            repo.write("elsewhere", "same");
            fs::rename(repo.path("elsewhere"), repo.path("src/e.py")).expect("moved");
        }),
        ("a folder that was away for a while", |repo| {
            fs::rename(repo.path("src"), repo.path("away")).expect("moved");
            fs::rename(repo.path("away"), repo.path("src")).expect("moved");
        }),
        ("a file that came and went", |repo| {
            repo.write("src/new.py", "new");
            repo.remove("src/new.py");
        }),
    ];
    for (what, write) in writes {
        let (repo, outside) = (Repo::new(), tempfile::tempdir().expect("a folder"));
        repo.write("a.py", "same");
        repo.write("src/e.py", "same");
        let workspace = repo.open().keeping_index_at(outside.path().join("index"));
        // As soon as the clock has moved on, the stamps of all files say what they hold.
        let before = loop {
            let (first, second) = (workspace.look(), workspace.look());
            let (first, second) = (first.expect("a look"), second.expect("a look"));
            if second.shows_nothing_written_since(&first) {
                break second;
            }
        };
        assert!(workspace.look().expect("a look").shows_nothing_written_since(&before));
        write(&repo);
        let after = workspace.look().expect("a look");
        assert_eq!(after.tree, before.tree, "{what}");
        assert!(!after.shows_nothing_written_since(&before), "{what}");
    }
}

/// What was seen is handed on until something may have been written.
#[test]
fn the_last_look_counts_until_something_may_be_written() {
    let repo = Repo::new();
    repo.write("a.py", "one");
    let workspace = repo.open();
    let sharing = workspace.clone();
    let before = workspace.tree().expect("a tree");
    repo.write("a.py", "two");
    assert_eq!(sharing.last_look().expect("a look").tree, before);
    sharing.may_be_written();
    assert_ne!(workspace.last_look().expect("a look").tree, before);
    repo.write("a.py", "one");
    let elsewhere = workspace.clone().remembering_at("another/place");
    assert_eq!(elsewhere.last_look().expect("a look").tree, before, "other folders are its own");
}
