//! Modules outside of test folders that assert for tests: a test imports them, and every function in
//! them asserts. One that also does something else may be what is tested.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use redgreen_model::tree::FileRole;
use redgreen_syntax::{PYTHON, outline};
use regex::Regex;

use crate::adapter::ProjectFiles;
use crate::file_role;
use crate::roles::split;
use crate::sides::Rule;

/// The most tests whose imports are looked at.
const TESTS_MAX: usize = 3_000;

/// `import a.b` and `from a.b import c, d`.
static IMPORT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?m)^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+\(?([\w, \t]*)|import[ \t]+([\w.]+))",
    )
    .ok()
});

/// The rules for such modules of the baseline.
pub(super) fn rules(baseline: &dyn ProjectFiles) -> Vec<Rule> {
    let tests = baseline.paths().iter().map(String::as_str);
    let tests: Vec<&str> = tests
        .filter(|path| path.ends_with(".py") && file_role(path) == FileRole::Tests)
        .take(TESTS_MAX)
        .collect();
    let mut found = BTreeSet::new();
    for (path, text) in tests.iter().zip(baseline.read_all(&tests)) {
        let folder = split(path).0.join("/");
        for module in modules(&text.unwrap_or_default()) {
            let file = module.trim_start_matches('.').replace('.', "/");
            let places = ["", "src", folder.as_str()];
            let files = places.iter().map(|place| format!("{place}/{file}.py"));
            let files = files.map(|file| file.trim_start_matches('/').to_owned());
            found.extend(files.filter(|file| baseline.has(file)));
        }
    }
    found.retain(|path| file_role(path) == FileRole::Code);
    let paths: Vec<&str> = found.iter().map(String::as_str).collect();
    let texts = baseline.read_all(&paths);
    let asserting =
        paths.iter().zip(texts).filter(|(_, text)| text.as_deref().is_some_and(asserts));
    asserting
        .map(|(path, _)| {
            Rule::tests(globset::escape(path), "a test imports it, and it only asserts").guessed()
        })
        .collect()
}

fn modules(text: &str) -> Vec<String> {
    let Some(import) = IMPORT.as_ref() else { return Vec::new() };
    let mut modules = Vec::new();
    for found in import.captures_iter(text) {
        let of = |group: usize| found.get(group).map(|it| it.as_str());
        if let Some(module) = of(1) {
            modules.push(module.to_owned());
            let names = of(2).unwrap_or_default().split(',').map(str::trim);
            modules.extend(names.filter(|it| !it.is_empty()).map(|it| format!("{module}.{it}")));
        }
        modules.extend(of(3).map(str::to_owned));
    }
    modules
}

fn asserts(text: &str) -> bool {
    let outline = outline(PYTHON, text);
    !outline.helpers.is_empty() && outline.helpers.iter().all(|item| !item.assertions.is_empty())
}
