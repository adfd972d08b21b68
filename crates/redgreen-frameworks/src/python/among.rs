//! Modules that hold both code and its tests: a small program whose tests stand below it.

use std::sync::Arc;

use redgreen_syntax::{is_code_with_tests, splice_python_tests};

use crate::adapter::ProjectFiles;
use crate::reach::Graph;
use crate::sides::{Mixture, Rule};

/// The most files that are looked into.
const LOOKED_INTO: usize = 500;

/// The rules for those of these files that hold both. One that imports something else of the project tests
/// that.
pub(crate) fn rules<'path>(
    baseline: &dyn ProjectFiles,
    tests: impl Iterator<Item = &'path str>,
) -> Vec<Rule> {
    let tests = tests.filter(|path| path.ends_with(".py") && !path.ends_with("conftest.py"));
    let tests: Vec<&str> = tests.take(LOOKED_INTO).collect();
    if tests.is_empty() {
        return Vec::new();
    }
    let graph = Graph::new(baseline, &[]);
    let alone = |path: &str| {
        let reached = graph.reached([path].into_iter(), &|_| false);
        !reached.files.keys().any(|file| file != path && file.ends_with(".py"))
    };
    let holds = |text: &Option<String>| text.as_deref().is_some_and(is_code_with_tests);
    let found = tests.iter().zip(baseline.read_all(&tests));
    let found = found.filter(|(path, text)| holds(text) && alone(path));
    let rule =
        |path: &str| Rule::mixed(globset::escape(path), &mixture(), "python: tests among the code");
    found.map(|(path, _)| rule(path)).collect()
}

fn mixture() -> Arc<Mixture> {
    Mixture::new(&["tests, fixtures and what only asserts"], |code, tests| {
        let Some(code) = code else { return Ok(None) };
        splice_python_tests(code, tests.unwrap_or_default())
            .map(Some)
            .ok_or_else(|| "its tests cannot be separated from its code".to_owned())
    })
}
