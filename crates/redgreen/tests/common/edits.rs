//! Edits of a project, for tables of changes.

use std::fs;

use super::Project;

/// Edits of a project, for the tables.
pub trait Edits {
    fn replace(&self, path: &str, from: &str, to: &str);
    fn append(&self, path: &str, text: &str);
    fn remove(&self, path: &str);
    fn rename(&self, from: &str, to: &str);
}

impl Edits for Project {
    #[track_caller]
    fn replace(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert!(text.contains(from), "{path} has no {from}");
        self.write(path, text.replace(from, to));
    }

    fn append(&self, path: &str, text: &str) {
        self.write(path, format!("{}{text}", self.read(path)));
    }

    fn remove(&self, path: &str) {
        let path = self.root().join(path);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.expect("gone");
    }

    fn rename(&self, from: &str, to: &str) {
        let to = self.root().join(to);
        fs::create_dir_all(to.parent().expect("a parent")).expect("a folder");
        fs::rename(self.root().join(from), to).expect("renamed");
    }
}
