//! Trees made of others, staged into layers, and what a run left there.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::common::{Repo, code, content_of};
use nix::sys::stat::{Mode, SFlag, mknod};
use redgreen_model::tree::{ChangeKind, TreeHash};
use redgreen_workspace::{Content, TreeEdit, Workspace, WorkspaceError};

const NOT_UTF8: &[u8] = b"b\xffad.py";

fn take(path: &str, from: &TreeHash) -> TreeEdit {
    TreeEdit::Take { path: path.to_owned(), from: from.clone() }
}

fn remove(path: &str) -> TreeEdit {
    TreeEdit::Remove { path: path.to_owned() }
}

fn write(path: &str, content: &str) -> TreeEdit {
    TreeEdit::Write { path: path.to_owned(), content: content.into() }
}

/// `ls-tree` without the objects.
fn modes(repo: &Repo, tree: &TreeHash) -> Vec<String> {
    let listed = repo.git(&["ls-tree", "-r", &tree.0]);
    let line = |line: &str| {
        let (mode, path) = (&line[..6], line.rsplit('\t').next().expect("a path"));
        format!("{mode} {path}")
    };
    listed.lines().map(line).collect()
}

fn layer(repo: &Repo) -> PathBuf {
    let layer = repo.top().join("layer");
    fs::create_dir_all(&layer).expect("a layer");
    layer
}

fn changed(workspace: &Workspace, tree: &TreeHash, layer: &Path) -> Vec<(String, ChangeKind)> {
    let changes = workspace.layer_changes(tree, layer, &code).expect("looked");
    changes.into_iter().map(|change| (change.path, change.kind)).collect()
}

#[test]
fn files_of_a_tree_are_read_as_git_keeps_them() {
    let repo = Repo::new();
    repo.write(".gitattributes", "*.txt eol=crlf\n");
    repo.write("lines.txt", "one\r\ntwo\r\n");
    repo.write("empty", "");
    repo.write("new\nline", "odd");
    repo.write(OsStr::from_bytes(NOT_UTF8), "bytes");
    repo.link("src/lib.rs", "link");
    let workspace = repo.open();
    let tree = workspace.tree().expect("a tree");
    let paths = [
        "lines.txt",
        "nothing",
        "empty",
        "new\nline",
        "b\u{fffd}ad.py",
        "link",
        "src",
        "README.md",
    ];
    let contents = workspace.read_all(&tree, &paths, 10).expect("read");
    let bytes = |text: &str| Content::Bytes(text.into());
    let expected = [
        bytes("one\ntwo\n"),
        Content::Absent,
        bytes(""),
        bytes("odd"),
        bytes("bytes"),
        bytes("src/lib.rs"),
        Content::Absent,
        Content::TooLarge { bytes: 12 },
    ];
    assert_eq!(contents, expected);
    assert_eq!(
        workspace.read(&tree, "README.md", 12).expect("read"),
        Some(b"# A project\n".to_vec())
    );
    assert_eq!(workspace.read(&tree, "no/such", 12).expect("read"), None);
    let error = workspace.read(&tree, "README.md", 11).expect_err("too large");
    assert!(matches!(error, WorkspaceError::TooLarge { bytes: 12, limit: 11, .. }), "{error}");
}

