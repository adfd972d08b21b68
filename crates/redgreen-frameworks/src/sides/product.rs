//! What product code reaches is judged, wherever it lies and whatever it is called; what only tests name
//! judges. Both are seen in the sources of the baseline alone: a change cannot move a file by naming it.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use redgreen_syntax::{language_of, outline};

use super::{Belongs, Judged, Sides};
use crate::adapter::ProjectFiles;
use crate::python;
use crate::reach::{Graph, Reached, Width, is_source};
use crate::roles::{self, extension, name_of, split};

/// Files that hold values and no program.
const DATA: &[&str] = &[
    "json", "jsonl", "ndjson", "yaml", "yml", "csv", "tsv", "txt", "xml", "html", "htm", "sql",
    "dat", "bin", "golden", "expected", "out", "output", "in", "parquet", "npy", "npz", "pkl",
    "pickle", "gz", "b64", "hex", "tape", "har",
];
/// Files that have a meaning for tools.
const MANIFESTS: &[&str] = &["package.json", "tsconfig.json", "requirements.txt", "pom.xml"];
/// Folders of what is there for those who develop: it may reach tests and what they are made of.
const WORKSHOPS: &[&str] = &[
    "benchmarks",
    "benches",
    "bench",
    "examples",
    "example",
    "docs",
    "doc",
    "scripts",
    "script",
    "tools",
    "ci",
    ".github",
    "dev",
    "hack",
    "xtask",
    "tasks",
    "node_modules",
    "vendor",
];
/// Folders of what others wrote and test, copied into the project.
const OF_OTHERS: &[&str] = &[
    "vendor",
    "_vendor",
    "vendored",
    "_vendored",
    "third_party",
    "third-party",
    "thirdparty",
    "node_modules",
];
/// Files of that kind in the root of a project.
const TOOLS: &[&str] =
    &["setup.py", "noxfile.py", "tasks.py", "fabfile.py", "dodo.py", "build.rs", "gulpfile.js"];
/// Folders whose data is the tests' unless its very path is in the code.
pub(super) const OF_TESTS: &[&str] = &["tests", "test", "__tests__", "testdata", "e2e"];
/// What starts a program or asks a server.
const STARTS: &[&str] =
    &["subprocess", "Popen", "os.system", "pexpect", "child_process", "execa", "fetch(", "request"];
/// The most files that are looked into.
const LOOKED_INTO: usize = 2_000;

/// What the sources of the baseline show.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// Files that product code reaches, each with the one that does.
    pub(super) product: BTreeMap<String, String>,
    /// Their folders: what comes there is like what is there.
    pub(super) folders: BTreeSet<String>,
    /// Files of the baseline that are the tests' side by a guess.
    pub(super) guessed: BTreeSet<String>,
    /// Data that tests name and code does not.
    pub(super) named: BTreeSet<String>,
    /// All that product code reaches, each with the file that does.
    pub(super) reached: BTreeMap<String, String>,
}

impl Shown {
    /// Looks at the sources of the baseline, as far as there is a question.
    pub(super) fn of(baseline: &dyn ProjectFiles, sides: &Sides<'_>) -> Self {
        let (mut guessed, mut data) = (BTreeSet::new(), BTreeSet::new());
        let (mut tests, mut product) = (Vec::new(), Vec::new());
        for path in baseline.paths().iter().map(String::as_str) {
            let Judged { belongs, guessed: by_guess, .. } = sides.by_rules(path).judged;
            guessed.extend(by_guess.then_some(path));
            match belongs {
                Belongs::Tests => tests.extend(is_source(path).then_some(path)),
                Belongs::Code | Belongs::Mixed(_) if is_source(path) => {
                    product.extend((!is_workshop(path)).then_some(path));
                }
                _ => data.extend(is_data(path).then_some(path)),
            }
        }
        let graph = Graph::new(baseline, &[]);
        let mut named = named_by(baseline, &graph, &tests, &data);
        let reached = graph.reached(product.into_iter(), &|path| !has_name_of_test(path));
        named.retain(|path| !reached.files.contains_key(path));
        let mut shown = Self {
            named,
            guessed: guessed.iter().map(|path| (*path).to_owned()).collect(),
            ..Self::default()
        };
        shown.take(baseline, &graph, &guessed, &reached);
        shown.reached = reached.files;
        shown.reached.retain(|path, by| path != by);
        shown
    }

