//! Python's unittest, through its runner: every run of a `TextTestRunner` writes the report stream.
//! So `python -m unittest`, `unittest.main()`, nose2 and Django's `manage.py test` report without a change.
//!
//! Limits: those of the `python` folder, and runners that are neither `TextTestRunner`s nor nose2's.

mod address;
mod sides;

use redgreen_model::framework::FrameworkId;
use redgreen_model::report::{FailureKind, Report};
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
use crate::sides::{Address, Addresses, Rule, SideRequest};
use crate::surroundings::Surroundings;

const LISTENER: (&str, &str) = ("redgreen_unittest.py", include_str!("redgreen_unittest.py"));

/// Modules that run it; nose2 does so in a runner of its own.
const MODULES: &[&str] = &["unittest", NOSE2];
const NOSE2: &str = "nose2";

/// Its name.
pub const ID: FrameworkId = FrameworkId::named("unittest");

/// The adapter for unittest.
pub struct Unittest;

impl Adapter for Unittest {
    fn id(&self) -> FrameworkId {
        ID
    }

    fn recognises_command(&self, command: &str) -> bool {
        simple_commands(command).iter().any(|words| {
            runs_nose2(words) || python::runs_module(words, MODULES) || python::runs_django(words)
        })
    }

    fn recognises_project(&self, project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
        python::suggested_unittest(project)
    }

    fn inject(&self, request: &InjectionRequest<'_>) -> Injection {
        python::inject(request, LISTENER)
    }

    fn read(&self, material: &RunMaterial<'_>) -> Report {
        let mut report = material.stream_report();
        explain(&mut report, material, FailureKind::Unknown);
        report
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

    fn surroundings(&self) -> Surroundings {
        python::SURROUNDINGS
    }

    fn settings(&self) -> &'static [&'static str] {
        &["__init__.py"]
    }

    fn unseen(&self, _console: &str) -> Option<String> {
        Some(python::unseen("unittest"))
    }

    fn dialects(&self) -> &'static [Dialect] {
        &[console::unittest::DIALECT]
    }
}

fn runs_nose2(words: &[String]) -> bool {
    words.first().is_some_and(|program| program_name(program) == NOSE2)
}
