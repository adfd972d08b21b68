//! Which old test is which new one: by place first, then by what it holds.

mod likeness;
mod parts;
mod renamed_code;

pub use parts::parts_of;
pub use renamed_code::{follows_rename, renamed_code};

use std::collections::{BTreeMap, BTreeSet, HashMap};

use redgreen_model::square::MatchReason;

use crate::language::language_of;
use crate::outline::{Item, Outline, TestItem, outline};

/// How many new tests of a table one old test is compared with.
const CANDIDATES_MAX: usize = 24;
/// How many rows of a table are looked through for one old test.
const ROWS_MAX: usize = 400;

/// A file of tests and its outline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outlined {
    /// Its path from the root of the work tree.
    pub path: String,
    /// What it holds.
    pub outline: Outline,
}

/// A file of tests as it was read.
#[derive(Clone, Copy, Debug)]
pub struct TestFile<'text> {
    /// Its path from the root of the work tree.
    pub path: &'text str,
    /// Its source.
    pub source: &'text str,
}

impl TestFile<'_> {
    /// Its outline; empty for a language that is not read.
    pub fn outlined(&self) -> Outlined {
        let outline = language_of(self.path)
            .map(|language| outline(language, self.source))
            .unwrap_or_default();
        Outlined { path: self.path.to_owned(), outline }
    }
}

/// An old test and the new one that it became.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matched {
    /// File and test, as indices.
    pub old: (usize, usize),
    /// File and test, as indices.
    pub new: (usize, usize),
    /// Why.
    pub why: MatchReason,
}

/// A test and where it stands in the lists.
#[derive(Clone, Copy)]
struct Placed<'a> {
    at: (usize, usize),
    file: &'a str,
    test: &'a TestItem,
}

/// Finds for each old test the new one that it became, if there is one. In the order of the old tests;
/// one new test answers for several old ones only as a table ([`MatchReason::Parametrised`]).
pub fn match_tests(old: &[Outlined], new: &[Outlined]) -> Vec<Matched> {
    let (old_tests, new_tests) = (placed(old), placed(new));
    let mut matching = Matching {
        old: old_tests,
        new: new_tests,
        of_old: BTreeMap::new(),
        taken: BTreeSet::new(),
    };
    type Key = fn(&Placed<'_>) -> Option<String>;
    let rounds: [(Key, MatchReason); 9] = [
        (|it| Some(key(&[it.file, &name(it.test)])), MatchReason::SamePlace),
        (|it| Some(key(&[it.file, &it.test.shape, last(it.test)])), MatchReason::Renamed),
        (|it| Some(key(&[it.file, &it.test.shape])), MatchReason::Renamed),
        (|it| Some(key(&[&it.test.shape, &name(it.test)])), MatchReason::Moved),
        (|it| Some(key(&[&it.test.shape, last(it.test)])), MatchReason::Moved),
        (|it| says_something(it.test).then(|| it.test.shape.clone()), MatchReason::Moved),
        (
            |it| Some(key(&[&it.test.shape_without_modules, &name(it.test)])),
            MatchReason::ImportsFollowed,
        ),
        (
            |it| Some(key(&[&it.test.shape_without_modules, last(it.test)])),
            MatchReason::ImportsFollowed,
        ),
        (
            |it| says_something(it.test).then(|| it.test.shape_without_modules.clone()),
            MatchReason::ImportsFollowed,
        ),
    ];
    matching.pair_what_stayed();
    for (key, why) in rounds {
        matching.pair(key, why);
    }
    matching.pair_moved_and_edited();
    matching.pair_renamed_with_their_code();
    matching.pair_with_helpers(&functions(new));
    matching.pair_with_tables();
    matching.pair_renamed_and_edited();
    matching.say_where_helpers_took_over(&functions(old), &functions(new));
    matching.of_old.into_values().collect()
}

fn placed(files: &[Outlined]) -> Vec<Placed<'_>> {
    let mut all = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let tests = file.outline.tests.iter().enumerate();
        all.extend(tests.map(|(test_at, test)| Placed {
            at: (at, test_at),
            file: &file.path,
            test,
        }));
    }
    all
}

fn functions(files: &[Outlined]) -> HashMap<&str, Vec<&Item>> {
    let mut by_name: HashMap<&str, Vec<&Item>> = HashMap::new();
    for item in files.iter().flat_map(|file| &file.outline.helpers) {
        by_name.entry(&item.name).or_default().push(item);
    }
    by_name
}

fn key(parts: &[&str]) -> String {
    parts.join("\n")
}

fn name(test: &TestItem) -> String {
    test.path.join("\r")
}

