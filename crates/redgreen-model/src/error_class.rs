//! The nine names for errors that every language shares.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::report::FailureKind;

/// What sort of error it is in any language; the language's own name stands beside it.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
pub enum ErrorClass {
    /// A test wanted something else than it got.
    AssertionError,
    /// A value of the wrong type, null included.
    TypeError,
    /// A name, a module or a member that is not there.
    ReferenceError,
    /// Text that is no program.
    SyntaxError,
    /// The program failed while it ran.
    RuntimeError,
    /// Something took too long.
    TimeoutError,
    /// Something on the network did not answer as it should.
    NetworkError,
    /// A value of the right type that is not allowed.
    ValidationError,
    /// None of these.
    #[default]
    Other,
}

impl ErrorClass {
    /// The class of a failure of which only its kind is known.
    pub fn of_kind(kind: FailureKind) -> Self {
        match kind {
            FailureKind::TestFailure => Self::AssertionError,
            FailureKind::CompileError => Self::SyntaxError,
            FailureKind::RuntimeError => Self::RuntimeError,
            FailureKind::Timeout => Self::TimeoutError,
            FailureKind::LintFailure | FailureKind::ToolingError | FailureKind::Unknown => {
                Self::Other
            }
        }
    }

    /// The name in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AssertionError => "AssertionError",
            Self::TypeError => "TypeError",
            Self::ReferenceError => "ReferenceError",
            Self::SyntaxError => "SyntaxError",
            Self::RuntimeError => "RuntimeError",
            Self::TimeoutError => "TimeoutError",
            Self::NetworkError => "NetworkError",
            Self::ValidationError => "ValidationError",
            Self::Other => "Other",
        }
    }
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
