//! Where the test of an id is written.

#[cfg(test)]
mod tests;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use redgreen_model::framework::FrameworkId;
use redgreen_syntax::{Outline, language_of, outline};

use crate::adapter;
use crate::adapter::ProjectFiles;
use crate::roles::name_of;

/// Where a test is written, as far as its id tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// The file from the root of the work tree, with `/`.
    pub file: Option<String>,
    /// The names around it from the outside in, and its own: class, describe, function. As the outline
    /// of the file has them, where it has the test.
    pub path: Vec<String>,
    /// Which of several runs of the same function it is, as its framework writes it.
    pub parameter: Option<String>,
}

/// From the id of a test to where it is written, in a tree in which it ran; none where the id does not
/// tell. `folder` is that of the check, from the root of the work tree. For many ids of one tree there
/// is [`Addresses`].
pub fn address(
    framework: FrameworkId,
    folder: &str,
    id: &str,
    files: &dyn ProjectFiles,
) -> Option<Address> {
    Addresses::new(files).address(framework, folder, id)
}

/// The addresses of a tree. Remembers what it has read.
pub struct Addresses<'files> {
    files: &'files dyn ProjectFiles,
    /// The paths by the names of their files.
    by_name: OnceCell<HashMap<&'files str, Vec<&'files str>>>,
    /// The manifests of a name, with their texts.
    manifests: RefCell<BTreeMap<&'static str, Manifests>>,
    outlines: RefCell<BTreeMap<String, Rc<Outline>>>,
    /// The only sources that are read; none for all of them.
    readable: Option<BTreeSet<String>>,
}

/// Folders and texts of manifests.
type Manifests = Rc<Vec<(String, String)>>;

impl<'files> Addresses<'files> {
    /// The addresses in these files.
    pub fn new(files: &'files dyn ProjectFiles) -> Self {
        let by_name = OnceCell::new();
        let (manifests, outlines) = (RefCell::default(), RefCell::default());
        Self { files, by_name, manifests, outlines, readable: None }
    }

    /// The same for who asks about tests in these files only: others are not read, and tests in them may
    /// have no file.
    #[must_use]
    pub fn reading_only<'path>(self, paths: impl Iterator<Item = &'path str>) -> Self {
        Self { readable: Some(paths.map(str::to_owned).collect()), ..self }
    }

    /// See [`address`].
    pub fn address(&self, framework: FrameworkId, folder: &str, id: &str) -> Option<Address> {
        adapter(framework).address(id, folder, self)
    }

    /// Whether a file is there.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.named(name_of(path)).contains(&path)
    }

    /// The files of a name.
    pub(crate) fn named(&self, name: &str) -> &[&'files str] {
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name: HashMap<&str, Vec<&str>> = HashMap::new();
            for path in self.files.paths() {
                let name = path.rsplit('/').next().unwrap_or(path);
                by_name.entry(name).or_default().push(path);
            }
            by_name
        });
        by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The files that are sources, for a framework whose ids do not say in which one a test is.
    pub(crate) fn sources(&self, is_source: fn(&str) -> bool) -> impl Iterator<Item = &'files str> {
        self.files.paths().iter().map(String::as_str).filter(move |path| is_source(path))
    }

    /// The files in a folder, not below it.
    pub(crate) fn in_folder(&self, folder: &str) -> impl Iterator<Item = &'files str> {
        let folder = folder.to_owned();
        let inside = move |path: &&str| match path.rsplit_once('/') {
            Some((place, _)) => place == folder,
            None => folder.is_empty(),
        };
        self.files.paths().iter().map(String::as_str).filter(inside)
    }

    /// The folders of the manifests of a name, and their texts.
    pub(crate) fn manifests(&self, name: &'static str) -> Manifests {
        if let Some(known) = self.manifests.borrow().get(name) {
            return Rc::clone(known);
        }
        let paths = self.named(name);
        let texts = self.files.read_all(paths).into_iter().map(Option::unwrap_or_default);
        let folder =
            |path: &&str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let found: Manifests = Rc::new(paths.iter().map(folder).zip(texts).collect());
        self.manifests.borrow_mut().insert(name, Rc::clone(&found));
        found
    }

    /// The tests of a file.
    pub(crate) fn outline(&self, path: &str) -> Rc<Outline> {
        if let Some(known) = self.outlines.borrow().get(path) {
            return Rc::clone(known);
        }
        let readable = self.readable.as_ref().is_none_or(|paths| paths.contains(path));
        let language = language_of(path).filter(|_| readable);
        let text = language.and_then(|language| Some((language, self.files.read(path)?)));
        let found =
            Rc::new(text.map(|(language, text)| outline(language, &text)).unwrap_or_default());
        self.outlines.borrow_mut().insert(path.to_owned(), Rc::clone(&found));
        found
    }

    /// The path from the root of a file that an id gives from the folder of the check; some frameworks
    /// give it from further up. None where there is no such file.
    pub(crate) fn file_in(&self, folder: &str, path: &str) -> Option<String> {
        upwards(folder, path).find(|whole| self.has(whole))
    }
}

/// The path in a folder, and in those above it, as far as the file is there.
pub(crate) fn file_in(folder: &str, path: &str, files: &dyn ProjectFiles) -> Option<String> {
    upwards(folder, path).find(|whole| files.has(whole))
}

/// The path in a folder, and in each one above it.
fn upwards(folder: &str, path: &str) -> impl Iterator<Item = String> {
    let folder = folder.trim_start_matches("./").trim_matches('/');
    let mut folder = Some(if folder == "." { "" } else { folder });
    let mut places = Vec::new();
    while let Some(here) = folder {
        places.push(if here.is_empty() { path.to_owned() } else { format!("{here}/{path}") });
        let above = here.rsplit_once('/').map_or("", |(above, _)| above);
        folder = (!here.is_empty()).then_some(above);
    }
    places.into_iter()
}
