//! vitest, through a listener of ours beside the user's reporters.
//!
//! vitest tells its reporters what happens with one call; ours is called first, from the same call, and
//! the reporters of the configuration or the command line stay what they are.

use redgreen_model::framework::FrameworkId;
use redgreen_model::report::Report;
use redgreen_model::tree::FileRole;

use crate::adapter::{
    Adapter, Injection, InjectionRequest, ProjectFiles, RunMaterial, Runtime, SuggestedCheck,
    Variables,
};
use crate::console::{self, Dialect};
use crate::node;
use crate::roles::name_of;
use crate::servers::Server;
use crate::sides::{Address, Addresses, Rule, SideRequest};

/// vitest writes jest's format.
pub use crate::jest::read_json;

/// What vitest says where it found no test.
const NOTHING: &str = "No test files found";
const SIGNS: node::Signs = node::Signs {
    framework: ID,
    check: "vitest",
    programs: &["vitest"],
    package: "vitest",
    command: "vitest run",
};

/// Its name.
pub const ID: FrameworkId = FrameworkId::named("vitest");

/// The adapter for vitest.
pub struct Vitest;

impl Adapter for Vitest {
    fn id(&self) -> FrameworkId {
        ID
    }

    fn recognises_command(&self, command: &str) -> bool {
        node::runs(command, SIGNS.programs)
    }

    fn recognises_project(&self, project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
        node::suggested(project, &SIGNS)
    }

    fn inject(&self, request: &InjectionRequest<'_>) -> Injection {
        node::inject(request)
    }

    fn read(&self, material: &RunMaterial<'_>) -> Report {
        node::read(material, "vitest", NOTHING)
    }

    fn role(&self, path: &str) -> Option<FileRole> {
        let name = name_of(path);
        let configures = ["vitest.config", "vitest.workspace", "vitest.setup", "vitest.projects"];
        let configures = configures.iter().any(|stem| node::configures(name, stem));
        if configures { Some(FileRole::Tests) } else { node::role(path) }
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

    fn dialects(&self) -> &'static [Dialect] {
        &[console::vitest::DIALECT]
    }

    fn runners(&self) -> &'static [&'static str] {
        node::RUNNERS
    }

    fn settings(&self) -> &'static [&'static str] {
        node::SETTINGS
    }
}
