//! What can go wrong on redgreen's own side.

use std::io;

/// redgreen could not do its part; nothing is said about the command.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ExecError {
    /// What sort of failure it is.
    pub kind: ExecErrorKind,
    message: String,
    #[source]
    source: Option<io::Error>,
}

/// The sort of an [`ExecError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExecErrorKind {
    /// The system refused something every run needs: a pipe, a thread, `/proc`.
    System,
    /// The supervisor could not be started, or did not take the job.
    SupervisorNotStarted,
    /// The tool of [`capture`](crate::capture) could not be started.
    ToolNotStarted,
    /// The tool did not end in time and was killed.
    ToolTimedOut,
    /// The tool wrote more than fits in memory and was killed.
    ToolOutputTooLarge,
}

impl ExecError {
    pub(crate) fn new(kind: ExecErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// `what` says what was tried, on what.
    pub(crate) fn io(kind: ExecErrorKind, what: &str, source: io::Error) -> Self {
        Self { kind, message: format!("{what}: {source}"), source: Some(source) }
    }

    /// For `map_err` where the system refuses a resource.
    pub(crate) fn system<E: Into<io::Error>>(what: &'static str) -> impl FnOnce(E) -> Self {
        move |source| Self::io(ExecErrorKind::System, what, source.into())
    }
}
