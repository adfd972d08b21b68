//! RSpec, through a listener of ours that every Ruby program of a check loads (`RUBYOPT`, found through
//! `RUBYLIB`) and that waits for RSpec, wherever it is started from: `rspec`, `bundle exec rspec`,
//! `rake spec`, `bin/rspec`. The user's formatters stay.
//!
//! Ids are `path/from/the/folder_spec.rb > describe > it`, ` #2` for a second example of that name, and `it`
//! for one whose description is made by its matcher: no line, and nothing that is known only after it ran.
//!
//! Limits: a command that sets `RUBYOPT` anew, Spring, DRb and `--bisect` are not seen; such a run never began,
//! which is not a pass.

mod address;
mod helpers;
mod sides;

use redgreen_model::framework::FrameworkId;
use redgreen_model::report::{FailureKind, Report};
use redgreen_model::tree::FileRole;

use crate::adapter::{
    Adapter, InjectedFile, Injection, InjectionRequest, ProjectFiles, RunMaterial, Runtime,
    SuggestedCheck, Variables, VersionSource,
};
use crate::command::{program_name, runs};
use crate::console::{self, Dialect};
use crate::explain::explain;
use crate::roles::name_of;
use crate::servers::{Server, Without};
use crate::sides::{Address, Addresses, Rule, SideRequest};
use crate::surroundings::Surroundings;

/// What every Ruby program finds first, in the folder of a run.
const FOLDER: &str = "ruby/lib";
/// The listener, as it is required. RSpec leaves files that lie so out of its backtraces.
const LISTENER: &str = "rspec/core/redgreen";
/// Its programs.
const PROGRAMS: &[&str] = &["rspec", "parallel_rspec", "turbo_tests"];
/// The variable with options for every Ruby program.
const OPTIONS_VARIABLE: &str = "RUBYOPT";

/// Its name.
pub const ID: FrameworkId = FrameworkId::named("rspec");

/// The adapter for RSpec.
pub struct Rspec;

/// What RSpec and Bundler leave, and what they read at home.
const SURROUNDINGS: Surroundings = Surroundings {
    caches: &["coverage", ".bundle", ".rspec_status", ".byebug_history"],
    outputs: &[],
    marks: &[],
    home: &[".rspec", ".config/rspec/options", ".bundle/config", ".gemrc", ".irbrc"],
    above: &[".bundle", "Gemfile"],
};

impl Adapter for Rspec {
    fn id(&self) -> FrameworkId {
        ID
    }

    fn recognises_command(&self, command: &str) -> bool {
        runs(command, is_rspec)
    }

    fn recognises_project(&self, project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
        suggested(project)
    }

    fn inject(&self, request: &InjectionRequest<'_>) -> Injection {
        let options = match (request.inherited)(OPTIONS_VARIABLE) {
            Some(theirs) => format!("-r{LISTENER} {theirs}"),
            None => format!("-r{LISTENER}"),
        };
        let mut injection = request.channel();
        injection.env.push((OPTIONS_VARIABLE.to_owned(), options));
        injection.env.push(request.prepended("RUBYLIB", &request.run_folder.join(FOLDER), ':'));
        injection.files.push(InjectedFile {
            path: format!("{FOLDER}/{LISTENER}.rb").into(),
            content: include_str!("redgreen.rb").to_owned(),
            executable: false,
        });
        injection
    }

    fn read(&self, material: &RunMaterial<'_>) -> Report {
        let mut report = material.stream_report();
        let missing = ["-- rspec", "command not found: rspec", "bundle install"];
        let missing = !report.began && missing.iter().any(|it| material.console.contains(it));
        let kind = if missing { FailureKind::ToolingError } else { FailureKind::Unknown };
        explain(&mut report, material, kind);
        if !report.began {
            report.diagnostics.push(format!(
                "RSpec did not load redgreen's listener: it never ran, or something on the way \
                 overwrites {OPTIONS_VARIABLE} or RUBYLIB"
            ));
        }
        report
    }

    fn role(&self, path: &str) -> Option<FileRole> {
        let name = name_of(path);
        let judges = name.ends_with("_spec.rb") || self.settings().contains(&name);
        judges.then_some(FileRole::Tests)
    }

    fn sides(&self, request: &SideRequest<'_>) -> Vec<Rule> {
        sides::rules(request)
    }

    fn address(&self, id: &str, folder: &str, known: &Addresses<'_>) -> Option<Address> {
        address::address(id, folder, known)
    }

    fn servers(&self) -> Vec<Server> {
        vec![Server {
            name: "a Spring server",
            mark: "spring",
            without: Without::Variable("DISABLE_SPRING", "1"),
        }]
    }

    fn runtime(&self) -> Option<&'static Runtime> {
        const RUNTIME: Runtime = Runtime {
            name: "ruby",
            programs: &["ruby"],
            version: &[VersionSource::NameOfProgram("ruby")],
        };
        Some(&RUNTIME)
    }

    fn variables(&self) -> Variables {
        Variables {
            steering: &[
                "BUNDLE_GEMFILE",
                "GEM_HOME",
                "GEM_PATH",
                "RUBYLIB",
                "RUBYOPT",
                "SPEC_OPTS",
            ],
            read: &["BUNDLE_*", "GEM_*", "RACK_*", "RAILS_*", "RUBY*", "SPEC*"],
        }
    }

    fn dialects(&self) -> &'static [Dialect] {
        &[console::ruby::RSPEC]
    }

    fn runners(&self) -> &'static [&'static str] {
        PROGRAMS
    }

    fn surroundings(&self) -> Surroundings {
        SURROUNDINGS
    }

    fn settings(&self) -> &'static [&'static str] {
        &[".rspec", ".rspec-local", "spec_helper.rb", "rails_helper.rb"]
    }
}

/// Whether a simple command runs it, by itself or as a task of rake.
fn is_rspec(program: &str, arguments: &[String]) -> bool {
    let task = |word: &String| word == "spec" || word.starts_with("spec:");
    match program {
        "rake" => arguments.iter().any(task),
        "ruby" => {
            let script = arguments.iter().find(|word| !word.starts_with('-'));
            script.is_some_and(|it| program_name(it) == "rspec" || it.ends_with("_spec.rb"))
        }
        name => PROGRAMS.contains(&name),
    }
}

/// The check for the outermost folder with specs, or with the settings of RSpec.
fn suggested(project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
    let folder = |path: &String| match path.strip_suffix(".rspec") {
        Some(folder) if folder.is_empty() || folder.ends_with('/') => Some(folder.to_owned()),
        _ if !path.ends_with("_spec.rb") => None,
        _ => format!("/{path}").find("/spec/").map(|at| path[..at].to_owned()),
    };
    let folders = project.paths().iter().filter_map(folder);
    let folder = folders.min_by_key(|folder| (folder.matches('/').count(), folder.clone()))?;
    let manifests = ["Gemfile", "gems.rb"].map(|name| format!("{folder}{name}"));
    let bundled = manifests.iter().any(|path| project.has(path));
    Some(SuggestedCheck {
        name: "rspec".to_owned(),
        command: if bundled { "bundle exec rspec" } else { "rspec" }.to_owned(),
        framework: ID,
        folder: folder.trim_end_matches('/').to_owned(),
        reports: Vec::new(),
    })
}

#[cfg(test)]
mod tests;
