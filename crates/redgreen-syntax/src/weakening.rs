//! What a test no longer asks, seen from its structure.
//!
//! Meant to be right when it speaks: tests are rewritten honestly all the time. Assertions that
//! were replaced by as many others, that went to a function, to a row of a table or to another
//! test are no weakening, and neither is another expected value: running both shows that.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::assertion::{Assertion, Strength};
use crate::matching::{Matched, Outlined};
use crate::outline::{Item, TestItem};

/// How often a tolerance must have grown to be another one.
const WIDENED: f64 = 100.0;
/// How many assertions must be gone, where some are left.
const SEVERAL: usize = 2;
/// How many assertions of functions that a test calls are followed.
const FOLLOWED_MAX: usize = 5_000;
/// How deep calls of functions are followed.
const DEPTH_MAX: usize = 4;
/// What `#[should_panic]` is about.
pub(crate) const PANICS: &str = "panics";
/// Ways to fail when they are reached, by what they are about.
const FAILS: &[&str] = &["", "true", "false", "True", "False", "0", "1"];
/// Parts of names of functions that assert, for those that are not defined in the tests at hand.
const ASSERTING: &[&str] = &[
    "assert", "check", "verify", "expect", "ensure", "should", "must", "require", "compare",
    "validate", "match", "fail", "raises", "throws", "snapshot",
];

/// What became weaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WeakeningKind {
    /// All assertions, or several and most of them, are gone with nothing in their place.
    AssertionsRemoved,
    /// An assertion holds whatever the code does.
    Vacuous,
    /// An assertion is not reached, or its failure is not heard.
    Unreachable,
    /// An assertion accepts much more than before.
    Looser,
    /// The test is skipped now.
    Skipped,
    /// The test is marked as one that fails.
    ExpectedFailure,
    /// Most rows of its table are gone.
    CasesRemoved,
    /// What it always asked, it asks only under a condition.
    Guarded,
}

/// One way in which a test became weaker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weakening {
    /// What became weaker.
    pub kind: WeakeningKind,
    /// The line in the new file, from 1.
    pub line: u32,
    /// What stood there.
    pub before: String,
    /// What stands there now; empty where nothing does.
    pub after: String,
}

/// How the new version of a test is weaker than the old one. The functions of both sides' tests
/// say what a call in them asks.
pub fn weakenings(old: &TestItem, new: &TestItem, helpers: (&[Item], &[Item])) -> Vec<Weakening> {
    let functions = (by_name(helpers.0.iter()), by_name(helpers.1.iter()));
    judge(old, new, &functions, &BTreeSet::new())
}

/// The same for all tests that were matched: assertions that went to a test that is new are not
/// gone, and functions of other files are known.
pub fn weakenings_among(
    old: &[Outlined],
    new: &[Outlined],
    matched: &[Matched],
) -> Vec<(Matched, Weakening)> {
    let functions = (
        by_name(old.iter().flat_map(|file| &file.outline.helpers)),
        by_name(new.iter().flat_map(|file| &file.outline.helpers)),
    );
    let kept: BTreeSet<(usize, usize)> = matched.iter().map(|pair| pair.new).collect();
    let mut elsewhere = BTreeSet::new();
    for (at, file) in new.iter().enumerate() {
        let added =
            file.outline.tests.iter().enumerate().filter(|(test, _)| !kept.contains(&(at, *test)));
        let live =
            added.flat_map(|(_, test)| &test.assertions).filter(|assertion| assertion.is_live());
        elsewhere.extend(live.map(|assertion| assertion.text.clone()));
    }
    let test = |files: &'_ [Outlined], at: (usize, usize)| {
        files.get(at.0).and_then(|file| file.outline.tests.get(at.1)).cloned()
    };
    let mut found = Vec::new();
    for pair in matched {
        if let (Some(before), Some(after)) = (test(old, pair.old), test(new, pair.new)) {
            let weaker = judge(&before, &after, &functions, &elsewhere);
            found.extend(weaker.into_iter().map(|weakening| (*pair, weakening)));
        }
    }
    found
}

type Functions<'a> = HashMap<&'a str, Vec<&'a Item>>;

fn by_name<'a>(items: impl Iterator<Item = &'a Item>) -> Functions<'a> {
    let mut functions: Functions<'a> = HashMap::new();
    for item in items {
        functions.entry(&item.name).or_default().push(item);
    }
    functions
}

fn judge(
    old: &TestItem,
    new: &TestItem,
    functions: &(Functions<'_>, Functions<'_>),
    elsewhere: &BTreeSet<String>,
) -> Vec<Weakening> {
    let mut found = of_marks(old, new);
    let before = followed(old, &functions.0);
    let after = followed(new, &functions.1);
    let change = Change::between(&before, &after, elsewhere);
    let mut of_assertions = Vec::new();
    of_assertions.extend(change.unreachable());
    of_assertions.extend(change.vacuous());
    of_assertions.extend(change.looser());
    if of_assertions.is_empty() {
        of_assertions.extend(removed(&change, old, new, (&functions.0, &functions.1)));
    }
    if of_assertions.is_empty() {
        of_assertions.extend(change.guarded());
    }
    found.extend(of_assertions);
    found.extend(cases_removed(old, new));
    found
}

