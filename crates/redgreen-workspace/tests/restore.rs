//! Putting trees back.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::common::Repo;
use redgreen_model::tree::TreeHash;
use redgreen_workspace::WorkspaceError;

#[test]
fn files_modes_links_and_folders_come_back_and_what_was_there_is_kept() {
    let repo = Repo::new();
    repo.write("tool.sh", "#!/bin/sh\n");
    repo.chmod("tool.sh", 0o755);
    repo.link("src/lib.rs", "link");
    repo.write("a/b/c/deep", "deep");
    repo.write("swap", "a file");
    repo.write("folder/inside", "a file in a folder");
    let workspace = repo.open();
    let (tree, content) = (workspace.tree().expect("a tree"), repo.content());

    repo.chmod("tool.sh", 0o644);
    repo.remove("link");
    repo.write("link", "a file now");
    repo.remove("a");
    repo.remove("swap");
    repo.write("swap/is/a/folder", "now");
    repo.remove("folder");
    repo.link("src", "folder");
    repo.write("new/file", "new");
    repo.write("README.md", "edited");
    let changed = repo.content();
    let restored = workspace.restore(&tree, "s/before").expect("restored");
    assert_eq!(repo.content(), content);
    assert!(!repo.path("new").exists(), "an emptied folder is gone");
    assert_eq!(restored.saved_ref, "refs/redgreen/s/before");
    assert_eq!(restored.changed_paths, 9);
    assert_eq!(workspace.saved("s/before").expect("kept"), Some(restored.was.clone()));

    workspace.restore(&restored.was, "s/again").expect("restored");
    assert_eq!(repo.content(), changed);
}

#[test]
fn restoring_what_is_there_changes_nothing() {
    let repo = Repo::new();
    let workspace = repo.open();
    let tree = workspace.tree().expect("a tree");
    let restored = workspace.restore(&tree, "s/before").expect("restored");
    assert_eq!(restored.changed_paths, 0);
    assert_eq!(restored.was, tree);
}

#[test]
fn what_an_earlier_restore_kept_is_not_replaced() {
    let repo = Repo::new();
    let workspace = repo.open();
    let tree = workspace.tree().expect("a tree");
    let mut kept = Vec::new();
    for text in ["first", "second", "third"] {
        repo.write("README.md", text);
        kept.push(workspace.restore(&tree, "s/before").expect("restored"));
    }
    let refs: Vec<_> = kept.iter().map(|restored| restored.saved_ref.as_str()).collect();
    let expected =
        ["s/before", "s/before-2", "s/before-3"].map(|name| format!("refs/redgreen/{name}"));
    assert_eq!(refs, expected);
    assert_eq!(workspace.saved("s/before").expect("kept"), Some(kept[0].was.clone()));
}

#[test]
fn an_ignored_file_in_the_way_is_kept_before_it_is_replaced() {
    let repo = Repo::new();
    let workspace = repo.open();
    repo.write("notes.txt", "of the target");
    repo.write("x/y", "of the target");
    let tree = workspace.tree().expect("a tree");
    repo.remove("notes.txt");
    repo.remove("x");
    repo.write(".gitignore", "notes.txt\nx\n");
    repo.write("notes.txt", "precious, and ignored");
    repo.write("x", "precious, too");
    let restored = workspace.restore(&tree, "s/before").expect("restored");
    assert_eq!(repo.read("notes.txt"), "of the target");
    assert_eq!(repo.read("x/y"), "of the target");
    let show = |path: &str| repo.git(&["show", &format!("{}:{path}", restored.saved_ref)]);
    assert_eq!(show("notes.txt"), "precious, and ignored");
    assert_eq!(show("x"), "precious, too");
}

#[test]
fn a_folder_of_ignored_files_in_the_way_is_refused_and_nothing_is_changed() {
    let repo = Repo::new();
    let workspace = repo.open();
    repo.write("out", "a file in the target");
    let tree = workspace.tree().expect("a tree");
    repo.remove("out");
    repo.write("out/kept", "of the tree");
    repo.write("out/deep/precious.o", "ignored");
    repo.write("README.md", "edited");
    let content = repo.content();
    let error = workspace.restore(&tree, "s/before").expect_err("refused");
    assert!(matches!(error, WorkspaceError::InTheWay { .. }));
    assert!(error.to_string().contains("out/deep/precious.o"), "{error}");
    assert_eq!(repo.content(), content);
}

