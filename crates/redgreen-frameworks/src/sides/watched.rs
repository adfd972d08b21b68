//! What was seen of the files of a project while its tests ran: who opened or loaded them.
//!
//! Data that only tests and their helpers open judges, wherever it lies and whatever it is called; what code
//! opens is code. What both open cannot be told apart, and the corner with the old file is asked. Sources are loaded
//! once, so of all that load one only the first is seen: that code loads a source is known, that it does not is not.
//!
//! What was seen of the baseline counts; of the run only for files that nobody reached before.

#[cfg(test)]
mod tests;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use redgreen_model::reach::Reached;
use redgreen_syntax::{language_of, outline};

use super::product::{OF_TESTS, has_name_of_test, is_data, is_workshop};
use super::{Belongs, Judged, Sides};
use crate::reach::is_source;
use crate::roles::{self, extension, name_of, split};

/// What was seen, and what follows from it.
#[derive(Default)]
pub(super) struct Watched {
    baseline: Reached,
    run: Reached,
    /// Sources that judge by a guess and that code was seen to load.
    loaded: OnceCell<BTreeMap<String, String>>,
    /// Whether a file of tests uses code at all.
    uses_code: RefCell<BTreeMap<String, bool>>,
}

/// Who was seen to open a file.
pub(super) enum Openers {
    /// Code alone.
    Code(String),
    /// The tests' side alone.
    Tests(String),
    /// Both, or it cannot be told.
    Both(String),
}

impl Watched {
    pub(super) fn new(baseline: Reached, run: Reached) -> Self {
        Self { baseline, run, ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.baseline.is_empty() && self.run.is_empty()
    }

    /// The files that named a file, and those that perhaps did.
    fn by(&self, path: &str) -> (BTreeSet<&str>, BTreeSet<&str>) {
        let of = |seen| (all_of(seen, path, true), all_of(seen, path, false));
        let before = of(&self.baseline);
        if before.0.is_empty() && before.1.is_empty() { of(&self.run) } else { before }
    }
}

fn all_of<'seen>(seen: &'seen Reached, path: &str, is_sure: bool) -> BTreeSet<&'seen str> {
    let known = if is_sure { &seen.by } else { &seen.perhaps_by };
    known.get(path).into_iter().flatten().map(String::as_str).collect()
}

