//! Changes of nothing that runs.
//!
//! Two answers together: what a file is by its name and place, a document for people, and that nothing that
//! runs names it. A document that a program reads is a part of it.

use std::collections::BTreeSet;

use crate::adapter::ProjectFiles;
use crate::reach::{Graph, is_source};
use crate::roles::{self, extension, name_of, split};
use crate::{FileRole, file_role};

/// Files of a project about itself, in which documents are named for those who publish it.
const ABOUT: &[&str] = &[
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "package.json",
    "Cargo.toml",
    "pom.xml",
    "MANIFEST.in",
    "mkdocs.yml",
    ".gitattributes",
    ".gitignore",
    ".dockerignore",
    ".npmignore",
];
/// How such a line begins.
const ABOUT_KEYS: &[&str] = &[
    "readme",
    "license",
    "licence",
    "long_description",
    "description",
    "changelog",
    "include",
    "exclude",
    "files",
    "documentation",
    "homepage",
    "nav",
    "- ",
];

/// A change of documents, as far as names and places tell.
#[derive(Debug, PartialEq, Eq)]
pub struct Idle {
    names: BTreeSet<String>,
    kinds: BTreeSet<String>,
    folders: BTreeSet<String>,
}

impl Idle {
    /// Such a change; none where something else was changed, or nothing.
    pub fn of<'path>(changed: impl Iterator<Item = &'path str>) -> Option<Self> {
        let (mut names, mut kinds, mut folders) =
            (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for path in changed {
            if !roles::is_for_people(path) {
                return None;
            }
            let (of, name) = split(path);
            names.insert(name.to_owned());
            kinds.extend((!extension(name).is_empty()).then(|| extension(name).to_owned()));
            folders.extend(of.iter().map(|folder| (*folder).to_owned()));
        }
        (!names.is_empty()).then_some(Self { names, kinds, folders })
    }

    /// The words of which one is in every file that may name a changed one.
    pub fn words(&self) -> Vec<String> {
        let kinds = self.kinds.iter().flat_map(|it| {
            [format!("*.{it}"), format!(".{it}\""), format!(".{it}'"), format!(".{it}`")]
        });
        let folders = self.folders.iter().flat_map(|it| {
            [format!("{it}/"), format!("{it}\""), format!("{it}'"), format!("{it}`")]
        });
        self.names.iter().cloned().chain(kinds).chain(folders).collect()
    }

    /// Whether a file that runs, or that says what runs, names a changed one: by its name, by its kind or by
    /// its folder.
    pub fn is_named_by(&self, path: &str, text: &str) -> bool {
        if roles::is_for_people(path) || roles::is_by_product(path) || in_documents(path) {
            return false;
        }
        let counts = |line: &&str| !is_comment(path, line) && !is_about(path, line);
        text.lines().map(str::trim).filter(counts).any(|line| {
            self.names.iter().any(|name| has_word(line, name))
                || self.kinds.iter().any(|kind| names_kind(line, kind))
                || self.folders.iter().any(|folder| names_folder(path, line, folder))
        })
    }
}

/// Whether a source is there to make the documents.
fn in_documents(path: &str) -> bool {
    let (folders, _) = split(path);
    folders.first().is_some_and(|first| matches!(*first, "docs" | "doc" | ".github"))
}

fn is_comment(path: &str, line: &str) -> bool {
    let marks: &[&str] = if path.ends_with(".md") { &[] } else { &["#", "//", "*", "/*", "--"] };
    // `#[doc = include_str!("…")]` and `#![…]` are none.
    marks.iter().any(|mark| line.starts_with(mark))
        && !line.starts_with("#[")
        && !line.starts_with("#!")
}

/// Whether a line only says which document is the project's.
fn is_about(path: &str, line: &str) -> bool {
    let key = line.trim_start_matches(['"', '\'']).to_ascii_lowercase();
    ABOUT.contains(&name_of(path)) && ABOUT_KEYS.iter().any(|known| key.starts_with(known))
}

fn has_word(line: &str, word: &str) -> bool {
    let part = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|it| it.chars().next_back());
        let after = line.get(at + word.len()..).and_then(|it| it.chars().next());
        !before.is_some_and(part) && !after.is_some_and(|it| it.is_alphanumeric() || it == '_')
    })
}

/// `*.md`, `".md"`.
fn names_kind(line: &str, kind: &str) -> bool {
    let quoted = ['"', '\'', '`'].iter().any(|it| line.contains(&format!("{it}.{kind}{it}")));
    quoted || has_word(line, &format!("*.{kind}")) || line.contains(&format!("}}.{kind}"))
}

/// `"docs"`, `"docs/a"`, `x/docs`; of what is no program, in a line about tests.
fn names_folder(path: &str, line: &str, folder: &str) -> bool {
    let around = if is_source(path) { "\"'`/" } else { "\"'`/ \t=,;[](){}" };
    if !is_source(path) && !line.to_ascii_lowercase().contains("test") {
        return false;
    }
    let ends = |letter: Option<char>| letter.is_none_or(|it| around.contains(it));
    line.match_indices(folder).any(|(at, _)| {
        let before = line.get(..at).and_then(|it| it.chars().next_back());
        let after = line.get(at + folder.len()..).and_then(|it| it.chars().next());
        before.is_some() && ends(before) && ends(after)
    })
}