fn of_marks(old: &TestItem, new: &TestItem) -> Vec<Weakening> {
    let first_line = |test: &TestItem| test.text.lines().next().unwrap_or_default().to_owned();
    let say =
        |kind| Weakening { kind, line: new.line, before: first_line(old), after: first_line(new) };
    let mut found = Vec::new();
    if new.skipped && !old.skipped {
        found.push(say(WeakeningKind::Skipped));
    }
    if new.expected_failure && !old.expected_failure && !asks_for_panic(old, new) {
        found.push(say(WeakeningKind::ExpectedFailure));
    }
    found
}

/// A test of Rust that had assertions, and is one panic now: what it asks is another thing.
fn asks_for_panic(old: &TestItem, new: &TestItem) -> bool {
    let panics = new.assertions.iter().all(|assertion| assertion.subject == PANICS);
    panics && !new.assertions.is_empty() && old.assertions.iter().any(Assertion::is_live)
}

/// The assertions of a test and of the functions it calls, each call counted.
fn followed<'a>(test: &'a TestItem, functions: &Functions<'a>) -> Vec<&'a Assertion> {
    let mut found: Vec<&Assertion> = test.assertions.iter().collect();
    let mut calls: Vec<&str> = test.calls.iter().map(String::as_str).collect();
    for _ in 0..DEPTH_MAX {
        let mut inner = Vec::new();
        for item in calls.iter().filter_map(|call| functions.get(call)).flatten() {
            if found.len() >= FOLLOWED_MAX {
                return found;
            }
            found.extend(&item.assertions);
            let deeper = item.calls.iter().map(String::as_str).filter(|call| *call != item.name);
            inner.extend(deeper.take(FOLLOWED_MAX.saturating_sub(inner.len())));
        }
        calls = inner;
    }
    found
}

/// What went and what came.
struct Change<'a> {
    before: Vec<&'a Assertion>,
    after: Vec<&'a Assertion>,
    gone: Vec<&'a Assertion>,
    come: Vec<&'a Assertion>,
}

