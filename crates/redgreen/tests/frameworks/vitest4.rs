//! vitest 4: what it says otherwise.

use crate::frameworks::model::{Case, Model, Run, WANTED, Wanted};
use crate::frameworks::vitest::{self, BROKEN, EXIT, HANG, TOGETHER};

pub const MODEL: Model = Model {
    prepare: |project| project.link_packages("vitest4"),
    runs: &[TOGETHER, CRASH, EXIT, HANG, BROKEN],
    ..vitest::MODEL
};

/// It does not say of what the worker died.
const CRASH: Run = Run {
    errors: &[(
        Case::Crash,
        Wanted {
            kind: "runtime_error",
            error_type: "Error",
            message: "Worker exited unexpectedly",
            ..WANTED
        },
    )],
    ..vitest::CRASH
};
