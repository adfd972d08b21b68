//! Nothing of the user's is touched: agents refuse to edit a file that was touched since they read it. And what was built
//! from another tree is not run for all that.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::visitor::{Visitor, reason};
use super::{FIX, WRONG};
use crate::common::Project;

/// Redgreen's own folders, git's, and what pytest itself writes: their files are not the user's.
const OWN: [&str; 4] = [".git", ".redgreen", ".aiwg", ".pytest_cache"];

/// Inode, both times in full, and the content.
type Stamp = (u64, i64, i64, i64, i64, Vec<u8>);

/// What can be seen of every file in the work tree, ignored or not; and of git's index.
fn seen(root: &Path) -> BTreeMap<PathBuf, Stamp> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    let mut files = vec![root.join(".git/index"), root.join(".git/HEAD")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let entry = entry.expect("an entry");
            let own = OWN.iter().any(|own| entry.path() == root.join(own));
            match entry.file_type().expect("a type").is_dir() {
                _ if own => {}
                true => folders.push(entry.path()),
                false => files.push(entry.path()),
            }
        }
    }
    for path in files {
        let it = fs::symlink_metadata(&path).expect("a file");
        let content = fs::read(&path).expect("a file");
        let stat = (it.ino(), it.mtime(), it.mtime_nsec(), it.ctime(), it.ctime_nsec(), content);
        found.insert(path, stat);
    }
    found
}

#[test]
fn no_command_touches_a_file_of_the_work_tree() {
    let visitor = Visitor::new();
    let project = &visitor.project;
    // Python would write its bytecode beside the files.
    let python = || project.command("python").args(["-m", "pytest", "-q"]).output();
    python().expect("python");
    assert!(project.root().join("__pycache__").is_dir(), "bytecode beside the files");
    let touches = |what: &str, work: &dyn Fn()| {
        let before = seen(&project.root());
        work();
        let after = seen(&project.root());
        for (path, stat) in &before {
            assert_eq!(after.get(path), Some(stat), "{what}: {}", path.display());
        }
        let new: Vec<&PathBuf> = after.keys().filter(|path| !before.contains_key(*path)).collect();
        assert!(new.is_empty(), "{what} leaves something behind: {new:?}");
    };
    project.write("calc.py", WRONG);
    touches("test", &|| project.redgreen(&["test"]).assert_code(1));
    touches("square", &|| project.redgreen(&["square"]).assert_code(1));
    touches("gate", &|| project.redgreen(&["gate"]).assert_code(1));
    touches("a hook that blocks", &|| assert!(reason(&visitor.stop()).contains("subtract")));
    // In the same second, perhaps, and as long as before.
    project.write("calc.py", FIX);
    touches("a hook that allows", &|| assert_eq!(visitor.stop(), Value::Null));
    touches("gate", &|| project.redgreen(&["gate"]).assert_code(0));
    touches("square", &|| project.redgreen(&["square"]).assert_code(0));
    touches("test", &|| project.redgreen(&["test"]).assert_code(0));
}

/// Swaps two versions of a file that have one time and one length, and asks after each whether what is there was run.
fn assert_runs_what_is_there(project: &Project, file: &str, [wrong, right]: [&str; 2]) {
    let path = project.root().join(file);
    let version = |content: &str, name: &str| {
        project.write(file, content);
        let kept = project.outside().join(name);
        fs::copy(&path, &kept).expect("a copy");
        let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_600_000_000);
        let opened = fs::File::options().write(true).open(&kept).expect("opened");
        opened.set_modified(old).expect("dated");
    };
    version(wrong, "wrong");
    version(right, "right");
    let put_back = |name: &str| {
        let from = project.outside().join(name);
        let copied = project.command("cp").arg("-p").arg(&from).arg(&path).status();
        assert!(copied.expect("cp").success());
    };
    for (name, code) in [("right", 0), ("wrong", 1), ("right", 0)] {
        put_back(name);
        let ended = project.redgreen(&["test"]);
        assert_eq!(ended.code, Some(code), "{file}, {name}: {}{}", ended.stdout, ended.stderr);
        let found = fs::metadata(&path).expect("a file");
        assert_eq!(found.mtime(), 1_600_000_000, "{file} was touched");
    }
}

#[test]
fn what_was_built_from_a_file_that_was_put_back_with_its_old_time_is_not_run() {
    assert_runs_what_is_there(&Project::pytest(), "calc.py", [WRONG, FIX]);
    let cargo = Project::cargo();
    let wrong = cargo.read("src/lib.rs");
    let (start, end) = wrong.rsplit_once("a + b").expect("a sum");
    assert_runs_what_is_there(&cargo, "src/lib.rs", [&wrong, &format!("{start}a - b{end}")]);
}