#[test]
fn ignored_files_stay_also_in_folders_that_go() {
    let repo = Repo::new();
    let workspace = repo.open();
    let tree = workspace.tree().expect("a tree");
    repo.write("new/file", "new");
    repo.write("new/object.o", "ignored");
    repo.write("build/out", "ignored");
    workspace.restore(&tree, "s/before").expect("restored");
    assert!(!repo.path("new/file").exists());
    assert_eq!(repo.read("new/object.o"), "ignored");
    assert_eq!(repo.read("build/out"), "ignored");
}

#[test]
fn a_target_that_ignore_rules_hide_is_said() {
    let repo = Repo::new();
    let workspace = repo.open();
    repo.write("hidden.txt", "of the target");
    let tree = workspace.tree().expect("a tree");
    repo.write(".git/info/exclude", "hidden.txt\n");
    repo.remove("hidden.txt");
    let error = workspace.restore(&tree, "s/before").expect_err("incomplete");
    assert!(matches!(error, WorkspaceError::RestoreIncomplete { .. }), "{error}");
    assert!(error.to_string().contains("hidden.txt"), "{error}");
    assert!(error.to_string().contains("refs/redgreen/s/before"), "{error}");
}

#[test]
fn an_unknown_target_is_refused() {
    let repo = Repo::new();
    let error = repo.open().restore(&TreeHash("1".repeat(40)), "s").expect_err("unknown");
    assert!(matches!(error, WorkspaceError::UnknownTree { .. }));
}

#[test]
fn the_way_through_a_symbolic_link_is_not_taken() {
    let repo = Repo::new();
    let workspace = repo.open();
    repo.write("data/file", "inside");
    let tree = workspace.tree().expect("a tree");
    let outside = repo.top().join("outside");
    fs::create_dir_all(&outside).expect("a folder");
    fs::write(outside.join("file"), "outside").expect("written");
    repo.remove("data");
    repo.link("../outside", "data");
    workspace.restore(&tree, "s/before").expect("restored");
    assert_eq!(repo.read("data/file"), "inside");
    assert_eq!(fs::read_to_string(outside.join("file")).expect("a file"), "outside");
}

/// A small generator: the same numbers on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).expect("small")
    }
}

const NAMES: [&[u8]; 8] = [b"a", b"b c", b"d", b"-e", b":f", b"g\nh", b"\xff", b"keep.o"];

fn random_path(numbers: &mut Numbers) -> OsString {
    let depth = 1 + numbers.below(3);
    let parts: Vec<&[u8]> = (0..depth).map(|_| NAMES[numbers.below(NAMES.len())]).collect();
    OsStr::from_bytes(&parts.join(&b'/')).to_owned()
}

/// Makes room for a file at a path, unless an ignored one would have to go.
fn make_room(repo: &Repo, path: &OsStr) -> bool {
    let full = repo.path(path);
    let blocked = |place: &Path| {
        crate::common::content_of(place).keys().any(|file| file.to_string_lossy().ends_with(".o"))
    };
    if full.is_dir() && !full.is_symlink() {
        if blocked(&full) {
            return false;
        }
        fs::remove_dir_all(&full).expect("removed");
    }
    let relative = Path::new(path);
    for parent in relative.ancestors().skip(1) {
        let place = repo.path(parent);
        if fs::symlink_metadata(&place).is_ok_and(|found| !found.is_dir()) {
            if parent.to_string_lossy().ends_with(".o") {
                return false;
            }
            fs::remove_file(place).expect("removed");
        }
    }
    if fs::symlink_metadata(&full).is_ok() {
        fs::remove_file(&full).expect("removed");
    }
    true
}

