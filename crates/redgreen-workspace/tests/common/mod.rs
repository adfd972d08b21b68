//! A real repository in a temporary folder, with a home of its own and no configuration but its own.
#![allow(dead_code, missing_docs, clippy::expect_used, reason = "each test program uses a part")]

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use redgreen_model::tree::{FileRole, TreeHash};
use redgreen_workspace::Workspace;
use tempfile::TempDir;

pub struct Repo {
    folder: TempDir,
}

impl Repo {
    /// A folder that is no repository yet.
    pub fn bare_folder() -> Self {
        let folder = TempDir::with_prefix("redgreen-workspace-").expect("a temporary folder");
        let repo = Self { folder };
        fs::create_dir_all(repo.root()).expect("a folder");
        fs::create_dir_all(repo.home()).expect("a home");
        repo
    }

    /// A repository without a commit.
    pub fn empty() -> Self {
        let repo = Self::bare_folder();
        repo.git(&["init", "--quiet", "--initial-branch=main"]);
        repo
    }

    /// A repository with a few committed files.
    pub fn new() -> Self {
        let repo = Self::empty();
        repo.write("src/lib.rs", "pub fn one() -> u32 {\n    1\n}\n");
        repo.write("README.md", "# A project\n");
        repo.write(".gitignore", "*.o\n/build/\n");
        repo.commit("first");
        repo
    }

    pub fn top(&self) -> &Path {
        self.folder.path()
    }

    pub fn root(&self) -> PathBuf {
        self.top().join("work tree")
    }

    pub fn home(&self) -> PathBuf {
        self.top().join("home")
    }

    pub fn path(&self, path: impl AsRef<OsStr>) -> PathBuf {
        self.root().join(path.as_ref())
    }

    pub fn environment(&self) -> Vec<(OsString, Option<OsString>)> {
        let set = |name: &str, value: &OsStr| (name.into(), Some(value.to_owned()));
        vec![
            set("HOME", self.home().as_os_str()),
            set("XDG_CONFIG_HOME", self.home().as_os_str()),
            set("GIT_CONFIG_GLOBAL", self.top().join("gitconfig").as_os_str()),
            set("GIT_CONFIG_NOSYSTEM", OsStr::new("1")),
        ]
    }

    pub fn open(&self) -> Workspace {
        self.open_at(&self.root())
    }

    pub fn open_at(&self, folder: &Path) -> Workspace {
        Workspace::discover_with(folder, &self.environment()).expect("a workspace")
    }

    pub fn tree(&self) -> TreeHash {
        self.open().tree().expect("a tree")
    }

    /// git as the user runs it.
    pub fn try_git_at<A: AsRef<OsStr>>(&self, folder: &Path, args: &[A]) -> Output {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os() {
            if name.as_bytes().starts_with(b"GIT_") {
                command.env_remove(name);
            }
        }
        for (name, value) in self.environment() {
            command.env(name, value.expect("a value"));
        }
        command
            .args(["-c", "user.name=A User", "-c", "user.email=user@example.org"])
            .args(["-c", "protocol.file.allow=always", "-c", "commit.gpgSign=false"])
            .args(args)
            .current_dir(folder)
            .output()
            .expect("git runs")
    }

    pub fn git_at<A: AsRef<OsStr>>(&self, folder: &Path, args: &[A]) -> String {
        let output = self.try_git_at(folder, args);
        let words: Vec<_> = args.iter().map(|arg| arg.as_ref().to_string_lossy()).collect();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {}: {stderr}", words.join(" "));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    pub fn git<A: AsRef<OsStr>>(&self, args: &[A]) -> String {
        self.git_at(&self.root(), args)
    }

    pub fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
    }

    /// The tree of HEAD, by git.
    pub fn head(&self) -> TreeHash {
        TreeHash(self.git(&["rev-parse", "HEAD^{tree}"]))
    }

    pub fn write(&self, path: impl AsRef<OsStr>, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, content).expect("a file");
    }

    pub fn read(&self, path: impl AsRef<OsStr>) -> String {
        fs::read_to_string(self.path(path)).expect("a file")
    }

    pub fn remove(&self, path: impl AsRef<OsStr>) {
        let path = self.path(path);
        if fs::symlink_metadata(&path).expect("something").is_dir() {
            fs::remove_dir_all(path).expect("removed");
        } else {
            fs::remove_file(path).expect("removed");
        }
    }

    pub fn chmod(&self, path: impl AsRef<OsStr>, mode: u32) {
        fs::set_permissions(self.path(path), Permissions::from_mode(mode)).expect("chmod");
    }

    pub fn link(&self, target: &str, path: impl AsRef<OsStr>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::os::unix::fs::symlink(target, path).expect("a link");
    }

    /// Everything the user's git knows, byte for byte: index, HEAD, branches.
    pub fn users_state(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let git_dir = self.path(".git");
        let mut state = BTreeMap::new();
        for name in ["index", "HEAD", "ORIG_HEAD", "MERGE_HEAD", "packed-refs", "config"] {
            if let Ok(bytes) = fs::read(git_dir.join(name)) {
                state.insert(PathBuf::from(name), bytes);
            }
        }
        let mut folders = vec![git_dir.join("refs/heads"), git_dir.join("logs")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else {
                    state.insert(entry.path(), fs::read(entry.path()).expect("a ref"));
                }
            }
        }
        state
    }

    /// Every file but git's and redgreen's: type, executable bit and content.
    pub fn content(&self) -> BTreeMap<PathBuf, (char, Vec<u8>)> {
        content_of(&self.root())
    }
}

pub fn content_of(root: &Path) -> BTreeMap<PathBuf, (char, Vec<u8>)> {
    let mut content = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
            let path = entry.path();
            let found = fs::symlink_metadata(&path).expect("metadata");
            let name = path.strip_prefix(root).expect("below the root").to_owned();
            if [".git", ".redgreen"].iter().any(|own| entry.file_name() == *own) {
                continue;
            } else if found.is_symlink() {
                let target = fs::read_link(&path).expect("a link").into_os_string().into_vec();
                content.insert(name, ('l', target));
            } else if found.is_dir() {
                folders.push(path);
            } else {
                let kind = if found.permissions().mode() & 0o100 == 0 { 'f' } else { 'x' };
                content.insert(name, (kind, fs::read(path).expect("a file")));
            }
        }
    }
    content
}

pub fn code(_: &str) -> FileRole {
    FileRole::Code
}
