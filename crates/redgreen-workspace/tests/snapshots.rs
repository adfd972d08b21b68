//! Keeping trees, telling them apart, and the lock.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::common::{Repo, code};
use redgreen_model::tree::{ChangeKind, FileRole, LineRange, TreeHash};
use redgreen_workspace::{Saved, Workspace, WorkspaceError};

#[test]
fn a_snapshot_outlives_gc_and_the_work_tree() {
    let repo = Repo::new();
    let workspace = repo.open();
    repo.write("work/untracked.txt", "hours of work");
    let tree = workspace.tree().expect("a tree");
    let reference = workspace.snapshot(&tree, "s-1/attempt-1", "attempt 1").expect("kept");
    assert_eq!(reference, "refs/redgreen/s-1/attempt-1");
    repo.remove("work");
    repo.remove(".redgreen");
    repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    repo.git(&["gc", "--quiet", "--prune=now"]);
    let later = repo.open();
    assert_eq!(later.saved("s-1/attempt-1").expect("kept"), Some(tree.clone()));
    later.restore(&tree, "s-1/before").expect("restored");
    assert_eq!(repo.read("work/untracked.txt"), "hours of work");
    let who = repo.git(&["log", "-1", "--format=%an <%ae> %at %s", &reference]);
    assert_eq!(who, "redgreen <redgreen@localhost> 0 attempt 1");
}

#[test]
fn names_are_listed_deleted_and_never_reused() {
    let repo = Repo::new();
    let workspace = repo.open();
    let one = workspace.tree().expect("a tree");
    repo.write("new", "new");
    let two = workspace.tree().expect("a tree");
    for (name, tree) in [("s/a", &one), ("s/b", &two), ("s-other/a", &two)] {
        workspace.snapshot(tree, name, "kept").expect("kept");
    }
    workspace.snapshot(&one, "s/a", "the same again").expect("no harm");
    let error = workspace.snapshot(&two, "s/a", "another").expect_err("taken");
    assert!(matches!(error, WorkspaceError::NameTaken { .. }), "{error}");
    assert_eq!(workspace.saved("s/a").expect("kept"), Some(one.clone()));
    assert_eq!(workspace.saved("s/none").expect("no error"), None);

    let saved = |name: &str, tree: &TreeHash| Saved { name: name.into(), tree: tree.clone() };
    let expected = [saved("s/a", &one), saved("s/b", &two)];
    assert_eq!(workspace.saved_under("s").expect("listed"), expected);
    assert_eq!(workspace.saved_under("").expect("listed").len(), 3);
    assert_eq!(workspace.forget("s").expect("deleted"), 2);
    assert_eq!(workspace.saved_under("").expect("listed"), [saved("s-other/a", &two)]);
    for name in ["", "a..b", "with space", "/x", "x.lock"] {
        let error = workspace.snapshot(&one, name, "").expect_err("refused");
        assert!(matches!(error, WorkspaceError::BadName { .. }), "{name:?}: {error}");
    }
}

#[test]
fn the_content_hash_is_of_the_included_files_only() {
    let repo = Repo::new();
    let workspace = repo.open();
    let hash = |include: &(dyn Fn(&str) -> bool + Sync)| {
        let tree = workspace.tree().expect("a tree");
        workspace.content_hash(&tree, include).expect("a hash")
    };
    let code = |path: &str| !path.ends_with(".md");
    let (all, before) = (hash(&|_| true), hash(&code));
    assert_eq!(before.len(), 64);
    repo.write("README.md", "other words");
    assert_eq!(hash(&code), before);
    assert_ne!(hash(&|_| true), all);
    repo.chmod("src/lib.rs", 0o755);
    let executable = hash(&code);
    assert_ne!(executable, before, "a mode");
    fs::rename(repo.path("src/lib.rs"), repo.path("src/main.rs")).expect("renamed");
    assert_ne!(hash(&code), executable, "a path");
    let unknown = TreeHash("2".repeat(40));
    let error = workspace.content_hash(&unknown, &code).expect_err("unknown");
    assert!(matches!(error, WorkspaceError::UnknownTree { .. }));
}

