//! `node --test`, Node's own runner: it is started once more with a reporter of ours beside the user's. Where a program
//! has it run the files (borp), the stream of its events is heard beside whoever reads it.

use redgreen_model::framework::FrameworkId;

use crate::console;
use crate::node::{self, Runner, Signs};

/// Its name.
pub const ID: FrameworkId = FrameworkId::named("node_test");

/// As scripts start it.
const PROGRAMS: &[&str] = &[node::NODE_TEST, BORP];
/// A program that runs test files with it, in its own process.
const BORP: &str = "borp";

/// The adapter for `node --test`.
pub const NODE_TEST: Runner = Runner {
    signs: Signs { framework: ID, check: "node", programs: PROGRAMS, package: BORP, command: BORP },
    recognises: |command| node::runs(command, PROGRAMS),
    nothing: None,
    configuration: &[],
    dialects: &[console::node_test::DIALECT],
    versions: "that of Node 20 and newer",
};
