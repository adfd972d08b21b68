//! `node --test`, Node's own runner: it is started once more with a reporter of ours beside the user's.

use redgreen_model::framework::FrameworkId;
use redgreen_model::report::{FailureKind, Report};
use redgreen_model::tree::FileRole;

use crate::adapter::{
    Adapter, Injection, InjectionRequest, ProjectFiles, RunMaterial, Runtime, SuggestedCheck,
    Variables,
};
use crate::console::{self, Dialect};
use crate::explain::explain;
use crate::node;
use crate::servers::Server;
use crate::sides::{Address, Addresses, Rule, SideRequest};

/// Its name.
pub const ID: FrameworkId = FrameworkId::named("node_test");

/// As scripts start it.
const SIGNS: node::Signs = node::Signs {
    framework: ID,
    check: "node",
    programs: &[node::NODE_TEST],
    package: "",
    command: "",
};

/// The adapter for `node --test`.
pub struct NodeTest;

impl Adapter for NodeTest {
    fn id(&self) -> FrameworkId {
        ID
    }

    fn recognises_command(&self, command: &str) -> bool {
        node::runs(command, SIGNS.programs)
    }

    fn recognises_project(&self, project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
        node::suggested(project, &SIGNS).or_else(|| node::without_script(project))
    }

    fn inject(&self, request: &InjectionRequest<'_>) -> Injection {
        node::inject(request)
    }

    fn read(&self, material: &RunMaterial<'_>) -> Report {
        let mut report = material.stream_report();
        explain(&mut report, material, FailureKind::Unknown);
        report
    }

    fn role(&self, path: &str) -> Option<FileRole> {
        node::role(path)
    }

    fn sides(&self, request: &SideRequest<'_>) -> Vec<Rule> {
        node::sides(request)
    }

    fn address(&self, id: &str, folder: &str, known: &Addresses<'_>) -> Option<Address> {
        node::address(id, folder, known)
    }

    fn servers(&self) -> Vec<Server> {
        node::SERVERS.to_vec()
    }

    fn family(&self) -> Option<&'static str> {
        node::FAMILY
    }

    fn runtime(&self) -> Option<&'static Runtime> {
        Some(&node::RUNTIME)
    }

    fn variables(&self) -> Variables {
        node::VARIABLES
    }

    fn runners(&self) -> &'static [&'static str] {
        node::RUNNERS
    }

    fn settings(&self) -> &'static [&'static str] {
        node::SETTINGS
    }

    fn dialects(&self) -> &'static [Dialect] {
        &[console::node_test::DIALECT]
    }
}
