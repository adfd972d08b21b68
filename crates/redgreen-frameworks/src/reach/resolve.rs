//! From what a source says to the files that it means.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::references::{Name, References};
use super::scan::Kind;
use super::units::{Unit, Units};
use super::{python, ruby, script};
use crate::adapter::ProjectFiles;
use crate::roles::{extension, name_of, split};
use crate::sides::joined;

/// Folders from which programs show pages by their names alone.
const SHOWN: &[&str] = &["templates", "views"];

/// What of a name is believed to mean a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// A path from the source's own folder or from one above it.
    Paths,
    /// Also a name that only one file has, or one whose folder is named, too.
    Names,
    /// Also all that may be meant by the name of a folder, or by a name that is made.
    Folders,
}

/// What a file reaches.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    pub(crate) files: BTreeSet<String>,
    /// Files that are reached together.
    pub(crate) units: Vec<Unit>,
    /// Whether it reaches something by an alias that is not known.
    pub(crate) any_module: bool,
}

/// The files of a project, as names are looked up in them.
pub(crate) struct Resolver<'files> {
    known: HashSet<&'files str>,
    by_name: HashMap<&'files str, Vec<&'files str>>,
    /// The files in each folder, not below it.
    in_folder: HashMap<&'files str, Vec<&'files str>>,
    /// All folders, also those that have folders only.
    folders: HashSet<&'files str>,
    folder_names: HashSet<&'files str>,
    units: Units,
    /// Files that no unit reaches; none where all that may be meant counts.
    silent: Option<BTreeSet<String>>,
}

impl<'files> Resolver<'files> {
    pub(crate) fn new(files: &'files dyn ProjectFiles, gone: &'files [String]) -> Self {
        let paths = || files.paths().iter().chain(gone).map(String::as_str);
        let known: HashSet<&str> = paths().collect();
        let mut by_name: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut in_folder: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut folders = HashSet::from([""]);
        for path in &known {
            let (mut folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            by_name.entry(name).or_default().push(path);
            in_folder.entry(folder).or_default().push(path);
            while folders.insert(folder) {
                folder = above(folder);
            }
        }
        let folder_names = folders.iter().map(|folder| name_of(folder)).collect();
        let units = Units::of(files);
        Self { known, by_name, in_folder, folders, folder_names, units, silent: None }
    }

    /// Units reach none of these files, and a folder is meant only by who names no file in it.
    pub(crate) fn exact(self, silent: BTreeSet<String>) -> Self {
        Self { silent: Some(silent), ..self }
    }

    /// Whether a file or a folder has this name: most words of a source are no name of one.
    pub(crate) fn is_name(&self, name: &str) -> bool {
        self.by_name.contains_key(name) || self.folder_names.contains(name)
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.known.contains(path)
    }

    pub(crate) fn has_folder(&self, path: &str) -> bool {
        self.folders.contains(path)
    }

    /// The files of a name.
    pub(crate) fn called(&self, name: &str) -> &[&'files str] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn units(&self) -> &Units {
        &self.units
    }

    /// What a source reaches.
    pub(crate) fn edges(&self, path: &str, text: &str, kind: Kind, said: &References) -> Edges {
        let mut edges =
            Edges { files: self.named(path, &said.names, Width::Folders), ..Edges::default() };
        match kind {
            Kind::Python => {
                let modules = said.modules.iter();
                edges.files.extend(modules.flat_map(|module| python::files(self, path, module)));
            }
            Kind::Ruby => {
                let modules = said.modules.iter();
                edges.files.extend(modules.flat_map(|module| ruby::files(self, path, module)));
            }
            Kind::Script => {
                for module in &said.modules {
                    script::follow(self, path, module, &mut edges);
                }
            }
            Kind::Go => {
                edges.units.extend(self.units.of_go(path, &said.modules));
                edges.files.extend(self.embedded(path, text));
            }
            Kind::Rust => edges.units.extend(self.units.of_rust(path)),
            Kind::Java => {
                edges.units.extend(self.units.of_java(path));
                for module in &said.modules {
                    edges.files.extend(self.java(module));
                }
            }
            Kind::Shell => {}
        }
        edges.files.remove(path);
        edges
    }

    /// The files of a unit.
    pub(crate) fn in_unit(&self, unit: &Unit) -> Vec<String> {
        let within = |folder: &str| -> Vec<&'files str> {
            self.in_folder.get(folder).cloned().unwrap_or_default()
        };
        let files: Vec<&str> = match unit {
            Unit::Package { folder, tests } => {
                let counts =
                    |path: &&str| path.ends_with(".go") && (*tests || !path.ends_with("_test.go"));
                within(folder).into_iter().filter(counts).collect()
            }
            Unit::Below(folder) => {
                let inside = format!("{folder}/");
                let below = |path: &&&str| folder.is_empty() || path.starts_with(&inside);
                self.known.iter().filter(below).copied().collect()
            }
        };
        let silent =
            |path: &&str| self.silent.as_ref().is_some_and(|silent| silent.contains(*path));
        files.into_iter().filter(|path| !silent(path)).map(str::to_owned).collect()
    }

