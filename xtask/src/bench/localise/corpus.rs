//! Programs with one fault at a known line, inside and outside of what an agent changed.
//!
//! A module and its tests are in sections that belong together: a function and what tests it. From these and a small
//! edit of the module come the tree before the agent and the one after it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;
use crate::project::{capture, root};

/// A language, and how a project in it is laid out.
pub(super) struct Language {
    pub(super) name: &'static str,
    ending: &'static str,
    modules: &'static [&'static str],
    /// How many faults are tried.
    pub(super) wanted: usize,
    /// Where a module and its tests are.
    code: &'static str,
    tests: &'static str,
    /// The other files.
    files: &'static [(&'static str, &'static str)],
}

const IGNORED: &str = "__pycache__/\n.pytest_cache/\n.redgreen/\ntarget/\nCargo.lock\n";
const CARGO: &str = "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\nautotests = false\n\n[[test]]\nname = \"main\"\npath = \"tests/main.rs\"\n";

/// The languages of the benchmark.
pub(super) const LANGUAGES: &[Language] = &[
    Language {
        name: "python",
        ending: "py",
        modules: &["cart", "dates", "words", "stats", "stock"],
        wanted: 70,
        code: "shop/N.py",
        tests: "tests/test_N.py",
        files: &[
            ("shop/__init__.py", ""),
            ("tests/__init__.py", ""),
            (
                "redgreen.toml",
                "[[checks]]\nname = \"unit\"\ncommand = \"python -m pytest -q tests\"\n",
            ),
        ],
    },
    Language {
        name: "javascript",
        ending: "js",
        modules: &["cart", "dates", "words", "stock"],
        wanted: 70,
        code: "src/N.js",
        tests: "test/N.test.js",
        files: &[
            ("package.json", "{\"name\": \"shop\", \"type\": \"module\"}\n"),
            ("redgreen.toml", "[[checks]]\nname = \"unit\"\ncommand = \"node --test\"\n"),
        ],
    },
    Language {
        name: "go",
        ending: "go",
        modules: &["cart", "dates"],
        wanted: 32,
        code: "N.go",
        tests: "N_test.go",
        files: &[
            ("go.mod", "module example.org/shop\n\ngo 1.21\n"),
            ("redgreen.toml", "[[checks]]\nname = \"unit\"\ncommand = \"go test ./...\"\n"),
        ],
    },
    Language {
        name: "rust",
        ending: "rs",
        modules: &["cart", "dates"],
        wanted: 32,
        code: "src/N.rs",
        tests: "tests/N.rs",
        files: &[
            ("Cargo.toml", CARGO),
            ("src/lib.rs", "pub mod cart;\npub mod dates;\n"),
            ("tests/main.rs", "mod cart;\nmod dates;\n"),
            ("redgreen.toml", "[[checks]]\nname = \"unit\"\ncommand = \"cargo test --offline\"\n"),
        ],
    },
];

/// What the agent did, and where the fault is to that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Story {
    /// It wrote new functions with their tests; one of them is wrong.
    New,
    /// It edited lines everywhere; one of them is wrong now.
    Edited,
    /// It wrote a new function, and tests for an old one, which has been wrong all the time.
    Old,
}

const STORIES: [Story; 3] = [Story::New, Story::Edited, Story::Old];

/// One case: two trees, and where the fault is in the second.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) story: Story,
    pub(super) before: Vec<(String, String)>,
    pub(super) after: Vec<(String, String)>,
    pub(super) file: String,
    pub(super) line: u32,
}

/// A source in sections.
struct Source {
    head: String,
    sections: Vec<(String, String)>,
}

impl Source {
    fn read(text: &str) -> Self {
        let mut source = Self { head: String::new(), sections: Vec::new() };
        for line in text.lines() {
            let mark = line.strip_prefix("# == ").or_else(|| line.strip_prefix("// == "));
            if let Some(name) = mark {
                source.sections.push((name.to_owned(), String::new()));
            }
            let open = source.sections.last_mut().map_or(&mut source.head, |(_, text)| text);
            open.push_str(line);
            open.push('\n');
        }
        source
    }

    /// The source without some sections.
    fn without(&self, gone: &BTreeSet<String>) -> String {
        let kept = self.sections.iter().filter(|(name, _)| !gone.contains(name));
        self.head.clone() + &kept.map(|(_, text)| text.as_str()).collect::<String>()
    }

    /// A section and all that use it.
    fn with_users(&self, name: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::from([name.to_owned()]);
        loop {
            let uses = |text: &str| words(text).any(|word| found.contains(word));
            let users = self.sections.iter().filter(|(_, text)| uses(text));
            let users: BTreeSet<String> = users.map(|(name, _)| name.clone()).collect();
            if users.len() == found.len() {
                return found;
            }
            found = users;
        }
    }

    /// The section that a line is in, from 1.
    fn section_of(&self, line: usize) -> Option<&str> {
        let mut at = self.head.lines().count();
        self.sections
            .iter()
            .find_map(|(name, text)| {
                at += text.lines().count();
                (line <= at).then_some(name.as_str())
            })
            .filter(|_| line > self.head.lines().count())
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_alphanumeric() && it != '_')
}

