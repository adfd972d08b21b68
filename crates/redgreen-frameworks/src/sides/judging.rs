//! What of the code only tests use, and use to judge: a predicate, a table of expected values, what asserts.
//!
//! Seen in the sources of the baseline: every test that names it asks with it for what other code answers, none asks
//! for it itself, and no code names it. Whether it judges or is what somebody forgot to use cannot be told, so it is
//! shared: a test that passes only with a new version of it shows that somebody has to own that.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use redgreen_syntax::{
    Assertion, Definition, Outline, Strength, TestItem, definitions, language_of, outline,
    splice_definitions,
};
use regex::Regex;

use super::rules::Mixture;
use super::{Belongs, Sides};
use crate::reach::is_source;
use crate::roles::{name_of, split};

/// The most sources that are looked into.
const SOURCES_MAX: usize = 3_000;
/// A shorter name is no name of anything in particular.
const NAME_MIN: usize = 3;

/// What is defined, in the languages that have a folder.
static DEFINES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?m)\b(?:def|class|function\*?|fn|func(?:\s*\([^)]*\))?|const|let|var|struct|enum)\s+(\w+)",
    )
    .ok()
});
/// What only hands names on.
static HANDS_ON: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?m)^\s*from\s+\S+\s+import\s*(?:\([^)]*\)|[^\n]*)|^__all__\s*\+?=\s*[\[(][^\])]*[\])]|^\s*(?:import|export|module\.exports\s*=)\s*\{[^}]*\}[^\n]*|^\s*(?:const|let|var)\s*\{[^}]*\}\s*=\s*require\([^\n]*|^\s*import\s[^\n]*",
    )
    .ok()
});

/// What of a definition matters for how tests use it.
#[derive(Clone, Copy)]
struct How {
    /// Whether it is enough that its answer is compared with one of the code.
    operand: bool,
    /// Whether it asserts itself.
    asserts: bool,
}

/// What the sources of the baseline say of who uses what.
#[derive(Default)]
pub(super) struct Uses {
    /// In how many files of code a word is, and in which, if that is one.
    words: BTreeMap<String, Option<String>>,
    /// What code defines.
    defined: BTreeSet<String>,
    /// Whether the project is a plugin of pytest, whose fixtures are what it makes.
    is_plugin: bool,
    tests: Vec<Naming>,
}

/// A file of tests, and the words in it.
struct Naming {
    path: String,
    text: String,
    words: BTreeSet<String>,
    outline: Outline,
}

impl Uses {
    pub(super) fn of(sides: &Sides<'_>) -> Self {
        let manifests = ["pyproject.toml", "setup.cfg", "setup.py"];
        let texts = manifests.iter().filter(|path| sides.baseline.has(path));
        let mut texts = texts.filter_map(|path| sides.baseline.read(path));
        let mut uses =
            Self { is_plugin: texts.any(|it| it.contains("pytest11")), ..Self::default() };
        let paths: Vec<&str> = sides
            .baseline
            .paths()
            .iter()
            .map(String::as_str)
            .filter(|path| is_source(path) && language_of(path).is_some())
            .take(SOURCES_MAX)
            .collect();
        for (path, text) in paths.iter().zip(sides.baseline.read_all(&paths)) {
            let Some(text) = text else { continue };
            match sides.by_source(path).belongs {
                Belongs::Tests => {
                    let Some(language) = language_of(path) else { continue };
                    uses.tests.push(Naming {
                        path: (*path).to_owned(),
                        words: words(&text).map(str::to_owned).collect(),
                        outline: outline(language, &text),
                        text,
                    });
                }
                Belongs::Code | Belongs::Mixed(_) => uses.add_code(path, &text),
                _ => {}
            }
        }
        uses
    }

