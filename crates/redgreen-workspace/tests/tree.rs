//! What the tree hash sees.

use std::ffi::OsStr;
use std::fs::{self, File, FileTimes};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::common::Repo;
use redgreen_model::tree::TreeHash;
use redgreen_workspace::{Workspace, WorkspaceError};

const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

#[test]
fn a_clean_checkout_is_the_tree_of_its_commit() {
    let repo = Repo::new();
    assert_eq!(repo.tree(), repo.head());
    assert_eq!(repo.tree(), repo.head(), "a second time, from redgreen's index");
}

#[test]
fn edits_new_files_deletions_and_modes_count_and_ignored_files_do_not() {
    let repo = Repo::new();
    let clean = repo.tree();
    let mut seen = vec![clean.clone()];
    let mut is_new = |what: &str| {
        let tree = repo.tree();
        assert!(!seen.contains(&tree), "{what}");
        seen.push(tree);
    };
    repo.write("src/lib.rs", "pub fn one() -> u32 {\n    2\n}\n");
    is_new("an edit");
    repo.write("new.txt", "new\n");
    is_new("a new file");
    repo.chmod("new.txt", 0o755);
    is_new("a mode");
    repo.remove("README.md");
    is_new("a deletion");
    repo.link("new.txt", "README.md");
    is_new("a link");
    repo.remove("README.md");
    repo.write("README.md/now a folder", "x");
    is_new("a folder in a file's place");
    let before = repo.tree();
    repo.write("x.o", "object");
    repo.write("build/out", "output");
    assert_eq!(repo.tree(), before, "ignored files");
    repo.git(&["checkout", "--quiet", "--force", "HEAD", "--", "src"]);
    repo.remove("README.md");
    repo.remove("new.txt");
    repo.git(&["checkout", "--quiet", "--force", "HEAD", "--", "."]);
    assert_eq!(repo.tree(), clean, "the way it was");
}

#[test]
fn the_users_index_and_refs_stay_byte_for_byte() {
    let repo = Repo::new();
    repo.write("staged.txt", "staged");
    repo.git(&["add", "staged.txt"]);
    repo.write("staged.txt", "and edited");
    repo.write("untracked.txt", "untracked");
    let before = repo.users_state();
    let workspace = repo.open();
    let tree = workspace.tree().expect("a tree");
    workspace.snapshot(&tree, "s/attempt-1", "a snapshot").expect("kept");
    repo.write("src/lib.rs", "");
    workspace.tree().expect("a tree");
    workspace.restore(&tree, "s/before").expect("restored");
    assert_eq!(repo.users_state(), before);
}

#[test]
fn a_repository_without_a_commit_or_a_file_has_a_tree() {
    let repo = Repo::empty();
    assert_eq!(repo.tree().0, EMPTY_TREE);
    assert_eq!(repo.tree().0, EMPTY_TREE);
    repo.write("a", "a");
    let tree = repo.tree();
    repo.commit("first");
    assert_eq!(tree, repo.head());
}

#[test]
fn redgreens_own_folders_never_count_even_if_tracked() {
    let repo = Repo::new();
    let tree = repo.tree();
    repo.write(".redgreen/tracked", "state");
    repo.write(".aiwg/ralph/debug-memory/sessions/a.json", "{}");
    assert_eq!(repo.tree(), tree);
    repo.git(&["add", "--force", ".redgreen/tracked", ".aiwg"]);
    repo.git(&["commit", "--quiet", "--message", "state"]);
    assert_eq!(repo.tree(), tree);
    assert_ne!(repo.head(), tree);
    assert_eq!(repo.open().tree_of("HEAD").expect("a tree"), Some(tree.clone()));
    repo.write(".aiwg/ralph/other", "counts");
    assert_ne!(repo.tree(), tree);
}

#[test]
fn the_debug_memory_never_counts_wherever_it_is() {
    let repo = Repo::new();
    let tree = repo.tree();
    let open = || repo.open().remembering_at("./notes/memory [1]/");
    repo.write("notes/memory [1]/sessions/a.json", "{}");
    assert_eq!(open().tree().expect("a tree"), tree);
    repo.git(&["add", "--force", "notes"]);
    repo.git(&["commit", "--quiet", "--message", "memory"]);
    assert_eq!(open().tree().expect("a tree"), tree);
    assert_eq!(open().tree_of("HEAD").expect("a tree"), Some(tree.clone()));
    assert_ne!(repo.tree(), tree, "for who does not know of it");
    repo.write("notes/memory", "counts");
    assert_ne!(open().tree().expect("a tree"), tree);
}

