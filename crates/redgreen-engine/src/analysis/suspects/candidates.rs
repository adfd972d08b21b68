//! What may be wrong: statements that the failing tests ran, what changed, and what the stack names.

use std::collections::{BTreeMap, BTreeSet};

use redgreen_model::coverage::{FileCoverage, RanStatement};
use redgreen_model::diff::{Kind, lines};
use redgreen_model::execution::Execution;
use redgreen_model::tree::{FileRole, LineRange};

use super::hints::words;
use crate::analysis::Evidence;

/// What a constant outside of functions has of the suspicion of those that use it.
const USED: f64 = 0.6;
/// The suspicion of a place of which nobody saw who ran it.
const UNSEEN: f64 = 0.5;
/// The same where others were seen, and this one did not run in the failing tests.
const NOT_RUN: f64 = 0.1;

/// Since when a place is as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// The attempt that was judged changed it.
    LastEdit,
    /// An earlier attempt did.
    Start,
    /// It was there before the work began.
    Never,
}

/// Which tests ran a place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    failing: u32,
    of: u32,
    /// None where it is not known how many.
    passing: Option<u32>,
    /// Whether passing tests ran it, too.
    pub(super) elsewhere: bool,
}

impl Seen {
    pub(super) fn in_words(&self) -> String {
        let failing = match (self.failing, self.of) {
            (1, 1) => "the failing test runs it".to_owned(),
            (failing, of) if failing == of => format!("all {of} failing tests run it"),
            (failing, of) => format!("{failing} of {of} failing tests run it"),
        };
        match self.passing {
            Some(0) => format!("{failing}, and no passing one"),
            Some(1) => format!("{failing}, and 1 passing one"),
            Some(passing) => format!("{failing}, and {passing} passing ones"),
            None => failing,
        }
    }
}

/// A place that may be wrong.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) file: String,
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) function: String,
    pub(crate) text: String,
    /// How much the failing tests tell it from the passing ones, from 0 to 1.
    pub(crate) spectrum: f64,
    pub(crate) seen: Option<Seen>,
    pub(crate) changed: Since,
}

impl Candidate {
    pub(crate) fn place(&self) -> (&str, u32) {
        (&self.file, self.first)
    }

    pub(crate) fn lines(&self) -> (u32, u32) {
        (self.first, self.last)
    }

    pub(crate) fn holds(&self, file: &str, line: u32) -> bool {
        self.file == file && (self.first..=self.last).contains(&line)
    }
}

/// All that may be wrong.
pub(crate) fn candidates(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut found = ran(evidence);
    weigh_constants(&mut found);
    add_changed(&mut found, evidence);
    add_frames(&mut found, evidence);
    add_turning(&mut found, evidence);
    found
}

/// What was counted of a file in all checks of an execution.
fn counted(execution: &Execution) -> BTreeMap<&str, FileCoverage> {
    let mut all: BTreeMap<&str, FileCoverage> = BTreeMap::new();
    let coverages = execution.checks.iter().filter_map(|run| run.coverage.as_ref());
    for (path, file) in coverages.flat_map(|coverage| &coverage.files) {
        let known = all.entry(path).or_default();
        known.merge(file);
        if known.statements.is_empty() {
            known.statements.clone_from(&file.statements);
            known.changed.clone_from(&file.changed);
        }
    }
    all
}

/// The statements that the failing tests ran, where they ran by themselves.
fn ran(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let Some(judged) = evidence.judged else { return Vec::new() };
    let (alone, all) = match &judged.confirm {
        Some(confirm) => (counted(confirm), counted(&judged.execution)),
        None if judged.is_first() => (counted(&judged.execution), BTreeMap::new()),
        None => return Vec::new(),
    };
    let red: BTreeSet<&str> =
        evidence.failures.iter().filter_map(|it| it.failure.test.as_deref()).collect();
    let mut found = Vec::new();
    for (path, file) in &alone {
        for statement in &file.statements {
            let whole = all.get(path);
            let Some((spectrum, seen)) = suspicion(statement, file, whole, &red) else { continue };
            let changed = since(evidence, path, (statement.first, statement.last), &file.changed);
            found.push(Candidate {
                file: (*path).to_owned(),
                first: statement.first,
                last: statement.last,
                function: statement.function.clone(),
                text: statement.text.clone(),
                spectrum,
                seen: Some(seen),
                changed,
            });
        }
    }
    found
}

