//! Evidence end to end: what is signed, what somebody else can check of it, what is come back to, and
//! that nothing which is forged where the agent works is believed.

mod forged;
mod memory;
mod verified;

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Ended, Project};
use serde_json::Value;

/// A shell project all of whose tests pass.
fn green() -> Project {
    let project = Project::shell();
    project.write("value.sh", "first=ok\nsecond=ok\n");
    project.commit();
    project
}

impl Project {
    /// How often the tests ran so far.
    fn runs(&self) -> usize {
        self.notes("pids").lines().count()
    }

    /// The tree as it is now.
    fn tree(&self) -> String {
        self.git(&["add", "-A"]);
        self.git(&["write-tree"]).trim().to_owned()
    }

    /// What is kept of the work tree.
    #[track_caller]
    fn evidence(&self) -> (Option<i32>, Value) {
        let shown = self.redgreen(&["evidence", "show", "--json"]);
        let line = shown.stdout.lines().last().unwrap_or_default();
        let value = serde_json::from_str(line);
        (shown.code, value.unwrap_or_else(|error| panic!("{error}\n{}", shown.stderr)))
    }

    /// The files of the store that have this in their path.
    fn kept(&self, part: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        walk(&self.root().join(".redgreen/evidence"), &mut found);
        found.retain(|path| path.to_string_lossy().contains(part));
        found.sort();
        found
    }

    /// Where the key is.
    fn key(&self) -> PathBuf {
        self.home().join(".local/state/redgreen/key")
    }
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&entry.path(), found),
            _ => found.push(entry.path()),
        }
    }
}

#[track_caller]
fn assert_code(ended: &Ended, code: i32) {
    assert_eq!(ended.code, Some(code), "{}\n{}", ended.stdout, ended.stderr);
}

#[track_caller]
fn assert_says(ended: &Ended, words: &str) {
    let all = format!("{}{}", ended.stdout, ended.stderr);
    assert!(all.contains(words), "no {words:?} in\n{all}");
}
