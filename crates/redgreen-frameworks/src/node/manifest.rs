//! What `package.json` says about tests.

use redgreen_model::framework::FrameworkId;
use serde_json::Value;

use super::{runs, workspace};
use crate::adapter::{ProjectFiles, SuggestedCheck};

/// The most manifests that are looked at.
const MANIFESTS: usize = 200;
/// What npm writes into the manifests that it makes.
const PLACEHOLDER: &str = "no test specified";
/// How deep one script of a manifest is followed into others.
const DEPTH: usize = 4;

/// How one framework shows itself in a manifest.
pub(crate) struct Signs {
    /// The framework.
    pub(crate) framework: FrameworkId,
    /// What its check is called.
    pub(crate) check: &'static str,
    /// The programs that run it.
    pub(crate) programs: &'static [&'static str],
    /// The package that is its runner; empty where it comes with Node.
    pub(crate) package: &'static str,
    /// What to run where no script does.
    pub(crate) command: &'static str,
}

/// The check for the first manifest, the outermost first, whose tests run the framework. Where it is
/// that of a package in a workspace, the script of the workspace is the check.
pub(crate) fn suggested(project: &dyn ProjectFiles, signs: &Signs) -> Option<SuggestedCheck> {
    let mut manifests: Vec<&String> = project
        .paths()
        .iter()
        .filter(|path| path.as_str() == "package.json" || path.ends_with("/package.json"))
        .filter(|path| !path.split('/').any(|folder| folder == "node_modules"))
        .collect();
    manifests.sort_by_key(|path| (path.matches('/').count(), path.as_str()));
    let parsed = |path: &str| serde_json::from_str::<Value>(&project.read(path)?).ok();
    let root = parsed("package.json").filter(|root| own_script(root).is_some());
    let members = root.map(|root| workspace::members(project, &root)).unwrap_or_default();
    manifests.into_iter().take(MANIFESTS).find_map(|path| {
        let manifest = parsed(path)?;
        let folder = path.strip_suffix("package.json")?.trim_end_matches('/');
        let command = command(&manifest, manager(project, folder), signs)?;
        let (command, folder) = match workspace::has(&members, folder) {
            true => (format!("{} test", manager(project, "")), ""),
            false => (command, folder),
        };
        Some(SuggestedCheck {
            name: signs.check.to_owned(),
            command,
            framework: signs.framework,
            folder: folder.to_owned(),
        })
    })
}

/// The script `test`, if somebody wrote one.
fn own_script(manifest: &Value) -> Option<&str> {
    manifest["scripts"]["test"].as_str().filter(|text| !text.contains(PLACEHOLDER))
}

/// How the framework is run: by the script `test` if it runs it, by the program where there is none.
fn command(manifest: &Value, manager: &str, signs: &Signs) -> Option<String> {
    let script = own_script(manifest);
    if script.is_some_and(|script| script_runs(manifest, script, signs.programs, DEPTH)) {
        return Some(format!("{manager} test"));
    }
    let depends = ["devDependencies", "dependencies"]
        .iter()
        .any(|list| manifest[list].get(signs.package).is_some());
    let silent = script.is_none() && depends;
    silent.then(|| match manager {
        "npm" => format!("npx {}", signs.command),
        manager => format!("{manager} exec {}", signs.command),
    })
}

/// Whether a script runs one of the programs, by itself or through other scripts.
fn script_runs(manifest: &Value, script: &str, programs: &[&str], depth: usize) -> bool {
    runs(script, programs)
        || depth > 0
            && called_scripts(script).any(|name| {
                let called = manifest["scripts"][name].as_str();
                called.is_some_and(|text| script_runs(manifest, text, programs, depth - 1))
            })
}

/// The scripts that a script calls: `npm run unit`, `pnpm unit`, `run-s lint unit`.
fn called_scripts(script: &str) -> impl Iterator<Item = &str> {
    let words = script.split(|c: char| c.is_whitespace() || "&|;()'\"".contains(c));
    words.filter(|word| !word.is_empty() && !word.starts_with('-'))
}

/// The package manager, by its lock file: in the folder itself or at the root.
fn manager(project: &dyn ProjectFiles, folder: &str) -> &'static str {
    let has = |name: &str| {
        let here = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        project.paths().iter().any(|path| *path == here || path == name)
    };
    if has("pnpm-lock.yaml") {
        "pnpm"
    } else if has("yarn.lock") {
        "yarn"
    } else {
        "npm"
    }
}
