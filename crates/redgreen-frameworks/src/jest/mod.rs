//! jest, through a reporter of ours beside the user's.
//!
//! Where jest reads its configuration, our reporter is added behind those that are configured, so the
//! command line stays as it is and programs that start jest themselves (`react-scripts test`) are
//! reached too. jest-circus says when a test begins: what ends the process names the test in flight.
//!
//! Limits: whether a hook or the test itself failed shows in the stack alone; where the stack does not
//! reach that far, a failed hook is a failed test. A failed `afterAll` belongs to no test and is an error of its own. A failed test
//! is reported at the end of its file, because it may be retried until then.

mod json;

use redgreen_model::framework::FrameworkId;

use crate::command::{program_name, simple_commands};
use crate::console;
use crate::node::{self, Runner, Signs};

pub use json::read_json;

/// Its name.
pub const ID: FrameworkId = FrameworkId::named("jest");

/// The adapter for jest.
pub const JEST: Runner = Runner {
    signs: Signs {
        framework: ID,
        check: "jest",
        programs: &[
            "jest",
            "jest-cli",
            "react-scripts",
            "craco",
            "react-app-rewired",
            "lerna-jest",
        ],
        package: "jest",
        command: "jest",
    },
    recognises: |command| node::runs(command, &["jest", "jest-cli"]) || starts_jest(command),
    nothing: Some("No tests found"),
    configuration: &["jest.config", "jest.setup"],
    dialects: &[console::jest::DIALECT],
    versions: "jest 26 and newer",
};

/// Tools whose `test` is jest, in their own process.
fn starts_jest(command: &str) -> bool {
    const TOOLS: &[&str] = &["react-scripts", "craco", "react-app-rewired"];
    node::runs(command, TOOLS)
        && simple_commands(command).iter().any(|words| {
            let at = words.iter().position(|word| TOOLS.contains(&program_name(word)));
            at.is_some_and(|at| words.get(at + 1).is_some_and(|word| word == "test"))
        })
}
