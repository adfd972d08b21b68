//! A corner as a plain copy, for machines without views.
//!
//! The tree's files are written to a folder outside of the project, and the dependencies that are
//! installed in the project are linked into it: nothing is downloaded, and nothing is installed anew.
//! The path is another one, so what is known of the project by its absolute path would bring the work
//! tree's code into the copy: [`leaks_into`] names such things, and then a run in the copy says nothing.

mod leaks;

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use redgreen_model::tree::TreeHash;
use redgreen_workspace::Workspace;

use crate::RunnerError;

pub use leaks::leaks_into;
pub(in crate::square) use leaks::{loaded_by, packages};

/// What installed dependencies are called.
const DEPENDENCIES: [&str; 4] = ["node_modules", ".venv", "venv", "vendor"];
/// Folders that have no dependencies in them, and may be large.
const NOT_LOOKED_INTO: [&str; 4] = [".git", ".redgreen", "target", "__pycache__"];
/// How deep dependencies are looked for.
const DEPTH_LIMIT: usize = 6;
/// What PHP's Composer finds the project by: from where these files really are.
const OF_COMPOSER: [&str; 3] = ["composer", "autoload.php", "bin"];
/// The build folder of cargo, and what it is named after.
const CARGO_TARGET: (&str, &str) = ("CARGO_TARGET_DIR", "Cargo.toml");

/// A tree in a folder of its own, ready to run in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainCopy {
    /// Where it is.
    pub folder: PathBuf,
    /// What was put into it that the tree does not have, from its top.
    pub linked: Vec<PathBuf>,
    /// What a command in it must be given.
    pub environment: Vec<(OsString, OsString)>,
    /// What would bring the work tree's code into it, in words. If there is anything, a run in the
    /// copy says nothing.
    pub leaks: Vec<String>,
}

/// Writes a tree into a folder that is not there yet, outside of the project. `cache` is a folder of
/// this project where builds may be kept from one copy to the next.
pub fn plain_copy(
    workspace: &Workspace,
    tree: &TreeHash,
    folder: &Path,
    cache: &Path,
) -> Result<PlainCopy, RunnerError> {
    workspace.copy(tree, folder)?;
    let root = workspace.root();
    let paths = workspace.paths(tree)?;
    let linked = dependencies(root, &paths);
    for inner in &linked {
        let failed = RunnerError::file("link into a copy", root.join(inner));
        link(root, inner, folder).map_err(failed)?;
    }
    let mut environment = Vec::new();
    let (variable, manifest) = CARGO_TARGET;
    if paths.iter().any(|path| path.rsplit('/').next() == Some(manifest)) {
        environment.push((variable.into(), cache.join("cargo-target").into_os_string()));
    }
    let leaks = leaks_into(root, &linked);
    Ok(PlainCopy { folder: folder.to_owned(), linked, environment, leaks })
}

/// The folders of the project with installed dependencies: those that the tree has nothing in.
fn dependencies(root: &Path, paths: &[String]) -> Vec<PathBuf> {
    let folders = |path: &String| {
        let ends: Vec<usize> = path.match_indices('/').map(|(end, _)| end).collect();
        ends.into_iter().map(|end| path[..end].to_owned()).collect::<Vec<_>>()
    };
    let of_tree: HashSet<String> = paths.iter().flat_map(folders).collect();
    let mut found = Vec::new();
    let mut pending = vec![(PathBuf::new(), 0)];
    while let Some((inner, depth)) = pending.pop() {
        for entry in fs::read_dir(root.join(&inner)).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let path = inner.join(&name);
            let is = |names: &[&str]| names.iter().any(|it| OsStr::new(it) == name);
            let installed = is(&DEPENDENCIES) && !of_tree.contains(path.to_string_lossy().as_ref());
            if installed && entry.path().is_dir() {
                found.push(path);
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir())
                && depth < DEPTH_LIMIT
                && !is(&NOT_LOOKED_INTO)
            {
                pending.push((path, depth + 1));
            }
        }
    }
    found.sort();
    found
}

/// Puts a folder of dependencies of the project into the copy.
fn link(root: &Path, inner: &Path, copy: &Path) -> io::Result<()> {
    let (from, to) = (root.join(inner), copy.join(inner));
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    match inner.file_name().and_then(OsStr::to_str) {
        Some("node_modules") => link_packages(root, &from, &to, copy),
        Some("vendor") if from.join("composer").is_dir() => link_composer(&from, &to),
        _ => symlink(&from, &to),
    }
}

/// Links packages and their programs one by one: those that are links into the project itself, such as
/// those of a workspace, lead to the same place in the copy.
fn link_packages(root: &Path, from: &Path, to: &Path, copy: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        let kind = entry.file_type()?;
        let group = name == ".bin" || name.as_encoded_bytes().starts_with(b"@");
        if group && kind.is_dir() {
            link_packages(root, &path, &to.join(name), copy)?;
        } else if let Some(inner) = leaks::into_project(root, &path) {
            symlink(copy.join(inner), to.join(name))?;
        } else {
            symlink(&path, to.join(name))?;
        }
    }
    Ok(())
}

/// Links packages one by one, and copies what finds the project by its own place.
fn link_composer(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if OF_COMPOSER.iter().any(|it| OsStr::new(it) == name) {
            copy_whole(&entry.path(), &to.join(name))?;
        } else {
            symlink(entry.path(), to.join(name))?;
        }
    }
    Ok(())
}

fn copy_whole(from: &Path, to: &Path) -> io::Result<()> {
    let mut pending = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = pending.pop() {
        let kind = fs::symlink_metadata(&from)?;
        if kind.is_dir() {
            fs::create_dir(&to)?;
            for entry in fs::read_dir(&from)? {
                let name = entry?.file_name();
                pending.push((from.join(&name), to.join(name)));
            }
        } else if kind.is_symlink() {
            symlink(fs::read_link(&from)?, &to)?;
        } else {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
