//! How the program ends: the exit codes, decided in one place, and errors with a hint.

use std::error::Error;
use std::fmt;
use std::io::ErrorKind;
use std::process::ExitCode;

use redgreen_agents::command::SESSION;
use redgreen_engine::classes::Judged;
use redgreen_engine::state::State;
use redgreen_memory::MemoryError;
use redgreen_model::verdict::{StopReason, Verdict};
use redgreen_model::workflow::LoopStatus;
use redgreen_runner::RunnerError;
use redgreen_workspace::WorkspaceError;

/// What an agent is told that works in a loop, which holds the work tree.
const THE_LOOP_RUNS_THEM: &str = "the loop that started you is at work in this tree: it runs the tests itself when you end your turn";

/// What is said of a run that was interrupted.
const RUN_AGAIN: &str = "redgreen put nothing back and keeps no result of this: run it again";

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Passed or allowed.
    Green,
    /// Red, blocked or escalated.
    Red,
    /// Usage or configuration.
    Usage,
    /// Tooling or environment.
    Tooling,
    /// Interrupted.
    Interrupted,
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        Self::from(match ending {
            Ending::Green => 0,
            Ending::Red => 1,
            Ending::Usage => 2,
            Ending::Tooling => 3,
            Ending::Interrupted => 130,
        })
    }
}

impl From<Verdict> for Ending {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Passed => Self::Green,
            Verdict::PassedBut | Verdict::Failed | Verdict::Inconclusive => Self::Red,
            Verdict::ToolingError => Self::Tooling,
        }
    }
}

impl From<&Judged> for Ending {
    /// What a person knows to be red holds nobody.
    fn from(judged: &Judged) -> Self {
        if judged.is_but_for_known() { Self::Green } else { judged.verdict.into() }
    }
}

impl From<&State> for Ending {
    fn from(state: &State) -> Self {
        if state.is_but_for_known() {
            return Self::Green;
        }
        match (state.status, state.stop.as_ref().map(|stop| stop.reason)) {
            (LoopStatus::Passed, _) => Self::Green,
            (_, Some(StopReason::ToolingError)) => Self::Tooling,
            _ => Self::Red,
        }
    }
}

/// An error for people: what failed, and what to do.
#[derive(Debug)]
pub struct Failure {
    ending: Ending,
    message: String,
    hints: Vec<String>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl Failure {
    fn new(ending: Ending, message: String) -> Self {
        Self { ending, message, hints: Vec::new(), source: None }
    }

    /// Something wrong with how redgreen was called or configured.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Ending::Usage, message.into())
    }

    /// Something wrong with the tools or the environment.
    pub fn tooling(message: impl Into<String>) -> Self {
        Self::new(Ending::Tooling, message.into())
    }

    /// The same, of an error that says itself what failed.
    pub fn of(source: impl Error + Send + Sync + 'static) -> Self {
        Self::tooling(source.to_string()).caused_by(source)
    }

    /// The same, of an error that says only why: this is what could not be done.
    pub fn cannot(what: impl fmt::Display, source: impl Error + Send + Sync + 'static) -> Self {
        Self::tooling(format!("cannot {what}: {source}")).caused_by(source)
    }

    /// Keeps what it came from.
    #[must_use]
    pub fn caused_by(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        if is_disk_full(&self) {
            return self.hint("the disk is full: free some space first");
        }
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Says how to go on, in place of beginning again.
    #[must_use]
    pub fn go_on(mut self, hint: impl Into<String>) -> Self {
        self.hints.retain(|hint| hint != RUN_AGAIN);
        self.hint(hint)
    }

    /// The exit code.
    pub fn ending(&self) -> Ending {
        self.ending
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "error: {}", self.message)?;
        for hint in &self.hints {
            write!(formatter, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}

/// Whether there was no space for something, however deep that lies.
fn is_disk_full(error: &(dyn Error + 'static)) -> bool {
    let full = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded];
    std::iter::successors(error.source(), |error| (*error).source())
        .filter_map(|error| error.downcast_ref::<std::io::Error>())
        .any(|error| full.contains(&error.kind()))
}

impl From<WorkspaceError> for Failure {
    fn from(error: WorkspaceError) -> Self {
        let is_by_an_agent = std::env::var_os(SESSION).is_some();
        match error {
            // It must not end what has started it.
            WorkspaceError::Locked { .. } if is_by_an_agent => {
                Self::tooling(THE_LOOP_RUNS_THEM).caused_by(error)
            }
            error => Self::of(error),
        }
    }
}

impl From<MemoryError> for Failure {
    fn from(error: MemoryError) -> Self {
        Self::of(error)
    }
}

impl From<RunnerError> for Failure {
    fn from(error: RunnerError) -> Self {
        match error {
            RunnerError::Workspace(error) => error.into(),
            RunnerError::Interrupted => {
                Self::new(Ending::Interrupted, error.to_string()).hint(RUN_AGAIN)
            }
            RunnerError::Configuration(message) | RunnerError::Session(message) => {
                Self::usage(message)
            }
            error => Self::of(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_recognised_by_its_kind_however_deep_it_lies() {
        let path = std::path::PathBuf::from("x");
        let file = |source| RunnerError::File { what: "write", path: path.clone(), source };
        let full = Failure::from(file(ErrorKind::StorageFull.into()));
        assert!(full.to_string().contains("free some space"), "{full}");
        let quota = std::io::Error::from(ErrorKind::QuotaExceeded);
        assert!(Failure::cannot("write x", quota).to_string().contains("free some space"));
        // Words of others are no kind.
        let said = std::io::Error::other("the test said: No space left on device");
        let other = Failure::from(file(said));
        assert!(!other.to_string().contains("free some space"), "{other}");
        assert!(other.source().is_some_and(|source| source.is::<RunnerError>()));
    }
}