    /// The files that names mean.
    pub(crate) fn named(&self, path: &str, names: &[Name], width: Width) -> BTreeSet<String> {
        let folders = width == Width::Folders;
        let bases: Vec<&str> = bases(path).collect();
        let words: HashSet<&str> = names
            .iter()
            .flat_map(|name| name.text.split('/'))
            .filter(|it| !it.is_empty())
            .collect();
        let mut found = BTreeSet::new();
        for name in names {
            let text = name.text.as_str();
            let plain = text.trim_start_matches("file://").trim_start_matches('/');
            if plain.is_empty() || plain.len() < 2 || plain.contains('\\') {
                continue;
            }
            if plain.contains('*') {
                if folders {
                    found.extend(self.made(path, plain, &bases, &words));
                }
                continue;
            }
            if !self.is_name(split(plain.trim_end_matches('/')).1) {
                continue;
            }
            let places = bases.iter().map(|base| joined(base, plain));
            let there: Vec<String> = places.filter(|it| it != path).collect();
            found.extend(there.iter().filter(|it| self.has(it)).cloned());
            let named = there.iter().filter(|it| !it.is_empty() && self.has_folder(it));
            let mut named = named.filter(|_| folders).peekable();
            if named.peek().is_some() && name.is_place() {
                let meant = named.filter(|folder| !self.is_way(folder, names));
                found.extend(meant.flat_map(|folder| self.data_below(folder)));
            }
            if width != Width::Paths {
                found.extend(self.by_name(plain, &words));
            }
        }
        if folders && is_shown(names) {
            found.extend(self.shown(&bases));
        }
        found
    }

    /// Whether a folder is named as the way to a file in it that is named as well.
    fn is_way(&self, folder: &str, names: &[Name]) -> bool {
        self.silent.is_some()
            && names.iter().any(|name| {
                let (_, name) = split(&name.text);
                !extension(name).is_empty() && self.has(&joined(folder, name))
            })
    }

    /// A name that only one file has, or one whose folder is named, too.
    fn by_name(&self, text: &str, words: &HashSet<&str>) -> Vec<String> {
        let (folders, name) = split(text);
        if extension(name).is_empty() {
            return Vec::new();
        }
        let all = self.called(name);
        let fits = |path: &&&str| {
            let (own, _) = split(path);
            match folders.is_empty() {
                false => path.ends_with(&format!("/{text}")),
                true => all.len() == 1 || own.last().is_some_and(|own| words.contains(own)),
            }
        };
        all.iter().filter(fits).map(|path| (*path).to_owned()).collect()
    }