/// Ochiai: how many of the failing tests ran it, against all that did.
fn suspicion(
    statement: &RanStatement,
    alone: &FileCoverage,
    whole: Option<&FileCoverage>,
    red: &BTreeSet<&str>,
) -> Option<(f64, Seen)> {
    let of = count(red.len());
    let tests = |file: &FileCoverage, wanted: bool| {
        let names = file.tests.range(statement.first..=statement.last).flat_map(|(_, tests)| tests);
        let names: BTreeSet<&String> =
            names.filter(|test| red.contains(test.as_str()) == wanted).collect();
        count(names.len())
    };
    // What stands outside of functions runs when it is loaded, in nobody's test.
    let is_inside = !statement.function.is_empty();
    let failing = if alone.tests.is_empty() || !is_inside { of } else { tests(alone, true) };
    if failing == 0 {
        return None;
    }
    let share = f64::from(failing) / f64::from(of.max(1));
    let Some(whole) = whole else {
        return Some((share.sqrt(), Seen { failing, of, passing: None, elsewhere: false }));
    };
    if !whole.tests.is_empty() {
        let passing = tests(whole, false);
        let ochiai = f64::from(failing) / (f64::from(of) * f64::from(failing + passing)).sqrt();
        return Some((
            ochiai,
            Seen { failing, of, passing: Some(passing), elsewhere: passing > 0 },
        ));
    }
    // Who ran it is not known, but how often: by the failing tests alone, and by all.
    let at = (statement.first, statement.column);
    #[expect(clippy::cast_precision_loss, reason = "only their ratio counts")]
    let hits = |file: &FileCoverage| file.hits_from(at, statement.last).unwrap_or_default() as f64;
    let (by_failing, by_all) = (hits(alone), hits(whole));
    let theirs = if by_all > by_failing { by_failing / by_all } else { 1.0 };
    let passing = if theirs < 1.0 { None } else { Some(0) };
    Some(((share * theirs).sqrt(), Seen { failing, of, passing, elsewhere: theirs < 1.0 }))
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Since when some lines are as they are.
fn since(
    evidence: &Evidence<'_>,
    path: &str,
    (first, last): (u32, u32),
    since_start: &[LineRange],
) -> Since {
    let touches = |hunk: &LineRange| hunk.touches(first, last);
    let hunks = evidence.changes.iter().filter(|change| change.path == path);
    if hunks.flat_map(|change| &change.hunks).any(touches) {
        Since::LastEdit
    } else if since_start.iter().any(touches) {
        Since::Start
    } else {
        Since::Never
    }
}

/// What runs outside of all functions is suspected as far as what uses it is.
fn weigh_constants(found: &mut Vec<Candidate>) {
    let (outside, inside): (Vec<Candidate>, Vec<Candidate>) =
        std::mem::take(found).into_iter().partition(|candidate| candidate.function.is_empty());
    let used = outside.into_iter().filter_map(|constant| {
        let name = defined(&constant.text)?;
        let users = inside.iter().filter(|user| words(&user.text).any(|word| word == name));
        let spectrum = users.map(|user| user.spectrum).max_by(f64::total_cmp)? * USED;
        Some(Candidate { spectrum, seen: None, ..constant })
    });
    *found = used.collect();
    found.extend(inside);
}

/// The name that a statement gives something.
fn defined(text: &str) -> Option<&str> {
    const BEFORE: &[&str] = &["const", "let", "var", "static", "pub", "export", "mut", "final"];
    let head = text.split('=').next().filter(|head| head.len() < text.len())?;
    words(head).find(|word| !BEFORE.contains(word))
}

/// What the attempt changed in files of which nobody saw the failing tests run anything.
fn add_changed(found: &mut Vec<Candidate>, evidence: &Evidence<'_>) {
    let known: BTreeSet<String> = found.iter().map(|it| it.file.clone()).collect();
    let spectrum = if found.is_empty() { UNSEEN } else { NOT_RUN };
    let is_code = |path: &str| {
        let change = evidence.changes.iter().find(|change| change.path == path);
        change.is_some_and(|change| change.role == FileRole::Code)
    };
    let added = lines(evidence.diff).into_iter().filter(|line| line.kind == Kind::Added);
    for line in added.filter(|line| is_code(line.file) && !known.contains(line.file)) {
        let text = line.text.get(1..).unwrap_or_default().trim();
        if line.new == 0 || words(text).next().is_none() {
            continue;
        }
        found.push(Candidate {
            file: line.file.to_owned(),
            first: line.new,
            last: line.new,
            function: String::new(),
            text: text.to_owned(),
            spectrum,
            seen: None,
            changed: Since::LastEdit,
        });
    }
}

/// The parts of the change that turn tests red, where nothing is known of what ran there.
fn add_turning(found: &mut Vec<Candidate>, evidence: &Evidence<'_>) {
    for part in evidence.turning().iter().flat_map(|turning| &turning.parts) {
        let is_there =
            |it: &Candidate| it.file == part.file && part.lines.touches(it.first, it.last);
        if found.iter().any(is_there) {
            continue;
        }
        found.push(Candidate {
            file: part.file.clone(),
            first: part.lines.start,
            last: part.lines.start + part.lines.count.saturating_sub(1),
            function: String::new(),
            text: String::new(),
            spectrum: UNSEEN,
            seen: None,
            changed: Since::LastEdit,
        });
    }
}

/// What the stack names in code, wherever that is.
fn add_frames(found: &mut Vec<Candidate>, evidence: &Evidence<'_>) {
    for failure in evidence.failures.iter().map(|it| &it.failure) {
        let own =
            failure.frames.iter().chain(failure.location.iter().filter(|_| !failure.in_tests));
        for place in own.filter(|place| !evidence.is_test(&place.file)) {
            let Some(line) = place.line else { continue };
            if found.iter().any(|it| it.holds(&place.file, line)) {
                continue;
            }
            found.push(Candidate {
                file: place.file.clone(),
                first: line,
                last: line,
                function: place.function.clone().unwrap_or_default(),
                text: String::new(),
                spectrum: UNSEEN,
                seen: None,
                changed: since(evidence, &place.file, (line, line), &[]),
            });
        }
    }
}
