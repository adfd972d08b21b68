//! From a language's own names of errors to the nine that all share.

use redgreen_model::error_class::ErrorClass;
use redgreen_model::report::{Failure, FailureKind};

/// The class of a failure.
pub(crate) fn error_class(failure: &Failure) -> ErrorClass {
    match failure.kind {
        FailureKind::Timeout => ErrorClass::TimeoutError,
        FailureKind::TestFailure => ErrorClass::AssertionError,
        FailureKind::RuntimeError => ErrorClass::RuntimeError,
        FailureKind::CompileError => ErrorClass::SyntaxError,
        _ => ErrorClass::Other,
    }
}
