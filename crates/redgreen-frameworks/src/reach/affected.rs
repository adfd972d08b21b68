//! Whether a test can notice a change.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use redgreen_model::framework::FrameworkId;

use super::resolve::bases;
use super::{Graph, Reached, acts_alone, is_manifest, is_source};
use crate::ADAPTERS;
use crate::adapter::ProjectFiles;
use crate::roles::{self, split};
use crate::sides::{Addresses, joined};
use crate::version::is_version_bump;

/// Whether a test can notice a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing that it reaches was changed.
    No,
    /// It reaches this file.
    Yes(String),
    /// It cannot be known, as this file loads or reads something by a name that is made while it runs.
    Unknown(String),
}

/// What a change can do to the tests of a tree. Remembers what it has read.
pub struct Effects<'files> {
    graph: Graph<'files>,
    addresses: Addresses<'files>,
    files: &'files dyn ProjectFiles,
    changed: &'files [String],
    /// Manifests of which only the project's own version changed: nobody notices who does not read them.
    bumped: BTreeSet<&'files str>,
    of_files: RefCell<BTreeMap<String, Effect>>,
}

impl<'files> Effects<'files> {
    /// The effects of a change on a tree with these files; `changed` are the paths that differ from the tree
    /// before, `old`, also those that are gone.
    pub fn new(
        old: &dyn ProjectFiles,
        files: &'files dyn ProjectFiles,
        changed: &'files [String],
    ) -> Self {
        let bumped = |path: &&str| {
            let texts = old.read(path).zip(files.read(path));
            texts.is_some_and(|(old, new)| is_version_bump(path, &old, &new))
        };
        let manifests = changed.iter().map(String::as_str).filter(|path| is_manifest(path));
        let new = changed.iter().filter(|path| is_source(path) && !old.has(path));
        let silent = |path: &&String| files.read(path).is_some_and(|text| !acts_alone(path, &text));
        Self {
            bumped: manifests.filter(bumped).collect(),
            graph: Graph::new(files, changed).exact(new.filter(silent).cloned().collect()),
            addresses: Addresses::new(files),
            files,
            changed,
            of_files: RefCell::default(),
        }
    }

    /// Whether the test of an id can notice the change; `folder` is that of its check.
    pub fn on(&self, framework: FrameworkId, folder: &str, id: &str) -> Effect {
        if let Some(all) = self.changed.iter().find(|path| self.is_for_all(path)) {
            return Effect::Yes(all.clone());
        }
        let address = self.addresses.address(framework, folder, id);
        let Some(file) = address.and_then(|address| address.file) else {
            return Effect::Unknown(id.to_owned());
        };
        if let Some(known) = self.of_files.borrow().get(&file) {
            return known.clone();
        }
        let effect = self.on_file(&file);
        self.of_files.borrow_mut().insert(file, effect.clone());
        effect
    }

    fn is_for_all(&self, path: &str) -> bool {
        is_manifest(path) && !self.bumped.contains(path)
    }

    fn on_file(&self, file: &str) -> Effect {
        let mut from = vec![file.to_owned()];
        from.extend(self.settings(file));
        let reached = self.graph.all_reached(from.iter().map(String::as_str));
        let Reached { files, any_module, any_file } = reached;
        if let Some(path) = self.changed.iter().find(|path| files.contains_key(*path)) {
            return Effect::Yes(path.clone());
        }
        let counts =
            |path: &&String| !roles::is_for_people(path) && !self.bumped.contains(path.as_str());
        let (sources, data): (Vec<&String>, Vec<&String>) =
            self.changed.iter().filter(counts).partition(|path| is_source(path));
        let loads = any_module.filter(|_| !sources.is_empty());
        let reads = any_file.filter(|_| !data.is_empty());
        loads.or(reads).map_or(Effect::No, Effect::Unknown)
    }

    /// What is loaded with a test: the settings in its folder and above, and the files that they name.
    fn settings(&self, file: &str) -> Vec<String> {
        let there = self.files.paths().iter().chain(self.changed);
        let beside = |path: &&String| {
            let (folders, name) = split(path);
            let place = folders.join("/");
            ADAPTERS
                .iter()
                .flat_map(|adapter| adapter.settings())
                .any(|start| name.starts_with(start))
                && bases(file).any(|it| it == place)
        };
        let mut found: Vec<String> = there.filter(beside).cloned().collect();
        let texts: Vec<&str> = found.iter().map(String::as_str).collect();
        let texts: Vec<(String, Option<String>)> =
            found.iter().cloned().zip(self.files.read_all(&texts)).collect();
        for (path, text) in texts {
            let (folder, text) = (split(&path).0.join("/"), text.unwrap_or_default());
            let words =
                text.split(|letter: char| letter.is_whitespace() || "\"'`,[]=".contains(letter));
            let words = words.map(|word| word.trim_start_matches("<rootDir>/"));
            let named = words.filter(|word| word.contains('.')).map(|word| joined(&folder, word));
            found.extend(named.filter(|named| self.addresses.has(named)));
        }
        found
    }
}
