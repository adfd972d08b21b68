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
use redgreen_model::report::Report;
use redgreen_model::tree::FileRole;

use crate::adapter::{
    Adapter, Injection, InjectionRequest, ProjectFiles, RunMaterial, Runtime, SuggestedCheck,
    Variables,
};
use crate::command::{program_name, simple_commands};
use crate::console::{self, Dialect};
use crate::node;
use crate::roles::name_of;
use crate::servers::Server;
use crate::sides::{Address, Addresses, Rule, SideRequest};

pub use json::read_json;

/// What jest says where it found no test.
const NOTHING: &str = "No tests found";
const SIGNS: node::Signs = node::Signs {
    framework: ID,
    check: "jest",
    programs: &["jest", "jest-cli", "react-scripts", "craco", "react-app-rewired", "lerna-jest"],
    package: "jest",
    command: "jest",
};

/// Its name.
pub const ID: FrameworkId = FrameworkId::named("jest");

/// The adapter for jest.
pub struct Jest;

impl Adapter for Jest {
    fn id(&self) -> FrameworkId {
        ID
    }

    fn recognises_command(&self, command: &str) -> bool {
        node::runs(command, &["jest", "jest-cli"]) || starts_jest(command)
    }

    fn recognises_project(&self, project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
        node::suggested(project, &SIGNS)
    }

    fn inject(&self, request: &InjectionRequest<'_>) -> Injection {
        node::inject(request)
    }

    fn read(&self, material: &RunMaterial<'_>) -> Report {
        node::read(material, "jest", NOTHING)
    }

    fn role(&self, path: &str) -> Option<FileRole> {
        let name = name_of(path);
        let configures =
            node::configures(name, "jest.config") || node::configures(name, "jest.setup");
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
        &[console::jest::DIALECT]
    }

    fn runners(&self) -> &'static [&'static str] {
        node::RUNNERS
    }

    fn settings(&self) -> &'static [&'static str] {
        node::SETTINGS
    }
}

/// Tools whose `test` is jest, in their own process.
fn starts_jest(command: &str) -> bool {
    const TOOLS: &[&str] = &["react-scripts", "craco", "react-app-rewired"];
    node::runs(command, TOOLS)
        && simple_commands(command).iter().any(|words| {
            let at = words.iter().position(|word| TOOLS.contains(&program_name(word)));
            at.is_some_and(|at| words.get(at + 1).is_some_and(|word| word == "test"))
        })
}
