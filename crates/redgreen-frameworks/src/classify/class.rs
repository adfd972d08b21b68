//! From a language's own name of an error to the nine that all share.

use redgreen_model::error_class::ErrorClass;
use redgreen_model::report::{Failure, FailureKind};

use super::names::by_name;
use super::phrases::by_phrase;

/// Names that say only that something failed, in any language; what was said tells more.
const VAGUE: &[&str] = &[
    "panic",
    "Error",
    "error",
    "Failure",
    "failed",
    "fail",
    "FAIL",
    "compile_error",
    "Throwable",
    "Exception",
    "ProcessEnded",
    "build failed",
    "errorString",
    "should_panic",
    "",
];

/// The class of a failure: by what happened, by the error's name, by its words, by its kind.
pub(crate) fn error_class(failure: &Failure) -> ErrorClass {
    if failure.kind == FailureKind::Timeout {
        return ErrorClass::TimeoutError;
    }
    let name = failure.error_type.as_str();
    let vague = VAGUE.contains(&name);
    by_name(name)
        .filter(|_| !vague)
        .or_else(|| by_phrase(&failure.message).filter(|_| vague || by_kind_alone(failure)))
        .unwrap_or_else(|| otherwise(failure))
}

/// Compilers and linters have few names and many words.
fn by_kind_alone(failure: &Failure) -> bool {
    matches!(failure.kind, FailureKind::CompileError | FailureKind::Unknown)
}

/// An error of the project's own is one that happened while it ran; a check that only says that it
/// failed is a check.
fn otherwise(failure: &Failure) -> ErrorClass {
    match failure.kind {
        FailureKind::TestFailure if is_own_error(&failure.error_type) => ErrorClass::RuntimeError,
        kind => ErrorClass::of_kind(kind),
    }
}

fn is_own_error(name: &str) -> bool {
    let assertion = name.contains("Assert") || name.contains("Expect");
    let error = ["Error", "Exception", "panic", "Panic"].iter().any(|end| name.ends_with(end));
    // What JavaScript can throw without an error around it.
    let value = matches!(name, "string" | "number" | "boolean" | "object" | "undefined" | "null");
    value || (error && !assertion)
}

#[cfg(test)]
mod tests {
    use ErrorClass::{
        AssertionError, Other, ReferenceError, RuntimeError, SyntaxError, TimeoutError, TypeError,
    };
    use FailureKind::{CompileError, LintFailure, TestFailure, Timeout, ToolingError, Unknown};

    use super::*;

    #[test]
    fn every_failure_has_a_class() {
        let cases = [
            (TestFailure, "KeyError", "'a'", RuntimeError),
            (TestFailure, "AssertionError", "assert 1 == 2", AssertionError),
            (TestFailure, "OrderError", "no items", RuntimeError),
            (TestFailure, "MyAssertionError", "no", AssertionError),
            (TestFailure, "Failure", "got 3, want 4", AssertionError),
            (TestFailure, "panic", "assertion failed: x > 3", AssertionError),
            (TestFailure, "panic", "the cart is broken", RuntimeError),
            (TestFailure, "Error", "Cannot find module './x' from 'y'", ReferenceError),
            (TestFailure, "Error", "boom", RuntimeError),
            (TestFailure, "string", "stopped", RuntimeError),
            (FailureKind::RuntimeError, "SIGSEGV", "died of SIGSEGV", RuntimeError),
            (CompileError, "E0308", "mismatched types", TypeError),
            (CompileError, "error", "expected `;`, found `}`", SyntaxError),
            (CompileError, "build failed", "undefined: Totl", ReferenceError),
            (LintFailure, "F401", "`os` imported but unused", Other),
            (LintFailure, "exit code 1", "whatever", Other),
            (ToolingError, "exit code 127", "sh: jest: not found", Other),
            (Timeout, "Timeout", "ended at its limit of 3 s", TimeoutError),
            (Unknown, "exit code 1", "the job timed out, it says", Other),
        ];
        for (kind, name, message, wanted) in cases {
            let failure = Failure::new(kind, name, message);
            assert_eq!(error_class(&failure), wanted, "{kind} {name} {message}");
        }
    }
}