    /// Whether a file of tests reaches code, as far as the sources tell.
    pub(super) fn uses_code(&self, sides: &Sides<'_>, test: &str) -> bool {
        let judges = |path: &str| matches!(sides.by_source(path).belongs, Belongs::Tests);
        // They may use it in another process.
        let text = sides.baseline.read(test).unwrap_or_default();
        if STARTS.iter().any(|word| text.contains(word)) {
            return true;
        }
        let beside = sides.baseline.paths().iter().map(String::as_str).filter(|path| {
            let folder = path.strip_suffix("conftest.py");
            folder.is_some_and(|folder| test.starts_with(folder))
        });
        let from = beside.chain([test]);
        let reached = Graph::new(sides.baseline, &[]).reached(from, &judges);
        let is_code = |path: &String| {
            is_source(path)
                && matches!(sides.by_source(path).belongs, Belongs::Code | Belongs::Mixed(_))
        };
        reached.files.keys().any(is_code)
    }

    /// Of what is the tests' by a guess, what product code reaches and what holds no test.
    fn take(
        &mut self,
        baseline: &dyn ProjectFiles,
        graph: &Graph<'_>,
        guessed: &BTreeSet<&str>,
        reached: &Reached,
    ) {
        let found = guessed.iter().filter_map(|path| Some((*path, reached.files.get(*path)?)));
        let found = found.filter(|(path, _)| !has_name_of_test(path));
        let found: Vec<(&str, &String)> = found.collect();
        let paths: Vec<&str> = found.iter().map(|(path, _)| *path).collect();
        let by: Vec<&str> = found.iter().map(|(_, by)| by.as_str()).collect();
        let texts = baseline.read_all(&paths).into_iter().zip(baseline.read_all(&by));
        for ((path, by), (text, text_of_by)) in found.into_iter().zip(texts) {
            if is_source(path) {
                let language = language_of(path).zip(text);
                if language.is_some_and(|(it, text)| !outline(it, &text).tests.is_empty()) {
                    continue;
                }
                self.folders.insert(split(path).0.join("/"));
            } else if split(path).0.iter().any(|folder| OF_TESTS.contains(folder)) {
                let exact = graph.named(by, &text_of_by.unwrap_or_default(), Width::Paths);
                if !exact.contains(path) {
                    continue;
                }
            }
            self.product.insert(path.to_owned(), by.clone());
        }
    }

    /// Why a file that is the tests' by a guess is product code; none where it is not.
    pub(super) fn why(&self, path: &str) -> Option<String> {
        if let Some(by) = self.product.get(path) {
            return Some(format!("code: {by} reaches it"));
        }
        let folder = split(path).0.join("/");
        let is_new = !self.guessed.contains(path) && !has_name_of_test(path);
        let beside = is_new && is_source(path) && self.folders.contains(&folder);
        beside.then(|| format!("code: it is in {folder}, beside files that code reaches"))
    }
}

/// Files of the tests' side that lie in no folder of tests.
pub(super) fn tests_anywhere<'files>(
    baseline: &'files dyn ProjectFiles,
    sides: &Sides<'files>,
) -> impl Iterator<Item = &'files str> {
    let outside = |path: &&str| !split(path).0.iter().any(|folder| OF_TESTS.contains(folder));
    let paths = baseline.paths().iter().map(String::as_str).filter(outside);
    paths.filter(|path| {
        is_source(path) && matches!(sides.by_rules(path).judged.belongs, Belongs::Tests)
    })
}

/// Whether a file holds values and no program.
pub(super) fn is_data(path: &str) -> bool {
    let name = name_of(path);
    DATA.contains(&extension(name)) && !MANIFESTS.contains(&name)
}

/// Data whose name is in the source of a test.
fn named_by(
    baseline: &dyn ProjectFiles,
    graph: &Graph<'_>,
    tests: &[&str],
    data: &BTreeSet<&str>,
) -> BTreeSet<String> {
    let tests = if data.is_empty() { &[] } else { tests };
    let tests: Vec<&str> = tests.iter().copied().take(LOOKED_INTO).collect();
    let mut named = BTreeSet::new();
    for (path, text) in tests.iter().zip(baseline.read_all(&tests)) {
        named.extend(graph.named(path, &text.unwrap_or_default(), Width::Names));
    }
    named.retain(|path| data.contains(path.as_str()));
    named
}

/// Whether a file is called what runners look for: it stays a test's whoever reaches it.
pub(super) fn has_name_of_test(path: &str) -> bool {
    let name = name_of(path);
    name == "conftest.py"
        || python::is_test_file(name)
        || name.ends_with("_test.go")
        || [".test.", ".spec."].iter().any(|mark| name.contains(mark))
}

/// Whether a source lies where projects keep what others wrote.
pub(super) fn is_of_others(path: &str) -> bool {
    split(path).0.iter().any(|folder| OF_OTHERS.contains(folder))
}

/// Whether a source is there for those who develop the project.
pub(super) fn is_workshop(path: &str) -> bool {
    let (folders, name) = split(path);
    folders.iter().any(|folder| WORKSHOPS.contains(folder))
        || (folders.is_empty() && TOOLS.contains(&name))
        || name.contains(".config.")
        || roles::by_product(path)
}
