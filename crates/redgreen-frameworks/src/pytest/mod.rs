//! pytest, through a plugin of ours.
//!
//! The plugin is a file in the folder of the run, found through `PYTHONPATH` (in front of what was
//! there) and loaded when pytest looks for the plugins that its environment names, so neither the
//! project nor the command changes. It works beside `--junitxml`, xdist (the controller writes, the workers send
//! what they know along), pytest-timeout and reruns.
//!
//! Limits: those of the `python` folder, and `-p no:redgreen_pytest_plugin`. `expected` and `actual` follow the
//! convention `assert actual == expected`; pytest itself only knows left and right.

mod address;
mod settings;
mod sides;

use redgreen_model::execution::Ended;
use redgreen_model::framework::FrameworkId;
use redgreen_model::report::{FailureKind, Report};
use redgreen_model::tree::FileRole;
use redgreen_model::workflow::Language;

use crate::adapter::{
    Adapter, Injection, InjectionRequest, ProjectFiles, RunMaterial, Runtime, SuggestedCheck,
    Variables,
};
use crate::collect::Collector;
use crate::command::{program_name, simple_commands};
use crate::console::{self, Dialect};
use crate::explain::explain;
use crate::python;
use crate::roles::name_of;
use crate::sides::{Address, Addresses, Rule, SideRequest};
use crate::surroundings::Surroundings;

/// The plugin's source.
pub const PLUGIN: &str = include_str!("redgreen_pytest_plugin.py");
/// Its programs.
const PROGRAMS: &[&str] = &["pytest", "py.test", "pytest-3"];
/// pytest's exit code for a command line or a configuration that it cannot use.
const USAGE_ERROR: i32 = 4;
/// pytest's exit code for a run that found no test.
const NO_TESTS: i32 = 5;

/// Its name.
pub const ID: FrameworkId = FrameworkId::named("pytest");

/// The adapter for pytest.
pub struct Pytest;

impl Adapter for Pytest {
    fn id(&self) -> FrameworkId {
        ID
    }

    fn recognises_command(&self, command: &str) -> bool {
        simple_commands(command).iter().any(|words| runs_pytest(words))
    }

    fn recognises_project(&self, project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
        python::suggested_pytest(project)
    }

    fn inject(&self, request: &InjectionRequest<'_>) -> Injection {
        python::inject(request, ("redgreen_pytest_plugin.py", PLUGIN))
    }

    fn read(&self, material: &RunMaterial<'_>) -> Report {
        let mut report = material.stream_report();
        match material.ended {
            // No test at all is no failure of a test: the verdict says that nothing was seen.
            Ended::Exited { code: NO_TESTS } if report.began => {
                report.diagnostics.push("pytest found no test to run (exit code 5)".to_owned());
            }
            ended => {
                let kind = kind(ended, report.began, material.console);
                explain(&mut report, material, kind);
            }
        }
        if !report.began && report.diagnostics.is_empty() {
            report
                .diagnostics
                .push("pytest did not load redgreen's plugin: it never ran".to_owned());
        }
        report
    }

    fn role(&self, path: &str) -> Option<FileRole> {
        let name = name_of(path);
        let configuration =
            matches!(name, "conftest.py" | "pytest.ini" | ".pytest.ini" | "tox.ini");
        (configuration || python::is_test_file(name)).then_some(FileRole::Tests)
    }

    fn sides(&self, request: &SideRequest<'_>) -> Vec<Rule> {
        sides::rules(request)
    }

    fn address(&self, id: &str, folder: &str, known: &Addresses<'_>) -> Option<Address> {
        address::address(id, folder, known)
    }

    fn runtime(&self) -> Option<&'static Runtime> {
        Some(&python::RUNTIME)
    }

    fn collector(&self) -> Option<&'static Collector> {
        Some(&python::COLLECTOR)
    }

    fn language(&self) -> Language {
        Language::Python
    }

    fn variables(&self) -> Variables {
        python::VARIABLES
    }

    fn unseen(&self, _console: &str) -> Option<String> {
        Some(python::unseen("pytest"))
    }

    fn dialects(&self) -> &'static [Dialect] {
        &[console::pytest::DIALECT]
    }

    fn runners(&self) -> &'static [&'static str] {
        &["pytest", "py.test", "nose2", "coverage"]
    }

    fn surroundings(&self) -> Surroundings {
        python::SURROUNDINGS
    }

    fn settings(&self) -> &'static [&'static str] {
        &["conftest.py", "__init__.py", "pytest.ini", ".pytest.ini", "pytest.toml"]
    }
}

fn kind(ended: &Ended, began: bool, console: &str) -> FailureKind {
    let missing = !began && console.contains("No module named") && console.contains("pytest");
    match ended {
        Ended::Exited { code: USAGE_ERROR } => FailureKind::ToolingError,
        _ if missing => FailureKind::ToolingError,
        _ => FailureKind::Unknown,
    }
}

fn runs_pytest(words: &[String]) -> bool {
    let itself = |program: &String| PROGRAMS.contains(&program_name(program));
    words.first().is_some_and(itself) || python::runs_module(words, &["pytest", "py.test"])
}
