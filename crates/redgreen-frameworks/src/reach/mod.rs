//! Which file of a project reaches which: what its source imports, includes and names.
//!
//! A function of text alone. What a source loads or opens by a name that is made while it runs cannot be
//! known, and is said to be [any](Reached::any_module); it is never taken for nothing.

mod affected;
mod python;
mod references;
mod resolve;
mod ruby;
mod scan;
mod script;
mod units;

#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use self::references::References;
use self::resolve::{Edges, Resolver};
use self::scan::{Kind, kind_of, scan};
use crate::adapter::ProjectFiles;

pub use affected::{Effect, Effects};
pub(crate) use resolve::Width;
pub(crate) use units::{acts_alone, is_manifest};

/// How many steps from where somebody works what is wrong may be.
const STEPS_MAX: usize = 2;
/// The most sources that are looked into.
const SOURCES_MAX: usize = 5_000;

/// Whether a file holds a program that is understood.
pub(crate) fn is_source(path: &str) -> bool {
    kind_of(path).is_some()
}

/// Whether a file holds a program in a language that has no folder in `redgreen-syntax`: its tests cannot be distinguished.
pub fn is_unread_source(path: &str) -> bool {
    is_source(path) && redgreen_syntax::language_of(path).is_none()
}

/// What is reached from some files.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    /// The files, each with the one that reaches it; those that were begun with have themselves.
    pub(crate) files: BTreeMap<String, String>,
    /// The first file that loads or runs something whose name cannot be known.
    pub(crate) any_module: Option<String>,
    /// The first file that reads files whose names cannot be known.
    pub(crate) any_file: Option<String>,
}

/// The sources that some files reach, themselves left out: those first that are fewer steps away.
pub fn sources_reached(files: &dyn ProjectFiles, from: &[String]) -> Vec<String> {
    let graph = Graph::new(files, &[]);
    let (mut known, mut next): (BTreeSet<String>, _) =
        (from.iter().cloned().collect(), from.to_vec());
    let mut found = Vec::new();
    for _ in 0..STEPS_MAX {
        let reached = graph.reached(next.iter().map(String::as_str), &|_| false);
        next = reached.files.into_keys().filter(|path| is_source(path)).collect();
        next.retain(|path| files.has(path) && known.insert(path.clone()));
        found.extend(next.iter().cloned());
    }
    found
}

/// The files of a project and what they reach. Reads a file when it is reached.
pub(crate) struct Graph<'files> {
    files: &'files dyn ProjectFiles,
    gone: &'files [String],
    /// Made for the first source: many graphs are asked about none, and it takes a look at every path.
    resolver: OnceCell<Resolver<'files>>,
}

impl<'files> Graph<'files> {
    /// The graph of these files. `gone` are files that were there: who names one of them reaches it.
    pub(crate) fn new(files: &'files dyn ProjectFiles, gone: &'files [String]) -> Self {
        Self { files, gone, resolver: OnceCell::new() }
    }

    fn resolver(&self) -> &Resolver<'files> {
        self.resolver.get_or_init(|| Resolver::new(self.files, self.gone))
    }

    /// The same graph for what can be noticed. `silent` are new sources that do nothing unless they are named: what is
    /// built together with one does not reach it. And who names a folder and a file in it means the file.
    pub(crate) fn exact(self, silent: BTreeSet<String>) -> Self {
        let resolver = Resolver::new(self.files, self.gone).exact(silent);
        Self { resolver: OnceCell::from(resolver), ..self }
    }

    /// What is reached from these files; `is_followed` says of a file that is reached whether what it
    /// reaches counts as well. What cannot be known is not looked for.
    pub(crate) fn reached<'path>(
        &self,
        from: impl Iterator<Item = &'path str>,
        is_followed: &dyn Fn(&str) -> bool,
    ) -> Reached {
        self.walk(from, is_followed, false)
    }

    /// What is reached from these files, and whether there is more that cannot be known.
    pub(crate) fn all_reached<'path>(&self, from: impl Iterator<Item = &'path str>) -> Reached {
        self.walk(from, &|_| true, true)
    }

    fn walk<'path>(
        &self,
        from: impl Iterator<Item = &'path str>,
        is_followed: &dyn Fn(&str) -> bool,
        unknown: bool,
    ) -> Reached {
        let mut reached = Reached::default();
        let mut open: Vec<String> = from.map(str::to_owned).collect();
        reached.files.extend(open.iter().map(|path| (path.clone(), path.clone())));
        let (mut units, mut room) = (BTreeSet::new(), SOURCES_MAX);
        while !open.is_empty() {
            let mut paths: Vec<&str> =
                open.iter().map(String::as_str).filter(|path| is_source(path)).collect();
            if let Some(first) = paths.get(room) {
                // What is not looked into may reach anything.
                reached.any_module.get_or_insert_with(|| (*first).to_owned());
                reached.any_file.get_or_insert_with(|| (*first).to_owned());
                paths.truncate(room);
            }
            room -= paths.len();
            let mut next = Vec::new();
            for (path, text) in paths.iter().zip(self.files.read_all(&paths)) {
                let Some(text) = text else { continue };
                let Some((references, edges)) = self.edges(path, &text) else { continue };
                if unknown && reached.any_module.is_none() {
                    let any = edges.any_module || references.any_module();
                    reached.any_module = any.then(|| (*path).to_owned());
                }
                if unknown && reached.any_file.is_none() {
                    reached.any_file = references.any_file().then(|| (*path).to_owned());
                }
                let fresh = edges.units.into_iter().filter(|unit| units.insert(unit.clone()));
                let in_units: Vec<String> =
                    fresh.flat_map(|unit| self.resolver().in_unit(&unit)).collect();
                for file in edges.files.into_iter().chain(in_units) {
                    if !reached.files.contains_key(&file) {
                        reached.files.insert(file.clone(), (*path).to_owned());
                        next.push(file);
                    }
                }
            }
            next.retain(|path| is_followed(path));
            open = next;
        }
        reached
    }

    /// What one source names of these files: its own words, nothing that follows from them.
    pub(crate) fn named(&self, path: &str, text: &str, width: Width) -> BTreeSet<String> {
        let Some(kind) = kind_of(path) else { return BTreeSet::new() };
        let references = References::of(kind, scan(kind, text));
        let mut named = self.resolver().named(path, &references.names, width);
        if kind == Kind::Go {
            named.extend(self.resolver().embedded(path, text));
        }
        named
    }

    fn edges(&self, path: &str, text: &str) -> Option<(References, Edges)> {
        let kind = kind_of(path)?;
        let references = References::of(kind, scan(kind, text));
        let edges = self.resolver().edges(path, text, kind, &references);
        Some((references, edges))
    }
}