/// Files of a tree that are inert by their names and may be read or run for all that: documents that are not
/// for people, and sources in a folder that is called like one of by-products, if product code reaches them.
/// For the identity of the code: a file that was there is no by-product of a run.
pub fn tracked_code(files: &dyn ProjectFiles) -> BTreeSet<String> {
    let inert = || files.paths().iter().filter(|path| file_role(path) == FileRole::Inert);
    let read = inert().filter(|path| {
        !roles::by_product(path) && !roles::is_for_people(path) && !roles::is_snapshot(path)
    });
    let mut found: BTreeSet<String> = read.cloned().collect();
    let packages: Vec<&String> = inert().filter(|path| roles::may_be_a_package(path)).collect();
    if !packages.is_empty() {
        let code = files.paths().iter().map(String::as_str);
        let code = code.filter(|path| is_source(path) && file_role(path) == FileRole::Code);
        let reached = Graph::new(files, &[]).reached(code, &|_| true).files;
        found.extend(packages.into_iter().filter(|path| reached.contains_key(*path)).cloned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sides::tests::Files;

    #[test]
    fn documents_for_people_are_idle_and_others_are_not() {
        let idle = |paths: &[&str]| Idle::of(paths.iter().copied()).is_some();
        for path in [
            "README.md",
            "README",
            "sub/README.rst",
            "CHANGELOG.md",
            "LICENSE-MIT",
            "docs/a/b.md",
            "docs/logo.png",
            "doc/notes.txt",
            "GUIDE.md",
        ] {
            assert!(idle(&[path]), "{path}");
        }
        for path in [
            "rates.txt",
            "prompts/system.md",
            "app/help.md",
            "app/page.html",
            "docs/conf.py",
            "docs/requirements.txt",
            "README.py",
            "requirements.txt",
            "tests/README.md",
            "a.snap",
            "Cargo.lock",
            ".gitignore",
            "__pycache__/a.pyc",
            "node_modules/a/index.js",
            "NEWSLETTER.txt",
            "index.html",
            "logo.svg",
            "app.py",
        ] {
            assert!(!idle(&[path]), "{path}");
            assert!(!idle(&["README.md", path]), "{path}");
        }
        assert!(!idle(&[]));
    }

    #[test]
    fn a_document_that_is_named_by_what_runs_is_not_idle() {
        let idle = Idle::of(["README.md", "docs/guide.md"].into_iter()).expect("documents");
        for (path, line) in [
            ("src/lib.rs", "#![doc = include_str!(\"../README.md\")]"),
            ("app.py", "TEXT = open('README.md').read()"),
            ("tests/test_docs.py", "for page in Path('docs').iterdir():"),
            ("tests/test_docs.py", "for page in glob('**/*.md'):"),
            ("app.js", "if (name.endsWith('.md')) {"),
            ("app.js", "read(`docs/${name}`)"),
            ("app.py", "x = f'pages/{name}.md'"),
            ("pytest.ini", "addopts = --doctest-glob=*.md"),
            ("tox.ini", "testpaths = tests docs/"),
            ("Makefile", "\tmdtest README.md"),
        ] {
            assert!(idle.is_named_by(path, line), "{path}: {line}");
            assert!(idle.words().iter().any(|word| line.contains(word)), "{path}: {line}");
        }
        for (path, line) in [
            ("pyproject.toml", "readme = \"README.md\""),
            ("package.json", "  \"files\": [\"README.md\"],"),
            ("app.py", "# see README.md"),
            ("app.js", "// docs/guide.md"),
            ("CONTRIBUTING.md", "See README.md and docs/guide.md."),
            ("docs/conf.py", "source = 'docs'"),
            (".github/workflows/ci.yml", "paths: ['docs/**']"),
            ("app.py", "x = myREADME.mdx"),
        ] {
            assert!(!idle.is_named_by(path, line), "{path}: {line}");
        }
    }

    #[test]
    fn what_was_there_and_may_be_read_counts_as_code() {
        let files = Files::of(&[
            ("app.py", "from coverage import report\n"),
            ("coverage/__init__.py", ""),
            ("coverage/report.py", ""),
            ("coverage/lcov-report/sorter.js", ""),
            ("rates.txt", "1"),
            ("prompts/system.md", ""),
            ("README.md", ""),
            ("docs/a.md", ""),
            ("app.log", ""),
            ("node_modules/a/readme.txt", ""),
        ]);
        let found: Vec<String> = tracked_code(&files).into_iter().collect();
        assert_eq!(
            found,
            ["coverage/__init__.py", "coverage/report.py", "prompts/system.md", "rates.txt"]
        );
    }
}
