//! Where the files with the variables of a project are.
//!
//! The folders that a program is started in and those that checks name are looked at whole. Below the root
//! only so much is looked at as takes no time that anybody sees, the nearest first: a program that is
//! started for each end of an agent cannot walk through all of a large project.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

/// How files with the variables of a project begin, and how others end.
const FILE_NAME: &str = ".env";
/// What those are called that are for everybody to see: what is in them is made up.
const EXAMPLES: [&str; 6] = ["example", "sample", "template", "dist", "schema", "defaults"];
/// The most of such files that are read.
const FILES_MAX: usize = 64;
/// How many folders up the root of a project is looked for.
const FOLDERS_UP: usize = 32;
/// How many folders down it is looked through.
const FOLDERS_DOWN: usize = 3;
/// The most folders that are looked through there, and the most that is looked at in all of them and in one.
const FOLDERS_MAX: usize = 64;
const ENTRIES_MAX: usize = 1_500;
const ENTRIES_OF_ONE_MAX: usize = 500;
/// Folders of what others have made or what tools make. Those whose names begin with a dot are not looked
/// through either.
const PASSED_OVER: [&str; 16] = [
    "node_modules",
    "bower_components",
    "target",
    "venv",
    "env",
    "virtualenv",
    "site-packages",
    "vendor",
    "dist",
    "build",
    "out",
    "coverage",
    "htmlcov",
    "Pods",
    "__pycache__",
    "__snapshots__",
];
/// Folders whose names begin with a dot and that have settings.
const LOOKED_THROUGH: [&str; 5] = [".config", ".devcontainer", ".docker", ".secrets", ".envs"];

/// A folder and those above it, up to the root of the work tree; the folder alone where there is none.
pub(super) fn folders_of(folder: &Path) -> Vec<&Path> {
    let above: Vec<&Path> = folder.ancestors().take(FOLDERS_UP).collect();
    let root = above.iter().position(|folder| folder.join(".git").exists());
    above.into_iter().take(root.map_or(1, |root| root + 1)).collect()
}

/// The folders of checks with those between them and the root.
pub(super) fn folders_below(root: &Path, checks: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for check in checks {
        let within = check.ancestors().take_while(|folder| *folder != root).take(FOLDERS_UP);
        folders.extend(within.filter(|folder| folder.starts_with(root)).map(Path::to_owned));
    }
    folders
}

/// The files with variables: those of a folder and of the folders above it, of which the last is the root,
/// of other folders, and of what is not far below the root.
pub(super) fn variable_files(above: &[&Path], others: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let named = above.iter().copied().chain(others.iter().map(PathBuf::as_path));
    for folder in named {
        files.extend(Folder::read(folder, usize::MAX).files);
    }
    if let Some(root) = above.last() {
        walk(root, &mut files);
    }
    let mut seen = std::collections::HashSet::new();
    files.retain(|file| seen.insert(file.clone()));
    files.retain(|file| file.is_file());
    files.truncate(FILES_MAX);
    files
}

fn walk(root: &Path, files: &mut Vec<PathBuf>) {
    let mut waiting = VecDeque::from([(root.to_owned(), 0)]);
    let (mut folders, mut entries) = (0, 0);
    while let Some((path, depth)) = waiting.pop_front() {
        if folders == FOLDERS_MAX || entries >= ENTRIES_MAX {
            return;
        }
        let folder = Folder::read(&path, ENTRIES_OF_ONE_MAX.min(ENTRIES_MAX - entries));
        folders += 1;
        entries += folder.entries;
        files.extend(folder.files);
        if depth < FOLDERS_DOWN {
            waiting.extend(folder.folders.into_iter().map(|folder| (folder, depth + 1)));
        }
    }
}

/// What is in a folder.
#[derive(Default)]
struct Folder {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    entries: usize,
}

impl Folder {
    /// So much of it.
    fn read(path: &Path, most: usize) -> Self {
        let mut folder = Self::default();
        for entry in fs::read_dir(path).into_iter().flatten().take(most).flatten() {
            folder.entries += 1;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            // What a link leads to may be anywhere, but for a file of this name.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && is_looked_through(&name) {
                folder.folders.push(entry.path());
            } else if !is_folder && has_variables(&name) {
                folder.files.push(entry.path());
            }
        }
        // The same in every run, whatever order they are stored in.
        folder.files.sort_unstable();
        folder.folders.sort_unstable();
        folder
    }
}

fn is_looked_through(name: &str) -> bool {
    if name.starts_with('.') {
        return LOOKED_THROUGH.contains(&name);
    }
    !PASSED_OVER.contains(&name)
}

/// Whether a file is one with variables: `.env`, `.env.local`, `.envrc`, `deploy.env`.
fn has_variables(name: &str) -> bool {
    let is_named = name.starts_with(FILE_NAME) || name.ends_with(FILE_NAME);
    let is_example = |word: &str| EXAMPLES.iter().any(|example| word.eq_ignore_ascii_case(example));
    is_named && !name.split(['.', '-', '_']).any(is_example)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_for_everybody_are_not_read() {
        for name in [".env", ".env.local", ".env.production", ".envrc", "deploy.env", ".env-ci"] {
            assert!(has_variables(name), "{name}");
        }
        for name in [
            ".env.example",
            ".env.local.sample",
            ".env-template",
            "example.env",
            ".env.dist",
            "environment.py",
            "x",
        ] {
            assert!(!has_variables(name), "{name}");
        }
    }

    #[test]
    fn the_root_is_where_git_is() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join(".git")).unwrap();
        let [a, b] = ["a", "a/b"].map(|name| folder.path().join(name));
        assert_eq!(folders_of(&b), [&b, &a, folder.path()]);
        assert_eq!(folders_below(folder.path(), vec![b.clone(), "/x".into()]), [b, a]);
    }

    #[test]
    fn a_large_project_is_not_walked_through() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..FOLDERS_MAX + 40 {
            let path = folder.path().join(format!("d{number:03}"));
            fs::create_dir(&path).unwrap();
            fs::write(path.join(".env"), "").unwrap();
        }
        for path in ["d000/a/b/.env", "d000/a/b/c/.env", "d000/.venv/.env"] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let mut files = Vec::new();
        walk(folder.path(), &mut files);
        assert_eq!(files.len(), FOLDERS_MAX - 1);
        let mut files = Vec::new();
        walk(&folder.path().join("d000"), &mut files);
        let names = ["d000/.env", "d000/a/b/.env", "d000/a/b/c/.env"];
        assert_eq!(files, names.map(|name| folder.path().join(name)));
    }
}
