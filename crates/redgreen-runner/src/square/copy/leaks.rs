//! What knows the project by its absolute path, and so would bring its code into a copy.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Files of Python's that put folders on its path are small.
const PATH_FILE_LIMIT_BYTES: u64 = 1024 * 1024;
/// How many leaks are named.
const LEAKS_LIMIT: usize = 20;
/// Variables that name folders with code.
const PATH_VARIABLES: [&str; 7] =
    ["PYTHONPATH", "NODE_PATH", "GOWORK", "CLASSPATH", "RUBYLIB", "PERL5LIB", "GOFLAGS"];
/// Variables that name a Python that is in use.
const PYTHON_VARIABLES: [&str; 2] = ["VIRTUAL_ENV", "CONDA_PREFIX"];
/// The parts of a package's manifest that say what it loads.
const DEPENDENCY_KEYS: [&str; 3] = ["dependencies", "peerDependencies", "optionalDependencies"];

/// What would bring the code of the work tree into a copy of the project, in words; `linked` are the
/// folders with dependencies that were linked into it. Empty: nothing that is known of.
pub fn leaks_into(root: &Path, linked: &[PathBuf]) -> Vec<String> {
    let mut leaks = Vec::new();
    for name in PATH_VARIABLES {
        if std::env::var_os(name).is_some_and(|value| names_project(root, value.as_encoded_bytes()))
        {
            leaks.push(format!("the variable {name} names the project's own folder"));
        }
    }
    for environment in pythons(root, linked) {
        leaks.extend(of_python(root, &environment));
    }
    for inner in linked.iter().filter(|it| it.file_name() == Some(OsStr::new("node_modules"))) {
        leaks.extend(of_node(root, &root.join(inner)));
    }
    leaks.sort();
    leaks.dedup();
    leaks.truncate(LEAKS_LIMIT);
    leaks
}

/// Where a link leads inside of the project, if it leads to code of its own.
pub(super) fn into_project(root: &Path, link: &Path) -> Option<PathBuf> {
    fs::read_link(link).ok()?;
    let target = link.canonicalize().ok()?;
    let inner = target.strip_prefix(root.canonicalize().ok()?).ok()?;
    let installed = inner.components().any(|part| part.as_os_str() == "node_modules");
    (!installed).then(|| inner.to_owned())
}

/// Whether a text names the project's folder, or something in it.
fn names_project(root: &Path, text: &[u8]) -> bool {
    let root = root.as_os_str().as_encoded_bytes();
    let ends = |after: Option<&u8>| {
        after.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"-_.".contains(byte))
    };
    let mut places = text.windows(root.len()).enumerate().filter(|(_, window)| *window == root);
    places.any(|(at, _)| ends(text.get(at + root.len())))
}

/// The environments of Python that a command may use.
fn pythons(root: &Path, linked: &[PathBuf]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = linked.iter().map(|inner| root.join(inner)).collect();
    found.extend(PYTHON_VARIABLES.iter().filter_map(std::env::var_os).map(PathBuf::from));
    let path = std::env::var_os("PATH").unwrap_or_default();
    found.extend(std::env::split_paths(&path).filter_map(|bin| bin.parent().map(Path::to_owned)));
    if let Some(home) = std::env::var_os("HOME").map(PathBuf::from) {
        found.push(home.join(".local"));
        let versions = fs::read_dir(home.join(".pyenv/versions")).into_iter().flatten().flatten();
        found.extend(versions.map(|entry| entry.path()));
    }
    found.sort();
    found.dedup();
    found
}

/// Editable installs: files in `site-packages` that name the project.
fn of_python(root: &Path, environment: &Path) -> Vec<String> {
    let mut leaks = Vec::new();
    for lib in ["lib", "lib64"].map(|name| environment.join(name)) {
        for version in fs::read_dir(lib).into_iter().flatten().flatten() {
            for packages in ["site-packages", "dist-packages"] {
                let folder = version.path().join(packages);
                leaks.extend(editable_installs(root, &folder));
            }
        }
    }
    leaks
}

fn editable_installs(root: &Path, folder: &Path) -> Vec<String> {
    let mut leaks = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let names_paths = name.ends_with(".pth")
            || name.ends_with(".egg-link")
            || (name.starts_with("__editable__") && name.ends_with(".py"));
        let small = || entry.metadata().is_ok_and(|found| found.len() <= PATH_FILE_LIMIT_BYTES);
        if names_paths && small() && fs::read(&path).is_ok_and(|text| names_project(root, &text)) {
            leaks.push(format!("an editable install of the project: {}", path.display()));
        } else if entry.file_type().is_ok_and(|kind| kind.is_symlink())
            && into_project(root, &path).is_some_and(|inner| !folder.ends_with(&inner))
            && !within_environment(root, folder, &path)
        {
            leaks.push(format!("a link to the project's own code: {}", path.display()));
        }
    }
    leaks
}

/// Whether a link in `site-packages` leads to another place of the same environment.
fn within_environment(root: &Path, folder: &Path, link: &Path) -> bool {
    let environment = folder.ancestors().nth(3).unwrap_or(root);
    let target = link.canonicalize();
    target.is_ok_and(|it| environment.canonicalize().is_ok_and(|top| it.starts_with(top)))
}

/// Installed packages that load packages of the project's own workspace: they are found from where they
/// really are, and so are those.
fn of_node(root: &Path, modules: &Path) -> Vec<String> {
    let packages = packages(modules);
    let own: Vec<&str> = packages
        .iter()
        .filter(|(_, path)| into_project(root, path).is_some())
        .map(|(name, _)| name.as_str())
        .collect();
    if own.is_empty() {
        return Vec::new();
    }
    let mut leaks = Vec::new();
    for (name, path) in packages.iter().filter(|(name, _)| !own.contains(&name.as_str())) {
        for wanted in loaded_by(path).iter().filter(|it| own.contains(&it.as_str())) {
            leaks.push(format!(
                "the installed package {name} loads {wanted}, which is the project's own: {}",
                path.display()
            ));
        }
    }
    leaks
}

/// The packages of a `node_modules` folder, by name.
pub(in crate::square) fn packages(modules: &Path) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(modules).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('@') {
            let inner = fs::read_dir(entry.path()).into_iter().flatten().flatten();
            let scoped = |it: fs::DirEntry| {
                (format!("{name}/{}", it.file_name().to_string_lossy()), it.path())
            };
            found.extend(inner.map(scoped));
        } else if !name.starts_with('.') {
            found.push((name, entry.path()));
        }
    }
    found
}

pub(in crate::square) fn loaded_by(package: &Path) -> Vec<String> {
    let text = fs::read(package.join("package.json")).unwrap_or_default();
    let manifest: Value = serde_json::from_slice(&text).unwrap_or_default();
    let names = |key: &str| manifest.get(key).and_then(Value::as_object).cloned();
    let tables = DEPENDENCY_KEYS.into_iter().filter_map(names);
    tables.flat_map(|table| table.into_iter().map(|(name, _)| name)).collect()
}