#[test]
fn starting_in_a_folder_of_the_work_tree_finds_its_top() {
    let repo = Repo::new();
    let workspace = repo.open_at(&repo.path("src"));
    let root = repo.root().canonicalize().expect("a path");
    assert_eq!(workspace.root(), root);
    assert_eq!(workspace.tree().expect("a tree"), repo.head());
    assert_eq!(workspace.state_dir().expect("a folder"), root.join(".redgreen"));
    assert_eq!(repo.git(&["status", "--porcelain"]), "", ".redgreen ignores itself");
}

#[test]
fn outside_of_a_repository_the_error_says_what_to_do() {
    let repo = Repo::bare_folder();
    let fails = |folder: &Path| {
        let mut environment = repo.environment();
        environment.push(("GIT_CEILING_DIRECTORIES".into(), Some(repo.top().into())));
        Workspace::discover_with(folder, &environment).expect_err("no workspace")
    };
    let error = fails(&repo.root());
    assert!(matches!(error, WorkspaceError::NotARepository { .. }));
    assert!(error.to_string().contains("run `git init`"), "{error}");
    repo.git(&["init", "--quiet", "--bare", "bare.git"]);
    let error = fails(&repo.path("bare.git"));
    assert!(matches!(error, WorkspaceError::BareRepository { .. }), "{error}");
    assert!(matches!(fails(&repo.path("nowhere")), WorkspaceError::Io { .. }));
    let path = vec![("PATH".into(), Some("/nonexistent".into()))];
    let error = Workspace::discover_with(&repo.root(), &path).expect_err("no git");
    assert!(matches!(error, WorkspaceError::GitMissing), "{error}");
}

#[test]
fn a_planted_state_folder_is_refused() {
    let repo = Repo::new();
    repo.link("/tmp", ".redgreen");
    let error = Workspace::discover_with(&repo.root(), &repo.environment()).expect_err("refused");
    assert!(matches!(error, WorkspaceError::StateFolder { .. }));
}

#[test]
fn strange_file_names_count_and_come_back() {
    let repo = Repo::new();
    let names: [&[u8]; 9] = [
        b"with space",
        b"new\nline",
        b"-dash",
        b":colon",
        b":(top)magic*",
        b"not utf-8 \xff\xfe",
        b"quo\"te\\",
        b"git~1",
        b"tab\tand\x01",
    ];
    let mut trees = vec![repo.tree()];
    for name in names {
        repo.write(OsStr::from_bytes(name), name);
        let tree = repo.tree();
        assert!(!trees.contains(&tree), "{name:?}");
        trees.push(tree);
    }
    let workspace = repo.open();
    let (full, content) = (workspace.tree().expect("a tree"), repo.content());
    for name in names {
        repo.remove(OsStr::from_bytes(name));
    }
    assert_eq!(repo.tree(), trees[0]);
    workspace.restore(&full, "names").expect("restored");
    assert_eq!(repo.content(), content);
}

/// The stat data of a file as a tool that keeps time stamps would leave it.
fn write_with_time(path: &Path, content: &str, time: SystemTime) {
    fs::write(path, content).expect("a file");
    let file = File::options().write(true).open(path).expect("a file");
    file.set_times(FileTimes::new().set_modified(time)).expect("a time");
}

#[test]
fn an_edit_right_after_hashing_with_the_same_size_is_seen() {
    let repo = Repo::new();
    let workspace = repo.open();
    let mut last = TreeHash(String::new());
    for round in 0..200 {
        repo.write("src/lib.rs", format!("{round:04}"));
        let tree = workspace.tree().expect("a tree");
        assert_ne!(tree, last, "round {round}");
        last = tree;
    }
}

#[test]
fn an_edit_that_keeps_size_and_time_stamp_is_seen() {
    let repo = Repo::new();
    let workspace = repo.open();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(500_000_000);
    let mut last = TreeHash(String::new());
    for round in 0..200 {
        write_with_time(&repo.path("src/lib.rs"), &format!("{round:04}"), long_ago);
        let tree = workspace.tree().expect("a tree");
        assert_ne!(tree, last, "round {round}");
        last = tree;
    }
}

#[test]
fn an_edit_right_after_git_add_is_seen_in_the_index_that_was_taken_over() {
    for round in 0..20 {
        let repo = Repo::empty();
        repo.write("file", "one");
        repo.git(&["add", "file"]);
        let staged = TreeHash(repo.git(&["write-tree"]));
        repo.write("file", "two");
        assert_ne!(repo.tree(), staged, "round {round}");
    }
}

