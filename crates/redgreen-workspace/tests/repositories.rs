//! Repositories that are not plain ones.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use crate::common::Repo;
use redgreen_workspace::{Diagnostic, Workspace};

#[test]
fn a_linked_worktree_has_its_own_tree_and_shares_snapshots() {
    let repo = Repo::new();
    let linked = repo.top().join("linked");
    repo.git(&["worktree", "add", "--quiet", "../linked", "-b", "other"]);
    let (main, other) = (repo.open(), repo.open_at(&linked));
    assert_eq!(other.tree().expect("a tree"), repo.head());
    fs::write(linked.join("new.txt"), "only there").expect("written");
    let tree = other.tree().expect("a tree");
    assert_eq!(main.tree().expect("a tree"), repo.head());
    other.snapshot(&tree, "linked/attempt-1", "there").expect("kept");
    assert_eq!(main.saved("linked/attempt-1").expect("a tree"), Some(tree.clone()));
    main.restore(&tree, "main/before").expect("restored");
    assert_eq!(repo.read("new.txt"), "only there");
    let _one = main.lock("one").expect("locked");
    let _two = other.lock("two").expect("each worktree has its own lock");
}

#[test]
fn a_conflict_in_the_users_index_is_no_obstacle() {
    let repo = Repo::new();
    repo.git(&["checkout", "--quiet", "-b", "theirs"]);
    repo.write("README.md", "theirs\n");
    repo.write("src/lib.rs", "theirs\n");
    repo.commit("theirs");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("README.md", "ours\n");
    repo.remove("src/lib.rs");
    repo.commit("ours");
    let merge = repo.try_git_at(&repo.root(), &["merge", "theirs"]);
    assert!(!merge.status.success(), "a conflict");
    let before = repo.users_state();
    let workspace = repo.open();
    let tree = workspace.tree().expect("a tree");
    assert_eq!(repo.users_state(), before);
    let shown = repo.git(&["cat-file", "-p", &format!("{tree}:README.md")]);
    assert!(shown.contains("<<<<<<<"), "what is in the work tree: {shown}");
    repo.remove("README.md");
    let without = workspace.tree().expect("a tree");
    assert!(!workspace.paths(&without).expect("paths").contains(&"README.md".to_owned()));
}

#[test]
fn a_damaged_index_of_ours_is_made_anew() {
    let repo = Repo::new();
    repo.write("untracked", "u");
    let tree = repo.tree();
    let path = repo.path(".redgreen/index");
    let whole = fs::read(&path).expect("an index");
    let mut flipped = whole.clone();
    // A byte of the first entry's object id: well-formed, and of an object that does not exist.
    flipped[12 + 40] ^= 0xff;
    let truncated = whole[..whole.len() / 2].to_vec();
    for damaged in [b"garbage".to_vec(), Vec::new(), truncated, flipped] {
        fs::write(&path, damaged).expect("written");
        repo.write("untracked", "changed, so that a tree must be written");
        assert_ne!(repo.tree(), tree);
        repo.write("untracked", "u");
        assert_eq!(repo.tree(), tree);
    }
}

#[test]
fn what_a_killed_call_left_behind_is_no_obstacle() {
    let repo = Repo::new();
    let tree = repo.tree();
    repo.write(".redgreen/index.lock", "");
    repo.write(".redgreen/work-1-0/index.lock", "");
    repo.write(".git/index.lock", "the user's own git is at work");
    repo.write("new", "new");
    assert_ne!(repo.tree(), tree);
}

#[test]
fn objects_that_gc_removed_are_written_again() {
    let repo = Repo::new();
    repo.write("untracked", "u");
    let workspace = repo.open();
    let tree = workspace.tree().expect("a tree");
    repo.git(&["gc", "--quiet", "--prune=now"]);
    assert!(!repo.try_git_at(&repo.root(), &["cat-file", "-e", &tree.0]).status.success());
    assert_eq!(workspace.tree().expect("a tree"), tree);
    workspace.snapshot(&tree, "kept", "kept").expect("kept");
    repo.git(&["fsck", "--connectivity-only"]);
}

#[test]
fn objects_that_gc_removed_are_written_again_where_only_what_differs_is_hashed() {
    let repo = Repo::new();
    let outside = repo.top().join("outside");
    let workspace = repo.open().keeping_index_at(outside);
    repo.write("src/deep/er.rs", "one");
    workspace.tree().expect("a tree");
    repo.write("src/deep/er.rs", "two");
    workspace.tree().expect("a tree");
    repo.git(&["gc", "--quiet", "--prune=now"]);
    // In another folder: the tree of the first one is known, and gone.
    repo.write("other/x.rs", "three");
    let tree = workspace.tree().expect("a tree");
    assert_eq!(tree, repo.tree());
    repo.git(&["rev-list", "--objects", "--missing=error", &tree.0]);
}

