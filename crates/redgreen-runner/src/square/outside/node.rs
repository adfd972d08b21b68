//! Packages of Node that came or were edited since a moment.
//!
//! A package manager writes all of a package at once, so a file that changed long after the oldest of its package was
//! edited; patches that the project keeps are no edits.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use redgreen_frameworks::is_cache;
use redgreen_model::outside::OutsideKind;

use super::found::changed_at;
use super::manifests::{Manifests, Named};
use super::{Hidden, Suspect};
use crate::square::copy::{loaded_by, packages};

/// How long one package may take to be written, scripts of its own included.
const WRITING: Duration = Duration::from_secs(60);
/// How deep packages lie in one another.
const NESTED_MAX: usize = 8;
/// The most files that are looked at in one folder of packages.
const FILES_MAX: usize = 100_000;

/// Files with their times.
type Files = Vec<(PathBuf, SystemTime)>;

/// What came or was edited in one `node_modules` of the work tree.
pub(super) fn look(
    root: &Path,
    modules: &Path,
    since: SystemTime,
    manifests: &Manifests<'_>,
) -> Vec<Suspect> {
    let there = |(name, path): (String, PathBuf)| {
        let path = path.canonicalize().ok()?;
        let installed = path.components().any(|part| part.as_os_str() == "node_modules");
        // A link to a package of the project itself is its code.
        (installed && path.starts_with(root)).then_some((name, path))
    };
    let packages: BTreeMap<String, PathBuf> =
        packages(modules).into_iter().filter_map(there).collect();
    let mut seen = 0;
    let files: Vec<Files> = packages.values().map(|path| files(path, &mut seen)).collect();
    if !files.iter().flatten().any(|(_, at)| *at > since) {
        return Vec::new();
    }
    let (named, mut suspects) = (manifests.named(), Vec::new());
    let asked = asked(&packages, named);
    for ((name, path), files) in packages.iter().zip(files) {
        let Some(first) = files.iter().map(|(_, at)| *at).min() else { continue };
        if first > since && !asked.contains(name.as_str()) {
            suspects.push(Suspect {
                kind: OutsideKind::Package,
                name: name.clone(),
                at: first,
                hidden: Hidden::in_tree([modules.join(name), path.clone()]),
            });
            continue;
        }
        if named.is_patched(name) {
            continue;
        }
        let is_edited = |at: SystemTime| at > since && (first <= since || at > first + WRITING);
        let edited = files.into_iter().filter(|(_, at)| is_edited(*at));
        suspects.extend(edited.map(|(file, at)| Suspect {
            kind: OutsideKind::Edited,
            name: file.strip_prefix(root).unwrap_or(&file).display().to_string(),
            at,
            hidden: Hidden::in_tree([file]),
        }));
    }
    suspects
}

/// The packages that something asks for.
fn asked<'all>(packages: &'all BTreeMap<String, PathBuf>, named: &Named) -> BTreeSet<&'all str> {
    let mut asked = BTreeSet::new();
    let mut open: Vec<&String> = packages.keys().filter(|name| named.has(name)).collect();
    while let Some(name) = open.pop() {
        if asked.insert(name.as_str()) {
            let needs = packages.get(name).map(|path| needs(path)).unwrap_or_default();
            open.extend(packages.keys().filter(|it| needs.contains(it.as_str())));
        }
    }
    asked
}

/// What a package asks for, and the packages that lie in it: of those that both need, one is beside it.
fn needs(package: &Path) -> BTreeSet<String> {
    let (mut needs, mut open) = (BTreeSet::new(), vec![(package.to_owned(), 0)]);
    while let Some((package, depth)) = open.pop() {
        needs.extend(loaded_by(&package));
        if depth < NESTED_MAX {
            let inner = packages(&package.join("node_modules"));
            open.extend(inner.into_iter().map(|(_, path)| (path, depth + 1)));
        }
    }
    needs
}

/// The files of a package with their times, without caches and without the packages in it.
fn files(package: &Path, seen: &mut usize) -> Files {
    let (mut files, mut open) = (Vec::new(), vec![package.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            *seen += 1;
            let name = entry.file_name();
            if *seen > FILES_MAX || name == "node_modules" || is_cache(&name.to_string_lossy()) {
                continue;
            }
            match metadata.is_dir() {
                true => open.push(entry.path()),
                false => files.push((entry.path(), changed_at(&metadata))),
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_package_in_a_package_asks_for_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let mocha = folder.path().join("mocha");
        for (package, needs) in [
            ("", "minimatch"),
            ("node_modules/minimatch", "brace-expansion"),
            ("node_modules/minimatch/node_modules/@x/y", "concat-map"),
        ] {
            fs::create_dir_all(mocha.join(package)).unwrap();
            let manifest = format!("{{\"dependencies\": {{\"{needs}\": \"1\"}}}}");
            fs::write(mocha.join(package).join("package.json"), manifest).unwrap();
        }
        let needs: Vec<String> = needs(&mocha).into_iter().collect();
        assert_eq!(needs, ["brace-expansion", "concat-map", "minimatch"]);
    }
}
