//! Whether a change says anything, and whether its code looks for its judge or for what no tree has.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use redgreen_frameworks::ProjectFiles;
use redgreen_frameworks::sides::{Side, Sides};
use redgreen_model::square::Warning;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::tree::{ChangeKind, FileChange};
use redgreen_syntax::{
    SeekerKind, judge_seekers, language_of, literals, same_meaning, tested_inputs,
};

use super::CONFIG_FILE;

/// They say what git does with the folder.
const GIT_FILES: [&str; 2] = [".gitignore", ".gitattributes"];
/// A shorter name of a folder is a word like any other.
const NAME_BYTES_MIN: usize = 10;
/// The most warnings that are shown.
const WARNINGS_MAX: usize = 50;

/// Whether anything but comments, layout and documents changed.
pub(crate) fn is_meaningful(
    sides: &Sides,
    changes: &[FileChange],
    base: &dyn ProjectFiles,
    tree: &dyn ProjectFiles,
) -> bool {
    changes.iter().filter(|change| sides.side(&change.path) != Side::Inert).any(|change| {
        let path = change.path.as_str();
        let (Some(language), ChangeKind::Modified) = (language_of(path), change.kind) else {
            return true;
        };
        match (base.read(path), tree.read(path)) {
            (Some(old), Some(new)) => !same_meaning(language, &old, &new),
            _ => true,
        }
    })
}

/// Whether more code goes than comes.
pub(crate) fn removes_code(sides: &Sides, changes: &[FileChange]) -> bool {
    let code = changes.iter().filter(|change| sides.side(&change.path) == Side::Code);
    let (added, removed) = code.fold((0, 0), |(added, removed), change| {
        (added + u64::from(change.added), removed + u64::from(change.removed))
    });
    removed > added
}

/// New code that looks for its judge.
pub(crate) fn warnings(
    sides: &Sides,
    changes: &[FileChange],
    base: &dyn ProjectFiles,
    tree: &dyn ProjectFiles,
) -> Vec<Warning> {
    let tested = LazyCell::new(|| tested_literals(sides, tree));
    let is_tested = |literal: &str| tested.contains(literal);
    let mut warnings = Vec::new();
    let code = |change: &&FileChange| {
        change.kind != ChangeKind::Deleted
            && matches!(sides.side(&change.path), Side::Code | Side::Mixed | Side::Shared)
    };
    for change in changes.iter().filter(code) {
        let path = change.path.as_str();
        let (Some(language), Some(new)) = (language_of(path), tree.read(path)) else { continue };
        let old = base.has(path).then(|| base.read(path)).flatten();
        let mut found = judge_seekers(language, old.as_deref(), &new);
        found.extend(tested_inputs(language, old.as_deref(), &new, &is_tested));
        warnings.extend(found.into_iter().map(|seeker| Warning {
            what: what(seeker.kind).to_owned(),
            file: path.to_owned(),
            line: seeker.line,
            text: seeker.text,
        }));
    }
    warnings.truncate(WARNINGS_MAX);
    warnings
}

/// The first line of a changed file that names the folder of the debug memory. What it reads there is in no tree, so
/// the tree has to be seen without it, too; also where the line is an old one, for it may be used in another way now.
pub(crate) fn asks_memory(
    location: &str,
    changes: &[FileChange],
    tree: &dyn ProjectFiles,
) -> Option<Warning> {
    let location = location.trim_matches(['.', '/']);
    let name = location.rsplit('/').next().filter(|name| name.len() >= NAME_BYTES_MIN);
    let names =
        |line: &&str| line.contains(location) || name.is_some_and(|name| line.contains(name));
    // A document may say where, and code read that.
    let there = changes.iter().filter(|change| {
        change.kind != ChangeKind::Deleted
            && change.path != CONFIG_FILE
            && !GIT_FILES.iter().any(|name| change.path.ends_with(name))
    });
    there.filter_map(|change| Some((&change.path, tree.read(&change.path)?))).find_map(
        |(path, text)| {
            let (number, line) = text.lines().enumerate().find(|(_, line)| names(line))?;
            Some(Warning {
                what: "names the folder of the debug memory".to_owned(),
                file: path.clone(),
                line: u32::try_from(number + 1).unwrap_or(u32::MAX),
                text: clean_line(line.trim(), LINE_CHARS),
            })
        },
    )
}

/// The literals of all tests, of not too many files.
fn tested_literals(sides: &Sides, tree: &dyn ProjectFiles) -> BTreeSet<String> {
    const FILES_MAX: usize = 500;
    let tests = tree.paths().iter().filter(|path| sides.side(path) == Side::Tests);
    tests
        .filter_map(|path| Some((language_of(path)?, path)))
        .take(FILES_MAX)
        .filter_map(|(language, path)| Some(literals(language, &tree.read(path)?)))
        .flatten()
        .collect()
}

fn what(kind: SeekerKind) -> &'static str {
    match kind {
        SeekerKind::TestRun => "asks whether it runs under a test",
        SeekerKind::Caller => "asks who called it",
        SeekerKind::PleasesEveryComparison => "is equal to everything it is compared with",
        SeekerKind::SwallowsFailures => "catches every error that is raised below it",
        SeekerKind::PatchesFramework => "replaces a part of the test framework or of the language",
        SeekerKind::Redgreen => "looks for redgreen",
        SeekerKind::TestedInputs => "answers the inputs of the tests from a table",
    }
}