impl<'a> Change<'a> {
    fn between(
        before: &[&'a Assertion],
        after: &[&'a Assertion],
        elsewhere: &BTreeSet<String>,
    ) -> Self {
        let live = |list: &[&'a Assertion]| -> Vec<&'a Assertion> {
            list.iter().copied().filter(|assertion| assertion.is_live()).collect()
        };
        let mut gone = without(&live(before), &live(after));
        gone.retain(|assertion| !elsewhere.contains(&assertion.text));
        let come = without(&live(after), &live(before));
        Self { before: before.to_vec(), after: after.to_vec(), gone, come }
    }

    /// Whether fewer came than went.
    fn lost(&self) -> bool {
        self.come.len() < self.gone.len() && !self.come.iter().any(|assertion| assertion.repeated)
    }

    fn unreachable(&self) -> Vec<Weakening> {
        let dead = |list: &[&'a Assertion]| -> Vec<&'a Assertion> {
            list.iter().copied().filter(|assertion| !assertion.reachable).collect()
        };
        let newly = without(&dead(&self.after), &dead(&self.before));
        if !self.lost() {
            return Vec::new();
        }
        newly.iter().map(|after| self.say(WeakeningKind::Unreachable, after)).collect()
    }

    fn vacuous(&self) -> Vec<Weakening> {
        let empty = |list: &[&'a Assertion]| -> Vec<&'a Assertion> {
            let vacuous = |assertion: &&&Assertion| {
                assertion.reachable && assertion.strength == Strength::Vacuous
            };
            list.iter().filter(vacuous).copied().collect()
        };
        let newly = without(&empty(&self.after), &empty(&self.before));
        if !self.lost() {
            return Vec::new();
        }
        newly.iter().map(|after| self.say(WeakeningKind::Vacuous, after)).collect()
    }

    /// Exact assertions whose subject is only looked at loosely now.
    fn looser(&self) -> Vec<Weakening> {
        let exact = |list: &[&Assertion]| {
            list.iter().filter(|it| it.is_live() && it.strength == Strength::Exact).count()
        };
        let fewer = exact(&self.after) < exact(&self.before);
        let live = |list: &[&Assertion]| list.iter().filter(|it| it.is_live()).count();
        let no_more = live(&self.after) <= live(&self.before);
        let mut found = Vec::new();
        for gone in &self.gone {
            let same: Vec<_> = self
                .come
                .iter()
                .filter(|come| come.subject == gone.subject && !come.subject.is_empty())
                .collect();
            let loosened = gone.strength == Strength::Exact
                && fewer
                && no_more
                && !self.is_asked_exactly(&gone.subject);
            let widened = |come: &Assertion| {
                let (Some(wide), Some(narrow)) = (come.tolerance, gone.tolerance) else {
                    return false;
                };
                wide >= narrow.abs() * WIDENED && wide > 0.0
            };
            let after = same
                .iter()
                .find(|come| (loosened && come.strength == Strength::Loose) || widened(come));
            if let Some(after) = after {
                found.push(Weakening {
                    kind: WeakeningKind::Looser,
                    line: after.line,
                    before: gone.text.clone(),
                    after: after.text.clone(),
                });
            }
        }
        found
    }

    /// Nothing is asked any more without a condition.
    fn guarded(&self) -> Option<Weakening> {
        let always = |list: &[&'a Assertion]| {
            list.iter().copied().find(|assertion| assertion.is_live() && !assertion.guarded)
        };
        let before = always(&self.before)?;
        if always(&self.after).is_some() {
            return None;
        }
        let after = self.after.iter().find(|assertion| assertion.is_live())?;
        Some(Weakening {
            kind: WeakeningKind::Guarded,
            line: after.line,
            before: before.text.clone(),
            after: after.text.clone(),
        })
    }

    fn is_asked_exactly(&self, subject: &str) -> bool {
        self.after.iter().any(|assertion| {
            assertion.is_live()
                && assertion.strength == Strength::Exact
                && assertion.subject == subject
        })
    }

    /// What stood before an assertion that asks nothing now: the same text, the same subject, or
    /// the first that is gone.
    fn say(&self, kind: WeakeningKind, after: &Assertion) -> Weakening {
        let before = self
            .gone
            .iter()
            .find(|gone| gone.text == after.text)
            .or_else(|| self.gone.iter().find(|gone| gone.subject == after.subject))
            .or_else(|| self.gone.first());
        Weakening {
            kind,
            line: after.line,
            before: before.map(|gone| gone.text.clone()).unwrap_or_default(),
            after: after.text.clone(),
        }
    }
}

/// The first list without what is in the second, as often as it is there.
fn without<'a>(list: &[&'a Assertion], other: &[&'a Assertion]) -> Vec<&'a Assertion> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for assertion in other {
        *counts.entry(&assertion.text).or_default() += 1;
    }
    let mut left = Vec::new();
    for assertion in list {
        match counts.get_mut(assertion.text.as_str()) {
            Some(count) if *count > 0 => *count -= 1,
            _ => left.push(*assertion),
        }
    }
    left
}

/// Assertions that are gone with nothing in their place.
fn removed(
    change: &Change<'_>,
    old: &TestItem,
    new: &TestItem,
    functions: (&Functions<'_>, &Functions<'_>),
) -> Option<Weakening> {
    let first = change.gone.first()?;
    let before = change.before.iter().filter(|it| it.is_live()).count();
    let after = change.after.iter().filter(|it| it.is_live()).count();
    let mut newly = newly_called(old, new);
    // A function that is not in the changed files any more is called where it is now.
    newly.extend(went_elsewhere(new, functions));
    let thrown =
        newly.contains(&"throw") && change.gone.iter().all(|gone| fails_when_reached(gone));
    let functions = functions.1;
    let all = after == 0 && !thrown && !newly.iter().any(|call| may_assert(call, functions));
    let most = change.come.is_empty()
        && change.gone.len() >= SEVERAL
        && change.gone.len() * 2 >= before
        && newly.is_empty()
        && new.parameters.len() <= old.parameters.len();
    (all || most).then(|| Weakening {
        kind: WeakeningKind::AssertionsRemoved,
        line: new.line,
        before: first.text.clone(),
        after: String::new(),
    })
}

fn newly_called<'a>(old: &TestItem, new: &'a TestItem) -> Vec<&'a str> {
    let known: BTreeSet<&str> = old.calls.iter().map(String::as_str).collect();
    new.calls.iter().map(String::as_str).filter(|call| !known.contains(call)).collect()
}

/// Functions that a test calls, and that were in the changed files and are not any more.
fn went_elsewhere<'a>(
    new: &'a TestItem,
    (before, after): (&Functions<'_>, &Functions<'_>),
) -> impl Iterator<Item = &'a str> {
    let calls = new.calls.iter().map(String::as_str);
    calls.filter(|call| before.contains_key(call) && !after.contains_key(call))
}

/// An assertion that nothing must come to: `assert.fail()`, `true.should.be.false()`.
fn fails_when_reached(assertion: &Assertion) -> bool {
    assertion.strength == Strength::Exact && FAILS.contains(&assertion.subject.as_str())
}

/// Whether a call may ask something: by what it is called, unless its body is at hand and shows that it
/// does not.
fn may_assert(call: &str, functions: &Functions<'_>) -> bool {
    let name = call.to_lowercase();
    !functions.contains_key(call) && ASSERTING.iter().any(|part| name.contains(part))
}

fn cases_removed(old: &TestItem, new: &TestItem) -> Option<Weakening> {
    let left: BTreeSet<&String> = new.parameters.iter().collect();
    let was: BTreeSet<&String> = old.parameters.iter().collect();
    let gone: Vec<&&String> = was.difference(&left).collect();
    let most = gone.len() >= SEVERAL && gone.len() * 2 >= was.len();
    (most && !left.is_empty() && left.is_subset(&was)).then(|| Weakening {
        kind: WeakeningKind::CasesRemoved,
        line: new.line,
        before: gone.first().map(|row| row.to_string()).unwrap_or_default(),
        after: String::new(),
    })
}

#[cfg(test)]
mod tests;
