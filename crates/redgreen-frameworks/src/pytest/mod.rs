//! pytest, through a plugin of ours.
//!
//! The plugin is a file in the folder of the run, found through `PYTHONPATH` (in front of what was
//! there) and loaded when pytest looks for the plugins that its environment names, so neither the
//! project nor the command changes. It works beside `--junitxml`, xdist (the controller writes, the workers send
//! what they know along), pytest-timeout and reruns.
//!
//! Limits: a pytest that runs with `python -I`/`-E`, or with `-p no:redgreen_pytest_plugin`, does not
//! load it; such a run never began, which is not a pass. `expected` and `actual` follow the
//! convention `assert actual == expected`; pytest itself only knows left and right.

mod address;
mod settings;
mod sides;

use redgreen_model::execution::Ended;
use redgreen_model::report::{FailureKind, Report};
use redgreen_model::tree::FileRole;
use redgreen_model::workflow::Framework;

use crate::adapter::{
    Adapter, Injection, InjectionRequest, ONLY_FILE, ONLY_VARIABLE, ProjectFiles, RunMaterial,
    STREAM_VARIABLE, SuggestedCheck,
};
use crate::command::{program_name, simple_commands};
use crate::explain::explain;
use crate::python;
use crate::roles::split;
use crate::sides::{Address, Addresses, Rule, SideRequest};

/// The plugin's source.
pub const PLUGIN: &str = include_str!("redgreen_pytest_plugin.py");
/// pytest's exit code for a command line or a configuration that it cannot use.
const USAGE_ERROR: i32 = 4;
/// pytest's exit code for a run that found no test.
const NO_TESTS: i32 = 5;

/// The adapter for pytest.
pub struct Pytest;

impl Adapter for Pytest {
    fn framework(&self) -> Framework {
        Framework::Pytest
    }

    fn recognises_command(&self, command: &str) -> bool {
        simple_commands(command).iter().any(|words| runs_pytest(words))
    }

    fn recognises_project(&self, project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
        python::suggested_pytest(project)
    }

    fn inject(&self, request: &InjectionRequest<'_>) -> Injection {
        let stream = request.stream().to_string_lossy().into_owned();
        let mut injection = python::inject(request, ("redgreen_pytest_plugin.py", PLUGIN));
        injection.env.push((STREAM_VARIABLE.to_owned(), stream));
        if let Some(file) = request.only_file() {
            let path = request.run_folder.join(ONLY_FILE).to_string_lossy().into_owned();
            injection.env.push((ONLY_VARIABLE.to_owned(), path));
            injection.files.push(file);
        }
        injection
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
        if !report.began {
            report.diagnostics.push(
                "pytest did not load redgreen's plugin: either it never ran, or something sets \
                 PYTHONPATH anew on the way"
                    .to_owned(),
            );
        }
        report
    }

    fn role(&self, path: &str) -> Option<FileRole> {
        let (_, name) = split(path);
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
    let Some((program, arguments)) = words.split_first() else { return false };
    match program_name(program) {
        "pytest" | "py.test" | "pytest-3" => true,
        "coverage" => arguments.first().is_some_and(|word| word == "run") && runs_module(arguments),
        name if name.starts_with("python") || name == "pypy3" => runs_module(arguments),
        _ => false,
    }
}

/// `-m pytest` before anything that is not an option: what follows a script is the script's.
fn runs_module(arguments: &[String]) -> bool {
    let with_value = ["-X", "-W", "--source", "--omit", "--include", "--rcfile", "--data-file"];
    let mut words = arguments.iter().map(String::as_str).skip_while(|word| *word == "run");
    while let Some(word) = words.next() {
        if word.starts_with('-') && !word.starts_with("--") && word.ends_with('m') {
            return matches!(words.next(), Some("pytest" | "py.test"));
        }
        if with_value.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            return false;
        }
    }
    false
}
