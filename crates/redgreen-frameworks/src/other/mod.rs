//! Any other runner: the report stream if it writes one, else how it ended and its last lines.

use redgreen_model::report::{FailureKind, Report};
use redgreen_model::tree::FileRole;
use redgreen_model::workflow::Framework;

use crate::adapter::{
    Adapter, Injection, InjectionRequest, ONLY_FILE, ONLY_VARIABLE, ProjectFiles, RunMaterial,
    STREAM_VARIABLE, SuggestedCheck,
};
use crate::explain::explain;
use crate::servers::{Server, Without};
use crate::{ADAPTERS, node, python, unittest};

/// A command that redgreen does not know. It may write the [report stream](crate::stream) itself, and
/// may honour `REDGREEN_ONLY`, a file with the ids of the only tests to run. It may also start a
/// framework that has a folder, as `make test` does: so it gets what each of them needs.
pub struct Other;

impl Adapter for Other {
    fn framework(&self) -> Framework {
        Framework::Other
    }

    fn recognises_command(&self, _command: &str) -> bool {
        false
    }

    fn recognises_project(&self, project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
        suggestions(project).into_iter().next()
    }

    fn inject(&self, request: &InjectionRequest<'_>) -> Injection {
        let stream = request.stream().to_string_lossy().into_owned();
        let mut injection = Injection::default();
        injection.env.push((STREAM_VARIABLE.to_owned(), stream));
        if let Some(file) = request.only_file() {
            let path = request.run_folder.join(ONLY_FILE).to_string_lossy().into_owned();
            injection.env.push((ONLY_VARIABLE.to_owned(), path));
            injection.files.push(file);
        }
        for adapter in ADAPTERS {
            merge(&mut injection, adapter.inject(request));
        }
        merge(&mut injection, unittest::inject(request));
        injection
    }

    fn read(&self, material: &RunMaterial<'_>) -> Report {
        let mut report = material.stream_report();
        explain(&mut report, material, FailureKind::Unknown);
        report
    }

    fn role(&self, _path: &str) -> Option<FileRole> {
        None
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
        name: "a Spring server",
        mark: "spring",
        without: Without::Variable("DISABLE_SPRING", "1"),
    },
    Server {
        name: "a Pants daemon",
        mark: "pantsd",
        without: Without::Variable("PANTS_PANTSD", "false"),
    },
    Server { name: "a Bazel server", mark: "bazel", without: Without::NoWay },
    Server { name: "a Buck daemon", mark: "buck2d", without: Without::NoWay },
    Server { name: "Docker", mark: "dockerd", without: Without::NoWay },
];

/// The checks of a project whose runners are seen without having a name in the workflow document.
pub(crate) fn suggestions(project: &dyn ProjectFiles) -> Vec<SuggestedCheck> {
    [node::suggested_node_test(project), python::suggested_unittest(project)]
        .into_iter()
        .flatten()
        .collect()
}

/// Adds what is not there yet: frameworks share the stream and the list of tests, and nothing else.
fn merge(injection: &mut Injection, more: Injection) {
    for (name, value) in more.env {
        if !injection.env.iter().any(|(known, _)| *known == name) {
            injection.env.push((name, value));
        }
    }
    for file in more.files {
        if !injection.files.iter().any(|known| known.path == file.path) {
            injection.files.push(file);
        }
    }
}

#[cfg(test)]
mod tests;