fn last(test: &TestItem) -> &str {
    test.path.last().map_or("", String::as_str)
}

/// Whether a test holds enough to be known by its content alone.
fn says_something(test: &TestItem) -> bool {
    !test.assertions.is_empty() || test.literals.len() + test.calls.len() > 2
}

struct Matching<'a> {
    old: Vec<Placed<'a>>,
    new: Vec<Placed<'a>>,
    of_old: BTreeMap<(usize, usize), Matched>,
    taken: BTreeSet<(usize, usize)>,
}

impl<'a> Matching<'a> {
    fn open_old(&self) -> Vec<Placed<'a>> {
        self.old.iter().filter(|it| !self.of_old.contains_key(&it.at)).copied().collect()
    }

    fn open_new(&self) -> Vec<Placed<'a>> {
        self.new.iter().filter(|it| !self.taken.contains(&it.at)).copied().collect()
    }

    fn take(&mut self, old: (usize, usize), new: (usize, usize), why: MatchReason) {
        self.of_old.insert(old, Matched { old, new, why });
        self.taken.insert(new);
    }

    /// What did not change at all, and then what is there unchanged under a name that is new: another
    /// test may have its old name now. Those whose name is gone come first.
    fn pair_what_stayed(&mut self) {
        self.pair(
            |it| Some(key(&[it.file, &name(it.test), &it.test.shape])),
            MatchReason::SamePlace,
        );
        let place = |it: &Placed<'_>| key(&[it.file, &name(it.test)]);
        let (before, after): (BTreeSet<String>, BTreeSet<String>) =
            (self.old.iter().map(place).collect(), self.new.iter().map(place).collect());
        let mut by_content: HashMap<String, std::collections::VecDeque<(usize, usize)>> =
            HashMap::new();
        for new in self.open_new().iter().filter(|new| !before.contains(&place(new))) {
            by_content.entry(key(&[new.file, &new.test.shape])).or_default().push_back(new.at);
        }
        let mut open = self.open_old();
        open.retain(|old| says_something(old.test));
        open.sort_by_key(|old| after.contains(&place(old)));
        for old in open {
            let content = by_content.get_mut(&key(&[old.file, &old.test.shape]));
            if let Some(new) = content.and_then(std::collections::VecDeque::pop_front) {
                self.take(old.at, new, MatchReason::Renamed);
            }
        }
    }

    /// Pairs those with the same key, the first with the first.
    fn pair(&mut self, key: fn(&Placed<'_>) -> Option<String>, why: MatchReason) {
        let mut by_key: HashMap<String, std::collections::VecDeque<(usize, usize)>> =
            HashMap::new();
        for new in self.open_new() {
            if let Some(key) = key(&new) {
                by_key.entry(key).or_default().push_back(new.at);
            }
        }
        for old in self.open_old() {
            let new = key(&old).and_then(|key| by_key.get_mut(&key)?.pop_front());
            if let Some(new) = new {
                self.take(old.at, new, why);
            }
        }
    }

    /// A test under a new name, or in another file, whose values are all in one new test and the
    /// function it calls.
    fn pair_with_helpers(&mut self, functions: &HashMap<&str, Vec<&'a Item>>) {
        let mut by_literal: HashMap<&str, Vec<Placed<'a>>> = HashMap::new();
        for new in self.open_new() {
            for literal in &new.test.literals {
                by_literal.entry(literal).or_default().push(new);
            }
        }
        for old in self.open_old() {
            let rare = old
                .test
                .literals
                .iter()
                .min_by_key(|literal| by_literal.get(literal.as_str()).map_or(0, Vec::len));
            let candidates = rare.and_then(|rare| by_literal.get(rare.as_str()));
            let found = candidates.into_iter().flatten().take(CANDIDATES_MAX).find(|new| {
                let stayed = new.file == old.file || last(new.test) == last(old.test);
                !self.taken.contains(&new.at)
                    && stayed
                    && took_over(old.test, new.test, functions).is_some()
            });
            if let Some(new) = found {
                self.take(old.at, new.at, MatchReason::HelperExtracted);
            }
        }
    }

    /// Several old tests that became rows of one new test.
    fn pair_with_tables(&mut self) {
        let mut by_call: HashMap<&str, Vec<Placed<'a>>> = HashMap::new();
        let mut tables: HashMap<(usize, usize), Vec<String>> = HashMap::new();
        for new in self.new.iter().filter(|new| !new.test.parameters.is_empty()) {
            let rows = new.test.parameters.iter().take(ROWS_MAX);
            tables.insert(new.at, rows.map(|row| format!(" {row} ")).collect());
            // What is called may be one of the values.
            let values = new.test.parameters.iter().take(ROWS_MAX).flat_map(|row| row.split(' '));
            let calls: BTreeSet<&str> =
                new.test.calls.iter().map(String::as_str).chain(values).collect();
            for call in calls {
                by_call.entry(call).or_default().push(*new);
            }
        }
        for old in self.open_old() {
            let calls: BTreeSet<&str> = old.test.calls.iter().map(String::as_str).collect();
            // The rarest first: no single call must have stayed.
            let mut lists: Vec<_> = calls.iter().filter_map(|call| by_call.get(call)).collect();
            lists.sort_by_key(|list| list.len());
            let found = lists.into_iter().flatten().take(CANDIDATES_MAX).find(|new| {
                tables.get(&new.at).is_some_and(|rows| is_row_of(old.test, new.test, rows))
            });
            if let Some(new) = found {
                self.take(old.at, new.at, MatchReason::Parametrised);
            }
        }
    }

    /// Tests that stayed where they were, with their assertions in a function now.
    fn say_where_helpers_took_over(
        &mut self,
        before: &HashMap<&str, Vec<&'a Item>>,
        after: &HashMap<&str, Vec<&'a Item>>,
    ) {
        let tests: BTreeMap<_, _> = self.new.iter().map(|new| (new.at, new.test)).collect();
        let old: BTreeMap<_, _> = self.old.iter().map(|old| (old.at, old.test)).collect();
        for matched in self.of_old.values_mut() {
            let (Some(old), Some(new)) = (old.get(&matched.old), tests.get(&matched.new)) else {
                continue;
            };
            let stayed = matched.why == MatchReason::SamePlace && old.shape != new.shape;
            let name = stayed.then(|| took_over(old, new, after)).flatten();
            if name.is_some_and(|name| !before.contains_key(name)) {
                matched.why = MatchReason::HelperExtracted;
            }
        }
    }
}

