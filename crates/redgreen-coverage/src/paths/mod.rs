//! From the paths in a report to the paths of the tree.
//!
//! A report may come from another machine or a container, may be relative to a source folder, may have Windows'
//! separators or only a package and a file. Lines that are taken for another file's would be a lie, so
//! that what could be several files is none, and said.

mod spelled;
mod suffix;

use std::collections::{BTreeMap, HashMap};

use redgreen_model::text::{LINE_CHARS, clean_line};

use self::spelled::{Spelled, name};
use crate::formats::Reading;
use crate::{Coverage, FileCoverage};

/// How many of the files that a path could be are named.
const NAMED: usize = 3;

/// The tree that reports are about.
#[derive(Clone, Debug, Default)]
pub struct Tree<'run> {
    /// All of its files, from its root.
    pub paths: Vec<&'run str>,
    /// Where it lies on this machine.
    pub root: Option<&'run str>,
    /// Its Go modules.
    pub modules: Vec<Module<'run>>,
}

/// A Go module: reports name its files by its name and not by its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Module<'run> {
    /// The folder of its `go.mod`, from the tree's root; empty for the root.
    pub folder: &'run str,
    /// Its name.
    pub name: &'run str,
}

impl<'run> Module<'run> {
    /// From the text of a `go.mod`.
    #[must_use]
    pub fn read(folder: &'run str, text: &'run str) -> Option<Self> {
        let named = text.lines().find_map(|line| line.trim().strip_prefix("module"));
        let named = named.filter(|rest| rest.starts_with([' ', '\t']))?;
        let name = named.split("//").next()?.trim().trim_matches(['"', '`']);
        (!name.is_empty()).then_some(Self { folder, name })
    }
}

