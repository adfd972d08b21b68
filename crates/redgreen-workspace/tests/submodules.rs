//! Submodules: their content counts, is kept, and comes back.

use std::fs;

use crate::common::{Repo, code};
use redgreen_workspace::Diagnostic;

/// A repository with the submodule `sub`, which has the submodule `inner`.
fn with_submodules() -> Repo {
    let repo = Repo::new();
    for (name, inner) in [("inner-origin", None), ("sub-origin", Some("inner-origin"))] {
        let folder = repo.top().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        repo.git_at(&folder, &["init", "--quiet", "--initial-branch=main"]);
        fs::write(folder.join("file"), format!("{name}\n")).expect("written");
        if let Some(inner) = inner {
            let url = repo.top().join(inner).display().to_string();
            repo.git_at(&folder, &["submodule", "--quiet", "add", &url, "inner"]);
        }
        repo.git_at(&folder, &["add", "--all"]);
        repo.git_at(&folder, &["commit", "--quiet", "--message", "first"]);
    }
    let url = repo.top().join("sub-origin").display().to_string();
    repo.git(&["submodule", "--quiet", "add", &url, "sub"]);
    repo.git(&["submodule", "--quiet", "update", "--init", "--recursive"]);
    repo.commit("with a submodule");
    repo
}

#[test]
fn a_clean_submodule_is_its_commit() {
    let repo = with_submodules();
    assert_eq!(repo.tree(), repo.head());
    assert_eq!(repo.tree(), repo.head());
}

#[test]
fn what_changes_in_a_submodule_changes_the_tree_and_comes_back() {
    let repo = with_submodules();
    let users = repo.users_state();
    let workspace = repo.open();
    let clean = workspace.tree().expect("a tree");
    repo.write("sub/file", "edited\n");
    let edited = workspace.tree().expect("a tree");
    assert_ne!(edited, clean);
    assert_eq!(workspace.tree().expect("a tree"), edited, "the same again");
    repo.write("sub/inner/new", "new\n");
    let deeper = workspace.tree().expect("a tree");
    assert_ne!(deeper, edited);
    let content = repo.content();
    workspace.snapshot(&deeper, "s/attempt-1", "dirty submodules").expect("kept");

    let restored = workspace.restore(&clean, "s/before").expect("restored");
    assert_eq!(restored.was, deeper);
    assert_eq!(repo.git(&["status", "--porcelain"]), "", "clean again");
    for folder in ["sub", "sub/inner"] {
        repo.git_at(&repo.path(folder), &["gc", "--quiet", "--prune=now"]);
    }
    workspace.restore(&deeper, "s/back").expect("restored");
    assert_eq!(repo.content(), content);
    assert_eq!(repo.users_state(), users);
}

#[test]
fn a_commit_in_a_submodule_does_not_keep_its_content_from_coming_back() {
    let repo = with_submodules();
    let workspace = repo.open();
    let clean = workspace.tree().expect("a tree");
    repo.write("sub/file", "edited\n");
    repo.git_at(&repo.path("sub"), &["commit", "--quiet", "--all", "--message", "edit"]);
    let committed = workspace.tree().expect("a tree");
    assert_ne!(committed, clean);
    workspace.restore(&clean, "before").expect("restored");
    assert_eq!(repo.read("sub/file"), "sub-origin\n");
    workspace.restore(&committed, "again").expect("restored");
    assert_eq!(repo.read("sub/file"), "edited\n");
}

#[test]
fn changes_in_a_submodule_are_shown_by_line() {
    let repo = with_submodules();
    let workspace = repo.open();
    let clean = workspace.tree().expect("a tree");
    repo.write("sub/file", "sub-origin\nmore\n");
    repo.write("sub/inner/new", "new\n");
    let tree = workspace.tree().expect("a tree");
    let changes = workspace.changes(&clean, &tree, &code).expect("changes");
    let seen: Vec<_> = changes.iter().map(|change| (&*change.path, change.added)).collect();
    assert_eq!(seen, [("sub/file", 1), ("sub/inner/new", 1)]);
    let diff = workspace.diff(&clean, &tree, 100_000).expect("a diff");
    assert!(diff.contains("+++ b/sub/inner/new\n@@ -0,0 +1 @@\n+new"), "{diff}");
}

