//! The files of a work tree, as the frameworks look at them to recognise a project.

use std::fs;
use std::path::{Path, PathBuf};

use nix::unistd::AccessFlags;
use redgreen_frameworks::ProjectFiles;

/// The most files that are looked at.
const PROJECT_FILES_MAX: usize = 20_000;
/// Folders of CI, which are looked into although they are hidden.
const CI_FOLDERS: &[&str] = &[".github", ".circleci"];

/// The files of a project, as the frameworks look at them.
pub struct ProjectFolder {
    root: PathBuf,
    paths: Vec<String>,
}

impl ProjectFolder {
    /// Looks at the files below a folder, without those that tools made.
    pub fn read(root: &Path) -> Self {
        let mut paths = Vec::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            let mut entries: Vec<_> =
                fs::read_dir(&folder).into_iter().flatten().flatten().collect();
            entries.sort_unstable_by_key(fs::DirEntry::file_name);
            for entry in entries {
                let name = entry.file_name().to_string_lossy().into_owned();
                let Ok(kind) = entry.file_type() else { continue };
                let ci = CI_FOLDERS.contains(&name.as_str());
                if kind.is_dir()
                    && (ci || !name.starts_with('.'))
                    && !["node_modules", "target", "venv", "__pycache__"].contains(&name.as_str())
                {
                    folders.push(entry.path());
                } else if kind.is_file() && paths.len() < PROJECT_FILES_MAX {
                    paths.push(
                        entry
                            .path()
                            .strip_prefix(root)
                            .unwrap_or(&entry.path())
                            .to_string_lossy()
                            .into_owned(),
                    );
                }
            }
        }
        Self { root: root.to_owned(), paths }
    }
}

impl ProjectFiles for ProjectFolder {
    fn paths(&self) -> &[String] {
        &self.paths
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root.join(path)).ok()
    }

    fn starts(&self, program: &str) -> bool {
        let runs =
            |path: &Path| nix::unistd::access(path, AccessFlags::X_OK).is_ok() && path.is_file();
        if program.contains('/') {
            return runs(&self.root.join(program));
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| runs(&folder.join(program)))
    }
}