    fn add_code(&mut self, path: &str, text: &str) {
        let own = HANDS_ON.as_ref().map(|it| it.replace_all(text, ""));
        for word in words(own.as_deref().unwrap_or(text)).collect::<BTreeSet<&str>>() {
            let first = || Some(path.to_owned());
            self.words.entry(word.to_owned()).and_modify(|it| *it = None).or_insert_with(first);
        }
        let defines = DEFINES.iter().flat_map(|it| it.captures_iter(text));
        self.defined.extend(defines.filter_map(|it| Some(it.get(1)?.as_str().to_owned())));
    }

    /// The names that a file of code defines and only tests use, to judge. Of one that opens data, what tests compare
    /// with as it answers counts as well.
    pub(super) fn judging(&self, path: &str, text: &str, opens: bool) -> BTreeSet<String> {
        let Some(language) = language_of(path) else { return BTreeSet::new() };
        let (all, rest) = definitions(language, text);
        let rest = HANDS_ON.as_ref().map_or(rest.as_str().into(), |it| it.replace_all(&rest, ""));
        let mut found: BTreeSet<String> = BTreeSet::new();
        // What only what judges uses may judge itself.
        loop {
            let next = all.iter().find(|it| {
                let others = all
                    .iter()
                    .filter(|other| other.name != it.name && !found.contains(&other.name));
                let is_used = others.clone().any(|other| has_word(&other.text, &it.name))
                    || has_word(&rest, &it.name);
                !found.contains(&it.name) && !is_used && self.only_judges(path, it, opens)
            });
            match next {
                Some(it) => found.insert(it.name.clone()),
                None => return found,
            };
        }
    }

    /// Whether all that use a definition are tests that judge by it.
    fn only_judges(&self, path: &str, it: &Definition, opens: bool) -> bool {
        let elsewhere = self.words.get(&it.name).is_none_or(|of| of.as_deref() != Some(path));
        if it.name.len() < NAME_MIN || elsewhere {
            return false;
        }
        let mut naming = self.tests.iter().filter(|test| test.words.contains(&it.name));
        if it.is_marked {
            let marks = it.text.split_once("def ").map_or("", |(marks, _)| marks);
            return marks.contains("fixture") && !self.is_plugin && naming.next().is_some();
        }
        let how = How {
            operand: opens,
            asserts: ["assert", "AssertionError", "expect"]
                .iter()
                .any(|word| has_word(&it.text, word)),
        };
        let mut judges = false;
        for test in naming {
            if stands_for(&test.path, path) {
                return false;
            }
            match self.use_in(&test.text, &test.outline, &it.name, how) {
                Some(true) => judges = true,
                Some(false) => return false,
                None => {}
            }
        }
        judges
    }

    /// Whether a file of tests judges by a name; no where it asks for it, or does something else with it.
    fn use_in(&self, text: &str, outline: &Outline, name: &str, how: How) -> Option<bool> {
        let mut names: BTreeSet<&str> = BTreeSet::from([name]);
        names.extend(given_names(text, name));
        let mut judges = None;
        for test in &outline.tests {
            if !names.iter().any(|name| has_word(&test.text, name)) {
                continue;
            }
            match self.use_of(test, &names, name, how) {
                true => judges = Some(true),
                false => return Some(false),
            }
        }
        judges
    }

    fn use_of(&self, test: &TestItem, names: &BTreeSet<&str>, name: &str, how: How) -> bool {
        let squashed = |text: &str| -> String {
            let letters = text.chars().filter(|it| it.is_alphanumeric());
            letters.flat_map(char::to_lowercase).collect()
        };
        if squashed(&test.path.join(" ")).contains(&squashed(name)) {
            return false;
        }
        let mut all = names.clone();
        names.iter().for_each(|name| all.extend(given_names(&test.text, name)));
        let mut asking = test
            .assertions
            .iter()
            .filter(|it| all.iter().any(|name| has_word(&it.text, name)))
            .peekable();
        if asking.peek().is_none() {
            // It asserts itself, and is called for that.
            return how.asserts && self.is_handed_an_answer(test, name);
        }
        asking.all(|it| self.judges_by(it, &all, test, how))
    }