#[test]
fn a_deleted_submodule_comes_back() {
    let repo = with_submodules();
    let workspace = repo.open();
    repo.write("sub/file", "edited\n");
    let tree = workspace.tree().expect("a tree");
    let content = repo.content();
    repo.remove("sub");
    assert_ne!(workspace.tree().expect("a tree"), tree);
    workspace.restore(&tree, "before").expect("restored");
    assert_eq!(repo.content(), content);
    assert_eq!(repo.git_at(&repo.path("sub"), &["status", "--porcelain", "file"]), " M file");
}

#[test]
fn an_uninitialised_submodule_is_what_the_index_says() {
    let repo = with_submodules();
    let clean = repo.head();
    repo.git(&["submodule", "--quiet", "deinit", "--force", "sub"]);
    assert_eq!(repo.tree(), clean);
    let clone = repo.top().join("clone");
    repo.git_at(repo.top(), &["clone", "--quiet", "work tree", "clone"]);
    assert_eq!(repo.open_at(&clone).tree().expect("a tree"), clean);
}

#[test]
fn a_submodule_without_its_repository_hides_nothing() {
    for garbage in [false, true] {
        let repo = with_submodules();
        let clean = repo.tree();
        repo.remove("sub/.git");
        if garbage {
            repo.write("sub/.git", "gitdir: /nowhere");
        }
        let (tree, notes) = repo.open().tree_with_diagnostics().expect("a tree");
        assert_ne!(tree, clean);
        assert!(notes.contains(&Diagnostic::DetachedSubmodule { path: "sub".to_owned() }));
        repo.write("sub/planted", "planted");
        assert_ne!(repo.tree(), tree);
        repo.remove("sub");
        repo.git(&["submodule", "--quiet", "update", "--init", "--recursive", "--force"]);
        assert_eq!(repo.tree(), clean, "a submodule again");
    }
}

#[test]
fn a_submodule_that_was_added_later_is_one() {
    let repo = with_submodules();
    repo.tree();
    let url = repo.top().join("inner-origin").display().to_string();
    repo.git(&["submodule", "--quiet", "add", &url, "later"]);
    let tree = repo.tree();
    repo.commit("another");
    assert_eq!(tree, repo.head());
    repo.git(&["rm", "--quiet", "--force", "later"]);
    let tree = repo.tree();
    repo.commit("gone");
    assert_eq!(tree, repo.head());
}

#[test]
fn a_file_in_the_place_of_a_submodule_counts() {
    let repo = with_submodules();
    let clean = repo.tree();
    repo.remove("sub");
    let without = repo.tree();
    repo.write("sub", "a file now");
    let file = repo.tree();
    assert!(file != without && file != clean);
    repo.open().restore(&clean, "before").expect("restored");
    assert_eq!(repo.read("sub/file"), "sub-origin\n");
}

#[test]
fn snapshots_of_submodules_are_deleted_with_theirs() {
    let repo = with_submodules();
    let workspace = repo.open();
    repo.write("sub/inner/file", "edited");
    let tree = workspace.tree().expect("a tree");
    workspace.snapshot(&tree, "s/one", "one").expect("kept");
    let refs = || {
        let inner = repo.path("sub/inner");
        repo.git_at(&inner, &["for-each-ref", "--format=%(refname)", "refs/redgreen"])
    };
    assert_eq!(refs(), "refs/redgreen/s/one");
    assert_eq!(workspace.forget("s").expect("deleted"), 1);
    assert_eq!(refs(), "");
}
