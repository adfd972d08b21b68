//! mocha, through a listener of ours at its runner.
//!
//! The user's reporter stays. The tests are known when the run begins, so what a failed hook keeps
//! from running is not lost: those tests are errored, with the hook's failure.

mod json;

use redgreen_model::framework::FrameworkId;

use crate::console;
use crate::node::{self, Runner, Signs};

pub use json::read_json;

/// Its name.
pub const ID: FrameworkId = FrameworkId::named("mocha");

const PROGRAMS: &[&str] = &["mocha", "electron-mocha"];

/// The adapter for mocha.
pub const MOCHA: Runner = Runner {
    signs: Signs {
        framework: ID,
        check: "mocha",
        programs: PROGRAMS,
        package: "mocha",
        command: "mocha",
    },
    recognises: |command| node::runs(command, PROGRAMS),
    nothing: Some("No test files found"),
    configuration: &[".mocharc", "mocha.opts"],
    dialects: &[console::mocha::DIALECT],
    versions: "mocha 8 and newer",
};