#[test]
fn flags_in_the_users_index_hide_nothing() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        for seeded_before in [true, false] {
            let repo = Repo::new();
            if seeded_before {
                repo.tree();
            }
            repo.git(&["update-index", flag, "src/lib.rs", "README.md"]);
            repo.write("src/lib.rs", "hidden from git status");
            repo.remove("README.md");
            assert_eq!(repo.git(&["status", "--porcelain"]), "", "git itself is blind");
            let changes = {
                let workspace = repo.open();
                let tree = workspace.tree().expect("a tree");
                workspace.changes(&repo.head(), &tree, &crate::common::code).expect("changes")
            };
            let paths: Vec<_> = changes.iter().map(|change| change.path.as_str()).collect();
            assert_eq!(*paths, ["README.md", "src/lib.rs"], "{flag}, {seeded_before}");
        }
    }
}

#[test]
fn flags_in_redgreens_own_index_hide_nothing() {
    let repo = Repo::new();
    repo.tree();
    let index = repo.path(".redgreen/index");
    let environment = format!("GIT_INDEX_FILE={}", index.display());
    let set = std::process::Command::new("env")
        .args([&environment, "git", "update-index", "--assume-unchanged", "src/lib.rs"])
        .current_dir(repo.root())
        .status();
    assert!(set.expect("git runs").success());
    repo.write("src/lib.rs", "hidden");
    assert_ne!(repo.tree(), repo.head());
}

#[test]
fn settings_of_the_repository_hide_nothing() {
    let repo = Repo::new();
    let settings = [
        ("core.fileMode", "false"),
        ("core.symlinks", "false"),
        ("core.ignoreStat", "true"),
        ("core.trustctime", "false"),
        ("core.checkStat", "minimal"),
        ("core.ignoreCase", "true"),
        ("core.untrackedCache", "true"),
        ("core.fsmonitor", "/bin/true"),
        ("core.worktree", "/tmp"),
        ("core.bare", "true"),
        ("core.safecrlf", "true"),
        ("submodule.recurse", "true"),
    ];
    let workspace = repo.open();
    let clean = workspace.tree().expect("a tree");
    for (name, value) in settings {
        repo.git(&["config", "--file", ".git/config", name, value]);
    }
    assert_eq!(workspace.tree().expect("a tree"), clean);
    repo.chmod("README.md", 0o755);
    let executable = workspace.tree().expect("a tree");
    assert_ne!(executable, clean);
    repo.write("readme.MD", "another file");
    assert_ne!(workspace.tree().expect("a tree"), executable);
}

#[test]
fn no_hook_of_the_repository_runs() {
    let repo = Repo::new();
    for hook in ["post-index-change", "reference-transaction", "post-checkout", "pre-commit"] {
        repo.write(format!(".git/hooks/{hook}"), "#!/bin/sh\ntouch \"$HOME/hooked\"\n");
        repo.chmod(format!(".git/hooks/{hook}"), 0o755);
    }
    repo.write("new", "new");
    let workspace = repo.open();
    let tree = workspace.tree().expect("a tree");
    workspace.snapshot(&tree, "kept", "kept").expect("kept");
    repo.remove("new");
    workspace.restore(&tree, "before").expect("restored");
    assert!(!repo.home().join("hooked").exists());
}

#[test]
fn a_path_through_a_symbolic_link_is_not_the_file_that_was_hashed() {
    let repo = Repo::new();
    repo.write(".gitignore", "/src\n");
    repo.commit("an ignored name, a tracked file");
    let before = repo.tree();
    fs::rename(repo.path("src"), repo.top().join("elsewhere")).expect("moved");
    repo.link("../elsewhere", "src");
    let tree = repo.tree();
    assert_ne!(tree, before);
    let paths = repo.open().paths(&tree).expect("paths");
    assert_eq!(*paths, [".gitignore", "README.md"]);
}

#[test]
fn a_tracked_file_stays_when_it_is_ignored_and_an_untracked_one_goes() {
    let repo = Repo::new();
    let workspace = repo.open();
    repo.write("untracked.txt", "u");
    let paths = || workspace.paths(&workspace.tree().expect("a tree")).expect("paths");
    assert_eq!(*paths(), [".gitignore", "README.md", "src/lib.rs", "untracked.txt"]);
    repo.write(".git/info/exclude", "untracked.txt\nREADME.md\n");
    assert_eq!(*paths(), [".gitignore", "README.md", "src/lib.rs"]);
    repo.write("forced.o", "object");
    assert_eq!(*paths(), [".gitignore", "README.md", "src/lib.rs"]);
    repo.git(&["add", "--force", "forced.o"]);
    assert_eq!(*paths(), [".gitignore", "README.md", "forced.o", "src/lib.rs"]);
    repo.remove(".redgreen");
    assert_eq!(*paths(), [".gitignore", "README.md", "forced.o", "src/lib.rs"], "anew");
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let repo = Repo::new();
    let locked = |path: &str| {
        repo.chmod(path, 0o000);
        let readable = fs::read_dir(repo.path(path)).is_ok() || fs::read(repo.path(path)).is_ok();
        let outcome = repo.open().tree();
        repo.chmod(path, 0o755);
        // Nothing is closed to the superuser.
        if !readable {
            let error = outcome.expect_err("unreadable");
            assert!(error.to_string().contains(&format!("cannot read {path}")), "{error}");
            assert!(matches!(error, WorkspaceError::Unreadable { .. }));
        }
    };
    repo.write("closed.txt", "secret");
    locked("closed.txt");
    locked("README.md");
    repo.write("closed/file", "secret");
    locked("closed");
    locked("src");
}

