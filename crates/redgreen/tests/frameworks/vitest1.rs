//! vitest 1 and 2: what they say otherwise.

use crate::frameworks::model::{Case, Model, Run, WANTED, Wanted};
use crate::frameworks::vitest::{self, EXIT, HANG, TOGETHER};

pub const MODEL: Model = Model {
    prepare: |project| project.link_packages("vitest1"),
    runs: &[TOGETHER, CRASH, EXIT, HANG, BROKEN],
    ..vitest::MODEL
};

/// A worker that dies takes its pool along, and the console alone has the signal.
const CRASH: Run = Run {
    complete: false,
    errors: &[(Case::Crash, Wanted { kind: "runtime_error", error_type: "SIGSEGV", ..WANTED })],
    ..vitest::CRASH
};

const BROKEN: Run = Run {
    errors: &[(
        Case::DoesNotBuild,
        Wanted {
            kind: "compile_error",
            error_type: "SyntaxError",
            message: "Failed to parse source",
            location: Some("tests/broken.test.js:4"),
            ..WANTED
        },
    )],
    ..vitest::BROKEN
};
