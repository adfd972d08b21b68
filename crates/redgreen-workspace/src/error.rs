//! What can go wrong, and what is worth saying although nothing did.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use redgreen_exec::{ExecError, ExecErrorKind};
use redgreen_model::tree::TreeHash;

/// Why the workspace could not do what it was asked. None of these says anything about the code.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// There is no git to run.
    #[error("git is not installed, or not in PATH; install git 2.30 or later")]
    GitMissing,
    /// The folder is in no git work tree.
    #[error(
        "{} is not in a git repository; run `git init` in the project's top folder \
         (a first commit is not needed)", folder.display()
    )]
    NotARepository {
        /// The folder that was asked for.
        folder: PathBuf,
    },
    /// The repository's work tree is somewhere else.
    #[error(
        "git uses {} as the work tree of {}, because of `core.worktree` in its configuration: start \
         there, or remove that setting", root.display(), folder.display()
    )]
    Elsewhere {
        /// The folder that was asked for.
        folder: PathBuf,
        /// What git takes for its work tree.
        root: PathBuf,
    },
    /// The repository has no files to test.
    #[error(
        "{} has no work tree: it is a bare repository or a `.git` folder; start in a clone, or in \
         a folder made by `git worktree add`", folder.display()
    )]
    BareRepository {
        /// The folder that was asked for.
        folder: PathBuf,
    },
    /// `.redgreen` is there and is no folder.
    #[error("{} must be a folder, not a file or a link; move it away", path.display())]
    StateFolder {
        /// The folder for redgreen's state.
        path: PathBuf,
    },
    /// A file of the work tree cannot be read, so its content is unknown.
    #[error("cannot read {path}: {reason}; make it readable, delete it, or have git ignore it")]
    Unreadable {
        /// The file or folder, from the root of the work tree.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// Another redgreen works in this tree.
    #[error("another redgreen is at work in this tree: {holder}; wait for it, or end it")]
    Locked {
        /// What the holder wrote about itself.
        holder: String,
    },
    /// The name cannot be part of a git ref.
    #[error("{name:?} cannot be the name of a snapshot; use letters, digits, `-` and `/`")]
    BadName {
        /// The name as given.
        name: String,
    },
    /// Something else is kept under that name; it is not overwritten.
    #[error("{reference} already keeps tree {}; choose another name", tree.short())]
    NameTaken {
        /// The full name of the ref.
        reference: String,
        /// What it keeps.
        tree: TreeHash,
    },
    /// The repository has no such tree, or no longer.
    #[error("the repository has no tree {tree}; it was never made here, or `git gc` removed it")]
    UnknownTree {
        /// What was asked for.
        tree: String,
    },
    /// A file of a tree is larger than was asked for.
    #[error("{path} has {bytes} bytes, more than the {limit} that are read")]
    TooLarge {
        /// The file.
        path: String,
        /// How many bytes it has.
        bytes: u64,
        /// How many are read.
        limit: u64,
    },
    /// A folder with ignored files lies where a file is to be put.
    #[error(
        "cannot put {path} back: a folder with ignored files is in its place (such as {example}); \
         move that folder away. Nothing was changed"
    )]
    InTheWay {
        /// The path to be put back.
        path: String,
        /// One of the files that would be lost.
        example: String,
    },
    /// The work tree is not what it should be after a restore.
    #[error(
        "tree {} was put back, but the work tree is {} instead; these files differ: {}. \
         What was there before is kept as {saved_ref}", target.short(), got.short(), paths.join(", ")
    )]
    RestoreIncomplete {
        /// What was to be put back.
        target: TreeHash,
        /// What is there.
        got: TreeHash,
        /// Some of the paths that differ.
        paths: Vec<String>,
        /// Where the work tree from before is kept.
        saved_ref: String,
    },
    /// git failed.
    #[error("git could not {action}{}", detail_after(detail))]
    Git {
        /// What it was to do.
        action: &'static str,
        /// What it said.
        detail: String,
        /// What the system says, where git had no space to write: of git itself there are only words.
        #[source]
        full: Option<io::Error>,
    },
    /// git could not be run to its end.
    #[error("could not run git to {action}: {source}")]
    Exec {
        /// What it was to do.
        action: &'static str,
        /// What happened.
        source: ExecError,
    },
    /// The system refused something.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn detail_after(detail: &str) -> String {
    if detail.is_empty() { String::new() } else { format!(": {detail}") }
}

impl WorkspaceError {
    /// For `map_err`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }

    /// git said something that this version does not understand.
    pub(crate) fn answer(action: &'static str) -> Self {
        Self::Git {
            action,
            detail: "redgreen does not understand its answer".to_owned(),
            full: None,
        }
    }

    /// For `map_err`.
    pub(crate) fn exec(action: &'static str) -> impl FnOnce(ExecError) -> Self {
        move |source| match source.kind {
            ExecErrorKind::ToolNotStarted => Self::GitMissing,
            _ => Self::Exec { action, source },
        }
    }
}

/// Something a person may want to know about how a tree was hashed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Diagnostic {
    /// A git repository lies in the work tree and is no submodule. git would not look inside; its
    /// files are part of the tree.
    NestedRepository {
        /// Its folder.
        path: String,
    },
    /// A submodule's folder is no git repository of its own, but has files. They are part of the
    /// tree in the submodule's place.
    DetachedSubmodule {
        /// Its folder.
        path: String,
    },
    /// git refuses such a path in a tree, so it does not count.
    RefusedPath {
        /// The path.
        path: String,
    },
}

impl Diagnostic {
    /// The same for a submodule's content, seen from above.
    pub(crate) fn below(self, folder: &str) -> Self {
        let deeper = |path: String| format!("{folder}/{path}");
        match self {
            Self::NestedRepository { path } => Self::NestedRepository { path: deeper(path) },
            Self::DetachedSubmodule { path } => Self::DetachedSubmodule { path: deeper(path) },
            Self::RefusedPath { path } => Self::RefusedPath { path: deeper(path) },
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NestedRepository { path } => write!(
                formatter,
                "{path} is a git repository inside this one; its files count as ordinary files"
            ),
            Self::DetachedSubmodule { path } => write!(
                formatter,
                "submodule {path} has files but is not a working git repository; its files count \
                 as ordinary files (`git submodule update --init` repairs it)"
            ),
            Self::RefusedPath { path } => {
                write!(formatter, "git refuses the path {path}; it is not part of the tree")
            }
        }
    }
}