    /// Whether a test calls something for nothing but what it does with an answer of the code.
    fn is_handed_an_answer(&self, test: &TestItem, name: &str) -> bool {
        let answers = answers(&test.text, &|word| self.defined.contains(word) && word != name);
        let mut calls = test.text.lines().map(str::trim).filter(|line| has_word(line, name));
        calls.all(|line| {
            let call = line.find(name).and_then(|at| line.get(at + name.len()..));
            let arguments = call.and_then(|rest| rest.strip_prefix('(')).unwrap_or_default();
            let mut given = words(arguments);
            given.any(|word| answers.contains(word) || self.defined.contains(word))
        })
    }

    /// Whether an assertion asks for what code answers by one of these names: it compares with it, or hands the answer
    /// to it.
    fn judges_by(
        &self,
        assertion: &Assertion,
        names: &BTreeSet<&str>,
        test: &TestItem,
        how: How,
    ) -> bool {
        let tokens: Vec<&str> = tokens(&assertion.text).collect();
        let is_call = |at: usize| tokens.get(at + 1) == Some(&"(");
        let is_code = |at: usize| {
            let token = tokens.get(at).copied().unwrap_or_default();
            is_call(at) && self.defined.contains(token) && !names.contains(token)
        };
        // Variables that hold what code answered.
        let answers: BTreeSet<&str> =
            answers(&test.text, &|word| self.defined.contains(word) && !names.contains(word));
        let is_answer =
            |at: usize| is_code(at) || tokens.get(at).is_some_and(|token| answers.contains(token));
        let within = |at: usize| {
            let mut depth = 0;
            let open = tokens.iter().enumerate().skip(at + 1);
            let end = open.take_while(|(_, token)| {
                depth += match **token {
                    "(" => 1,
                    ")" => -1,
                    _ => 0,
                };
                depth > 0
            });
            end.map(|(at, _)| at).collect::<Vec<usize>>()
        };
        let in_code: BTreeSet<usize> =
            (0..tokens.len()).filter(|at| is_code(*at)).flat_map(&within).collect();
        // What is handed to code is its input, wherever it is from.
        let named = (0..tokens.len())
            .filter(|at| names.contains(tokens[*at]) && !in_code.contains(at))
            .collect::<Vec<usize>>();
        let is_asked_for_truth = assertion.strength == Strength::Loose
            || tokens.iter().any(|token| token.eq_ignore_ascii_case("true"));
        !named.is_empty()
            && named.iter().all(|at| match is_call(*at) {
                true => {
                    let own = within(*at);
                    (is_asked_for_truth && own.iter().any(|at| is_answer(*at)))
                        || (how.operand
                            && (0..tokens.len()).any(|at| is_answer(at) && !own.contains(&at)))
                }
                false => (0..tokens.len()).any(&is_answer),
            })
    }
}

/// Variables that an assignment gives what is made by one of these functions.
fn answers<'text>(text: &'text str, is_code: &dyn Fn(&str) -> bool) -> BTreeSet<&'text str> {
    let assigned = text.lines().filter_map(|line| {
        let (names, value) = line.split_once('=')?;
        let calls = || value.match_indices('(').filter_map(|(at, _)| words(&value[..at]).last());
        (!value.starts_with('=') && calls().any(is_code)).then_some(names)
    });
    assigned.flat_map(words).collect()
}

/// Names that a line gives a value of a name: `wanted = NAME[…]`, `for a, b in NAME`, `parametrize("a, b", NAME)`.
fn given_names<'text>(text: &'text str, name: &str) -> BTreeSet<&'text str> {
    let mut given = BTreeSet::new();
    for line in text.lines().filter(|line| has_word(line, name)) {
        let line = line.trim_start();
        if line.starts_with("from ") || line.starts_with("import ") || line.contains("require(") {
            continue;
        }
        let before = line.find(name).and_then(|at| line.get(..at)).unwrap_or_default();
        let bound =
            before.trim_end_matches(|it: char| it.is_alphanumeric() || "._([{".contains(it));
        let bound = bound.trim_end();
        let names = if let Some(names) = bound.strip_suffix(" in").or(bound.strip_suffix(" of")) {
            names.rsplit_once("for").map_or(names, |(_, names)| names)
        } else if let Some(names) = bound.strip_suffix('=').filter(|it| !it.ends_with(['=', '!'])) {
            names
        } else if let Some((_, names)) = bound.split_once("parametrize(") {
            names
        } else {
            continue;
        };
        let kept = ["const", "let", "var", "for", "in"];
        given.extend(words(names).filter(|word| !kept.contains(word)));
    }
    given
}

