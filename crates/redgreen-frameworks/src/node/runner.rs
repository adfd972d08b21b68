//! A runner of JavaScript tests: what all of them answer alike, and what each says of itself.

use redgreen_model::framework::FrameworkId;
use redgreen_model::report::{FailureKind, Report};
use redgreen_model::tree::FileRole;

use super::collector::COLLECTOR;
use super::manifest::{Signs, suggested, without_script};
use super::{
    FAMILY, RUNNERS, RUNTIME, SERVERS, SETTINGS, SURROUNDINGS, VARIABLES, address, configures,
    inject, read, role, sides,
};
use crate::adapter::{
    Adapter, Injection, InjectionRequest, ProjectFiles, RunMaterial, Runtime, SuggestedCheck,
    Variables,
};
use crate::collect::Collector;
use crate::console::Dialect;
use crate::explain::explain;
use crate::roles::name_of;
use crate::servers::Server;
use crate::sides::{Address, Addresses, Rule, SideRequest};
use crate::surroundings::Surroundings;

/// The adapter for a runner of JavaScript tests, by what it has of its own.
pub struct Runner {
    pub(crate) signs: Signs,
    /// Whether a command runs it.
    pub(crate) recognises: fn(&str) -> bool,
    /// What it prints where it found no test; none for one that redgreen starts with its reporter.
    pub(crate) nothing: Option<&'static str>,
    /// How the names of the files begin that configure it.
    pub(crate) configuration: &'static [&'static str],
    pub(crate) dialects: &'static [Dialect],
    /// Which versions are read.
    pub(crate) versions: &'static str,
}

impl Adapter for Runner {
    fn id(&self) -> FrameworkId {
        self.signs.framework
    }

    fn recognises_command(&self, command: &str) -> bool {
        (self.recognises)(command)
    }

    fn recognises_project(&self, project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
        let comes_with_node = self.nothing.is_none();
        let unnamed = || comes_with_node.then(|| without_script(project)).flatten();
        suggested(project, &self.signs).or_else(unnamed)
    }

    fn inject(&self, request: &InjectionRequest<'_>) -> Injection {
        inject(request)
    }

    fn read(&self, material: &RunMaterial<'_>) -> Report {
        if let Some(nothing) = self.nothing {
            return read(material, self.signs.check, nothing);
        }
        let mut report = material.stream_report();
        explain(&mut report, material, FailureKind::Unknown);
        report
    }

    fn role(&self, path: &str) -> Option<FileRole> {
        let name = name_of(path);
        let configured = self.configuration.iter().any(|stem| configures(name, stem));
        if configured { Some(FileRole::Tests) } else { role(path) }
    }

    fn sides(&self, request: &SideRequest<'_>) -> Vec<Rule> {
        sides::rules(request)
    }

    fn address(&self, id: &str, folder: &str, known: &Addresses<'_>) -> Option<Address> {
        address::address(id, folder, known)
    }

    fn servers(&self) -> Vec<Server> {
        SERVERS.to_vec()
    }

    fn family(&self) -> Option<&'static str> {
        FAMILY
    }

    fn runtime(&self) -> Option<&'static Runtime> {
        Some(&RUNTIME)
    }

    fn collector(&self) -> Option<&'static Collector> {
        Some(&COLLECTOR)
    }

    fn variables(&self) -> Variables {
        VARIABLES
    }

    fn unseen(&self, console: &str) -> Option<String> {
        // vitest says its version in its first line.
        let version = console.lines().find_map(|line| {
            let version = line.trim_start().strip_prefix("RUN")?.trim_start().strip_prefix('v')?;
            version.split_whitespace().next()
        });
        let name = self.signs.programs.first()?;
        let name = version.map_or((*name).to_owned(), |version| format!("{name} {version}"));
        Some(format!(
            "{name} ran without redgreen's module: {} is read where it runs in Node and keeps NODE_OPTIONS. Write \
             NODE_OPTIONS=\"$NODE_OPTIONS …\" where a script sets it anew, or have it write JUnit XML or TAP and name the \
             file in the check: reports = [\"report.xml\"]",
            self.versions
        ))
    }

    fn dialects(&self) -> &'static [Dialect] {
        self.dialects
    }

    fn runners(&self) -> &'static [&'static str] {
        RUNNERS
    }

    fn surroundings(&self) -> Surroundings {
        SURROUNDINGS
    }

    fn settings(&self) -> &'static [&'static str] {
        SETTINGS
    }
}
