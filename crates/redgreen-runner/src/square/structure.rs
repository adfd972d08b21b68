//! What became of the tests in changed files, by their structure.

mod cases;
mod heirs;
mod helpers;

use std::collections::{BTreeMap, BTreeSet};

use redgreen_frameworks::ProjectFiles;
use redgreen_frameworks::sides::{Address, Addresses, Side, Sides};
use redgreen_model::execution::{Execution, TestId};
use redgreen_model::square::{Heirs, MatchReason, TestEdit, WeakerAssertion};
use redgreen_model::tree::FileChange;
use redgreen_syntax::{
    Matched, Outlined, Strength, TestFile, TestItem, Weakening, WeakeningKind, follows_rename,
    is_case_of, language_of, match_tests, parts_of, renamed_code, weakenings_among,
};

use crate::plan::PlannedCheck;

/// The two versions of everything on the tests' side that changed.
pub(crate) struct Versions<'square> {
    pub(crate) checks: &'square [PlannedCheck],
    pub(crate) sides: &'square Sides<'square>,
    /// What differs between the trees.
    pub(crate) changes: &'square [FileChange],
    /// The tree before.
    pub(crate) base: &'square dyn ProjectFiles,
    /// The tests as they are now; the code may be that of before.
    pub(crate) tests: &'square dyn ProjectFiles,
    /// The tree now.
    pub(crate) tree: &'square dyn ProjectFiles,
}

/// What is known of the tests by their structure.
#[derive(Default)]
pub(crate) struct Structure {
    /// Old tests in changed files.
    pub(crate) edits: Vec<TestEdit>,
    /// The changed files that were read.
    pub(crate) changed: BTreeSet<String>,
    /// Tests that are new, or not what they were.
    pub(crate) fresh: BTreeSet<TestId>,
    /// What tests stand on and what changed, by file.
    pub(crate) helpers: Vec<TestEdit>,
    /// Who may ask for the code of tests that are gone.
    pub(crate) heirs: Vec<Heirs>,
}

/// Between the file and the names of a test that nobody ran, so that it has no id.
const BY_SOURCE: &str = "::";

/// A test's place: its file and the names in it.
type TestPath = (String, Vec<String>);

/// The ids of a run by the place of their tests.
type Ids = BTreeMap<TestPath, Vec<Case>>;

/// A test of a run, and which of several of one function it is.
type Case = (TestId, Option<String>);

/// Compares the tests of two executions by their structure.
pub(crate) fn structure(
    versions: &Versions<'_>,
    baseline: &Execution,
    run: &Execution,
) -> Structure {
    let (old, new) = (versions.outlined(versions.base), versions.outlined(versions.tests));
    let known = ids_of(baseline);
    let fresh = || ids_of(run).difference(&known).cloned().collect();
    if old.is_empty() && new.is_empty() {
        let helpers = helpers::changed(versions, &old, &new);
        return Structure { fresh: fresh(), helpers, ..Structure::default() };
    }
    let changed: BTreeSet<&str> = old.iter().chain(&new).map(|file| file.path.as_str()).collect();
    let before = placed(versions.ids(baseline, versions.base, &changed), &old);
    let now = placed(versions.ids(run, versions.tree, &changed), &new);
    let matched = match_tests(&old, &new);
    let weaker = weakenings_among(&old, &new, &matched);
    let comparison = Comparison {
        old: &old,
        new: &new,
        now: &now,
        run: ids_of(run),
        matched: &matched,
        weaker,
        renames: &versions.renames(),
    };
    let mut found = Structure {
        fresh: fresh(),
        changed: changed.iter().map(|path| (*path).to_owned()).collect(),
        helpers: helpers::changed(versions, &old, &new),
        ..Structure::default()
    };
    let mut same = BTreeSet::new();
    let by_old: BTreeMap<(usize, usize), Matched> =
        matched.iter().map(|pair| (pair.old, *pair)).collect();
    for (at, file) in old.iter().enumerate() {
        for (index, test) in file.outline.tests.iter().enumerate() {
            let place = (file.path.clone(), test.path.clone());
            let cases = before.get(&place).map(Vec::as_slice).unwrap_or_default();
            let pair = by_old.get(&(at, index)).copied();
            for edit in comparison.edits(cases, file, test, pair) {
                if edit.same {
                    same.extend(edit.new.iter().cloned());
                }
                found.edits.push(edit);
            }
        }
    }
    found.heirs = heirs::of(versions, &comparison, &before);
    found.fresh.extend(now.values().flatten().map(|(id, _)| id.clone()));
    found.fresh.retain(|id| !same.contains(id));
    found
}

