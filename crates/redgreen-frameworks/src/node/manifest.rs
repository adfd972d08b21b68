//! What `package.json` says about tests.

use redgreen_model::framework::FrameworkId;
use serde_json::Value;

use super::{runs, workspace};
use crate::adapter::{ProjectFiles, SuggestedCheck, shell_word};
use crate::command::simple_commands;
use crate::roles::split;

/// The most manifests that are looked at.
const MANIFESTS: usize = 200;
/// The most files of tests that are looked into.
const TEST_FILES: usize = 100;
/// What npm writes into the manifests that it makes.
const PLACEHOLDER: &str = "no test specified";
/// Package managers beside npm, by their lock files.
const MANAGERS: &[(&str, &str)] = &[("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn")];
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
            reports: Vec::new(),
        })
    })
}

/// How a program of a package is started in the outermost manifest that depends on it, and where: by the script `test`
/// if that runs it and nothing else, so that options may stand behind it.
pub(crate) fn started(
    project: &dyn ProjectFiles,
    program: &str,
    package: &str,
    command: &str,
) -> Option<(String, String)> {
    let manifests = project.paths().iter().filter_map(|path| path.strip_suffix("package.json"));
    let mut folders: Vec<&str> =
        manifests.filter(|folder| folder.is_empty() || folder.ends_with('/')).collect();
    folders.sort_by_key(|folder| (folder.matches('/').count(), *folder));
    folders.into_iter().take(MANIFESTS).find_map(|folder| {
        let text = project.read(&format!("{folder}package.json"))?;
        let manifest: Value = serde_json::from_str(&text).ok()?;
        depends(&manifest, package).then_some(())?;
        let folder = folder.trim_end_matches('/');
        let script = own_script(&manifest).unwrap_or_default();
        let alone = simple_commands(script).len() == 1 && runs(script, &[program]);
        let start = match manager(project, folder) {
            "npm" if alone => "npm test --silent --",
            "pnpm" if alone => "pnpm --silent test",
            _ => command,
        };
        Some((start.to_owned(), folder.to_owned()))
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
        reports: Vec::new(),
    })
}

/// The check for files of Node's own tests in the outermost folder whose manifest, if it has one, has no script. Where
/// Node would not look at them by itself, they are named.
pub(crate) fn without_script(project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
    let scripts = project.paths().iter().filter(|path| is_script(path));
    let (found, other): (Vec<&String>, Vec<&String>) =
        scripts.partition(|path| is_node_test_file(path));
    let uses = |path: &&&String| project.read(path).is_some_and(|text| text.contains("node:test"));
    let above = |folder: &&str| project.has(&format!("{folder}package.json"));
    let of = |test: &str| {
        let ends = test.match_indices('/').map(|(at, _)| test.get(..=at).unwrap_or_default()).rev();
        ends.chain([""]).find(above).unwrap_or("").to_owned()
    };
    let (folder, named) = match found.iter().take(TEST_FILES).find(uses) {
        Some(test) => (of(test), String::new()),
        None => {
            let tests: Vec<&&String> = other.iter().take(TEST_FILES).filter(uses).collect();
            let folder = of(tests.first()?);
            let below = |test: &&&String| Some(shell_word(test.strip_prefix(folder.as_str())?));
            let words: Vec<String> = tests.iter().filter_map(below).collect();
            (folder, format!(" {}", words.join(" ")))
        }
    };
    let manifest = project.read(&format!("{folder}package.json"));
    let manifest = manifest.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    if manifest.is_some_and(|manifest| own_script(&manifest).is_some()) {
        return None;
    }
    Some(SuggestedCheck {
        name: "node".to_owned(),
        command: format!("node --test{named}"),
        framework: crate::node_test::ID,
        folder: folder.trim_end_matches('/').to_owned(),
        reports: Vec::new(),
    })
}

fn is_script(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["js", "mjs", "cjs", "ts", "mts", "cts"].contains(&ending)
        && !path.split('/').any(|folder| folder == "node_modules")
}

/// Whether `node --test` looks at a file when nobody names any.
fn is_node_test_file(path: &str) -> bool {
    let (folders, name) = split(path);
    let Some((stem, _)) = name.rsplit_once('.') else { return false };
    let ends = [".test", "-test", "_test"];
    let named =
        stem == "test" || stem.starts_with("test-") || ends.iter().any(|end| stem.ends_with(end));
    named || folders.last() == Some(&"test")
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
    let silent = script.is_none() && depends(manifest, signs.package);
    silent.then(|| match manager {
        "npm" => format!("npx {}", signs.command),
        manager => format!("{manager} exec {}", signs.command),
    })
}

/// The lock file of a package manager that is not installed, and the manager.
pub(crate) fn missing_manager(project: &dyn ProjectFiles) -> Option<(&'static str, &'static str)> {
    let found = MANAGERS.iter().find(|(lock, _)| project.has(lock))?;
    (!project.starts(found.1)).then_some(*found)
}

fn depends(manifest: &Value, package: &str) -> bool {
    let lists = ["devDependencies", "dependencies"];
    lists.iter().any(|list| manifest[list].get(package).is_some())
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

/// The package manager, by its lock file: in the folder itself or at the root. One that is not installed is npm.
fn manager(project: &dyn ProjectFiles, folder: &str) -> &'static str {
    let has = |name: &str| {
        let here = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        project.paths().iter().any(|path| *path == here || path == name)
    };
    let locked = MANAGERS.iter().find(|(lock, _)| has(lock));
    locked.map_or("npm", |(_, manager)| if project.starts(manager) { manager } else { "npm" })
}