#[test]
fn a_tree_is_made_of_two_others_and_the_users_index_stays() {
    let repo = Repo::new();
    repo.write("tool", "old");
    repo.chmod("tool", 0o755);
    repo.write("swap", "a file");
    repo.write("only-old", "old");
    repo.write(OsStr::from_bytes(NOT_UTF8), "old");
    repo.commit("old");
    let workspace = repo.open();
    let old = workspace.tree().expect("a tree");
    repo.remove("swap");
    repo.write("swap/inside", "a folder");
    repo.remove("only-old");
    repo.chmod("tool", 0o644);
    repo.write("README.md", "new");
    repo.write("only-new", "new");
    repo.write(OsStr::from_bytes(NOT_UTF8), "new");
    let new = workspace.tree().expect("a tree");
    let before = (repo.users_state(), repo.content());

    let edits = [
        take("swap", &old),
        take("tool", &old),
        take("only-old", &old),
        take("only-new", &old),
        take("b\u{fffd}ad.py", &old),
        write("src/new.rs", "fn x() {}"),
    ];
    let mixed = workspace.edited_tree(&new, &edits).expect("made");
    let read = |path: &str| {
        workspace
            .read(&mixed, path, 100)
            .expect("read")
            .map(|it| String::from_utf8(it).expect("UTF-8"))
    };
    assert_eq!(read("swap").as_deref(), Some("a file"));
    assert_eq!(read("swap/inside"), None, "a file took the folder's place");
    assert_eq!(read("only-old").as_deref(), Some("old"));
    assert_eq!(read("only-new"), None);
    assert_eq!(read("b\u{fffd}ad.py").as_deref(), Some("old"));
    assert_eq!(read("README.md").as_deref(), Some("new"));
    assert!(modes(&repo, &mixed).contains(&"100755 tool".to_owned()));
    assert!(modes(&repo, &mixed).contains(&"100644 src/new.rs".to_owned()));
    assert_eq!((repo.users_state(), repo.content()), before);

    let all =
        ["swap", "swap/inside", "tool", "only-old", "only-new", "README.md", "b\u{fffd}ad.py"];
    let edits: Vec<_> = all.iter().map(|path| take(path, &old)).collect();
    assert_eq!(workspace.edited_tree(&new, &edits).expect("made"), old);
    assert_eq!(workspace.edited_tree(&new, &[]).expect("made"), new);
    let unknown = TreeHash("0".repeat(40));
    let error = workspace.edited_tree(&new, &[take("swap", &unknown)]).expect_err("no such tree");
    assert!(matches!(error, WorkspaceError::UnknownTree { .. }), "{error}");
}

#[test]
fn what_is_written_keeps_its_mode_and_the_last_edit_holds() {
    let repo = Repo::new();
    repo.write("tool", "#!/bin/sh\n");
    repo.chmod("tool", 0o755);
    repo.link("src", "link");
    repo.write(".gitattributes", "* eol=crlf\n");
    let workspace = repo.open();
    let base = workspace.tree().expect("a tree");
    let edits = [
        write("tool", "twice"),
        write("tool", "#!/bin/sh\r\ntrue\n"),
        write("link", "README.md"),
        write("README.md", "gone"),
        remove("README.md"),
        remove("src/lib.rs"),
        remove("never/there"),
    ];
    let made = workspace.edited_tree(&base, &edits).expect("made");
    assert_eq!(
        modes(&repo, &made),
        ["100644 .gitattributes", "100644 .gitignore", "120000 link", "100755 tool"]
    );
    let tool = workspace.read(&made, "tool", 100).expect("read");
    assert_eq!(tool.as_deref(), Some(b"#!/bin/sh\r\ntrue\n".as_slice()), "byte for byte");
}

