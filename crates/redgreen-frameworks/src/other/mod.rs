//! Any other runner: the report stream if it writes one, else how it ended and its last lines.

use redgreen_model::framework::FrameworkId;
use redgreen_model::report::{FailureKind, Report};

mod runners;

use crate::ADAPTERS;
use crate::adapter::{
    Adapter, Injection, InjectionRequest, ProjectFiles, RunMaterial, SuggestedCheck,
};
use crate::explain::explain;
use crate::node;
use crate::servers::{Server, Without};
use crate::sides::{Address, Addresses, Rule, SideRequest};

pub(crate) use runners::{unseen, unseen_command};

/// Files with targets, who runs them, and what the one for tests is called.
const TARGETS: &[(&str, &str, &[&str])] = &[
    ("Makefile", "make", &["test", "tests", "check"]),
    ("makefile", "make", &["test", "tests", "check"]),
    ("GNUmakefile", "make", &["test", "tests", "check"]),
    ("justfile", "just", &["test", "tests"]),
    ("Justfile", "just", &["test", "tests"]),
    ("Rakefile", "rake", &["test", "spec"]),
];

/// Whether a file has a target or a task of this name.
fn has_target(text: &str, target: &str) -> bool {
    let named = |line: &str| {
        line.strip_prefix(target).is_some_and(|rest| {
            rest.starts_with([':', ' ']) && rest.contains(':') && !rest.contains("=")
        })
    };
    let task =
        [format!("task :{target}"), format!("task {target}:"), format!("Task.new(:{target}")];
    text.lines().any(|line| named(line) || task.iter().any(|task| line.contains(task)))
}

/// A command that redgreen does not know. It may write the [report stream](crate::stream) itself, and
/// may honour `REDGREEN_ONLY`, a file with the ids of the only tests to run. It may also start a
/// framework that has a folder, as `make test` does: so it gets what each of them needs.
pub struct Other;

impl Adapter for Other {
    fn id(&self) -> FrameworkId {
        FrameworkId::OTHER
    }

    fn recognises_command(&self, _command: &str) -> bool {
        false
    }

    /// What a project says is its test, though nobody here knows what that runs.
    fn recognises_project(&self, project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
        let target = |(file, program, targets): &(&str, &str, &[&str])| {
            let text = project.read(file)?;
            let target = targets.iter().find(|target| has_target(&text, target))?;
            Some(SuggestedCheck {
                name: (*program).to_owned(),
                command: format!("{program} {target}"),
                framework: FrameworkId::OTHER,
                folder: String::new(),
                reports: Vec::new(),
            })
        };
        runners::suggested(project)
            .or_else(|| node::script(project))
            .or_else(|| TARGETS.iter().find_map(target))
    }

    fn inject(&self, request: &InjectionRequest<'_>) -> Injection {
        let mut injection = request.channel();
        for adapter in ADAPTERS {
            merge(&mut injection, adapter.inject(request));
        }
        injection
    }

    fn read(&self, material: &RunMaterial<'_>) -> Report {
        let mut report = material.stream_report();
        explain(&mut report, material, FailureKind::Unknown);
        report
    }

    /// It may run any of them.
    fn sides(&self, request: &SideRequest<'_>) -> Vec<Rule> {
        ADAPTERS.iter().flat_map(|adapter| adapter.sides(request)).collect()
    }

    fn address(&self, id: &str, folder: &str, known: &Addresses<'_>) -> Option<Address> {
        let addresses = ADAPTERS.iter().filter_map(|adapter| adapter.address(id, folder, known));
        addresses.into_iter().find(|address| address.file.is_some())
    }

    /// Those of all frameworks, and of tools that have no folder.
    fn servers(&self) -> Vec<Server> {
        let mut servers = Vec::new();
        let known = ADAPTERS.iter().flat_map(|adapter| adapter.servers());
        for server in known.chain(SERVERS.iter().copied()) {
            if !servers.contains(&server) {
                servers.push(server);
            }
        }
        servers
    }

    /// `make test` may call Maven or Gradle.
    fn report_globs(&self) -> &'static [&'static str] {
        crate::junit::REPORT_GLOBS
    }
}

/// Servers of tools that have no folder. Bazel and Buck know a server by the project's path, and have no
/// variable to go without; Docker mounts what it finds at a path.
const SERVERS: &[Server] = &[
    Server {
        name: "a Pants daemon",
        mark: "pantsd",
        without: Without::Variable("PANTS_PANTSD", "false"),
    },
    Server { name: "a Bazel server", mark: "bazel", without: Without::NoWay },
    Server { name: "a Buck daemon", mark: "buck2d", without: Without::NoWay },
    Server { name: "Docker", mark: "dockerd", without: Without::NoWay },
];

/// Adds what is not there yet: frameworks share the stream and the list of tests, and nothing else.
fn merge(injection: &mut Injection, more: Injection) {
    for (name, value) in more.env {
        if !injection.env.iter().any(|(known, _)| *known == name) {
            injection.env.push((name, value));
        }
    }
    let lists = [(&mut injection.files, more.files), (&mut injection.stand_ins, more.stand_ins)];
    for (known, files) in lists {
        for file in files {
            if !known.iter().any(|known| known.path == file.path) {
                known.push(file);
            }
        }
    }
}

#[cfg(test)]
mod tests;