/// Whether a file of tests is called after a file of code.
fn stands_for(test: &str, code: &str) -> bool {
    let stem = |path: &str| {
        let name = name_of(path).split('.').next().unwrap_or_default().to_ascii_lowercase();
        let own = match name.as_str() {
            "__init__" | "index" | "mod" => split(path).0.last().map_or("", |it| *it).to_owned(),
            _ => name,
        };
        let own = own.trim_start_matches("test_").trim_end_matches("_test");
        own.chars().filter(|it| it.is_alphanumeric()).collect::<String>()
    };
    stem(test) == stem(code)
}

fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    let part = |letter: char| !(letter.is_alphanumeric() || letter == '_');
    text.split(part).filter(|word| !word.is_empty())
}

fn has_word(text: &str, word: &str) -> bool {
    let part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|it| it.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|it| it.chars().next());
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

/// Words whole, all else letter by letter, without layout.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = match is_part(first) {
            true => rest.find(|letter| !is_part(letter)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (token, left) = rest.split_at(end);
        rest = left;
        Some(token)
    })
}

/// These definitions of a file are taken from the other version.
pub(super) fn mixture(path: &str, names: BTreeSet<String>) -> Option<Arc<Mixture>> {
    let language = language_of(path)?;
    Some(Mixture::new(&["what only tests use"], move |code, tests| {
        let (Some(code), Some(tests)) = (code, tests) else {
            return Ok(code.map(str::to_owned));
        };
        splice_definitions(language, code, tests, &names)
            .map(Some)
            .ok_or_else(|| "what only tests use cannot be separated from its code".to_owned())
    }))
}

#[cfg(test)]
mod tests {
    use super::super::tests::Files;
    use super::super::{Side, SideCheck, Sides};

    const PYTEST: SideCheck<'_> =
        SideCheck { framework: crate::pytest::ID, folder: "", command: "pytest" };
    const JEST: SideCheck<'_> =
        SideCheck { framework: crate::jest::ID, folder: "", command: "jest" };

    const LIBRARY: &str = "def slug(text):\n    return text\n\n\ndef looks_fine(text):\n    return text == \"a\"\n\n\nWANTED = {\"A\": \"a\"}\n";

    /// The side of `shop/library.py`, with this test of it.
    fn side_with(test: &str, more: &[(&str, &str)]) -> (Side, String) {
        let mut files = vec![
            ("shop/library.py", LIBRARY),
            ("shop/order.py", "class Order:\n    pass\n"),
            ("tests/test_slugs.py", test),
        ];
        files.extend(more);
        let files = Files::of(&files);
        let sides = Sides::new(&files, &[PYTEST], &[]);
        (sides.side("shop/library.py"), sides.reason("shop/library.py"))
    }

    #[test]
    fn what_tests_only_compare_with_is_shared() {
        for test in [
            "from shop.library import looks_fine, slug\n\ndef test_slugs():\n    assert looks_fine(slug(\"A\"))\n",
            "from shop.library import looks_fine, slug\n\ndef test_slugs():\n    made = slug(\"A\")\n    assert looks_fine(made)\n",
            "from shop import library\n\ndef test_slugs():\n    assert library.slug(\"A\") == library.WANTED[\"A\"]\n",
            "from shop.library import WANTED, slug\n\ndef test_slugs():\n    for text, wanted in WANTED.items():\n        assert slug(text) == wanted\n",
            "import pytest\nfrom shop.library import WANTED, slug\n\n@pytest.mark.parametrize(\"text, wanted\", WANTED.items())\ndef test_slugs(text, wanted):\n    assert slug(text) == wanted\n",
        ] {
            assert_eq!(side_with(test, &[]).0, Side::Shared, "{test}");
        }
    }