#[test]
fn changes_have_kinds_counts_and_lines() {
    let repo = Repo::new();
    repo.write("ten", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10");
    repo.write("gone", "a\nb\n");
    repo.write("type", "a file\n");
    repo.write("mode", "x");
    repo.write("image", b"\x89PNG\0\x01\n\x02");
    let workspace = repo.open();
    let from = workspace.tree().expect("a tree");
    repo.write("ten", "1\ntwo\n3\n4\n7\n8\n9\n10\n+11\n@@ -1 +1 @@\n");
    repo.remove("gone");
    repo.remove("type");
    repo.link("ten", "type");
    repo.chmod("mode", 0o755);
    repo.write("image", b"\x89PNG\0\x03\n\x04");
    repo.write("new dir/n\u{e9}w", "1\n2\n");
    let to = workspace.tree().expect("a tree");
    let role = |path: &str| match path {
        "image" => FileRole::Inert,
        _ => FileRole::Code,
    };
    let changes = workspace.changes(&from, &to, &role).expect("changes");
    let seen: Vec<_> = changes
        .iter()
        .map(|change| (&*change.path, change.kind, change.added, change.removed))
        .collect();
    let expected = [
        ("gone", ChangeKind::Deleted, 0, 2),
        ("image", ChangeKind::Modified, 0, 0),
        ("mode", ChangeKind::Modified, 0, 0),
        ("new dir/n\u{e9}w", ChangeKind::Added, 2, 0),
        ("ten", ChangeKind::Modified, 4, 4),
        ("type", ChangeKind::Modified, 1, 1),
    ];
    assert_eq!(seen, expected);
    assert_eq!(changes[1].role, FileRole::Inert);
    let hunks = |index: usize| -> Vec<_> {
        changes[index].hunks.iter().map(|LineRange { start, count }| (*start, *count)).collect()
    };
    assert_eq!(hunks(0), []);
    assert_eq!(hunks(3), [(1, 2)]);
    assert_eq!(hunks(4), [(2, 1), (4, 0), (8, 3)]);
    assert_eq!(hunks(5), [(1, 1)]);
    assert_eq!(workspace.changes(&to, &to, &role).expect("none"), []);
}

#[test]
fn attributes_do_not_hide_changed_lines() {
    for place in [".gitattributes", ".git/info/attributes"] {
        let repo = Repo::new();
        let workspace = repo.open();
        repo.write(place, "* -diff -text binary\n");
        let from = workspace.tree().expect("a tree");
        repo.write("src/lib.rs", "pub fn one() -> u32 {\n    2\n}\n");
        let to = workspace.tree().expect("a tree");
        let changes = workspace.changes(&from, &to, &code).expect("changes");
        assert_eq!((changes[0].added, changes[0].removed), (1, 1), "{place}");
        let diff = workspace.diff(&from, &to, 10_000).expect("a diff");
        assert!(diff.contains("-    1\n+    2\n"), "{diff}");
    }
}

#[test]
fn a_diff_is_bounded() {
    let repo = Repo::new();
    let workspace = repo.open();
    let from = workspace.tree().expect("a tree");
    repo.write("big", "line\n".repeat(10_000));
    repo.write("latin", b"gr\xfcn\n");
    let to = workspace.tree().expect("a tree");
    let diff = workspace.diff(&from, &to, 1_000).expect("a diff");
    assert!(diff.len() <= 1_000 && diff.starts_with("diff --git a/big b/big\n"));
    assert!(diff.ends_with("bytes of this diff are not shown]\n"));
    let diff = workspace.diff(&from, &to, 1_000_000).expect("a diff");
    assert!(diff.contains("+gr\u{fffd}n\n"));
}

const HOLDER: &str = "REDGREEN_TEST_HOLD_LOCK_OF";

/// Not a test of its own: what [`the_lock_names_its_holder_and_goes_with_it`] starts and kills.
#[test]
fn hold_the_lock_if_asked_to() {
    let Some(folder) = std::env::var_os(HOLDER) else { return };
    let workspace = Workspace::discover(&PathBuf::from(&folder)).expect("a workspace");
    let _lock = workspace.lock("redgreen run, session s-7, since 12:00").expect("locked");
    println!("locked");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).expect("waits until it is killed");
}

#[test]
fn the_lock_names_its_holder_and_goes_with_it() {
    use std::io::{BufRead, BufReader};
    let repo = Repo::new();
    let mut holder = Command::new(std::env::current_exe().expect("a path"))
        .args(["snapshots::hold_the_lock_if_asked_to", "--exact", "--nocapture"])
        .env(HOLDER, repo.root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let output = BufReader::new(holder.stdout.take().expect("a pipe"));
    let mut lines = output.lines().map_while(Result::ok);
    assert!(lines.any(|line| line.ends_with("locked")));

    let workspace = repo.open();
    let refused = || workspace.lock("redgreen gate").expect_err("refused").to_string();
    let expected = format!("process {}: redgreen run, session s-7, since 12:00", holder.id());
    assert!(refused().contains(&expected), "{}", refused());
    repo.git(&["clean", "--quiet", "-dfx"]);
    assert!(refused().contains(&expected), "after git clean: {}", refused());
    workspace.tree().expect("a tree needs no lock");

    holder.kill().expect("killed");
    holder.wait().expect("reaped");
    let lock = workspace.lock("redgreen gate").expect("free after kill -9");
    let again = workspace.lock("redgreen test").expect_err("also within a process");
    assert!(again.to_string().contains("redgreen gate"), "{again}");
    drop(lock);
    workspace.lock("redgreen test").expect("free");
}