#[test]
fn what_is_staged_over_the_work_tree_is_the_tree() {
    let repo = Repo::new();
    repo.write("tool", "#!/bin/sh\n");
    repo.chmod("tool", 0o755);
    repo.link("src/lib.rs", "link");
    repo.write("a/b/c", "deep");
    repo.write("swap", "a file");
    repo.write("folder/inside", "x");
    repo.write("same", "same");
    repo.write(OsStr::from_bytes(NOT_UTF8), "old");
    repo.write("lines.txt", "one\n");
    repo.write(".gitattributes", "*.txt eol=crlf\n");
    repo.commit("target");
    let workspace = repo.open();
    let target = workspace.tree().expect("a tree");
    repo.chmod("tool", 0o644);
    repo.remove("link");
    repo.remove("a");
    repo.remove("swap");
    repo.write("swap/is/folder", "now");
    repo.remove("folder");
    repo.write("folder", "now a file");
    repo.remove(OsStr::from_bytes(NOT_UTF8));
    repo.write(OsStr::from_bytes(b"new\xff"), "new");
    repo.write("new/file", "new");
    repo.write("lines.txt", "two\n");
    repo.write(".gitattributes", "*.txt -text\n");
    repo.commit("now");
    fs::create_dir_all(repo.path("a/b")).expect("folders");
    repo.chmod("a/b", 0o750);
    let there = workspace.tree().expect("a tree");
    let before = (repo.users_state(), repo.content());

    let layer = layer(&repo);
    let began = SystemTime::now();
    let staged = workspace.stage(&target, &there, &layer).expect("staged");
    let content = content_of(&layer);
    let kinds: Vec<_> =
        content.iter().map(|(path, (kind, _))| (path.to_string_lossy(), *kind)).collect();
    let expected = [
        (".gitattributes", 'f'),
        ("a/b/c", 'f'),
        ("b\u{fffd}ad.py", 'f'),
        ("folder/inside", 'f'),
        ("lines.txt", 'f'),
        ("link", 'l'),
        ("swap", 'f'),
        ("tool", 'x'),
    ];
    assert_eq!(kinds, expected.map(|(path, kind)| (path.into(), kind)));
    assert_eq!(
        fs::read(layer.join("lines.txt")).expect("read"),
        b"one\r\n",
        "by the tree's own attributes"
    );
    let deleted: Vec<&Path> = staged.deleted.iter().map(PathBuf::as_path).collect();
    let odd = Path::new(OsStr::from_bytes(b"new\xff"));
    assert_eq!(deleted, [Path::new("new/file"), odd, Path::new("swap/is/folder")]);
    assert_eq!(staged.written, 8);
    let mode = fs::metadata(layer.join("a/b")).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o750, "as the folder below has it");
    let written = fs::metadata(layer.join("swap")).and_then(|it| it.modified()).expect("a time");
    assert!(written + std::time::Duration::from_secs(1) >= began, "as old as the call");
    assert_eq!((repo.users_state(), repo.content()), before);
    assert_eq!(changed(&workspace, &target, &layer), [], "nothing ran");
}

#[test]
fn bytecode_of_staged_files_is_not_believed() {
    let repo = Repo::new();
    repo.write(".gitignore", "__pycache__/\n");
    repo.write("pkg/a.py", "x = 1\n");
    repo.write("pkg/ab.py", "x = 1\n");
    let workspace = repo.open();
    let target = workspace.tree().expect("a tree");
    repo.write("pkg/a.py", "x = 2\n");
    for name in ["a.cpython-311.pyc", "a.cpython-311-pytest-8.0.pyc", "ab.cpython-311.pyc"] {
        repo.write(format!("pkg/__pycache__/{name}"), "bytecode");
    }
    let there = workspace.tree().expect("a tree");
    let staged = workspace.stage(&target, &there, &layer(&repo)).expect("staged");
    let cache = Path::new("pkg/__pycache__");
    let stale = ["a.cpython-311-pytest-8.0.pyc", "a.cpython-311.pyc"].map(|name| cache.join(name));
    assert_eq!(staged.deleted, stale);
}

