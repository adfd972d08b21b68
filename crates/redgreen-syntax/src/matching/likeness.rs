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
    /// A name that is gone from one file, and came in another with nearly the same content.
    pub(super) fn pair_moved_and_edited(&mut self) {
        let mut by_name: HashMap<String, Vec<Placed<'a>>> = HashMap::new();
        for new in self.open_new() {
            by_name.entry(name(new.test)).or_default().push(new);
        }
        for old in self.open_old() {
            let Some([new]) = by_name.get(&name(old.test)).map(Vec::as_slice) else { continue };
            let alike = Facts::of(old.test).likeness(&Facts::of(new.test)).0 >= LIKENESS_MIN;
            if !self.taken.contains(&new.at) && alike {
                self.take(old.at, new.at, MatchReason::Moved);
            }
        }
    }

    /// A name that is gone, and another that came in the same file with nearly the same content: the
    /// most alike first.
    pub(super) fn pair_renamed_and_edited(&mut self) {
        let (old, new) = (self.open_old(), self.open_new());
        let known: Vec<Facts> = new.iter().map(|it| Facts::of(it.test)).collect();
        let mut by_fact: ByFact<'_> = HashMap::new();
        for (at, (placed, facts)) in new.iter().zip(&known).enumerate() {
            for fact in &facts.all {
                by_fact.entry((placed.file, fact)).or_default().push(at);
            }
        }
        let mut pairs = Vec::new();
        for old in &old {
            let wanted = Facts::of(old.test);
            for at in most_shared(old.file, &wanted, &by_fact) {
                let (Some(placed), Some(facts)) = (new.get(at), known.get(at)) else { continue };
                let (percent, shared) = wanted.likeness(facts);
                if percent >= LIKENESS_MIN && shared >= SHARED_MIN {
                    let named = common_start(last(old.test), last(placed.test));
                    pairs.push((Reverse((percent, named)), old.at, placed.at));
                }
            }
        }
        pairs.sort_unstable();
        for (_, old, new) in pairs {
            if !self.of_old.contains_key(&old) && !self.taken.contains(&new) {
                self.take(old, new, MatchReason::Renamed);
            }
        }
    }
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
        let values: BTreeSet<String> = test.literals.iter().chain(&test.calls).cloned().collect();
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
