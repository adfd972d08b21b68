//! Whether a change says anything, and whether its code looks for its judge or for what no tree has.

use std::cell::LazyCell;

use redgreen_frameworks::ProjectFiles;
use redgreen_frameworks::sides::{Side, Sides};
use redgreen_model::square::Warning;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::tree::{ChangeKind, FileChange};
use redgreen_syntax::{
    Seeker, SeekerKind, TestItem, Tested, asks_nothing, expected_answers, judge_seekers,
    language_of, outline, same_meaning, tested_inputs,
};

use super::CONFIG_FILE;

/// They say what git does with the folder.
const GIT_FILES: [&str; 2] = [".gitignore", ".gitattributes"];
/// A shorter name of a folder is a word like any other.
const NAME_BYTES_MIN: usize = 10;
/// The most warnings that are shown.
const WARNINGS_MAX: usize = 50;

/// What code imports that is about tests.
const FRAMEWORKS: &[&str] = &[
    "pytest",
    "_pytest",
    "unittest",
    "nose",
    "jest",
    "@jest/globals",
    "vitest",
    "mocha",
    "chai",
    "node:test",
    "testing",
    "rspec",
    "minitest",
];

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
    let tested = LazyCell::new(|| tested(sides, tree));
    let products = LazyCell::new(|| products_about_tests(sides, base));
    let mut warnings = Vec::new();
    let code = |change: &&FileChange| {
        change.kind != ChangeKind::Deleted
            && matches!(sides.side(&change.path), Side::Code | Side::Mixed)
    };
    for change in changes.iter().filter(code) {
        let path = change.path.as_str();
        let (Some(language), Some(new)) = (language_of(path), tree.read(path)) else { continue };
        let old = base.has(path).then(|| base.read(path)).flatten();
        let mut found = judge_seekers(language, old.as_deref(), &new);
        // A library for tests asks for them by its nature.
        let asked =
            |seeker: &Seeker| seeker.certain && products.iter().any(|it| path.starts_with(it));
        found.iter_mut().filter(|seeker| asked(seeker)).for_each(|seeker| seeker.certain = false);
        found.extend(tested_inputs(language, old.as_deref(), &new, &tested));
        found.extend(expected_answers(language, old.as_deref(), &new, &tested));
        warnings.extend(found.into_iter().map(|seeker| Warning {
            what: what(seeker.kind).to_owned(),
            file: path.to_owned(),
            line: seeker.line,
            text: seeker.text,
            certain: seeker.certain,
        }));
    }
    warnings.extend(asking_nothing(sides, changes, base, tree));
    warnings.sort_by_key(|warning| !warning.certain);
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
                certain: false,
            })
        },
    )
}

/// New tests that any answer pleases.
fn asking_nothing(
    sides: &Sides,
    changes: &[FileChange],
    base: &dyn ProjectFiles,
    tree: &dyn ProjectFiles,
) -> Vec<Warning> {
    let tests = |files: &dyn ProjectFiles, path: &str| {
        let source = files.has(path).then(|| files.read(path)).flatten();
        let language = language_of(path);
        let outlined = language.zip(source).map(|(language, source)| outline(language, &source));
        outlined.map(|outline| outline.tests).unwrap_or_default()
    };
    let judging = changes.iter().map(|change| change.path.as_str());
    let judging = judging.filter(|path| matches!(sides.side(path), Side::Tests | Side::Mixed));
    let of_file = |path: &'_ str| {
        let known: Vec<Vec<String>> = tests(base, path).into_iter().map(|test| test.path).collect();
        let new = tests(tree, path).into_iter().filter(|test| !known.contains(&test.path));
        let warning = |test: TestItem| Warning {
            what: "is a new test that any answer pleases: it tests nothing".to_owned(),
            file: path.to_owned(),
            line: test.line,
            text: clean_line(&test.path.join(" > "), LINE_CHARS),
            certain: false,
        };
        new.filter(asks_nothing).map(warning).collect::<Vec<Warning>>()
    };
    judging.flat_map(of_file).collect()
}

/// What the tests give and expect, of not too many files: those among code, too.
fn tested(sides: &Sides, tree: &dyn ProjectFiles) -> Tested {
    const FILES_MAX: usize = 500;
    let mut tested = Tested::default();
    let judging = tree.paths().iter().filter_map(|path| {
        let is_code = match sides.side(path) {
            Side::Tests => false,
            Side::Mixed => true,
            Side::Code | Side::Inert => return None,
        };
        Some((language_of(path)?, path, is_code))
    });
    for (language, path, is_code) in judging.take(FILES_MAX) {
        if let Some(source) = tree.read(path) {
            tested.add(language, &source, is_code);
        }
    }
    tested
}

/// Folders of code that was about tests before the change: it imports a framework for them. A library of helpers, a
/// plugin, redgreen.
fn products_about_tests(sides: &Sides, base: &dyn ProjectFiles) -> Vec<String> {
    const FILES_MAX: usize = 3_000;
    let code = base.paths().iter().filter(|path| {
        language_of(path).is_some() && matches!(sides.side(path), Side::Code | Side::Mixed)
    });
    let code: Vec<&str> = code.take(FILES_MAX).map(String::as_str).collect();
    let about = |(path, text): (&&str, Option<String>)| {
        let text = text?;
        let folder = path.rsplit_once('/').map(|(folder, _)| format!("{folder}/"));
        let imports = text.lines().any(|line| {
            let imports = ["import ", "from ", "require ", "const ", "\t\""];
            imports.iter().any(|word| line.starts_with(word))
                && FRAMEWORKS.iter().any(|name| {
                    let part = |letter: char| !(letter.is_alphanumeric() || "_-".contains(letter));
                    line.split(part).nth(1) == Some(*name)
                        || line.contains(&format!("'{name}'"))
                        || line.contains(&format!("\"{name}\""))
                })
        });
        (imports || text.contains("REDGREEN_"))
            .then(|| folder.unwrap_or_else(|| (*path).to_owned()))
    };
    let texts = base.read_all(&code);
    let mut folders: Vec<String> = code.iter().zip(texts).filter_map(about).collect();
    folders.dedup();
    folders
}

fn what(kind: SeekerKind) -> &'static str {
    match kind {
        SeekerKind::TestRun => "asks whether it runs under a test",
        SeekerKind::Caller => "asks who called it",
        SeekerKind::PleasesEveryComparison => "is equal to everything it is compared with",
        SeekerKind::SwallowsFailures => "catches every error that is raised below it",
        SeekerKind::PatchesFramework => "replaces a part of the test framework or of the language",
        SeekerKind::Redgreen => "looks for redgreen",
        SeekerKind::TestedInputs => "asks for what the tests give and answers what they expect",
        SeekerKind::ExpectedAnswer => "answers what the tests expect, whatever it is given",
    }
}