#[test]
fn deleting_the_state_folder_at_any_time_is_no_obstacle() {
    let repo = Repo::new();
    let workspace = repo.open();
    repo.write("untracked", "u");
    let tree = workspace.tree().expect("a tree");
    repo.git(&["clean", "--quiet", "-dfx", "--exclude=untracked"]);
    assert!(!repo.path(".redgreen").exists());
    assert_eq!(workspace.tree().expect("a tree"), tree);
    assert_eq!(repo.git(&["status", "--porcelain"]), "?? untracked");
}

#[test]
fn many_calls_at_once_agree() {
    let repo = Repo::new();
    repo.write("untracked", "u");
    let expected = repo.tree();
    for round in 0..5 {
        repo.remove(".redgreen");
        repo.open();
        let trees: Vec<_> = thread::scope(|scope| {
            let calls: Vec<_> = (0..8).map(|_| scope.spawn(|| repo.tree())).collect();
            calls.into_iter().map(|call| call.join().expect("a tree")).collect()
        });
        assert!(trees.iter().all(|tree| *tree == expected), "round {round}: {trees:?}");
    }
    let left = fs::read_dir(repo.path(".redgreen")).expect("a folder").flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    assert_eq!(left.len(), 2, "the index and .gitignore: {left:?}");
}

#[test]
fn a_split_or_sparse_or_version_4_index_is_read() {
    for setting in ["split", "version 4"] {
        let repo = Repo::new();
        repo.write("src/other.rs", "other");
        repo.write("forced.o", "tracked, though ignored");
        repo.git(&["add", "--force", "--all", "."]);
        repo.git(&["commit", "--quiet", "--message", "more"]);
        match setting {
            "split" => repo.git(&["update-index", "--split-index"]),
            _ => repo.git(&["update-index", "--index-version", "4"]),
        };
        let before = repo.users_state();
        let clean = repo.open().tree_of("HEAD").expect("a tree").expect("a HEAD");
        assert_eq!(repo.tree(), clean, "{setting}");
        repo.write("src/lib.rs", "changed");
        assert_ne!(repo.tree(), clean, "{setting}");
        assert_eq!(repo.users_state(), before, "{setting}");
    }
}

#[test]
fn in_a_sparse_checkout_the_tree_is_what_is_there() {
    for sparse_index in ["--no-sparse-index", "--sparse-index"] {
        let repo = Repo::new();
        repo.write("docs/a", "a");
        repo.commit("docs");
        repo.git(&["sparse-checkout", "set", "--cone", sparse_index, "src"]);
        assert!(!repo.path("docs").exists());
        let workspace = repo.open();
        let tree = workspace.tree().expect("a tree");
        let paths = workspace.paths(&tree).expect("paths");
        assert_eq!(*paths, [".gitignore", "README.md", "src/lib.rs"], "{sparse_index}");
        repo.write("docs/b", "outside of the cone, but there");
        let more = workspace.tree().expect("a tree");
        assert_ne!(more, tree);
        repo.write("src/lib.rs", "");
        workspace.restore(&tree, "sparse/one").expect("restored");
        assert!(!repo.path("docs").exists());
        workspace.restore(&more, "sparse/two").expect("restored");
        assert_eq!(repo.read("docs/b"), "outside of the cone, but there");
    }
}

#[test]
fn line_endings_and_filters_are_gits() {
    let repo = Repo::new();
    repo.git(&["config", "core.autocrlf", "true"]);
    repo.git(&["config", "filter.upper.clean", "tr a-z A-Z"]);
    repo.git(&["config", "filter.upper.smudge", "tr A-Z a-z"]);
    repo.write(".gitattributes", "*.up filter=upper\n");
    repo.write("text.txt", "one\r\ntwo\r\n");
    repo.write("a.up", "filtered");
    repo.commit("filters");
    repo.git(&["config", "core.safecrlf", "true"]);
    let tree = repo.tree();
    assert_eq!(tree, repo.head());
    assert_eq!(repo.git(&["cat-file", "-p", &format!("{tree}:a.up")]), "FILTERED");
    let content = repo.content();
    repo.write("unix.txt", "git add would refuse this line ending\n");
    assert_ne!(repo.tree(), tree);
    repo.remove("unix.txt");
    repo.write("text.txt", "other\r\n");
    repo.write("a.up", "other");
    repo.open().restore(&tree, "filters").expect("restored");
    assert_eq!(repo.content(), content);
}

#[test]
fn sha256_repositories_work() {
    let repo = Repo::bare_folder();
    repo.git(&["init", "--quiet", "--object-format=sha256"]);
    repo.write("a", "a");
    repo.commit("first");
    let tree = repo.tree();
    assert_eq!(tree, repo.head());
    assert_eq!(tree.0.len(), 64);
    repo.write("a", "b");
    repo.open().restore(&tree, "before").expect("restored");
    assert_eq!(repo.read("a"), "a");
}