/// Tests that are known to stand in files other than these.
pub(crate) fn in_other_files(
    checks: &[PlannedCheck],
    execution: &Execution,
    files: &dyn ProjectFiles,
    changed: &BTreeSet<String>,
) -> BTreeSet<TestId> {
    let known = Addresses::new(files);
    let mut found = BTreeSet::new();
    for run in &execution.checks {
        let Some(check) = checks.iter().find(|check| check.name == run.check) else { continue };
        let folder = check.settings.folder.as_str();
        let stands = |test: &&str| {
            let address = known.address(run.framework, folder, test);
            address.and_then(|place| place.file).is_some_and(|file| !changed.contains(&file))
        };
        let tests = ids_of_check(run).filter(stands);
        found.extend(tests.map(|test| TestId { check: run.check.clone(), test: test.to_owned() }));
    }
    found
}

/// The ids by the places of the outlines.
fn placed(ids: Ids, files: &[Outlined]) -> Ids {
    let mut found = Ids::new();
    for (place, mut cases) in ids {
        let file = files.iter().find(|file| file.path == place.0);
        let test = file.and_then(|file| test_at(file, &place.1));
        match test.and_then(|index| file?.outline.tests.get(index)) {
            Some(test) if test.path != place.1 => {
                let title = place.1.join(" > ");
                let named = cases.into_iter().map(|(id, number)| {
                    let number = number.unwrap_or_default();
                    (id, Some(format!("{title}{number}")))
                });
                found.entry((place.0, test.path.clone())).or_default().extend(named);
            }
            _ => found.entry(place).or_default().append(&mut cases),
        }
    }
    found
}

/// The test at a path: of that name; else the one that has places for the values in the title; else
/// the innermost one around it, which makes others while it runs.
fn test_at(file: &Outlined, path: &[String]) -> Option<usize> {
    let tests = &file.outline.tests;
    let around = || {
        let all = tests.iter().enumerate().filter(|(_, test)| path.starts_with(&test.path));
        all.max_by_key(|(_, test)| test.path.len()).map(|(index, _)| index)
    };
    tests
        .iter()
        .position(|test| test.path == path)
        .or_else(|| tests.iter().position(|test| is_made_of(path, &test.path)))
        .or_else(around)
}

fn is_made_of(path: &[String], template: &[String]) -> bool {
    path.len() == template.len()
        && path.iter().zip(template).all(|(name, of)| name == of || is_case_of(name, of))
}

/// Which change of each of these tests there is, by their ids at the baseline; none for a test that is
/// not found in a changed file.
pub(crate) fn changes_of(versions: &Versions<'_>, tests: &[String]) -> Vec<Option<String>> {
    let (old, new) = (versions.outlined(versions.base), versions.outlined(versions.tests));
    let matched = match_tests(&old, &new);
    let helpers = helpers::changed(versions, &old, &new);
    let known = Addresses::new(versions.base).reading_only(old.iter().map(|file| &*file.path));
    let find = |test: &String| {
        let mut places = versions
            .checks
            .iter()
            .filter_map(|check| known.address(check.framework, &check.settings.folder, test));
        let by_source = || {
            let (file, path) = test.split_once(BY_SOURCE)?;
            let path = path.split(BY_SOURCE).map(str::to_owned).collect();
            Some(Address { file: Some(file.to_owned()), path, parameter: None })
        };
        if let Some(helper) = helpers.iter().find(|helper| helper.file == *test) {
            return Some(helper.change.clone());
        }
        let place = places.find(|place| place.file.is_some()).or_else(by_source)?;
        let file = old.iter().position(|file| Some(&file.path) == place.file.as_ref())?;
        let index = test_at(old.get(file)?, &place.path)?;
        let before = old.get(file)?.outline.tests.get(index)?;
        let pair = matched.iter().find(|pair| pair.old == (file, index));
        let after = pair.and_then(|pair| new.get(pair.new.0)?.outline.tests.get(pair.new.1));
        Some(change(before, after))
    };
    tests.iter().map(find).collect()
}