#[test]
fn what_a_run_changed_in_a_layer_is_seen() {
    let repo = Repo::new();
    repo.write("gone/a", "1");
    repo.write("gone/b/c", "2");
    repo.write("single", "3");
    repo.write("again/old", "4");
    repo.write("again/kept", "5");
    repo.write("touched", "6");
    repo.write("tool", "7");
    repo.write("forced.o", "8");
    repo.write(".venv/.gitignore", "*\n");
    repo.git(&["add", "--force", "forced.o"]);
    repo.commit("all");
    let workspace = repo.open();
    let there = workspace.tree().expect("a tree");
    let tree = workspace
        .edited_tree(&there, &[write("src/lib.rs", "staged\n"), remove("README.md")])
        .expect("made");
    let layer = layer(&repo);
    let staged = workspace.stage(&tree, &there, &layer).expect("staged");
    assert_eq!(staged.deleted, [Path::new("README.md")]);
    let put = |path: &str, text: &str| {
        let path = layer.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, text).expect("written");
    };
    let whiteout = |path: &str| {
        mknod(&layer.join(path), SFlag::S_IFCHR, Mode::empty(), 0).expect("a whiteout");
    };
    whiteout("README.md");
    assert_eq!(changed(&workspace, &tree, &layer), [], "as staged");

    whiteout("gone");
    whiteout("single");
    put("again/kept", "5");
    hide_below(&layer.join("again"));
    put("touched", "6");
    put("tool", "7");
    fs::set_permissions(layer.join("tool"), fs::Permissions::from_mode(0o755)).expect("chmod");
    put("forced.o", "changed although ignored");
    put("src/lib.rs", "staged\nand changed\n");
    put("src/new.rs", "new");
    put("src/new.o", "ignored");
    put("build/out", "ignored");
    put(".venv/lib/x.py", "ignored by a file of the work tree");
    put(".cache/.gitignore", "*\n");
    put(".cache/x", "ignored by a file of the layer");
    put("nested/.git/HEAD", "ref: refs/heads/main\n");
    put("nested/file", "new");
    put(".redgreen/log", "ours");
    put(".git/index", "git's");
    use ChangeKind::{Added, Deleted, Modified};
    let expected = [
        ("again/old", Deleted),
        ("forced.o", Modified),
        ("gone/a", Deleted),
        ("gone/b/c", Deleted),
        ("nested/file", Added),
        ("single", Deleted),
        ("src/lib.rs", Modified),
        ("src/new.rs", Added),
        ("tool", Modified),
    ];
    assert_eq!(
        changed(&workspace, &tree, &layer),
        expected.map(|(path, kind)| (path.to_owned(), kind))
    );
    let changes = workspace.layer_changes(&tree, &layer, &code).expect("looked");
    let lib = changes.iter().find(|change| change.path == "src/lib.rs").expect("changed");
    assert_eq!((lib.added, lib.removed), (1, 0));
}

/// What an overlay does to a folder that was deleted and made again.
fn hide_below(folder: &Path) {
    let path = std::ffi::CString::new(folder.as_os_str().as_bytes()).expect("no NUL");
    let name = c"user.overlay.opaque";
    #[expect(unsafe_code, reason = "nix has no call for attributes")]
    let done =
        unsafe { nix::libc::lsetxattr(path.as_ptr(), name.as_ptr(), b"y".as_ptr().cast(), 1, 0) };
    assert_eq!(done, 0, "{}", std::io::Error::last_os_error());
}

#[test]
fn files_in_submodules_are_files_like_others() {
    let library = Repo::new();
    library.write("tests/t.rs", "old test\n");
    library.commit("with a test");
    let repo = Repo::new();
    repo.git(&[
        OsStr::new("submodule"),
        OsStr::new("--quiet"),
        OsStr::new("add"),
        library.root().as_os_str(),
        OsStr::new("sub"),
    ]);
    repo.commit("with a submodule");
    let workspace = repo.open();
    let old = workspace.tree().expect("a tree");
    repo.write("sub/src/lib.rs", "new code\n");
    repo.write("sub/tests/t.rs", "new test\n");
    repo.write("sub/tests/more.rs", "another\n");
    let new = workspace.tree().expect("a tree");
    let paths: Vec<_> = workspace
        .changes(&old, &new, &code)
        .expect("compared")
        .into_iter()
        .map(|it| it.path)
        .collect();
    assert_eq!(paths, ["sub/src/lib.rs", "sub/tests/more.rs", "sub/tests/t.rs"]);

    let mixed = workspace
        .edited_tree(&new, &[take("sub/tests/more.rs", &old), take("sub/tests/t.rs", &old)])
        .expect("made");
    let read = |path: &str| workspace.read(&mixed, path, 100).expect("read");
    assert_eq!(read("sub/src/lib.rs").as_deref(), Some(b"new code\n".as_slice()));
    assert_eq!(read("sub/tests/t.rs").as_deref(), Some(b"old test\n".as_slice()));
    assert_eq!(read("sub/tests/more.rs"), None);
    let all: Vec<_> = paths.iter().map(|path| take(path, &old)).collect();
    assert_eq!(workspace.edited_tree(&new, &all).expect("made"), old);

    let layer = layer(&repo);
    let staged = workspace.stage(&mixed, &new, &layer).expect("staged");
    assert_eq!(staged.deleted, [Path::new("sub/tests/more.rs")]);
    assert_eq!(fs::read_to_string(layer.join("sub/tests/t.rs")).expect("staged"), "old test\n");
    assert!(!layer.join("sub/src").exists());
    assert_eq!(changed(&workspace, &mixed, &layer), []);
    fs::write(layer.join("sub/tests/t.rs"), "changed\n").expect("written");
    let expected = [("sub/tests/t.rs".to_owned(), ChangeKind::Modified)];
    assert_eq!(changed(&workspace, &mixed, &layer), expected);
}

