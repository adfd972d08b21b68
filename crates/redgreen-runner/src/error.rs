//! What can go wrong around a loop. None of it is a verdict.

use std::path::PathBuf;

use redgreen_exec::ExecError;
use redgreen_workspace::WorkspaceError;

/// An error of the tools, in words a person can act on.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// Something about git or the work tree.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// A process could not be run at all.
    #[error(transparent)]
    Exec(#[from] ExecError),
    /// A file could not be read or written.
    #[error("cannot {what} {}: {source}", path.display())]
    File {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A journal that cannot be read back.
    #[error("the journal {} is damaged at line {line}: {problem}. The lines before it are intact, and nothing was changed", path.display())]
    Journal {
        /// The journal.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A journal that another version wrote.
    #[error("the journal {} was written by a newer redgreen (format {found}, this one knows {known}): use that version. Nothing was changed", path.display())]
    JournalVersion {
        /// The journal.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The format of this version.
        known: u32,
    },
    /// What a redgreen that was killed had started does not end.
    #[error("a program that an earlier redgreen started in this work tree is still running, and holds {}: end it (`fuser -v` shows which one it is)", path.display())]
    LeftRunning {
        /// The lock that it holds.
        path: PathBuf,
    },
    /// An agent whose command the shell cannot run.
    #[error(
        "the agent's command `{command}` cannot be run: exit code {code}; is it installed and on the PATH?"
    )]
    AgentNotRunnable {
        /// The command.
        command: String,
        /// The shell's exit code.
        code: i32,
    },
    /// An agent whose program is not there.
    #[error(
        "the agent {agent} cannot be started: there is no program `{program}` on the PATH; install it: {install}"
    )]
    AgentMissing {
        /// The agent.
        agent: String,
        /// Its program.
        program: String,
        /// What installs it.
        install: String,
    },
    /// A session that does not exist, or that cannot be taken up.
    #[error("{0}")]
    Session(String),
    /// A configuration that cannot be used.
    #[error("{0}")]
    Configuration(String),
    /// Somebody stopped the work.
    #[error("interrupted")]
    Interrupted,
}

impl RunnerError {
    /// Turns an IO error into one that names the file.
    pub(crate) fn file(
        what: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { what, path, source }
    }
}
