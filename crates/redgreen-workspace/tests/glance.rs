//! Whether a work tree looks as it did.

use std::fs::{self, File, FileTimes};
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::common::Repo;
use redgreen_workspace::{Glance, likely_root};

/// The files are as old as the test: a glance comes once the clock that stamps them has moved on.
fn glance(repo: &Repo) -> Glance {
    let workspace = repo.open();
    loop {
        if let Some(glance) = workspace.glance(&[]).expect("a look") {
            return glance;
        }
    }
}

fn holds(repo: &Repo, glance: &Glance) -> bool {
    Glance::still_holds(&repo.root(), glance.as_bytes())
}

/// Whatever changes the tree's hash, or could, is noticed.
/// What is done to a repository, in words and in deed.
type Change = (&'static str, fn(&Repo));

#[test]
fn what_can_change_the_hash_is_noticed() {
    let changes: &[Change] = &[
        ("an edit of the same length and with the old date", |repo| {
            let path = repo.path("src/lib.rs");
            let old = fs::metadata(&path).and_then(|found| found.modified()).expect("a date");
            let text = fs::read_to_string(&path).expect("a text");
            fs::write(&path, text.replace('1', "2")).expect("written");
            let file = File::options().write(true).open(&path).expect("opened");
            file.set_times(FileTimes::new().set_modified(old)).expect("dated");
        }),
        ("a new file", |repo| repo.write("src/new.rs", "")),
        ("a new file in an empty folder", |repo| repo.write("empty/new.rs", "")),
        ("a deleted file", |repo| repo.remove("src/lib.rs")),
        ("a mode", |repo| repo.chmod("src/lib.rs", 0o755)),
        ("a rule", |repo| repo.write(".gitignore", "build/\n")),
        ("a rule of a file that is ignored itself", |repo| {
            repo.write("hidden/.gitignore", ".gitignore\n");
        }),
        ("a rule of the repository", |repo| repo.write(".git/info/exclude", "*.rs\n")),
        ("a setting", |repo| drop(repo.git(&["config", "core.excludesFile", "/x"]))),
        ("a rule of a file that a setting names", |repo| repo.write(".git/rules", "*.rs\n")),
        ("the index", |repo| drop(repo.git(&["rm", "-q", "--cached", "README.md"]))),
        ("a commit", |repo| drop(repo.git(&["commit", "-q", "--allow-empty", "-m", "x"]))),
        ("a repository in it", |repo| drop(repo.git(&["init", "-q", "src/inner"]))),
    ];
    for (what, change) in changes {
        let repo = Repo::new();
        fs::create_dir_all(repo.path("empty")).expect("a folder");
        repo.write("hidden/.gitignore", ".gitignore\nx\n");
        repo.write(".git/rules", "");
        let rules = repo.path(".git/rules");
        repo.git(&["config", "core.excludesFile", &rules.to_string_lossy()]);
        let before = glance(&repo);
        assert!(holds(&repo, &before), "before {what}");
        change(&repo);
        assert!(!holds(&repo, &before), "{what}");
    }
}

#[test]
fn what_cannot_change_the_hash_is_overlooked() {
    let repo = Repo::new();
    repo.write("build/out", "one");
    repo.write("x.o", "one");
    // git looks again, and writes down what it saw, as long as a file is as young as its index.
    for file in ["src/lib.rs", "README.md", ".gitignore"] {
        let file = File::options().write(true).open(repo.path(file)).expect("opened");
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        file.set_times(FileTimes::new().set_modified(long_ago)).expect("dated");
    }
    repo.git(&["status", "--porcelain"]);
    let before = glance(&repo);
    repo.write("build/out", "two");
    repo.write("build/deep/er", "two");
    repo.write("x.o", "two");
    repo.write(".redgreen/log", "two");
    assert!(holds(&repo, &before));
    repo.tree();
    repo.git(&["status", "--porcelain"]);
    assert!(holds(&repo, &before), "looking at it changes nothing");
}

#[test]
fn a_repository_in_the_repository_is_not_looked_at_like_that() {
    let repo = Repo::new();
    repo.git(&["init", "-q", "vendor/inner"]);
    assert_eq!(repo.open().glance(&[]).expect("a look"), None);
}

#[test]
fn files_beside_it_count_where_they_are_named() {
    let repo = Repo::new();
    let beside = repo.path("build/settings");
    let workspace = repo.open();
    let before = loop {
        if let Some(glance) = workspace.glance(std::slice::from_ref(&beside)).expect("a look") {
            break glance;
        }
    };
    assert!(holds(&repo, &before));
    repo.write("build/settings", "x");
    assert!(!holds(&repo, &before));
}

#[test]
fn garbage_does_not_hold() {
    let repo = Repo::new();
    let before = glance(&repo);
    let bytes = before.as_bytes();
    for length in 0..bytes.len() {
        assert!(!Glance::still_holds(&repo.root(), &bytes[..length]), "{length} bytes");
    }
    assert!(!Glance::still_holds(Path::new("/nowhere"), bytes));
}

#[test]
fn the_root_is_where_the_repository_is() {
    let repo = Repo::new();
    assert_eq!(likely_root(&repo.path("src")), Some(repo.root().as_path()));
    assert_eq!(likely_root(Path::new("/")), None);
}