/// The text with other names for some things.
fn renamed(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    let pairs = first.split_once("renames: ").map_or("", |(_, pairs)| pairs);
    let pairs: Vec<(&str, &str)> =
        pairs.split(", ").filter_map(|pair| pair.split_once('=')).collect();
    let mut new = String::new();
    let mut word = String::new();
    for letter in text.chars().chain(['\n']) {
        if letter.is_alphanumeric() || letter == '_' {
            word.push(letter);
            continue;
        }
        let other = pairs.iter().find(|(name, _)| *name == word).map(|(_, other)| *other);
        new.push_str(other.unwrap_or(&word));
        word.clear();
        new.push(letter);
    }
    new.pop();
    new
}

/// Numbers that look drawn by chance and are the same every time.
pub(super) struct Draw(u64);

impl Draw {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % bound.max(1)
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

/// The folder of a language's modules.
fn folder(language: &Language) -> PathBuf {
    root().join("xtask/src/bench/faults").join(language.name)
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// All cases of a language, in the order in which they are tried.
pub(super) fn cases(language: &Language, faults: &Path) -> Result<Vec<Case>, Failure> {
    let mut draw = Draw::new(21);
    let mut modules = Vec::new();
    for module in language.modules {
        let file = folder(language).join(format!("{module}.{}", language.ending));
        let tests = folder(language).join(format!("{module}_test.{}", language.ending));
        let (text, tests) = (read(&file)?, read(&tests)?);
        let listed = capture(Command::new(faults).arg(&file))?;
        let mut faults: Vec<(usize, String)> = Vec::new();
        for line in listed.lines() {
            let mut parts = line.splitn(3, '\t');
            let (at, kind) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            // What is not called any more leaves no place that could be named, and nobody writes by mistake that a function
            // gives an empty value.
            if ["Condition", "Arithmetic", "Constant", "Boundary"].contains(&kind) {
                let at = at.parse().map_err(|_| format!("no number in {line}"))?;
                faults.push((at, parts.next().unwrap_or_default().to_owned()));
            }
        }
        draw.shuffle(&mut faults);
        let mut seen = BTreeSet::new();
        faults.retain(|(at, _)| seen.insert(*at));
        modules.push((*module, text, tests, faults));
    }
    let mut cases = Vec::new();
    let most = modules.iter().map(|(.., faults)| faults.len()).max().unwrap_or_default();
    for round in 0..most {
        for (which, (module, _, _, faults)) in modules.iter().enumerate() {
            let Some((line, text)) = faults.get(round) else { continue };
            let story = STORIES[(round + which) % STORIES.len()];
            cases.extend(case(language, &modules, module, (*line, text), story, &mut draw));
        }
    }
    Ok(cases)
}

type Module<'a> = (&'a str, String, String, Vec<(usize, String)>);

fn case(
    language: &Language,
    modules: &[Module<'_>],
    module: &str,
    (line, edited): (usize, &str),
    story: Story,
    draw: &mut Draw,
) -> Option<Case> {
    let (_, text, tests, _) = modules.iter().find(|(name, ..)| *name == module)?;
    let lines = text.lines().enumerate();
    let wrong: String =
        lines.map(|(at, old)| format!("{}\n", if at + 1 == line { edited } else { old })).collect();
    let (right, faulty, checks) = (Source::read(text), Source::read(&wrong), Source::read(tests));
    let home = right.section_of(line).map(str::to_owned);
    let story = if home.is_none() { Story::Edited } else { story };
    let with_fault = home.as_deref().map(|home| right.with_users(home)).unwrap_or_default();
    let other = &right.sections[draw.below(right.sections.len())].0;
    let none = BTreeSet::new();
    let (code_before, tests_before) = match story {
        Story::Edited => (renamed(text), checks.without(&none)),
        Story::New => {
            let gone = &with_fault | &right.with_users(other);
            (right.without(&gone), checks.without(&gone))
        }
        Story::Old => {
            let gone = right.with_users(other);
            if gone.contains(home.as_deref()?) {
                return None;
            }
            (faulty.without(&gone), checks.without(&(&with_fault | &gone)))
        }
    };
    let tree = |code: &str, checks: &str| {
        let mut files: Vec<(String, String)> = language
            .files
            .iter()
            .chain(&[(".gitignore", IGNORED)])
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect();
        for (name, text, tests, _) in modules {
            let is_it = *name == module;
            let path = |pattern: &str| pattern.replace('N', name);
            files.push((path(language.code), if is_it { code } else { text }.to_owned()));
            files.push((path(language.tests), if is_it { checks } else { tests }.to_owned()));
        }
        files
    };
    Some(Case {
        name: format!("{}-{module}-{line}", language.name),
        story,
        before: tree(&code_before, &tests_before),
        after: tree(&wrong, tests),
        file: language.code.replace('N', module),
        line: u32::try_from(line).ok()?,
    })
}
