//! How the program ends: the exit codes, decided in one place, and errors with a hint.

use std::fmt;
use std::process::ExitCode;

use redgreen_engine::state::State;
use redgreen_memory::MemoryError;
use redgreen_model::verdict::{StopReason, Verdict};
use redgreen_model::workflow::LoopStatus;
use redgreen_runner::RunnerError;
use redgreen_workspace::WorkspaceError;

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

impl From<&State> for Ending {
    fn from(state: &State) -> Self {
        match (state.status, state.stop.as_ref().map(|stop| stop.reason)) {
            (LoopStatus::Passed, _) => Self::Green,
            (_, Some(StopReason::ToolingError)) => Self::Tooling,
            _ => Self::Red,
        }
    }
}

/// What the system and git say when there is no space.
const DISK_IS_FULL: [&str; 2] = ["No space left on device", "Disk quota exceeded"];

/// An error for people: what failed, and what to do.
#[derive(Debug)]
pub struct Failure {
    ending: Ending,
    message: String,
    hints: Vec<String>,
}

impl Failure {
    /// Something wrong with how redgreen was called or configured.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { ending: Ending::Usage, message: message.into(), hints: Vec::new() }
    }

    /// Something wrong with the tools or the environment.
    pub fn tooling(message: impl Into<String>) -> Self {
        let message = message.into();
        let is_full = DISK_IS_FULL.iter().any(|words| message.contains(words));
        let failure = Self { ending: Ending::Tooling, message, hints: Vec::new() };
        if is_full { failure.hint("the disk is full: free some space first") } else { failure }
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
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

impl From<WorkspaceError> for Failure {
    fn from(error: WorkspaceError) -> Self {
        Self::tooling(error.to_string())
    }
}

impl From<MemoryError> for Failure {
    fn from(error: MemoryError) -> Self {
        Self::tooling(error.to_string())
    }
}

impl From<RunnerError> for Failure {
    fn from(error: RunnerError) -> Self {
        match error {
            RunnerError::Workspace(error) => error.into(),
            RunnerError::Interrupted => Self {
                ending: Ending::Interrupted,
                message: "interrupted".to_owned(),
                hints: Vec::new(),
            },
            RunnerError::Configuration(message) => Self::usage(message),
            RunnerError::Session(message) => Self::usage(message),
            error => Self::tooling(error.to_string()),
        }
    }
}
