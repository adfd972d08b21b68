//! Files beside the code that help tests to assert: a test imports them, and they use what tests use.

use std::sync::LazyLock;

use redgreen_model::tree::FileRole;
use regex::Regex;

use super::EXTENSIONS;
use crate::adapter::ProjectFiles;
use crate::file_role;
use crate::roles::{extension, name_of, split};
use crate::sides::{Rule, joined};

/// The most tests whose imports are looked at.
const TESTS_MAX: usize = 3_000;
/// Words in a path for which node's own `assert` is enough: code asserts with it, too.
const HELPING: &[&str] = &["test", "spec", "support", "helper", "assert", "harness", "matcher"];

/// What is imported from the project itself.
static OWN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?:\bfrom|\brequire\(|\bimport\(?)\s*['"](\.[^'"\n]*)['"]"#).ok()
});
/// What only tests use.
static ASSERTING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?:\bfrom|\brequire\()\s*['"](?:vitest|chai|expect|@jest/globals|node:test|@playwright/test)['"]"#,
        r"|\bexpect\([^\n]*\)\s*\.(?:to[A-Z.]|not\.|resolves\.|rejects\.)"
    ))
    .ok()
});
/// What tests use, and sometimes code.
static ASSERT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?:\bfrom|\brequire\()\s*['"](?:node:)?assert(?:/strict)?['"]"#).ok()
});

/// The rules for such files of the baseline.
pub(super) fn rules(baseline: &dyn ProjectFiles) -> Vec<Rule> {
    let script = |path: &&String| EXTENSIONS.contains(&extension(name_of(path)));
    let tests = baseline.paths().iter().filter(script);
    let tests: Vec<&str> = tests
        .map(String::as_str)
        .filter(|path| file_role(path) == FileRole::Tests)
        .take(TESTS_MAX)
        .collect();
    let mut found: Vec<String> = Vec::new();
    for (path, text) in tests.iter().zip(baseline.read_all(&tests)) {
        let (text, folder) = (text.unwrap_or_default(), split(path).0.join("/"));
        let Some(own) = OWN.as_ref() else { continue };
        let named = own.captures_iter(&text).filter_map(|import| import.get(1));
        found.extend(named.filter_map(|import| file(&joined(&folder, import.as_str()), baseline)));
    }
    found.sort_unstable();
    found.dedup();
    found.retain(|path| file_role(path) == FileRole::Code);
    let paths: Vec<&str> = found.iter().map(String::as_str).collect();
    let texts = baseline.read_all(&paths);
    let asserting = paths
        .iter()
        .zip(texts)
        .filter(|(path, text)| text.as_ref().is_some_and(|text| asserts(path, text)));
    asserting
        .map(|(path, _)| {
            Rule::tests(globset::escape(path), "a test imports it, and it asserts").guessed()
        })
        .collect()
}

fn asserts(path: &str, text: &str) -> bool {
    let fits = |known: &Option<Regex>| known.as_ref().is_some_and(|known| known.is_match(text));
    let small = path.to_ascii_lowercase();
    fits(&ASSERTING) || (HELPING.iter().any(|word| small.contains(word)) && fits(&ASSERT))
}

/// The file that an import means.
fn file(path: &str, baseline: &dyn ProjectFiles) -> Option<String> {
    let plain = [path.to_owned()];
    let stem = path.strip_suffix(".js").unwrap_or(path);
    let ends = EXTENSIONS.iter().map(|end| format!("{stem}.{end}"));
    let inside = ["js", "ts", "mjs", "cjs"].iter().map(|end| format!("{path}/index.{end}"));
    plain.into_iter().chain(ends).chain(inside).find(|path| baseline.has(path))
}
