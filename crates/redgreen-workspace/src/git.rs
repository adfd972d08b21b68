//! How git is run: with explicit paths, no hooks, and nothing switched on that lets it overlook a
//! change.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use redgreen_exec::{ToolOutput, capture};
use redgreen_files::no_space;

use crate::error::WorkspaceError;

/// Settings for every call. A repository's own configuration is writable to whoever works in it, so
/// each that decides what counts as changed is said here.
const SETTINGS: &[&str] = &[
    // What lets git overlook a change.
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.ignoreStat=false",
    "core.trustctime=true",
    "core.checkStat=default",
    "core.sparseCheckout=false",
    "core.sparseCheckoutCone=false",
    #[cfg(target_os = "linux")]
    "core.ignoreCase=false",
    // What makes git refuse a file that is there.
    "core.protectNTFS=false",
    "core.protectHFS=false",
    "core.safecrlf=false",
    // The form of the private index: one whole file that `index_file` can read.
    "core.splitIndex=false",
    "index.sparse=false",
    // Nobody reads its checksum.
    "index.skipHash=true",
    // Side effects.
    "core.hooksPath=/dev/null",
    "submodule.recurse=false",
    "gc.auto=0",
    "core.quotePath=false",
];

/// Inherited variables that stay. All others that start with `GIT_` are removed: a git hook that
/// runs redgreen has `GIT_DIR` and `GIT_INDEX_FILE` set, for a repository that need not be ours.
const KEPT_VARIABLES: &[&str] =
    &["GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"];
const KEPT_PREFIX: &str = "GIT_CONFIG";

/// Names another index than the user's.
const INDEX_FILE: &str = "GIT_INDEX_FILE";

/// How much of what git says on failure is kept.
const DETAIL_LIMIT_BYTES: usize = 2000;

/// Changes of the inherited environment; `None` removes a variable.
pub(crate) type Environment = Arc<[(OsString, Option<OsString>)]>;

/// A repository and its work tree.
#[derive(Clone, Debug)]
pub(crate) struct Git {
    pub(crate) environment: Environment,
    /// The folder of this work tree's HEAD and index; for a linked worktree not the common one.
    pub(crate) git_dir: PathBuf,
    /// The top of the work tree.
    pub(crate) work_tree: PathBuf,
    /// Settings that depend on the file system.
    pub(crate) settings: Vec<&'static str>,
}

impl Git {
    /// A variable that git is given.
    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        let set = self.environment.iter().rfind(|(set, _)| set == name);
        set.map_or_else(|| std::env::var_os(name), |(_, value)| value.clone())
    }

    /// A call of git in this repository.
    pub(crate) fn call(&self, action: &'static str, args: &[&str]) -> Call {
        let mut call = Call::new(action, &self.work_tree, &self.environment);
        for setting in &self.settings {
            call.set(setting);
        }
        call.env("GIT_DIR", &self.git_dir).env("GIT_WORK_TREE", &self.work_tree).args(args)
    }
}

/// One run of git.
#[derive(Debug)]
pub(crate) struct Call {
    action: &'static str,
    folder: PathBuf,
    args: Vec<OsString>,
    env: Vec<(OsString, Option<OsString>)>,
    stdin: Vec<u8>,
}

impl Call {
    /// git in a folder, which finds its repository itself. `action` completes "git could not".
    pub(crate) fn new(action: &'static str, folder: &Path, environment: &Environment) -> Self {
        let mut call = Self {
            action,
            folder: folder.to_owned(),
            args: vec!["--no-pager".into()],
            env: removed_variables().chain(environment.iter().cloned()).collect(),
            stdin: Vec::new(),
        };
        for setting in SETTINGS {
            call.set(setting);
        }
        for (name, value) in [
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("LC_ALL", "C"),
            ("GIT_TERMINAL_PROMPT", "0"),
            // An object is what its id says, not what a ref says instead of it.
            ("GIT_NO_REPLACE_OBJECTS", "1"),
        ] {
            call = call.env(name, value);
        }
        call
    }

    fn set(&mut self, setting: &str) {
        self.args.push("-c".into());
        self.args.push(setting.into());
    }

