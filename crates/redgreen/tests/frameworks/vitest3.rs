//! vitest 3: what it says otherwise.

use crate::frameworks::model::{Case, Model, Run, WANTED, Wanted};
use crate::frameworks::vitest::{self, EXIT, HANG, TOGETHER};

pub const MODEL: Model = Model {
    prepare: |project| project.link_packages("vitest3"),
    runs: &[TOGETHER, CRASH, EXIT, HANG, BROKEN],
    ..vitest::MODEL
};

/// It gives up when a worker dies, and the console has one of several reasons.
const CRASH: Run = Run {
    complete: false,
    errors: &[(Case::Crash, Wanted { kind: "runtime_error", error_type: "Error", ..WANTED })],
    ..vitest::CRASH
};

const BROKEN: Run = Run {
    errors: &[(
        Case::DoesNotBuild,
        Wanted {
            kind: "compile_error",
            error_type: "SyntaxError",
            message: "Expression expected",
            location: Some("tests/broken.test.js:4"),
            ..WANTED
        },
    )],
    ..vitest::BROKEN
};