/// Old tests that changed or are gone and that came out of none of these executions, by their source.
pub(crate) fn never_run(
    versions: &Versions<'_>,
    check: &str,
    corners: &[&Execution],
) -> Vec<TestEdit> {
    let (old, new) = (versions.outlined(versions.base), versions.outlined(versions.tests));
    let changed: BTreeSet<&str> = old.iter().chain(&new).map(|file| file.path.as_str()).collect();
    let places = corners.iter().map(|seen| versions.ids(seen, versions.base, &changed));
    let seen: BTreeSet<TestPath> = places.flat_map(|ids| placed(ids, &old).into_keys()).collect();
    let matched = match_tests(&old, &new);
    let (mut found, mut asked_for) = (Vec::new(), BTreeSet::new());
    for (at, file) in old.iter().enumerate() {
        for (index, test) in file.outline.tests.iter().enumerate() {
            let pair = matched.iter().find(|pair| pair.old == (at, index));
            let after = pair.and_then(|pair| new.get(pair.new.0)?.outline.tests.get(pair.new.1));
            let stands = after.is_some_and(|after| after.shape == test.shape);
            // What makes others while it runs ran with them, and is asked for together with them.
            let ran = places_in(&seen, &file.path).any(|path| path.starts_with(&test.path));
            let asked = places_in(&asked_for, &file.path).any(|path| test.path.starts_with(path));
            if stands || ran || asked {
                continue;
            }
            asked_for.insert((file.path.clone(), test.path.clone()));
            let name = format!("{}{BY_SOURCE}{}", file.path, test.path.join(BY_SOURCE));
            found.push(TestEdit {
                old: TestId::new(check, &name),
                new: Vec::new(),
                why: MatchReason::SamePlace,
                same: false,
                follows_rename: false,
                weaker: Vec::new(),
                file: file.path.clone(),
                line: test.line,
                before: test.text.clone(),
                after: after.map(|after| after.text.clone()).unwrap_or_default(),
                change: change(test, after),
            });
        }
    }
    found
}

/// The names of the tests in a file.
fn places_in<'seen>(
    places: &'seen BTreeSet<TestPath>,
    file: &str,
) -> impl Iterator<Item = &'seen Vec<String>> {
    places.iter().filter(move |(of, _)| of == file).map(|(_, path)| path)
}

/// Identifies a change of a test.
fn change(before: &TestItem, after: Option<&TestItem>) -> String {
    format!("{}-{}", before.shape, after.map_or("gone", |test| test.shape.as_str()))
}