impl Sides<'_> {
    /// Who opens a file that is no program, where that was seen.
    pub(super) fn openers(&self, path: &str) -> Option<Openers> {
        if self.watched.is_empty() || self.is_program(path) {
            return None;
        }
        let (by, perhaps_by) = self.watched.by(path);
        if by.is_empty() && perhaps_by.is_empty() {
            return None;
        }
        let (code, tests): (Vec<&str>, Vec<&str>) = by.into_iter().partition(|by| self.is_code(by));
        // Tests that open a file by a path that they were given judge by it all the same.
        let perhaps_tests = perhaps_by.iter().copied().filter(|by| !self.is_code(by));
        let tests = tests.into_iter().chain(perhaps_tests);
        // What the runner opens by itself, as it does with everything, says nothing.
        let tests = tests.filter(|by| !by.is_empty() && self.may_judge(by));
        let tests: Vec<&str> = tests.collect();
        // Code that tests alone use, to compare with what it reads, reads it for them.
        let (code, for_tests): (Vec<&str>, Vec<&str>) =
            code.into_iter().partition(|by| self.judging(by, true).is_empty());
        let of_tests = split(path).0.iter().any(|folder| OF_TESTS.contains(folder));
        let named = self.shown().reached.get(path).filter(|by| !for_tests.contains(&by.as_str()));
        let code = code.first().map(|by| format!("{by} opens it")).filter(|_| !of_tests);
        let code = code.or_else(|| Some(format!("{} names it", named.filter(|_| !of_tests)?)));
        let tests = tests.first().map(|by| format!("{by} opens it"));
        let perhaps = for_tests.iter().chain(&perhaps_by).find(|by| self.is_code(by));
        Some(match (code, tests) {
            (Some(code), None) => Openers::Code(format!("code: {code}")),
            (None, Some(tests)) => match perhaps {
                Some(by) => Openers::Both(format!("{tests}, and so may {by}")),
                None => Openers::Tests(format!("only tests reach it: {tests}")),
            },
            (Some(code), Some(tests)) => Openers::Both(format!("{code}, and {tests}")),
            (None, None) => {
                let by = perhaps.filter(|_| !of_tests)?;
                Openers::Both(format!(
                    "{by} opens it, and whether for the code or for tests is not known"
                ))
            }
        })
    }

    /// Whether a file is a program: who opens it may as well run it.
    fn is_program(&self, path: &str) -> bool {
        let begins = || self.baseline.read(path).is_some_and(|text| text.starts_with("#!"));
        is_source(path) || (extension(name_of(path)).is_empty() && begins())
    }

    /// Who loads a source that judges by a guess only.
    pub(super) fn loader(&self, path: &str) -> Option<String> {
        let by = self.loaded().get(path)?;
        Some(format!("code: {by} loads it"))
    }

    fn loaded(&self) -> &BTreeMap<String, String> {
        self.watched.loaded.get_or_init(|| {
            let mut loaded = BTreeMap::new();
            loop {
                let found = self.watched.baseline.by.iter().find_map(|(path, by)| {
                    let may = !loaded.contains_key(path) && self.may_be_product(path);
                    let is_code =
                        |by: &&String| loaded.contains_key(*by) || self.is_code_by_source(by);
                    let by = by.iter().find(is_code).filter(|_| may)?;
                    Some((path.clone(), by.clone()))
                });
                match found {
                    Some((path, by)) => loaded.insert(path, by),
                    None => return loaded,
                };
            }
        })
    }

    /// Whether a source that judges may be code for all that is known of it.
    fn may_be_product(&self, path: &str) -> bool {
        let judged = || self.by_source(path);
        let outside = || !split(path).0.iter().any(|folder| OF_TESTS.contains(folder));
        let guessed = |it: Judged| it.guessed && !matches!(it.belongs, Belongs::Code);
        let holds_tests = || {
            let language = language_of(path).zip(self.baseline.read(path));
            language.is_some_and(|(it, text)| !outline(it, &text).tests.is_empty())
        };
        is_source(path)
            && !has_name_of_test(path)
            && outside()
            && guessed(judged())
            && !holds_tests()
    }

    fn is_code_by_source(&self, path: &str) -> bool {
        !path.is_empty()
            && matches!(self.by_source(path).belongs, Belongs::Code | Belongs::Mixed(_))
    }

    /// Whether a file that opened another one is code.
    fn is_code(&self, path: &str) -> bool {
        self.is_code_by_source(path) || self.loaded().contains_key(path)
    }

    /// Whether what opens data can judge code by it: tests that use no code judge the data itself.
    fn may_judge(&self, by: &str) -> bool {
        if !has_name_of_test(by) || !is_source(by) || name_of(by) == "conftest.py" {
            return true;
        }
        if let Some(known) = self.watched.uses_code.borrow().get(by) {
            return *known;
        }
        let uses = self.shown().uses_code(self, by);
        self.watched.uses_code.borrow_mut().insert(by.to_owned(), uses);
        uses
    }

    /// Whether nothing tells who reads data: nobody could watch, and no source names it.
    fn is_unknown(&self, path: &str, judged: &Judged) -> bool {
        let is_hidden = path.split('/').any(|part| part.starts_with('.'));
        self.watched.is_empty()
            && matches!(judged.belongs, Belongs::Code)
            && is_data(path)
            && !is_hidden
            && !is_workshop(path)
            && self.baseline.has(path)
            && !self.shown().reached.contains_key(path)
    }

    /// What the sides are where tests and runs are asked for what they open.
    pub(super) fn by_openers(&self, path: &str, judged: Judged, is_named: bool) -> Judged {
        let is_for_people = roles::is_for_people(path);
        let kept = !self.baseline.has(path) || roles::is_by_product(path);
        let may_differ = judged.guessed || !is_named || (kept && !is_source(path));
        if !may_differ || matches!(judged.belongs, Belongs::Mixed(_)) {
            return judged;
        }
        let known =
            |belongs, reason: String| Judged { belongs, reason: reason.into(), guessed: false };
        match self.openers(path) {
            Some(Openers::Code(why)) => known(Belongs::Code, why),
            Some(Openers::Tests(why)) if !is_for_people => known(Belongs::Tests, why),
            Some(Openers::Both(why)) if !is_for_people => known(Belongs::Shared, why),
            Some(_) => known(Belongs::Code, "a document that tests read".to_owned()),
            None if self.is_unknown(path, &judged) => known(
                Belongs::Shared,
                "nobody was seen to read it, and nothing names it".to_owned(),
            ),
            None => judged,
        }
    }
}
