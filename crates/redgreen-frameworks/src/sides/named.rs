//! Data that tests name and code does not: what a test compares with may lie beside its folder.

use std::collections::{BTreeMap, BTreeSet};

use crate::adapter::ProjectFiles;
use crate::roles::{extension, split};

/// Files that hold values and no program.
const DATA: &[&str] = &[
    "json", "jsonl", "ndjson", "yaml", "yml", "csv", "tsv", "txt", "xml", "html", "htm", "sql",
    "dat", "bin", "golden", "expected", "out", "output", "in", "parquet", "npy", "npz", "pkl",
    "pickle", "gz", "b64", "hex", "tape", "har",
];
/// Files that hold a program.
const SOURCES: &[&str] = &[
    "py", "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "go", "rs", "java", "kt", "scala",
    "groovy", "rb", "c", "cc", "cpp", "h", "hpp", "sh",
];
/// Files that have a meaning for tools.
const MANIFESTS: &[&str] = &["package.json", "tsconfig.json", "requirements.txt", "pom.xml"];
/// The most files of either side that are looked into.
const LOOKED_INTO: usize = 2_000;

/// The files of the baseline that hold data, are named in a test's source and in no other.
pub(super) fn data(baseline: &dyn ProjectFiles, is_test: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for path in baseline.paths() {
        let name = split(path).1;
        let data = DATA.contains(&extension(name)) && !MANIFESTS.contains(&name);
        if data && !is_test(path) {
            by_name.entry(name).or_default().push(path);
        }
    }
    if by_name.is_empty() {
        return Vec::new();
    }
    let sources = baseline.paths().iter().map(String::as_str);
    let sources = sources.filter(|path| SOURCES.contains(&extension(split(path).1)));
    let (tests, code): (Vec<&str>, Vec<&str>) = sources.partition(|path| is_test(path));
    let mut named = words_in(baseline, &tests, &by_name);
    if !named.is_empty() {
        let also = words_in(baseline, &code, &by_name);
        named.retain(|path| !also.contains(path));
    }
    named.into_iter().map(str::to_owned).collect()
}

/// Which files these sources name: by their name, and by their folder where several have it.
fn words_in<'name>(
    baseline: &dyn ProjectFiles,
    sources: &[&str],
    by_name: &BTreeMap<&'name str, Vec<&'name str>>,
) -> BTreeSet<&'name str> {
    let sources: Vec<&str> = sources.iter().copied().take(LOOKED_INTO).collect();
    let mut found = BTreeSet::new();
    for text in baseline.read_all(&sources).into_iter().flatten() {
        let part = |letter: char| !(letter.is_alphanumeric() || "._-".contains(letter));
        let words: BTreeSet<&str> = text.split(part).collect();
        for (_, paths) in words.iter().filter_map(|word| by_name.get_key_value(*word)) {
            let beside = |path: &&&str| split(path).0.last().is_some_and(|it| words.contains(it));
            let near = paths.iter().filter(|path| paths.len() == 1 || beside(path));
            found.extend(near.copied());
        }
    }
    found
}
