//! mocha, through a listener of ours at its runner.
//!
//! The user's reporter stays. The tests are known when the run begins, so what a failed hook keeps
//! from running is not lost: those tests are errored, with the hook's failure.

mod json;

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

pub use json::read_json;

/// What mocha says where it found no test.
const NOTHING: &str = "No test files found";
const SIGNS: node::Signs = node::Signs {
    framework: ID,
    check: "mocha",
    programs: &["mocha", "electron-mocha"],
    package: "mocha",
    command: "mocha",
};

/// Its name.
pub const ID: FrameworkId = FrameworkId::named("mocha");

/// The adapter for mocha.
pub struct Mocha;

impl Adapter for Mocha {
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
        node::read(material, "mocha", NOTHING)
    }

    fn role(&self, path: &str) -> Option<FileRole> {
        let name = name_of(path);
        let configures = node::configures(name, ".mocharc") || name == "mocha.opts";
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
        &[console::mocha::DIALECT]
    }

    fn runners(&self) -> &'static [&'static str] {
        node::RUNNERS
    }

    fn settings(&self) -> &'static [&'static str] {
        node::SETTINGS
    }
}
