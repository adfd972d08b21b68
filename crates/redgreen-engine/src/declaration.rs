//! What declaring a changed expectation can do, said before it is relied on.

use std::collections::BTreeSet;

use redgreen_model::nearest::nearest_names;
use redgreen_model::square::{ChangedExpectation, Finding};

use crate::state::State;

/// How many similar names are shown.
const SIMILAR_MAX: usize = 3;

/// Whether a declaration of this name is about this test: the test itself, or, named without its case, all cases of a
/// parametrised test.
pub fn covers(declared: &str, test: &str) -> bool {
    let Some(rest) = test.strip_prefix(declared) else { return false };
    match rest.trim_start_matches(' ').chars().next() {
        None | Some('[' | '(') => true,
        // A subtest; not a file in a folder.
        Some('/') => declared.rsplit('/').next().is_some_and(|last| last.contains('.')),
        Some(_) => false,
    }
}

/// What is known of a change whose tests were seen to run: what there is to declare.
pub struct Declarable<'state> {
    /// The tests that were there before the change, and whatever else can be asked for.
    tests: BTreeSet<&'state str>,
    /// What is asked for now.
    open: Vec<&'state ChangedExpectation>,
    /// Tests that were red and are gone.
    red: BTreeSet<&'state str>,
    /// What only a person can accept.
    findings: Vec<&'state Finding>,
}

/// Why nothing would come of a declaration.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such test.
    NoSuchTest(String),
    /// There is one, but not one that can be owned.
    NoEffect(String),
}

impl<'state> Declarable<'state> {
    /// What a session has seen; none where nothing is known yet of what was there.
    pub fn of(state: &'state State) -> Option<Self> {
        let baseline = state.baseline.as_ref()?;
        let mut tests = BTreeSet::new();
        for run in &baseline.execution.checks {
            let report = &run.report;
            tests.insert(run.check.as_str());
            tests.extend(report.tests.iter().map(|case| case.id.as_str()));
            tests.extend(report.unfinished.iter().chain(&report.not_run).map(String::as_str));
        }
        let squares = || state.attempts.iter().filter_map(|attempt| attempt.square.as_ref());
        for read in squares() {
            let others = read.facts.never_run.iter().chain(&read.facts.helpers);
            tests.extend(others.map(|edit| edit.old.test.as_str()));
            tests.extend(read.square.expectations.iter().map(|it| it.test.test.as_str()));
        }
        let last = squares().next_back();
        let open = last.map(|read| read.square.undeclared().collect()).unwrap_or_default();
        let findings = last.map(|read| read.square.blocking().collect()).unwrap_or_default();
        let red = state.history.unresolved.iter().map(|id| id.test.as_str()).collect();
        Some(Self { tests, open, red, findings })
    }

    /// The tests that a name stands for. With a `*` in it, or where it is the name of a file, those that are
    /// asked for now and that it fits.
    pub fn meant(&self, name: &str) -> Result<Vec<String>, Refusal> {
        let is_open = self.open.iter().any(|it| covers(name, &it.test.test));
        if let Some(finding) = self.finding(name).filter(|_| !is_open) {
            return Err(Refusal::NoEffect(format!(
                "that is a finding ({}), and a declaration does not change it: mend it, or a person accepts it with \
                 `redgreen waive {}`. {}",
                finding.kind.as_str(),
                finding.id,
                finding.message
            )));
        }
        if self.tests.iter().any(|test| covers(name, test)) {
            return Ok(vec![name.to_owned()]);
        }
        if name.contains('*') {
            let open = self.asked_for(|it| fits(name, &it.test.test));
            return open.ok_or_else(|| self.nothing_open(&format!("`{name}` fits none of")));
        }
        if self.red.contains(name) {
            return Err(Refusal::NoEffect(
                "it was not there when the session began, so there is nothing to declare. It was red when it ran \
                 last, and removing a red test does not fix it: put it back and make it pass"
                    .to_owned(),
            ));
        }
        let open = self.open.iter().map(|it| it.test.test.as_str());
        let similar = nearest_names(name, open.chain(self.tests.iter().copied()), SIMILAR_MAX);
        let similar = match similar.is_empty() {
            true => String::new(),
            false => format!("; similar ones: {}", similar.join(", ")),
        };
        Err(Refusal::NoSuchTest(format!("no test of this name ran before the change{similar}")))
    }

    /// What blocks under this name: a finding's own, its test's or its file's.
    fn finding(&self, name: &str) -> Option<&'state Finding> {
        let mut findings = self.findings.iter().copied();
        findings.find(|finding| {
            let of_test = finding.test.as_ref().is_some_and(|test| covers(name, &test.test));
            let of_file = finding.test.is_none() && finding.file.as_deref() == Some(name);
            of_test || of_file || finding.id == name
        })
    }

    /// What is asked for now and lies in a file.
    pub fn in_file(&self, path: &str) -> Result<Vec<String>, Refusal> {
        let path = path.trim_start_matches("./");
        let within = |test: &str| {
            test.strip_prefix(path).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        let open = self.asked_for(|it| it.file.as_deref() == Some(path) || within(&it.test.test));
        open.ok_or_else(|| self.nothing_open(&format!("`{path}` is the file of none of")))
    }

    fn asked_for(&self, wanted: impl Fn(&ChangedExpectation) -> bool) -> Option<Vec<String>> {
        let open = self.open.iter().filter(|it| wanted(it));
        let names: BTreeSet<String> = open.map(|it| it.test.test.clone()).collect();
        (!names.is_empty()).then(|| names.into_iter().collect())
    }

    fn nothing_open(&self, what: &str) -> Refusal {
        let open: Vec<&str> = self.open.iter().map(|it| it.test.test.as_str()).collect();
        Refusal::NoSuchTest(match open.is_empty() {
            true => {
                "no changed expectation is asked for: `redgreen square` shows what is".to_owned()
            }
            false => format!("{what} what is asked for: {}", crate::judge::some_of(&open)),
        })
    }
}

/// Whether a name fits a pattern in which `*` stands for anything; all else is taken at its word, since ids
/// have brackets and question marks in them.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_without_its_case_is_all_of_its_cases_and_nothing_else() {
        for (declared, test, covered) in [
            ("a.py::test_x", "a.py::test_x", true),
            ("a.py::test_x", "a.py::test_x[1-2]", true),
            ("a.py::test_x", "a.py::test_xy", false),
            ("a.py::test_x[1]", "a.py::test_x[2]", false),
            ("shop.TestSum", "shop.TestSum/empty", true),
            ("ShopTest.sum", "ShopTest.sum(int)[2]", true),
            ("T.test_a", "T.test_a (i=1)", true),
            ("tests", "tests/a.py::test_x", false),
            ("sum", "sum > adds", false),
        ] {
            assert_eq!(covers(declared, test), covered, "{declared} {test}");
        }
    }

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name, fitting) in [
            ("a.py::*", "a.py::test_x[1]", true),
            ("*::test_x[*]", "b/a.py::test_x[1]", true),
            ("*", "", true),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "a1c2b", false),
            ("a.py::*", "b.py::test_x", false),
        ] {
            assert_eq!(fits(pattern, name), fitting, "{pattern} {name}");
        }
    }
}