#[test]
fn a_submodule_that_one_side_lacks_comes_and_goes_whole() {
    let library = Repo::new();
    let repo = Repo::new();
    let workspace = repo.open();
    let without = workspace.tree().expect("a tree");
    repo.git(&[
        OsStr::new("submodule"),
        OsStr::new("--quiet"),
        OsStr::new("add"),
        library.root().as_os_str(),
        OsStr::new("sub"),
    ]);
    repo.commit("with a submodule");
    let with = workspace.tree().expect("a tree");
    let paths: Vec<_> = workspace
        .changes(&without, &with, &code)
        .expect("compared")
        .into_iter()
        .map(|it| it.path)
        .collect();
    let from = |tree: &TreeHash| paths.iter().map(|path| take(path, tree)).collect::<Vec<_>>();
    assert_eq!(workspace.edited_tree(&with, &from(&without)).expect("made"), without);
    assert_eq!(workspace.edited_tree(&without, &from(&with)).expect("made"), with);
    let staged = workspace.stage(&without, &with, &layer(&repo)).expect("staged");
    assert!(staged.deleted.contains(&PathBuf::from("sub/src/lib.rs")), "{staged:?}");
}

#[test]
fn a_copy_has_the_tree_and_the_history_and_leaves_the_repository_alone() {
    let repo = Repo::new();
    repo.write("gone", "x");
    repo.write("tests/t", "t");
    repo.commit("second");
    let workspace = repo.open();
    let there = workspace.tree().expect("a tree");
    let edits = [write("src/lib.rs", "other\n"), remove("README.md")];
    let tree = workspace.edited_tree(&there, &edits).expect("made");
    let before = (repo.users_state(), repo.content());
    let copy = repo.top().join("a copy");
    workspace.copy(&tree, &copy).expect("copied");
    assert_eq!(fs::read_to_string(copy.join("src/lib.rs")).expect("there"), "other\n");
    assert!(!copy.join("README.md").exists());
    assert_eq!(repo.git_at(&copy, &["log", "--format=%s"]), "second\nfirst");
    assert_eq!(repo.git_at(&copy, &["status", "--porcelain"]), " D README.md\n M src/lib.rs");
    let linked = [PathBuf::from("node_modules")];
    let changed = || {
        let changes = workspace.copy_changes(&tree, &copy, &linked, &code).expect("looked");
        changes.into_iter().map(|change| (change.path, change.kind)).collect::<Vec<_>>()
    };
    std::os::unix::fs::symlink("/", copy.join("node_modules")).expect("a link");
    assert_eq!(changed(), []);
    fs::remove_file(copy.join("gone")).expect("removed");
    fs::remove_dir_all(copy.join("tests")).expect("removed");
    fs::write(copy.join("x.o"), "ignored").expect("written");
    fs::write(copy.join("new"), "new").expect("written");
    repo.git_at(&copy, &["commit", "--quiet", "--all", "--message", "in the copy"]);
    let expected = [
        ("gone", ChangeKind::Deleted),
        ("new", ChangeKind::Added),
        ("tests/t", ChangeKind::Deleted),
    ];
    assert_eq!(changed(), expected.map(|(path, kind)| (path.to_owned(), kind)));
    assert_eq!((repo.users_state(), repo.content()), before);

    let empty = Repo::empty();
    empty.write("file", "x");
    let copy = empty.top().join("copy");
    empty.open().copy(&empty.tree(), &copy).expect("copied");
    assert!(copy.join("file").exists());
}
