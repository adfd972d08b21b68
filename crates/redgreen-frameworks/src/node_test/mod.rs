//! `node --test`, Node's own runner: it is started once more with a reporter of ours beside the user's.

use redgreen_model::framework::FrameworkId;

use crate::console;
use crate::node::{self, Runner, Signs};

/// Its name.
pub const ID: FrameworkId = FrameworkId::named("node_test");

/// As scripts start it.
const PROGRAMS: &[&str] = &[node::NODE_TEST];

/// The adapter for `node --test`.
pub const NODE_TEST: Runner = Runner {
    signs: Signs { framework: ID, check: "node", programs: PROGRAMS, package: "", command: "" },
    recognises: |command| node::runs(command, PROGRAMS),
    nothing: None,
    configuration: &[],
    dialects: &[console::node_test::DIALECT],
};