#[test]
fn the_files_of_a_tree_are_the_same_by_what_differs_from_another() {
    let repo = Repo::new();
    for path in ["a", "a.c", "b/c", "d/e", "d/f"] {
        repo.write(path, path);
    }
    let workspace = repo.open();
    workspace.paths(&repo.tree()).expect("listed");
    for path in ["a", "b", "d/f"] {
        repo.remove(path);
    }
    for path in ["a/x", "a-b", "b", "z"] {
        repo.write(path, "new");
    }
    let tree = repo.tree();
    let listed = repo.git(&["ls-tree", "-r", "--name-only", &tree.0]);
    assert_eq!(*workspace.paths(&tree).expect("listed"), listed.lines().collect::<Vec<_>>());
}

/// What is kept where nobody else writes is believed; what lies in the work tree is not, nor is git's own index.
#[test]
fn an_index_that_is_kept_outside_is_believed_and_no_other() {
    let repo = Repo::new();
    let outside = repo.top().join("outside");
    let open = || repo.open().keeping_index_at(outside.clone());
    let anew = || open().tree_anew().expect("a tree");
    assert_eq!(anew(), repo.head());
    let read_again = || {
        // Git would say so: an object that is needed again is written again.
        let blob = repo.git(&["rev-parse", "HEAD:README.md"]);
        let (folder, name) = blob.trim().split_at(2);
        let object = repo.path(".git/objects").join(folder).join(name);
        fs::remove_file(&object).expect("an object");
        let tree = open().tree_anew().expect("a tree");
        assert_eq!(tree, repo.head());
        let was_read = object.exists();
        repo.git(&["hash-object", "-w", "README.md"]);
        was_read
    };
    // Files that are as young as the look are read again, until they are not.
    assert!((0..100).any(|_| !read_again()), "every file is read each time");
    fs::remove_dir_all(&outside).expect("removed");
    assert!(read_again(), "not by git's own index");
}

/// Git is not asked for new files where no folder has changed; and there is no way to make one that is not seen.
#[test]
fn new_files_are_seen_wherever_they_are_made() {
    let repo = Repo::new();
    repo.write("src/deep/er/x.rs", "x");
    repo.write(".gitignore", "*.o\nbuild/\n");
    fs::create_dir_all(repo.path("empty/in/empty")).expect("a folder");
    fs::create_dir_all(repo.path("build")).expect("a folder");
    repo.write("cache/.gitignore", "*\n!kept\n");
    repo.write("objects/a.o", "only what is ignored");
    repo.commit("more");
    let outside = repo.top().join("outside");
    let tree = || repo.open().keeping_index_at(outside.clone()).tree().expect("a tree");
    // Asks until nothing is young any more, and what was kept is of no use without git.
    let settle = || {
        let now = tree();
        let is_kept = (0..100).any(|_| {
            let _ = fs::remove_file(outside.join("walked"));
            tree();
            tree() == now && outside.join("walked").exists()
        });
        assert!(is_kept, "every look is a new one");
        now
    };
    let mut before = settle();
    for path in
        ["new", "src/new", "src/deep/er/new", "empty/in/empty/new", "objects/new", "cache/kept"]
    {
        repo.write(path, "new");
        let now = tree();
        assert_ne!(now, before, "{path}");
        assert_eq!(repo.tree(), now, "{path}: as by the index in the work tree");
        before = settle();
    }
    repo.write("build/out", "ignored");
    repo.write("cache/other", "ignored");
    assert_eq!(tree(), before);
    // What git ignores is said elsewhere, too.
    repo.write(".git/info/exclude", "new\n");
    let now = tree();
    assert_ne!(now, before, "new files are ignored");
    assert_eq!(repo.tree(), now);
    settle();
    repo.write(".git/info/exclude", "");
    assert_eq!(tree(), before, "and they are not any more");
    settle();
    repo.write(".gitignore", "");
    assert_eq!(tree(), repo.tree(), "by other rules");
}