    #[test]
    fn what_tests_ask_for_or_code_uses_is_code() {
        let judged = "from shop.library import looks_fine, slug\n\ndef test_slugs():\n    assert looks_fine(slug(\"A\"))\n";
        for test in [
            "from shop.library import slug\n\ndef test_slugs():\n    assert slug(\"A\") == \"a\"\n",
            "from shop.library import looks_fine\n\ndef test_slugs():\n    assert looks_fine(\"a\")\n",
            "import pytest\nfrom shop.library import looks_fine\n\n@pytest.mark.parametrize(\"text\", [\"a\"])\ndef test_slugs(text):\n    assert looks_fine(text)\n",
            "from shop.library import looks_fine\nfrom shop.order import Order\n\ndef test_looks_fine():\n    assert looks_fine(Order())\n",
            "from shop.library import WANTED\n\ndef test_wanted():\n    assert WANTED == {\"A\": \"a\"}\n",
            "from shop.library import looks_fine, slug\n\ndef test_slugs():\n    assert looks_fine(slug(\"A\"))\n\ndef test_other():\n    assert not looks_fine(\"b\")\n",
        ] {
            let (side, reason) = side_with(test, &[]);
            assert_eq!(side, Side::Code, "{test}: {reason}");
        }
        let used = [(
            "shop/page.py",
            "from shop.library import looks_fine\n\ndef page(text):\n    return looks_fine(text)\n",
        )];
        assert_eq!(side_with(judged, &used).0, Side::Code);
        let handed_on = [(
            "shop/__init__.py",
            "from shop.library import (\n    looks_fine,\n    slug,\n)\n\n__all__ = [\"looks_fine\", \"slug\"]\n",
        )];
        assert_eq!(side_with(judged, &handed_on).0, Side::Shared);
        let own = [(
            "tests/test_library.py",
            "from shop.library import looks_fine, slug\n\ndef test_a():\n    assert looks_fine(slug(\"A\"))\n",
        )];
        assert_eq!(side_with(judged, &own).0, Side::Code);
    }

    #[test]
    fn only_what_judges_is_taken_from_the_other_version() {
        let test = "from shop.library import looks_fine, slug\n\ndef test_slugs():\n    assert looks_fine(slug(\"A\"))\n";
        let files = Files::of(&[("shop/library.py", LIBRARY), ("tests/test_slugs.py", test)]);
        let sides = Sides::new(&files, &[PYTEST], &[]);
        let new =
            LIBRARY.replace("return text\n", "return text.lower()\n").replace("== \"a\"", "!= 1");
        let spliced =
            sides.splice("shop/library.py", Some(new.as_bytes()), Some(LIBRARY.as_bytes()));
        let wanted = LIBRARY.replace("return text\n", "return text.lower()\n");
        assert_eq!(spliced, Ok(Some(wanted.into_bytes())));
    }

    #[test]
    fn scripts_are_read_the_same_way() {
        let library = "const slug = (text) => text;\nconst looksFine = (text) => text === 'a';\nmodule.exports = { slug, looksFine };\n";
        let test = "const { slug, looksFine } = require('../library.js');\n\ntest('slugs', () => {\n  expect(looksFine(slug('A'))).toBe(true);\n});\n";
        let asked = test.replace("slug('A')", "'a'");
        for (test, wanted) in [(test, Side::Shared), (asked.as_str(), Side::Code)] {
            let files = Files::of(&[("library.js", library), ("test/slugs.test.js", test)]);
            let sides = Sides::new(&files, &[JEST], &[]);
            assert_eq!(sides.side("library.js"), wanted, "{test}: {}", sides.reason("library.js"));
        }
    }
}
