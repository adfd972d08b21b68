//! Codes of compilers, linters and type checkers, and names of signals.

use redgreen_model::error_class::ErrorClass;
use redgreen_model::error_class::ErrorClass::{
    Other, ReferenceError, RuntimeError, SyntaxError, TypeError,
};

/// What stands where other tools name an error type.
pub(super) const NAMES: &[(ErrorClass, &[&str])] = &[
    // Codes of compilers
    (
        TypeError,
        &[
            "E0308", "E0277", "E0061", "E0053", "E0369", "E0614", "E0604", "E0605", "E0606",
            "E0600", "E0618", "E0107", "CS0029", "CS1503", "CS0266", "CS0019", "CS7036",
        ],
    ),
    (
        ReferenceError,
        &[
            "E0425", "E0432", "E0433", "E0412", "E0405", "E0407", "E0423", "E0426", "E0560",
            "E0599", "E0609", "E0583", "E0463", "E0531", "CS0103", "CS0246", "CS0117", "CS1061",
            "CS0234",
        ],
    ),
    (
        Other,
        &["E0382", "E0499", "E0502", "E0505", "E0506", "E0597", "E0716", "E0004", "E0023", "E0106"],
    ),
    // Codes of linters and type checkers
    (SyntaxError, &["E999", "invalid-syntax", "syntax", "syntax-error", "E0001"]),
    (
        ReferenceError,
        &[
            "F821",
            "F822",
            "F823",
            "name-defined",
            "attr-defined",
            "import-not-found",
            "import-untyped",
            "no-undef",
            "undefined-variable",
            "no-member",
            "import-error",
            "reportUndefinedVariable",
            "reportMissingImports",
            "reportMissingModuleSource",
            "reportAttributeAccessIssue",
            "E0602",
        ],
    ),
    (
        TypeError,
        &[
            "arg-type",
            "assignment",
            "return-value",
            "call-arg",
            "operator",
            "index",
            "union-attr",
            "override",
            "list-item",
            "dict-item",
            "call-overload",
            "reportArgumentType",
            "reportAssignmentType",
            "reportReturnType",
            "reportCallIssue",
            "reportOptionalMemberAccess",
            "reportOperatorIssue",
            "reportIndexIssue",
            "typecheck",
        ],
    ),
    // Ways to die
    (
        RuntimeError,
        &[
            "SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGKILL", "SIGTERM", "SIGQUIT",
            "SIGINT", "SIGSYS", "SIGTRAP",
        ],
    ),
];