/// The function that took over the assertions of the old test: newly called, with assertions in it, and
/// the values of the old test are in the new one and in it.
fn took_over<'a>(
    old: &TestItem,
    new: &'a TestItem,
    functions: &HashMap<&str, Vec<&Item>>,
) -> Option<&'a str> {
    if old.assertions.is_empty() || new.assertions.len() >= old.assertions.len() {
        return None;
    }
    new.calls.iter().map(String::as_str).find(|call| {
        let newly = !old.calls.iter().any(|known| known == call);
        newly
            && functions.get(call).into_iter().flatten().any(|item| {
                let there = |literal: &String| {
                    new.literals.binary_search(literal).is_ok()
                        || item.literals.binary_search(literal).is_ok()
                };
                !item.assertions.is_empty() && old.literals.iter().all(there)
            })
    })
}

/// Whether the values of the old test that are not in the new one's body are all in one row, or those of each of its
/// assertions are, and both call the same.
fn is_row_of(old: &TestItem, new: &TestItem, rows: &[String]) -> bool {
    let literals: Vec<(String, bool)> = old
        .literals
        .iter()
        .map(|literal| (format!(" {literal} "), new.literals.binary_search(literal).is_ok()))
        .collect();
    if literals.is_empty() || old.assertions.is_empty() {
        return false;
    }
    let calls =
        |call: &String, row: &str| new.calls.contains(call) || row.contains(&format!(" {call} "));
    let asked: Vec<&String> =
        rows.iter().filter(|row| old.calls.iter().any(|call| calls(call, row))).collect();
    let has_row = |literals: &[&(String, bool)]| {
        asked.iter().any(|row| {
            let in_row = literals.iter().filter(|(literal, _)| row.contains(literal)).count();
            let rest = literals.iter().all(|(literal, in_body)| *in_body || row.contains(literal));
            // A table in the body makes its values the body's: then most must be in the row.
            let of_row_alone = literals.iter().any(|(_, in_body)| !in_body);
            rest && in_row > 0 && (of_row_alone || in_row * 2 >= literals.len())
        })
    };
    let assertions = old.assertions.iter().map(|it| format!(" {} ", it.text));
    let by_assertion: Vec<Vec<&(String, bool)>> = assertions
        .map(|text| literals.iter().filter(|(literal, _)| text.contains(literal)).collect())
        .collect();
    let is_asked = |it: &&(String, bool)| it.1 || by_assertion.iter().flatten().any(|of| of == it);
    has_row(&literals.iter().collect::<Vec<_>>())
        || (by_assertion.len() > 1
            && literals.iter().all(|it| is_asked(&it))
            && by_assertion.iter().all(|literals| has_row(literals)))
}

#[cfg(test)]
mod tests;