    /// Adds arguments.
    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: &[A]) -> Self {
        self.args.extend(args.iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Starts git elsewhere.
    pub(crate) fn folder(mut self, folder: &Path) -> Self {
        self.folder = folder.to_owned();
        self
    }

    /// Sets a variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name.into(), Some(value.as_ref().to_owned())));
        self
    }

    /// Uses another index than the user's.
    pub(crate) fn index(self, path: &Path) -> Self {
        self.env(INDEX_FILE, path)
    }

    /// Writes to git.
    pub(crate) fn stdin(mut self, bytes: Vec<u8>) -> Self {
        self.stdin = bytes;
        self
    }

    /// Runs git, whatever its exit code.
    pub(crate) fn output(&self) -> Result<ToolOutput, WorkspaceError> {
        let started = Instant::now();
        let output = capture("git", &self.args, &self.folder, &self.env, &self.stdin)
            .map_err(WorkspaceError::exec(self.action));
        tracing::debug!(
            action = self.action,
            arguments = ?self.own_arguments(),
            code = ?output.as_ref().ok().and_then(|output| output.status.code()),
            took = ?started.elapsed(),
            "git"
        );
        output
    }

    /// Runs git and returns both its outputs; another exit code than 0 is an error.
    pub(crate) fn outputs(&self) -> Result<(Vec<u8>, Vec<u8>), WorkspaceError> {
        let output = self.output()?;
        if output.status.success() {
            return Ok((output.stdout, output.stderr));
        }
        Err(self.failure(&output.stderr))
    }

    /// What follows on what every call has.
    fn own_arguments(&self) -> &[OsString] {
        let mut rest = self.args.get(1..).unwrap_or_default();
        while let [option, _, more @ ..] = rest
            && option == "-c"
        {
            rest = more;
        }
        rest
    }

    /// What is asked, in words that tell it from every other question.
    pub(crate) fn question(&self) -> String {
        format!("{:?}", self.own_arguments())
    }

    fn failure(&self, stderr: &[u8]) -> WorkspaceError {
        unreadable(stderr).unwrap_or_else(|| {
            let index = self.env.iter().rfind(|(name, _)| *name == INDEX_FILE);
            let index = index.and_then(|(_, path)| Path::new(path.as_ref()?).parent());
            let full =
                [Some(self.folder.as_path()), index].into_iter().flatten().find_map(no_space);
            WorkspaceError::Git { action: self.action, detail: detail(stderr), full }
        })
    }

    /// Runs git and returns its output; one other exit code than 0 is no error.
    pub(crate) fn run_or(&self, code: i32) -> Result<Vec<u8>, WorkspaceError> {
        let output = self.output()?;
        match output.status.code() {
            Some(0) => Ok(output.stdout),
            Some(other) if other == code => Ok(output.stdout),
            _ => Err(self.failure(&output.stderr)),
        }
    }

    /// Runs git and returns its output; another exit code than 0 is an error.
    pub(crate) fn run(&self) -> Result<Vec<u8>, WorkspaceError> {
        self.outputs().map(|(stdout, _)| stdout)
    }

    /// Runs git and returns its one line of output, or `None` where git says no by exit code.
    pub(crate) fn line_if_any(&self) -> Result<Option<String>, WorkspaceError> {
        let output = self.output()?;
        Ok(output.status.success().then(|| line(&output.stdout)))
    }

    /// Runs git and returns its one line of output.
    pub(crate) fn line(&self) -> Result<String, WorkspaceError> {
        self.run().map(|stdout| line(&stdout))
    }
}

/// Which git there is, in its own words.
pub fn git_version() -> Result<String, WorkspaceError> {
    let nothing = Environment::default();
    Call::new("say its version", Path::new("/"), &nothing).args(&["--version"]).line()
}

fn removed_variables() -> impl Iterator<Item = (OsString, Option<OsString>)> {
    std::env::vars_os()
        .map(|(name, _)| name)
        .filter(|name| {
            let bytes = name.as_bytes();
            bytes.starts_with(b"GIT_")
                && !bytes.starts_with(KEPT_PREFIX.as_bytes())
                && !KEPT_VARIABLES.iter().any(|kept| kept.as_bytes() == bytes)
        })
        .map(|name| (name, None))
}

fn line(stdout: &[u8]) -> String {
    String::from_utf8_lossy(stdout).trim_end_matches('\n').to_owned()
}

/// What git said, in one line and bounded.
pub(crate) fn detail(stderr: &[u8]) -> String {
    let end = stderr.len().min(DETAIL_LIMIT_BYTES);
    let text = String::from_utf8_lossy(&stderr[..end]);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("; ")
}

/// git's complaint about a file or a folder it may not read, as an error that names it.
pub(crate) fn unreadable(stderr: &[u8]) -> Option<WorkspaceError> {
    let text = String::from_utf8_lossy(stderr);
    text.lines().find_map(|line| {
        let (path, reason) = line
            .strip_prefix("error: open(\"")
            .and_then(|rest| rest.split_once("\"): "))
            .or_else(|| {
                line.strip_prefix("warning: could not open directory '")
                    .and_then(|rest| rest.split_once("': "))
            })?;
        let denied = reason != "No such file or directory" && reason != "Not a directory";
        denied.then(|| WorkspaceError::Unreadable {
            path: path.trim_end_matches('/').to_owned(),
            reason: reason.to_owned(),
        })
    })
}

/// The parts of an output that end in NUL.
pub(crate) fn records(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == 0).filter(|record| !record.is_empty())
}

/// Paths as git reads them with `-z --stdin`.
pub(crate) fn nul_terminated<'a>(paths: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for path in paths {
        bytes.extend_from_slice(path);
        bytes.push(0);
    }
    bytes
}

/// A path of a tree, for people.
pub(crate) fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

/// A path of a tree below a folder.
pub(crate) fn below(folder: &Path, path: &[u8]) -> PathBuf {
    folder.join(OsStr::from_bytes(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_git_may_not_open_is_named() {
        let stderr =
            b"error: open(\"a b.txt\"): Permission denied\nfatal: Unable to process path\n";
        let error = unreadable(stderr).expect("recognised");
        assert!(error.to_string().starts_with("cannot read a b.txt: Permission denied;"));
        let stderr = b"warning: could not open directory 'closed/': Permission denied\n";
        let error = unreadable(stderr).expect("recognised");
        assert!(error.to_string().starts_with("cannot read closed: Permission denied;"));
    }

    #[test]
    fn a_file_that_vanished_is_not_unreadable() {
        assert!(unreadable(b"error: open(\"a\"): No such file or directory\n").is_none());
    }
}