impl Versions<'_> {
    /// The changed files of the tests' side in one version, as far as they are read.
    fn outlined(&self, files: &dyn ProjectFiles) -> Vec<Outlined> {
        let judging = self.changes.iter().map(|change| change.path.as_str()).filter(|path| {
            language_of(path).is_some()
                && matches!(self.sides.side(path), Side::Tests | Side::Mixed)
        });
        let read = |path| files.has(path).then(|| files.read(path)).flatten();
        judging
            .filter_map(|path| {
                let source = read(path)?;
                Some(TestFile { path, source: &source }.outlined())
            })
            .collect()
    }

    /// What of the changed code got another name and is otherwise as it was.
    fn renames(&self) -> BTreeMap<String, String> {
        let paths = self.changes.iter().map(|change| change.path.as_str());
        let code: Vec<&str> = paths
            .filter(|path| !matches!(self.sides.side(path), Side::Tests | Side::Inert))
            .collect();
        let outlined = |files: &dyn ProjectFiles| -> Vec<Outlined> {
            let read = |path: &&str| {
                let source = files.has(path).then(|| files.read(path)).flatten()?;
                Some(TestFile { path, source: &source }.outlined())
            };
            code.iter().filter_map(read).collect()
        };
        renamed_code(&outlined(self.base), &outlined(self.tree))
    }

    /// The tests of an execution in these files.
    fn ids(&self, execution: &Execution, files: &dyn ProjectFiles, of: &BTreeSet<&str>) -> Ids {
        let mut ids = Ids::new();
        let known = Addresses::new(files).reading_only(of.iter().copied());
        for run in &execution.checks {
            let Some(check) = self.checks.iter().find(|check| check.name == run.check) else {
                continue;
            };
            let folder = check.settings.folder.as_str();
            for test in ids_of_check(run) {
                let Some(Address { file: Some(file), path, parameter }) =
                    known.address(run.framework, folder, test)
                else {
                    continue;
                };
                if of.contains(file.as_str()) {
                    let id = TestId { check: run.check.clone(), test: test.to_owned() };
                    ids.entry((file, path)).or_default().push((id, parameter));
                }
            }
        }
        ids
    }
}

struct Comparison<'square> {
    old: &'square [Outlined],
    new: &'square [Outlined],
    now: &'square Ids,
    run: BTreeSet<TestId>,
    /// Old tests and the new ones that they became.
    matched: &'square [Matched],
    weaker: Vec<(Matched, Weakening)>,
    /// What code got another name, and which.
    renames: &'square BTreeMap<String, String>,
}

