//! What was written since a moment, though it is as it was.

use std::fs::{self, File, FileTimes};
use std::time::SystemTime;

use crate::common::Repo;
use redgreen_workspace::{Moment, Sight, Workspace};

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

const WRITES: &[Write] = &[
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
    ("a date", |repo| {
        let file = File::options().write(true).open(repo.path("src/e.py")).expect("opened");
        file.set_times(FileTimes::new().set_modified(SystemTime::UNIX_EPOCH)).expect("dated");
    }),
];

/// Looks as soon as the clock has moved on: then the stamps of all files say what they hold.
fn settled(workspace: &Workspace) -> Sight {
    loop {
        let (first, second) = (workspace.look(), workspace.look());
        let (first, second) = (first.expect("a look"), second.expect("a look"));
        if second.shows_nothing_written_since(&first) {
            return second;
        }
    }
}

#[test]
fn a_look_shows_that_nothing_was_written_since_the_one_before() {
    for (what, write) in WRITES {
        let (repo, outside) = (Repo::new(), tempfile::tempdir().expect("a folder"));
        repo.write("a.py", "same");
        repo.write("src/e.py", "same");
        let workspace = repo.open().keeping_index_at(outside.path().join("index"));
        let before = settled(&workspace);
        assert!(workspace.look().expect("a look").shows_nothing_written_since(&before));
        write(&repo);
        let after = workspace.look().expect("a look");
        assert_eq!(after.tree, before.tree, "{what}");
        assert!(!after.shows_nothing_written_since(&before), "{what}");
    }
}

/// Where there are many files they are watched between two looks, and the second look reads what the kernel says.
#[test]
fn what_is_written_while_files_are_watched_is_seen_all_the_same() {
    let (repo, outside) = (Repo::new(), tempfile::tempdir().expect("a folder"));
    for number in 0..2_100 {
        repo.write(format!("many/{}/{number}.py", number / 100), "many");
    }
    repo.write("src/e.py", "same");
    repo.write("deep/er/f.py", "same");
    repo.write("x.o", "ignored");
    let workspace = repo.open().keeping_index_at(outside.path().join("index"));
    for (what, write) in WRITES {
        let before = settled(&workspace);
        write(&repo);
        let after = workspace.look().expect("a look");
        assert_eq!(after.tree, before.tree, "{what}");
        assert!(!after.shows_nothing_written_since(&before), "{what}");
    }
    let other_name = repo.top().join("another name");
    let edits: &[Write] = &[
        ("an edit", |repo| repo.write("many/7/700.py", "edited")),
        ("an edit with the old date", |repo| {
            let path = repo.path("many/8/800.py");
            let old = fs::metadata(&path).and_then(|found| found.modified()).expect("a date");
            fs::write(&path, "same").expect("written");
            let file = File::options().write(true).open(&path).expect("opened");
            file.set_times(FileTimes::new().set_modified(old)).expect("dated");
        }),
        ("a new file", |repo| repo.write("many/new.py", "new")),
        ("a new file in a new folder", |repo| repo.write("many/new/new.py", "new")),
        ("the same, edited", |repo| repo.write("many/new/new.py", "edited")),
        ("a rule", |repo| repo.write(".git/info/exclude", "many/new/\n")),
        ("an ignored file that git tracks now", |repo| drop(repo.git(&["add", "-f", "x.o"]))),
        ("a mode", |repo| repo.chmod("many/9/900.py", 0o755)),
        ("a deleted file", |repo| repo.remove("many/10/1000.py")),
        ("a deleted folder", |repo| repo.remove("many/11")),
        ("a folder that was moved", |repo| {
            fs::rename(repo.path("deep"), repo.path("moved")).expect("moved");
        }),
        ("a file in it", |repo| repo.write("moved/er/f.py", "edited")),
        ("a link in a folder's place", |repo| {
            repo.remove("moved/er");
            repo.link("..", "moved/er");
        }),
        ("a file that has another name elsewhere", |repo| {
            fs::hard_link(repo.path("src/e.py"), repo.top().join("another name")).expect("linked");
            repo.write("src/lib.rs", "edited");
        }),
    ];
    let tree = || repo.open().tree_anew().expect("a tree");
    for (what, edit) in edits {
        let before = settled(&workspace);
        edit(&repo);
        let after = workspace.look().expect("a look");
        assert_ne!(after.tree, before.tree, "{what}");
        assert_eq!(after.tree, tree(), "{what}");
    }
    settled(&workspace);
    fs::write(other_name, "written by its other name").expect("written");
    assert_eq!(workspace.look().expect("a look").tree, tree());
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
