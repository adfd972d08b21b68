//! Tests that were edited and got another name or another file in the same change.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{CANDIDATES_MAX, Matching, Placed, last, name};
use crate::outline::TestItem;
use redgreen_model::square::MatchReason;

/// How much two tests must share to be the same under another name or in another file, in percent of
/// their facts.
const LIKENESS_MIN: usize = 60;
/// How much they must share of what they hold and call, where what they ask is another text: a function
/// was renamed, or another library asserts.
const VALUES_MIN: usize = 75;
/// How many facts two tests must share to be the same under another name.
const SHARED_MIN: usize = 4;
/// How many new tests that share a fact with an old one are counted.
const COUNTED_MAX: usize = 2_000;

impl<'a> Matching<'a> {
    /// A name that is gone from one place, and came in another with nearly the same content; first with
    /// all that is around it, then alone: classes come and go when another framework is used.
    pub(super) fn pair_moved_and_edited(&mut self) {
        let keys: [fn(&TestItem) -> String; 2] = [name, |test| last(test).to_owned()];
        for key in keys {
            let mut by_name: HashMap<String, Vec<Placed<'a>>> = HashMap::new();
            for new in self.open_new() {
                by_name.entry(key(new.test)).or_default().push(new);
            }
            for old in self.open_old() {
                let Some([new]) = by_name.get(&key(old.test)).map(Vec::as_slice) else { continue };
                let alike = Facts::of(old.test).likeness(&Facts::of(new.test)).0 >= LIKENESS_MIN;
                if !self.taken.contains(&new.at) && alike {
                    self.take(old.at, new.at, moved(old.file, new.file));
                }
            }
        }
    }

    /// A name that is gone, and another that came in the same file with nearly the same content; in another
    /// file, with all of the same values. The most alike first.
    pub(super) fn pair_renamed_and_edited(&mut self) {
        self.pair_alike(|placed| placed.file, LIKENESS_MIN);
        self.pair_alike(|_| "", 100);
    }

    fn pair_alike(&mut self, place: fn(&Placed<'a>) -> &'a str, enough: usize) {
        let (old, new) = (self.open_old(), self.open_new());
        let known: Vec<Facts> = new.iter().map(|it| Facts::of(it.test)).collect();
        let mut by_fact: ByFact<'_> = HashMap::new();
        for (at, (placed, facts)) in new.iter().zip(&known).enumerate() {
            for fact in &facts.all {
                by_fact.entry((place(placed), fact)).or_default().push(at);
            }
        }
        let mut pairs = Vec::new();
        for old in &old {
            let wanted = Facts::of(old.test);
            for at in most_shared(place(old), &wanted, &by_fact) {
                let (Some(placed), Some(facts)) = (new.get(at), known.get(at)) else { continue };
                let (percent, shared) = wanted.likeness(facts);
                if percent >= enough && shared >= SHARED_MIN {
                    let named = common_start(last(old.test), last(placed.test));
                    let why = moved(old.file, placed.file);
                    pairs.push((Reverse((percent, named)), old.at, placed.at, why));
                }
            }
        }
        pairs.sort_unstable();
        for (_, old, new, why) in pairs {
            if !self.of_old.contains_key(&old) && !self.taken.contains(&new) {
                self.take(old, new, why);
            }
        }
    }
}

/// What became of a test that is not where it was.
pub(super) fn moved(from: &str, to: &str) -> MatchReason {
    if from == to { MatchReason::Renamed } else { MatchReason::Moved }
}

/// Whether a function is one of a library that asserts: another library has others.
pub(super) fn asserts(call: &str) -> bool {
    const NAMES: &[&str] = &[
        "equal",
        "equals",
        "strictEqual",
        "deepEqual",
        "deepStrictEqual",
        "notEqual",
        "notStrictEqual",
        "throws",
        "rejects",
        "raises",
        "ok",
        "eq",
        "eql",
        "is",
        "isTrue",
        "isFalse",
        "isNull",
        "match",
        "include",
        "resolves",
        "that",
        "a",
        "an",
        "above",
        "below",
        "lengthOf",
        "property",
        "approx",
    ];
    let to = call.strip_prefix("to").is_some_and(|rest| rest.starts_with(char::is_uppercase));
    to || NAMES.contains(&call)
        || ["assert", "expect", "should"].iter().any(|it| call.starts_with(it))
}

/// New tests by their file and what they hold.
type ByFact<'a> = HashMap<(&'a str, &'a str), Vec<usize>>;

/// What is known of a test.
struct Facts {
    /// What it asks, what it holds and what it calls.
    all: BTreeSet<String>,
    /// What it holds and what it calls.
    values: BTreeSet<String>,
}

impl Facts {
    fn of(test: &TestItem) -> Self {
        let calls = test.calls.iter().filter(|call| !asserts(call));
        let values: BTreeSet<String> = test.literals.iter().chain(calls).cloned().collect();
        let texts = test.assertions.iter().map(|assertion| assertion.text.clone());
        Self { all: texts.chain(values.iter().cloned()).collect(), values }
    }

    /// How much two tests share, in percent and in number.
    fn likeness(&self, other: &Self) -> (usize, usize) {
        let by_values = shared(&self.values, &other.values);
        let all = shared(&self.all, &other.all);
        if by_values.0 >= VALUES_MIN { all.max(by_values) } else { all }
    }
}

fn shared(one: &BTreeSet<String>, other: &BTreeSet<String>) -> (usize, usize) {
    let shared = one.intersection(other).count();
    let all = one.union(other).count();
    ((shared * 100).checked_div(all).unwrap_or_default(), shared)
}

/// The new tests of a file that share most with an old one, by its rarest facts.
fn most_shared(file: &str, wanted: &Facts, by_fact: &ByFact<'_>) -> Vec<usize> {
    let mut lists: Vec<&Vec<usize>> =
        wanted.all.iter().filter_map(|fact| by_fact.get(&(file, fact.as_str()))).collect();
    lists.sort_by_key(|list| list.len());
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for at in lists.into_iter().flatten().take(COUNTED_MAX) {
        *counts.entry(*at).or_default() += 1;
    }
    let mut all: Vec<(usize, usize)> = counts.into_iter().collect();
    all.sort_by_key(|(_, count)| Reverse(*count));
    all.into_iter().take(CANDIDATES_MAX).map(|(at, _)| at).collect()
}

/// How many letters two names begin with alike, but for `_` and capitals.
fn common_start(one: &str, other: &str) -> usize {
    fn letters(name: &str) -> impl Iterator<Item = char> {
        name.chars().filter(|letter| *letter != '_').flat_map(char::to_lowercase)
    }
    letters(one).zip(letters(other)).take_while(|(one, other)| one == other).count()
}
