//! Tests next to a change: those in a changed file, and those in a file that stands for a changed one by
//! its name. A guess that only decides what runs first.

use std::collections::BTreeSet;

use redgreen_model::framework::FrameworkId;
use redgreen_model::tree::FileRole;

use super::Addresses;
use crate::adapter::ProjectFiles;
use crate::file_role;
use crate::roles::{extension, split};

/// Words of a file's name that say it has tests.
const MARKS: &[&str] = &["test", "tests", "spec", "it"];
/// Files that are called after their folder.
const OF_ITS_FOLDER: &[&str] = &["index", "mod", "__init__"];
/// Extensions of one language.
const JAVASCRIPT: &[&str] = &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"];

/// The tests next to a change.
pub struct Neighbours<'files> {
    known: Addresses<'files>,
    files: BTreeSet<String>,
}

impl<'files> Neighbours<'files> {
    /// Those next to these files, in a tree with these.
    pub fn new<'path>(
        files: &'files dyn ProjectFiles,
        changed: impl Iterator<Item = &'path str>,
    ) -> Self {
        let changed: BTreeSet<&str> = changed.collect();
        let subjects: BTreeSet<Subject> = changed.iter().filter_map(|path| subject(path)).collect();
        let is_near = |path: &&String| {
            let stands = || subject(path).is_some_and(|subject| subjects.contains(&subject));
            changed.contains(path.as_str()) || (file_role(path) == FileRole::Tests && stands())
        };
        let near: BTreeSet<String> = files.paths().iter().filter(is_near).cloned().collect();
        let known = Addresses::new(files).reading_only(near.iter().map(String::as_str));
        Self { known, files: near }
    }

    /// Whether a test is one of them.
    pub fn has(&self, framework: FrameworkId, folder: &str, id: &str) -> bool {
        !self.files.is_empty()
            && self
                .known
                .address(framework, folder, id)
                .and_then(|address| address.file)
                .is_some_and(|file| self.files.contains(&file))
    }
}

/// What a file is about: its language, and the words of its name without those that say that it tests.
type Subject = (String, Vec<String>);

fn subject(path: &str) -> Option<Subject> {
    let (folders, name) = split(path);
    let extension = extension(name);
    let stem = name.strip_suffix(&format!(".{extension}")).unwrap_or(name);
    let named = match OF_ITS_FOLDER.contains(&stem) {
        true => folders.last()?,
        false => stem,
    };
    let mut words = words(named);
    for at_end in [true, false] {
        let mark = if at_end { words.last() } else { words.first() };
        if words.len() > 1 && mark.is_some_and(|word| MARKS.contains(&word.as_str())) {
            words.remove(if at_end { words.len() - 1 } else { 0 });
        }
    }
    let language = if JAVASCRIPT.contains(&extension) { "js" } else { extension };
    (!words.is_empty()).then(|| (language.to_owned(), words))
}

/// `date_parser`, `date-parser` and `DateParser` are two words.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut small) = (String::new(), false);
    for letter in name.chars() {
        let parts = !letter.is_alphanumeric();
        if parts || (letter.is_uppercase() && small) {
            words.push(std::mem::take(&mut word));
        }
        small = letter.is_lowercase() || letter.is_numeric();
        if !parts {
            word.extend(letter.to_lowercase());
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sides::tests::Files;

    const TEXT: &str = "package m\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {}\n";

    #[test]
    fn a_file_of_tests_stands_for_the_file_of_its_name() {
        for (test, code) in [
            ("tests/test_date_parser.py", "src/date_parser.py"),
            ("date_parser_test.go", "date_parser.go"),
            ("web/DateParser.test.tsx", "web/src/date-parser.ts"),
            ("web/date.spec.js", "web/date/index.js"),
            ("src/test/java/a/DateParserTest.java", "src/main/java/a/DateParser.java"),
            ("src/test/java/a/DateParserIT.java", "src/main/java/a/DateParser.java"),
            ("tests/parse.rs", "src/parse/mod.rs"),
        ] {
            assert_eq!(subject(test), subject(code), "{test} {code}");
        }
        for (test, code) in [
            ("tests/test_date.py", "src/date_parser.py"),
            ("tests/test_date.py", "src/date.ts"),
            ("tests/test_a.py", "src/b.py"),
            ("tests/test.py", "src/b.py"),
        ] {
            assert_ne!(subject(test), subject(code), "{test} {code}");
        }
    }

    #[test]
    fn tests_next_to_a_change_are_in_its_files_or_in_those_of_its_names() {
        let files = Files::of(&[
            ("a/date.py", ""),
            ("a/other.py", ""),
            ("tests/test_date.py", ""),
            ("tests/test_other.py", ""),
            ("tests/test_third.py", ""),
            ("go.mod", "module m\n"),
            ("x.go", ""),
            ("x_test.go", TEXT),
            ("y_test.go", &TEXT.replace("One", "Two")),
        ]);
        let changed = ["a/date.py", "tests/test_third.py", "x.go", "a/gone.py"];
        let near = Neighbours::new(&files, changed.into_iter());
        let python = |id: &str| near.has(crate::pytest::ID, ".", id);
        assert!(python("tests/test_date.py::test_a") && python("tests/test_third.py::test_b[1]"));
        assert!(!python("tests/test_other.py::test_a") && !python("tests/gone.py::test_a"));
        assert!(near.has(crate::go::ID, ".", "m.TestOne/sub"));
        assert!(!near.has(crate::go::ID, ".", "m.TestTwo"));
        assert!(!Neighbours::new(&files, [].into_iter()).has(crate::go::ID, ".", "m.TestOne"));
    }
}