#[test]
fn a_nested_repository_hides_nothing() {
    let repo = Repo::new();
    let clean = repo.tree();
    for (name, commits) in [("with", true), ("without", false)] {
        let folder = repo.path(name);
        repo.write(format!("{name}/file"), "one");
        repo.write(format!("{name}/.gitignore"), "*.tmp");
        repo.write(format!("{name}/x.tmp"), "ignored");
        repo.write(format!("{name}/deeper/file"), "two");
        repo.git_at(&folder, &["init", "--quiet"]);
        repo.git_at(&folder.join("deeper"), &["init", "--quiet"]);
        if commits {
            repo.git_at(&folder, &["add", "file"]);
            repo.git_at(&folder, &["commit", "--quiet", "--message", "nested"]);
        }
        let workspace = repo.open();
        let (tree, notes) = workspace.tree_with_diagnostics().expect("a tree");
        assert!(notes.contains(&Diagnostic::NestedRepository { path: name.to_owned() }));
        let paths = workspace.paths(&tree).expect("paths");
        let inside: Vec<_> = paths.iter().filter(|path| path.starts_with(name)).collect();
        let expected = [".gitignore", "deeper/file", "file"].map(|path| format!("{name}/{path}"));
        assert_eq!(inside, expected.iter().collect::<Vec<_>>());
        repo.write(format!("{name}/file"), "changed");
        assert_ne!(workspace.tree().expect("a tree"), tree);
        repo.write(format!("{name}/new"), "new");
        workspace.restore(&tree, &format!("nested/{name}")).expect("restored");
        assert_eq!(repo.read(format!("{name}/file")), "one");
        assert!(!repo.path(format!("{name}/new")).exists());
        assert!(folder.join(".git/HEAD").exists(), "its own .git is left alone");
        repo.remove(name);
        assert_eq!(workspace.tree().expect("a tree"), clean);
    }
}

#[test]
fn global_ignore_rules_hold() {
    let repo = Repo::new();
    let rules = repo.top().join("ignore");
    fs::write(&rules, "*.swp\n").expect("written");
    let setting = format!("[core]\n\texcludesFile = {}\n", rules.display());
    fs::write(repo.top().join("gitconfig"), setting).expect("written");
    repo.write("a.swp", "swap");
    assert_eq!(repo.tree(), repo.head());
}

const HOOKED: &str = "REDGREEN_TEST_TREE_OF";

/// Not a test of its own: what [`the_variables_of_a_git_hook_do_not_mislead`] starts.
#[test]
fn print_the_tree_if_asked_to() {
    let Some(folder) = std::env::var_os(HOOKED) else { return };
    let workspace = Workspace::discover(Path::new(&folder)).expect("a workspace");
    println!("\ntree {}", workspace.tree().expect("a tree"));
}

#[test]
fn the_variables_of_a_git_hook_do_not_mislead() {
    let (repo, other) = (Repo::new(), Repo::new());
    other.write("other", "other");
    let git_dir = other.path(".git");
    let output = Command::new(std::env::current_exe().expect("a path"))
        .args(["repositories::print_the_tree_if_asked_to", "--exact", "--nocapture"])
        .env(HOOKED, repo.root())
        .env("GIT_DIR", &git_dir)
        .env("GIT_INDEX_FILE", git_dir.join("index"))
        .env("GIT_WORK_TREE", other.root())
        .env("GIT_OBJECT_DIRECTORY", git_dir.join("objects"))
        .env("GIT_PREFIX", "src/")
        .output()
        .expect("started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains(&format!("tree {}\n", repo.head())), "{text}");
    assert!(!other.path(".redgreen").exists());
}

#[test]
fn what_git_ignores_is_listed_with_its_rule() {
    let repo = Repo::new();
    repo.write(".gitignore", "# Built.\nout\n*.local.js\n");
    repo.write("out/a/b.js", "");
    repo.write("deep/a b.local.js", "");
    repo.write("seen.js", "");
    repo.write(".git/info/exclude", ":odd\n");
    repo.write(":odd", "");
    let ignored = repo.open().ignored().expect("looked");
    let mut rules: Vec<String> =
        ignored.iter().map(|it| format!("{} {} {}", it.path, it.source, it.pattern)).collect();
    rules.retain(|line| !line.starts_with(".redgreen"));
    rules.sort();
    let exclude = rules.remove(0);
    assert!(exclude.starts_with(":odd ") && exclude.ends_with("info/exclude :odd"), "{exclude}");
    assert_eq!(rules, ["deep/a b.local.js .gitignore *.local.js", "out/ .gitignore out"]);
}
