//! vitest, through a listener of ours beside the user's reporters.
//!
//! vitest tells its reporters what happens with one call; ours is called first, from the same call, and
//! the reporters of the configuration or the command line stay what they are.

use redgreen_model::framework::FrameworkId;

use crate::console;
use crate::node::{self, Runner, Signs};

/// vitest writes jest's format.
pub use crate::jest::read_json;

/// Its name.
pub const ID: FrameworkId = FrameworkId::named("vitest");

const PROGRAMS: &[&str] = &["vitest"];

/// The adapter for vitest.
pub const VITEST: Runner = Runner {
    signs: Signs {
        framework: ID,
        check: "vitest",
        programs: PROGRAMS,
        package: "vitest",
        command: "vitest run",
    },
    recognises: |command| node::runs(command, PROGRAMS),
    nothing: Some("No test files found"),
    configuration: &["vitest.config", "vitest.workspace", "vitest.setup", "vitest.projects"],
    dialects: &[console::vitest::DIALECT],
    versions: "vitest 1 to 5",
};
