//! What `package.json` says about tests.

use redgreen_model::framework::FrameworkId;
use serde_json::Value;

use super::{runs, workspace};
use crate::adapter::{ProjectFiles, SuggestedCheck};
use crate::roles::split;

/// The most manifests that are looked at.
const MANIFESTS: usize = 200;
/// The most files of tests that are looked into.
const TEST_FILES: usize = 100;
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

/// The check for the outermost manifest with a script `test`, whatever that runs.
pub(crate) fn script(project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
    let manifests = project.paths().iter().filter_map(|path| path.strip_suffix("package.json"));
    let mut folders: Vec<&str> =
        manifests.filter(|folder| folder.is_empty() || folder.ends_with('/')).collect();
    folders.sort_by_key(|folder| (folder.matches('/').count(), *folder));
    let written = |folder: &&str| {
        let text = project.read(&format!("{folder}package.json"));
        let manifest = text.and_then(|text| serde_json::from_str::<Value>(&text).ok());
        manifest.is_some_and(|manifest| own_script(&manifest).is_some())
    };
    let folder = folders.into_iter().take(MANIFESTS).find(written)?.trim_end_matches('/');
    Some(SuggestedCheck {
        name: "npm".to_owned(),
        command: format!("{} test", manager(project, folder)),
        framework: FrameworkId::OTHER,
        folder: folder.to_owned(),
    })
}

/// The check for files of Node's own tests in the outermost folder whose manifest, if it has one, has no script.
pub(crate) fn without_script(project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
    let tests = project.paths().iter().filter(|path| is_node_test_file(path));
    let uses = |path: &&String| project.read(path).is_some_and(|text| text.contains("node:test"));
    let test = tests.take(TEST_FILES).find(uses)?;
    let above = |folder: &&str| project.has(&format!("{folder}package.json"));
    let ends = test.match_indices('/').map(|(at, _)| &test[..=at]).rev();
    let folder = ends.chain([""]).find(above).unwrap_or("");
    let manifest = project.read(&format!("{folder}package.json"));
    let manifest = manifest.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    if manifest.is_some_and(|manifest| own_script(&manifest).is_some()) {
        return None;
    }
    Some(SuggestedCheck {
        name: "node".to_owned(),
        command: "node --test".to_owned(),
        framework: crate::node_test::ID,
        folder: folder.trim_end_matches('/').to_owned(),
    })
}

/// Whether `node --test` looks at a file when nobody names any.
fn is_node_test_file(path: &str) -> bool {
    let (folders, name) = split(path);
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let ends = [".test", "-test", "_test"];
    let named =
        stem == "test" || stem.starts_with("test-") || ends.iter().any(|end| stem.ends_with(end));
    ["js", "mjs", "cjs", "ts", "mts", "cts"].contains(&ending)
        && (named || folders.last() == Some(&"test"))
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