/// What a report's path is in the tree.
#[derive(Debug, PartialEq, Eq)]
enum Place<'run> {
    /// This file, for certain.
    Sure(&'run str),
    /// This file, judging by the end of its path; what is before that in the report.
    Likely(&'run str, Vec<String>),
    /// One of several.
    Several(Vec<&'run str>),
    /// None of the tree's.
    Nowhere,
}

impl<'run> Tree<'run> {
    /// Puts what was read under the tree's paths; what is of no file there is left out. Where the report lies in the
    /// tree tells which folder its paths begin at.
    #[must_use]
    pub fn place(&self, reading: Reading, report: Option<&str>) -> (Coverage, Vec<String>) {
        let Reading { coverage, sources, mut diagnostics } = reading;
        let search = Search {
            tree: self,
            named: self.named(&coverage),
            root: self.root.map(Spelled::read),
            sources: sources.iter().map(|source| Spelled::read(source)).collect(),
            report: report.map(Spelled::read),
        };
        let mut claims: BTreeMap<&str, Vec<Claim>> = BTreeMap::new();
        for (path, lines) in coverage.files {
            match search.place(&Spelled::read(&path)) {
                Place::Sure(file) => {
                    claims.entry(file).or_default().push(Claim { lines, before: None });
                }
                Place::Likely(file, before) => {
                    let before = Some(before);
                    claims.entry(file).or_default().push(Claim { lines, before });
                }
                Place::Several(files) => diagnostics.push(several(&path, &files)),
                Place::Nowhere => {}
            }
        }
        let mut placed = Coverage::default();
        for (file, claims) in claims {
            for lines in believed(claims) {
                placed.files.entry(file.to_owned()).or_default().merge(&lines);
            }
        }
        (placed, diagnostics)
    }

    /// The files of the tree that are called as one of the report's.
    fn named(&self, coverage: &Coverage) -> HashMap<String, Vec<&'run str>> {
        let names = coverage.files.keys().map(|path| (Spelled::read(path).name(), Vec::new()));
        let mut named: HashMap<String, Vec<&'run str>> = names.collect();
        for path in &self.paths {
            if let Some(files) = named.get_mut(name(path)) {
                files.push(path);
            }
        }
        named
    }
}

/// A file of a report that was found in the tree.
struct Claim {
    lines: FileCoverage,
    /// Where it is only likely: what its path has before the part that is the tree's.
    before: Option<Vec<String>>,
}

/// Whose lines are the file's. A likely one gives way to a sure one, and to one that is nearer to the root: `app/x.py`
/// is not `x.py` where the report has `x.py`, too.
fn believed(claims: Vec<Claim>) -> Vec<FileCoverage> {
    let sure = claims.iter().any(|claim| claim.before.is_none());
    let befores: Vec<Vec<String>> =
        claims.iter().filter_map(|claim| claim.before.clone()).collect();
    let is_nearest = |before: &Vec<String>| {
        !befores.iter().any(|other| other.len() < before.len() && before.starts_with(other))
    };
    let believed = claims.into_iter().filter(|claim| match &claim.before {
        None => true,
        Some(before) => !sure && is_nearest(before),
    });
    believed.map(|claim| claim.lines).collect()
}

fn several(path: &str, files: &[&str]) -> String {
    let path = clean_line(path, LINE_CHARS);
    let named = files.iter().take(NAMED).map(|file| clean_line(file, LINE_CHARS));
    let named = named.collect::<Vec<_>>().join(", ");
    let more = files.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("`{path}` could be several files and counts for none: {named}{more}")
}

/// The search for the files of one report.
struct Search<'search, 'run> {
    tree: &'search Tree<'run>,
    named: HashMap<String, Vec<&'run str>>,
    root: Option<Spelled>,
    sources: Vec<Spelled>,
    report: Option<Spelled>,
}

impl<'run> Search<'_, 'run> {
    fn place(&self, path: &Spelled) -> Place<'run> {
        if let Some(inside) = self.inside_of_root(path) {
            return self.file(inside).map_or(Place::Nowhere, Place::Sure);
        }
        if let Some(place) = self.in_a_module(path) {
            return place;
        }
        if path.absolute {
            return self.likely(std::slice::from_ref(&path.parts));
        }
        match self.below_a_source(path) {
            Place::Nowhere => {}
            place => return place,
        }
        self.above_the_report(path)
            .map_or_else(|| self.likely(std::slice::from_ref(&path.parts)), Place::Sure)
    }

    /// The file at exactly this path.
    fn file(&self, parts: &[String]) -> Option<&'run str> {
        let named = self.named.get(parts.last()?)?;
        named.iter().copied().find(|file| file.split('/').eq(parts))
    }

    /// What an absolute path has behind the root's; the file need not be there.
    fn inside_of_root<'path>(&self, path: &'path Spelled) -> Option<&'path [String]> {
        let root = self.root.as_ref()?;
        if !path.absolute { None } else { path.parts.strip_prefix(root.parts.as_slice()) }
    }

    /// The file of a Go module whose name the path begins with; of several, the longest name's.
    fn in_a_module(&self, path: &Spelled) -> Option<Place<'run>> {
        let modules = self.tree.modules.iter().filter_map(|module| {
            let name: Vec<String> = module.name.split('/').map(str::to_owned).collect();
            let inside = path.parts.strip_prefix(name.as_slice())?;
            Some((name.len(), joined(&Spelled::read(module.folder).parts, inside)))
        });
        let (_, parts) = modules.max_by_key(|(length, _)| *length)?;
        Some(self.file(&parts).map_or(Place::Nowhere, Place::Sure))
    }

    /// Below the folders that the report names for its paths. Those that are not on this machine make the path longer.
    fn below_a_source(&self, path: &Spelled) -> Place<'run> {
        let mut here = Vec::new();
        let mut elsewhere = Vec::new();
        for source in &self.sources {
            match self.inside_of_root(source) {
                Some(folder) => here.extend(self.file(&joined(folder, &path.parts))),
                None if source.absolute => elsewhere.push(joined(&source.parts, &path.parts)),
                None => here.extend(self.file(&joined(&source.parts, &path.parts))),
            }
        }
        here.sort_unstable();
        here.dedup();
        match (here.first(), here.len()) {
            (None, _) if elsewhere.is_empty() => Place::Nowhere,
            (None, _) => self.likely(&elsewhere),
            (Some(file), 1) => Place::Sure(file),
            _ => Place::Several(here),
        }
    }

    /// From the folder that the report is in, or from one above it: the nearest where there is such a file.
    fn above_the_report(&self, path: &Spelled) -> Option<&'run str> {
        let folders = self.report.as_ref().map_or(&[][..], |report| report.parts.as_slice());
        (0..folders.len().max(1)).rev().find_map(|depth| {
            self.file(&joined(folders.get(..depth).unwrap_or_default(), &path.parts))
        })
    }

    /// The file that has the longest end in common with one of these paths.
    fn likely(&self, paths: &[Vec<String>]) -> Place<'run> {
        let files = paths.first().and_then(|path| self.named.get(path.last()?));
        let near = self.report.as_ref().map_or(&[][..], |report| report.parts.as_slice());
        files.map_or(Place::Nowhere, |files| suffix::longest(paths, files, near))
    }
}

fn joined(folder: &[String], inside: &[String]) -> Vec<String> {
    folder.iter().chain(inside).cloned().collect()
}

#[cfg(test)]
mod tests;
