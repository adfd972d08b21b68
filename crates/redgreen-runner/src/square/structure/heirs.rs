//! Who asks for the code of a test that is gone.

use std::collections::BTreeSet;

use redgreen_frameworks::sides::Side;
use redgreen_model::execution::TestId;
use redgreen_model::square::Heirs;
use redgreen_syntax::{Matched, TestItem, defined, language_of};

use super::{Comparison, Ids, Versions};

/// For each test that is gone, the tests that are new or changed and call all that it called of the changed code.
pub(super) fn of(versions: &Versions<'_>, comparison: &Comparison<'_>, before: &Ids) -> Vec<Heirs> {
    let matched = comparison.matched;
    let mut found = Vec::new();
    let mut code = None;
    for (at, file) in comparison.old.iter().enumerate() {
        for (index, test) in file.outline.tests.iter().enumerate() {
            let cases = before.get(&(file.path.clone(), test.path.clone()));
            let gone = !matched.iter().any(|pair| pair.old == (at, index));
            let Some(cases) = cases.filter(|_| gone) else { continue };
            let code = code.get_or_insert_with(|| defined_in_changed_code(versions));
            let calls = called(test, code);
            if calls.is_empty() {
                continue;
            }
            let tests = heirs(comparison, &calls);
            let heirs = cases.iter().map(|(id, _)| Heirs { of: id.clone(), tests: tests.clone() });
            found.extend(heirs.filter(|heirs| !heirs.tests.is_empty()));
        }
    }
    found
}

fn heirs(comparison: &Comparison<'_>, calls: &BTreeSet<&str>) -> Vec<TestId> {
    let mut found = Vec::new();
    for (at, file) in comparison.new.iter().enumerate() {
        for (index, test) in file.outline.tests.iter().enumerate() {
            let was = comparison.matched.iter().find(|pair| pair.new == (at, index));
            let stands = was.is_some_and(|pair| is_the_same(comparison, *pair, test));
            let all = calls.iter().all(|call| test.calls.iter().any(|other| other == call));
            if !stands && all {
                let cases = comparison.cases((file.path.clone(), test.path.clone()));
                found.extend(cases.into_iter().map(|(id, _)| id));
            }
        }
    }
    found
}

fn is_the_same(comparison: &Comparison<'_>, pair: Matched, test: &TestItem) -> bool {
    let old = comparison.old.get(pair.old.0).and_then(|file| file.outline.tests.get(pair.old.1));
    old.is_some_and(|old| old.shape == test.shape)
}

fn called<'test>(test: &'test TestItem, code: &BTreeSet<String>) -> BTreeSet<&'test str> {
    test.calls.iter().filter(|call| code.contains(*call)).map(String::as_str).collect()
}

/// What the changed code defined before and defines now.
fn defined_in_changed_code(versions: &Versions<'_>) -> BTreeSet<String> {
    let code = versions.changes.iter().map(|change| change.path.as_str());
    let code = code.filter(|path| {
        matches!(versions.sides.side(path), Side::Code | Side::Mixed | Side::Shared)
    });
    let (mut before, mut after) = (BTreeSet::new(), BTreeSet::new());
    for path in code {
        let Some(language) = language_of(path) else { continue };
        for (files, found) in [(versions.base, &mut before), (versions.tree, &mut after)] {
            let source = files.has(path).then(|| files.read(path)).flatten();
            found.extend(source.map(|source| defined(language, &source)).unwrap_or_default());
        }
    }
    before.intersection(&after).cloned().collect()
}