    /// The files that a name with places for values may mean: of that kind, in its folder; where it names
    /// none, beside the source or in a folder that the source names.
    fn made(&self, path: &str, text: &str, bases: &[&str], words: &HashSet<&str>) -> Vec<String> {
        let (folders, name) = split(text);
        let kind = extension(name);
        if kind.is_empty() || kind.contains('*') || super::is_source(&format!("x.{kind}")) {
            return Vec::new();
        }
        let known = folders.iter().take_while(|it| !it.contains('*')).copied();
        let place = known.collect::<Vec<_>>().join("/");
        let own = split(path).0.join("/");
        let mut places: Vec<String> = Vec::new();
        if place.is_empty() {
            places.push(own);
            let named = words.iter().filter(|word| !word.contains(['*', '.']));
            for word in named {
                places.extend(bases.iter().map(|base| joined(base, word)));
            }
        } else {
            places.extend(bases.iter().map(|base| joined(base, &place)));
        }
        let there = places.iter().filter_map(|place| self.in_folder.get(place.as_str()));
        let of_kind = there.flatten().filter(|path| extension(name_of(path)) == kind);
        of_kind.map(|path| (*path).to_owned()).collect()
    }

    /// What a folder holds but programs: those are imported.
    fn data_below(&self, folder: &str) -> Vec<String> {
        let below = self.in_unit(&Unit::Below(folder.to_owned()));
        below.into_iter().filter(|path| !super::is_source(path)).collect()
    }

    /// Pages in the folders that programs show them from.
    fn shown(&self, bases: &[&str]) -> Vec<String> {
        let places = bases.iter().flat_map(|base| SHOWN.iter().map(move |it| joined(base, it)));
        places.filter(|it| self.has_folder(it)).flat_map(|it| self.data_below(&it)).collect()
    }

    /// Patterns of `//go:embed`.
    pub(crate) fn embedded(&self, path: &str, text: &str) -> Vec<String> {
        let folder = split(path).0.join("/");
        let lines = text.lines().filter_map(|line| line.trim().strip_prefix("//go:embed "));
        let mut found = Vec::new();
        for pattern in lines.flat_map(str::split_whitespace) {
            let pattern = pattern.trim_matches(['"', '`']).trim_start_matches("all:");
            let place = joined(&folder, pattern);
            if let Some((before, _)) = pattern.split_once('*') {
                let before = before.rsplit_once('/').map_or("", |(place, _)| place);
                found.extend(self.in_unit(&Unit::Below(joined(&folder, before))));
            } else if self.has(&place) {
                found.push(place);
            } else if self.has_folder(&place) {
                found.extend(self.in_unit(&Unit::Below(place)));
            }
        }
        found
    }

    /// The files of a class, or of a package: `a.b.C`, `a.b.C.method`, `a.b.*`.
    fn java(&self, module: &str) -> Vec<String> {
        let parts: Vec<&str> = module.split('.').filter(|part| !part.is_empty()).collect();
        if let Some((&"*", package)) = parts.split_last() {
            let ending = package.join("/");
            let fits =
                |folder: &&&str| **folder == ending || folder.ends_with(&format!("/{ending}"));
            let folders = self.in_folder.keys().filter(fits);
            let files = folders.filter_map(|folder| self.in_folder.get(folder)).flatten();
            return files.map(|path| (*path).to_owned()).collect();
        }
        let mut found = Vec::new();
        for length in [parts.len(), parts.len().saturating_sub(1)] {
            let Some((class, package)) = parts.get(..length).and_then(<[_]>::split_last) else {
                continue;
            };
            for end in ["java", "kt", "groovy", "scala"] {
                let name = format!("{class}.{end}");
                let place = joined(&package.join("/"), &name);
                let all = self.called(&name).iter();
                let fits = all.filter(|path| path.ends_with(&place));
                found.extend(fits.map(|path| (*path).to_owned()));
            }
        }
        found
    }
}

/// Whether a source shows pages: it names one, or the folder that they are in.
fn is_shown(names: &[Name]) -> bool {
    let page = |text: &str| {
        ["html", "htm", "jinja", "jinja2", "j2", "ejs", "hbs", "mustache", "tmpl"]
            .contains(&extension(name_of(text)))
    };
    names
        .iter()
        .any(|name| page(&name.text) || (SHOWN.contains(&name.text.as_str()) && name.is_place()))
}

/// The folder of a file and those above it, the root last.
pub(crate) fn bases(path: &str) -> impl Iterator<Item = &str> {
    let mut folder = Some(above(path));
    std::iter::from_fn(move || {
        let here = folder?;
        folder = (!here.is_empty()).then(|| above(here));
        Some(here)
    })
}

/// The folder that a path lies in.
pub(crate) fn above(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