impl Comparison<'_> {
    /// What became of the cases of a test.
    fn edits(
        &self,
        cases: &[Case],
        file: &Outlined,
        test: &TestItem,
        pair: Option<Matched>,
    ) -> Vec<TestEdit> {
        let Some((pair, new_file, new_test)) = pair.and_then(|pair| self.counterpart(pair)) else {
            let parts = if cases.is_empty() { Vec::new() } else { self.parts(test) };
            return cases.iter().map(|(id, _)| self.without(id, file, test, &parts)).collect();
        };
        let all = self.cases((new_file.path.clone(), new_test.path.clone()));
        let became = cases::paired((cases, &test.parameters), (&all, &new_test.parameters));
        let weaker = self.weaker(pair, new_test);
        let follows = follows_rename(test, new_test, self.renames);
        let edit = |((id, _), became): (&Case, Vec<usize>)| {
            let became = became.iter().filter_map(|at| all.get(*at));
            let mut new: Vec<TestId> = became.map(|(id, _)| id.clone()).collect();
            // With fewer cases than there were, this one is gone.
            if new.is_empty() && all.len() >= cases.len() {
                new = all.iter().map(|(id, _)| id.clone()).collect();
            }
            // Another case may have its id now.
            if new.is_empty() && !all.iter().any(|(other, _)| other == id) {
                new.extend(self.run.get(id).cloned());
            }
            TestEdit {
                old: id.clone(),
                new,
                why: pair.why,
                same: test.shape == new_test.shape,
                follows_rename: follows,
                weaker: weaker.clone(),
                file: new_file.path.clone(),
                line: new_test.line,
                before: test.text.clone(),
                after: new_test.text.clone(),
                change: change(test, Some(new_test)),
            }
        };
        cases.iter().zip(became).map(edit).collect()
    }

    /// A case of a test that no new one is known to be, but for those that ask the same in parts.
    fn without(&self, id: &TestId, file: &Outlined, test: &TestItem, parts: &[TestId]) -> TestEdit {
        let (new, why) = match parts.is_empty() {
            true => (self.run.get(id).cloned().into_iter().collect(), MatchReason::SamePlace),
            false => (parts.to_vec(), MatchReason::Split),
        };
        TestEdit {
            old: id.clone(),
            new,
            why,
            same: false,
            follows_rename: false,
            weaker: Vec::new(),
            file: file.path.clone(),
            line: test.line,
            before: test.text.clone(),
            after: String::new(),
            change: change(test, None),
        }
    }

    /// The ids of a test; where it only makes others while it runs, of those.
    fn cases(&self, place: TestPath) -> Vec<Case> {
        if let Some(cases) = self.now.get(&place) {
            return cases.clone();
        }
        let (file, path) = place.clone();
        let below = self.now.range(place..);
        below
            .take_while(|((of, below), _)| *of == file && below.starts_with(&path))
            .flat_map(|(_, cases)| cases.clone())
            .collect()
    }

    /// The new tests that together ask all that an old one asked; none where something is missing.
    fn parts(&self, old: &TestItem) -> Vec<TestId> {
        let cases = |(file, index): (usize, usize)| {
            let file = self.new.get(file)?;
            let test = file.outline.tests.get(index)?;
            self.now.get(&(file.path.clone(), test.path.clone()))
        };
        let ran = |part| cases(part).is_some();
        let parts = parts_of(old, (self.old, self.new), self.matched, ran);
        let ids = parts.into_iter().filter_map(cases).flatten();
        ids.map(|(id, _)| id.clone()).collect()
    }

    fn counterpart(&self, pair: Matched) -> Option<(Matched, &Outlined, &TestItem)> {
        let file = self.new.get(pair.new.0)?;
        Some((pair, file, file.outline.tests.get(pair.new.1)?))
    }

    fn weaker(&self, pair: Matched, now: &TestItem) -> Vec<WeakerAssertion> {
        let live = |test: &TestItem| {
            test.assertions.iter().any(|it| it.reachable && it.strength != Strength::Vacuous)
        };
        let was = self.old.get(pair.old.0).and_then(|file| file.outline.tests.get(pair.old.1));
        let emptied = was.is_some_and(live) && !live(now);
        let found = self.weaker.iter().filter(|(of, _)| *of == pair);
        found
            .filter_map(|(_, weakening)| {
                Some(WeakerAssertion {
                    what: what(weakening.kind)?.to_owned(),
                    emptied,
                    line: Some(weakening.line),
                    before: weakening.before.clone(),
                    after: weakening.after.clone(),
                })
            })
            .collect()
    }
}

/// A weakening in words; none for what running the test shows better.
fn what(kind: WeakeningKind) -> Option<&'static str> {
    match kind {
        WeakeningKind::AssertionsRemoved => Some("assertions were removed"),
        WeakeningKind::Vacuous => Some("an assertion is now true whatever the code does"),
        WeakeningKind::Unreachable => Some("an assertion is no longer reached"),
        WeakeningKind::Looser => Some("an assertion now accepts more than before"),
        WeakeningKind::CasesRemoved => Some("cases were removed"),
        WeakeningKind::Guarded => Some("it now asserts only under a condition"),
        // Where it fails, it is hidden; where it passes, nobody would hear of it any more.
        WeakeningKind::ExpectedFailure => Some("it is now allowed to fail"),
        WeakeningKind::Skipped => None,
    }
}

fn ids_of_check(run: &redgreen_model::execution::CheckRun) -> impl Iterator<Item = &str> {
    let ended = run.report.tests.iter().map(|test| test.id.as_str());
    ended.chain(run.report.unfinished.iter().map(String::as_str))
}

pub(crate) fn ids_of(execution: &Execution) -> BTreeSet<TestId> {
    let of_check = |run: &'_ redgreen_model::execution::CheckRun| {
        let check = run.check.clone();
        ids_of_check(run)
            .map(|test| TestId { check: check.clone(), test: test.to_owned() })
            .collect::<Vec<_>>()
    };
    execution.checks.iter().flat_map(of_check).collect()
}
