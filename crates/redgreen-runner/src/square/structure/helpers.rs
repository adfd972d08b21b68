//! What the tests of unchanged source stand on: helpers, constants, data, configuration that changed.

use std::collections::BTreeSet;

use redgreen_frameworks::ProjectFiles;
use redgreen_frameworks::sides::Side;
use redgreen_model::execution::TestId;
use redgreen_model::square::{MatchReason, TestEdit};
use redgreen_model::text::{BLOCK_CHARS, bound_middle};
use redgreen_model::tree::FileChange;
use redgreen_syntax::{Outlined, around_tests, digest, language_of, names, same_but_for_names};

use super::Versions;

/// The files of the tests' side in which more changed than tests, with what stands around the tests before and now.
/// One in which only names changed, as the code changed them, is the same.
pub(super) fn changed(
    versions: &Versions<'_>,
    old: &[Outlined],
    new: &[Outlined],
) -> Vec<TestEdit> {
    let judges =
        |path: &str| matches!(versions.sides.side(path), Side::Tests | Side::Mixed | Side::Shared);
    let changed = versions.changes.iter().filter(|change| judges(&change.path));
    let imported = Imports::of(versions, old, new);
    let touched = |change: &&FileChange| {
        let path = change.path.as_str();
        language_of(path).is_none()
            || versions.sides.side(path) == Side::Shared
            || stands_on_another(path, old, new)
            || imported.by(path, new)
    };
    let touched: Vec<&FileChange> = changed.filter(touched).collect();
    if touched.is_empty() {
        return Vec::new();
    }
    let renames = Renames::of(versions);
    let check = versions.checks.first().map(|check| check.name.as_str()).unwrap_or_default();
    let edit = |change: &FileChange| {
        let path = change.path.as_str();
        let text = |files: &dyn ProjectFiles| {
            let source = files.has(path).then(|| files.read(path)).flatten()?;
            Some(match language_of(path) {
                Some(language) => around_tests(language, &source),
                None => source,
            })
        };
        let (before, after) = (text(versions.base), text(versions.tests));
        let same =
            !imported.by(path, new) && renames.are_all(path, before.as_deref(), after.as_deref());
        let shown =
            |text: Option<&String>| bound_middle(text.map_or("", String::as_str), BLOCK_CHARS);
        TestEdit {
            follows_rename: false,
            old: TestId::new(check, path),
            new: Vec::new(),
            why: MatchReason::SamePlace,
            same,
            weaker: Vec::new(),
            file: path.to_owned(),
            line: 1,
            before: shown(before.as_ref()),
            after: shown(after.as_ref()),
            change: format!("{}-{}", identity(before.as_deref()), identity(after.as_deref())),
        }
    };
    touched.into_iter().map(edit).collect()
}

fn identity(text: Option<&str>) -> String {
    text.map_or_else(|| "none".to_owned(), digest)
}

/// Whether what stands around the tests of a file is not what it was anywhere. What goes together with the tests in it
/// is not asked for: those are.
fn stands_on_another(path: &str, old: &[Outlined], new: &[Outlined]) -> bool {
    fn at<'a>(files: &'a [Outlined], path: &str) -> Option<&'a Outlined> {
        files.iter().find(|file| file.path == path)
    }
    let known = |rest: &str, files: &[Outlined]| {
        rest.is_empty() || files.iter().any(|file| file.outline.rest == rest)
    };
    let (before, after) = (at(old, path), at(new, path));
    let goes = after.is_none() && before.is_some_and(|file| !file.outline.tests.is_empty());
    let came = after.is_some_and(|file| !known(&file.outline.rest, old));
    let gone = !goes && before.is_some_and(|file| !known(&file.outline.rest, new));
    came || gone
        || before.is_some_and(|file| {
            !goes && !functions(file).all(|it| all(new).any(|other| other == it))
        })
        || after.is_some_and(|file| {
            functions(file).any(|(name, shape)| {
                let mut namesakes = all(old).filter(|(other, _)| *other == name).peekable();
                namesakes.peek().is_some() && !namesakes.any(|(_, other)| other == shape)
            })
        })
}

/// The functions that act only where they are named: one that is new changes no test that is as it was.
fn functions(file: &Outlined) -> impl Iterator<Item = (&str, &str)> {
    let items = file.outline.helpers.iter().filter(|item| item.apart.is_some());
    items.map(|item| (item.name.as_str(), item.shape.as_str()))
}

fn all(files: &[Outlined]) -> impl Iterator<Item = (&str, &str)> {
    files.iter().flat_map(functions)
}

/// Imports that are new and name something of the tests' side.
struct Imports(BTreeSet<String>);

impl Imports {
    fn of(versions: &Versions<'_>, old: &[Outlined], new: &[Outlined]) -> Self {
        let imports = |files: &'_ [Outlined]| -> BTreeSet<String> {
            files.iter().flat_map(|file| &file.outline.imports).cloned().collect()
        };
        let known = imports(old);
        let mut added = imports(new);
        added.retain(|import| !known.contains(import));
        if added.is_empty() {
            return Self(added);
        }
        let paths = versions.tree.paths().iter();
        let judging = paths.filter(|path| versions.sides.side(path) == Side::Tests);
        let stems: BTreeSet<String> =
            judging.map(|path| stem(path).to_owned()).filter(|stem| !stem.is_empty()).collect();
        let part = |letter: char| !(letter.is_alphanumeric() || "_-".contains(letter));
        // `calc.test` is no word of `../src/calc.js`.
        let dotted: Vec<&String> = stems.iter().filter(|stem| stem.contains('.')).collect();
        added.retain(|import| {
            import.split(part).any(|word| stems.contains(word))
                || dotted.iter().any(|stem| import.contains(stem.as_str()))
        });
        Self(added)
    }

    /// Whether a file has one.
    fn by(&self, path: &str, new: &[Outlined]) -> bool {
        let file = new.iter().find(|file| file.path == path);
        file.is_some_and(|file| file.outline.imports.iter().any(|it| self.0.contains(it)))
    }
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Names that went from the code, and names that came to it.
struct Renames {
    gone: BTreeSet<String>,
    came: BTreeSet<String>,
}

impl Renames {
    fn of(versions: &Versions<'_>) -> Self {
        let code = versions.changes.iter().map(|change| change.path.as_str());
        let code = code.filter(|path| {
            matches!(versions.sides.side(path), Side::Code | Side::Mixed | Side::Shared)
        });
        let (mut before, mut after) = (BTreeSet::new(), BTreeSet::new());
        for path in code {
            for (files, found) in [(versions.base, &mut before), (versions.tree, &mut after)] {
                let Some(source) = files.has(path).then(|| files.read(path)).flatten() else {
                    continue;
                };
                found.insert(stem(path).to_owned());
                found.extend(language_of(path).map(|it| names(it, &source)).unwrap_or_default());
            }
        }
        let gone = before.difference(&after).cloned().collect();
        Self { gone, came: after.difference(&before).cloned().collect() }
    }

    /// Whether two texts differ in nothing but these.
    fn are_all(&self, path: &str, before: Option<&str>, after: Option<&str>) -> bool {
        let (Some(language), Some(before), Some(after)) = (language_of(path), before, after) else {
            return false;
        };
        same_but_for_names(language, (before, after), |old, new| {
            self.gone.contains(old) && self.came.contains(new)
        })
    }
}