fn random_edit(repo: &Repo, numbers: &mut Numbers) {
    let path = random_path(numbers);
    // Ignored files are made once and must never change again.
    let ignored = path.as_bytes().ends_with(b".o");
    if ignored && fs::symlink_metadata(repo.path(&path)).is_ok() {
        return;
    }
    if !make_room(repo, &path) {
        return;
    }
    match numbers.below(if ignored { 1 } else { 5 }) {
        0 | 1 => repo.write(&path, format!("content {}\n", numbers.below(5))),
        2 => repo.link(["a", "/tmp", "nowhere"][numbers.below(3)], &path),
        3 => {
            repo.write(&path, "executable");
            repo.chmod(&path, 0o755);
        }
        _ => {}
    }
}

type Content = BTreeMap<PathBuf, (char, Vec<u8>)>;

/// The ignored files, and all others. Below a folder called `keep.o` everything is ignored.
fn parted(content: Content) -> (Content, Content) {
    content.into_iter().partition(|(path, _)| path.to_string_lossy().contains(".o"))
}

#[test]
fn random_edits_are_undone_byte_for_byte() {
    for seed in 1..=12_u64 {
        let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let repo = Repo::new();
        let workspace = repo.open();
        let mut known: Vec<(TreeHash, Content)> = Vec::new();
        for round in 0..8 {
            let edits = 1 + numbers.below(12);
            for _ in 0..edits {
                random_edit(&repo, &mut numbers);
            }
            if numbers.below(3) == 0 {
                repo.git(&["add", "--all"]);
            }
            let tree = workspace.tree().expect("a tree");
            let (ignored, content) = parted(repo.content());
            let same = known.iter().filter(|(_, seen)| *seen == content);
            assert!(same.into_iter().all(|(seen, _)| *seen == tree), "seed {seed}, {round}");
            known.push((tree, content));

            let users = repo.users_state();
            let (target, expected) = &known[numbers.below(known.len())];
            let name = format!("seed-{seed}/round-{round}");
            match workspace.restore(target, &name) {
                Ok(_) => {
                    let now = parted(repo.content());
                    assert_eq!(now, (ignored, expected.clone()), "seed {seed}, round {round}");
                }
                Err(WorkspaceError::InTheWay { .. }) => {
                    let kept = &known[known.len() - 1].1;
                    assert_eq!(parted(repo.content()), (ignored, kept.clone()));
                }
                Err(error) => panic!("seed {seed}, round {round}: {error}"),
            }
            assert_eq!(repo.users_state(), users, "seed {seed}, round {round}");
        }
    }
}

/// Whatever is done to a work tree, its hash is the one that reading everything anew finds.
#[test]
fn an_index_that_is_amended_says_what_a_new_one_says() {
    for seed in 1..=6_u64 {
        let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let repo = Repo::new();
        // Names that sort between a folder and what is in it.
        for path in ["a/b c/d", "a.x", "a/b c.x", "a/b c-x/y"] {
            repo.write(path, "x");
        }
        repo.commit("more");
        let outside = repo.top().join("outside");
        let amending = repo.open().keeping_index_at(outside.join("amended"));
        amending.tree().expect("a tree");
        let whole = || fs::read(outside.join("amended/index")).expect("an index");
        let (mut last, mut amended) = (whole(), 0);
        for round in 0..10 {
            for _ in 0..=numbers.below(3) {
                random_edit(&repo, &mut numbers);
            }
            let tree = amending.tree().expect("a tree");
            let before = std::mem::replace(&mut last, whole());
            amended += usize::from(last == before);
            let anew = repo.open().keeping_index_at(outside.join(round.to_string()));
            assert_eq!(tree, anew.tree().expect("a tree"), "seed {seed}, round {round}");
            // Git has all that it names.
            repo.git(&["rev-list", "--objects", "--missing=error", &tree.0]);
            let listed = repo.git(&["ls-tree", "-r", "-z", "--name-only", &tree.0]);
            let paths = amending.paths(&tree).expect("listed");
            assert_eq!(paths.len(), listed.matches('\0').count(), "seed {seed}, round {round}");
        }
        assert!(amended > 5, "git has written an index of all files {} times", 10 - amended);
    }
}
