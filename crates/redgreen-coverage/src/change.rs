//! What a change does, statement by statement, and which of it ran.
//!
//! Two versions are compared by their statements and not by their lines: what is only laid out anew, commented,
//! moved to another function or to another file is no change. Of a language that is not read a line is a statement, if
//! somebody counted it.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use redgreen_model::coverage::{ChangedFunction, ChangedStatement, Coverage, FileCoverage};
use redgreen_model::digest::small_digest;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_syntax::{Function, Statement, Statements, language_of, outline, statements};

use crate::exclusions::Exclusions;
use crate::same::same;

/// How many tests that come near are named.
const NEAR_MAX: usize = 3;
/// What a tool for coverage is told to leave out, by its comment or attribute.
pub(crate) const MARKS: &[&str] = &[
    "pragma: no cover",
    "istanbul ignore",
    "c8 ignore",
    "v8 ignore",
    "node:coverage ignore",
    "coverage(off)",
    "LCOV_EXCL",
    "GCOV_EXCL",
    ":nocov:",
    "NOCOVER",
];

/// How a statement begins that ends in an error.
const REFUSALS: &[&str] = &["raise", "throw ", "panic (", "panic ! (", "assert_never ("];

/// A file of code before and after a change.
#[derive(Clone, Copy, Debug)]
pub struct Version<'text> {
    /// Its path, from the root of the work tree.
    pub path: &'text str,
    /// Its text before; none where it was not there.
    pub old: Option<&'text str>,
    /// Its text now; none where it is gone.
    pub new: Option<&'text str>,
}

/// What changed, function by function, in the order of the files. A function in which nothing changed is not named, nor is
/// what the project leaves out of all it counts.
pub fn changed_functions(
    versions: &[Version<'_>],
    coverage: &Coverage,
    exclusions: &Exclusions,
) -> Vec<ChangedFunction> {
    let is_read = |version: &&Version<'_>| {
        language_of(version.path).is_some() || coverage.files.contains_key(version.path)
    };
    let mut read: Vec<ReadVersion<'_>> = versions
        .iter()
        .filter(is_read)
        .filter(|version| !exclusions.has_file(version.path))
        .map(|version| ReadVersion::of(version, exclusions))
        .collect();
    let mut gone: BTreeMap<String, usize> = BTreeMap::new();
    for version in &mut read {
        for text in version.compare() {
            *gone.entry(text).or_default() += 1;
        }
    }
    let mut known: BTreeSet<String> = BTreeSet::new();
    for version in &mut read {
        version.changed.retain(|at| !take(&mut gone, &version.new.all[*at].text));
        known.extend(version.old.functions.iter().map(|function| function.name.clone()));
    }
    read.iter().flat_map(|version| version.functions(&known, coverage)).collect()
}

/// Whether there is one more of these.
fn take(pool: &mut BTreeMap<String, usize>, text: &str) -> bool {
    match pool.get_mut(text).filter(|left| **left > 0) {
        Some(left) => {
            *left -= 1;
            true
        }
        None => false,
    }
}

struct ReadVersion<'text> {
    version: &'text Version<'text>,
    old: Statements,
    new: Statements,
    /// Statements of the new text that are not in the old one, as indices.
    changed: Vec<usize>,
}

impl<'text> ReadVersion<'text> {
    fn of(version: &'text Version<'text>, exclusions: &Exclusions) -> Self {
        let read =
            |text: Option<&str>| text.map(|text| read(version.path, text)).unwrap_or_default();
        let (old, mut new) = (read(version.old), read(version.new));
        exempt_marked(&mut new, version);
        exempt_excluded(&mut new, version, exclusions);
        Self { version, old, new, changed: Vec::new() }
    }

    /// Finds what changed, and gives what is gone.
    fn compare(&mut self) -> Vec<String> {
        let matched = same(&keys(&self.old), &keys(&self.new));
        let stays: BTreeSet<usize> = matched.iter().flatten().copied().collect();
        let not_there = (0..).zip(&matched).filter(|(_, old)| old.is_none());
        self.changed = not_there.map(|(at, _)| at).collect();
        let gone = (0..).zip(&self.old.all).filter(|(at, _)| !stays.contains(at));
        gone.map(|(_, statement)| statement.text.clone()).collect()
    }

    fn functions(&self, known: &BTreeSet<String>, coverage: &Coverage) -> Vec<ChangedFunction> {
        let mut by_function: BTreeMap<Option<usize>, Vec<&Statement>> = BTreeMap::new();
        for statement in self.changed.iter().map(|at| &self.new.all[*at]) {
            if !statement.exempt {
                by_function.entry(statement.function).or_default().push(statement);
            }
        }
        let seen = coverage.files.get(self.version.path);
        let functions = by_function.into_iter().map(|(function, statements)| {
            let named = function.map(|at| &self.new.functions[at]);
            let is_new = named.map_or(self.version.old.is_none(), |it| !known.contains(&it.name));
            ChangedFunction {
                file: self.version.path.to_owned(),
                function: named.map(|it| it.name.clone()).unwrap_or_default(),
                line: named.map_or(0, |it| it.first),
                is_new,
                mutants: Vec::new(),
                // What stands outside of functions runs when the file is loaded, but for what is there for other
                // platforms, versions and packages.
                untested_before: !is_new
                    && seen.is_some_and(|seen| {
                        let outside =
                            function.is_none() && language_of(self.version.path).is_some();
                        outside || self.runs_nothing(function, seen)
                    }),
                change: change_of(self.version.path, named, &statements),
                near: seen.map(|seen| near(seen, &statements)).unwrap_or_default(),
                statements: statements.iter().map(|it| self.statement(it, seen)).collect(),
            }
        });
        functions.collect()
    }

    /// Whether nothing of a function ran at all, or of a file, for what stands outside of its functions.
    fn runs_nothing(&self, function: Option<usize>, seen: &FileCoverage) -> bool {
        let of_it = |it: &&Statement| function.is_none() || it.function == function;
        !self.new.all.iter().filter(of_it).any(|it| ran(it, seen) == Some(true))
    }

    fn statement(&self, statement: &Statement, seen: Option<&FileCoverage>) -> ChangedStatement {
        let mut lines = self.version.new.unwrap_or_default().lines();
        let text = lines.nth(statement.first as usize - 1).unwrap_or_default();
        ChangedStatement {
            first: statement.first,
            last: statement.last,
            column: statement.column,
            text: clean_line(text.trim(), LINE_CHARS),
            // A file that was asked for and was never loaded ran nothing.
            ran: seen.and_then(|seen| match seen.lines.is_empty() && seen.points.is_empty() {
                true => Some(false),
                false => ran(statement, seen),
            }),
        }
    }
}

fn ran(statement: &Statement, seen: &FileCoverage) -> Option<bool> {
    seen.ran_from((statement.first, statement.column), statement.last)
}

/// The statements of a file of code: without its tests.
fn read(path: &str, text: &str) -> Statements {
    let Some(language) = language_of(path) else { return lines(text) };
    let mut found = statements(language, text);
    let tests = outline(language, text).tests;
    found
        .all
        .retain(|it| !tests.iter().any(|test| (test.line..=test.end_line).contains(&it.first)));
    found
}

/// Of a language that is not read: every line that is not blank.
fn lines(text: &str) -> Statements {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let statement = |(number, line): (u32, &str)| Statement {
        first: number,
        last: number,
        end: number,
        column: 0,
        text: line.split_whitespace().collect::<Vec<_>>().join(" "),
        function: None,
        exempt: false,
    };
    Statements { all: lines.map(statement).collect(), functions: Vec::new() }
}

/// What a statement is compared by: itself in its function.
fn keys(found: &Statements) -> Vec<(&str, &str)> {
    let function = |it: &Statement| it.function.map_or("", |at| found.functions[at].name.as_str());
    found.all.iter().map(|it| (function(it), it.text.as_str())).collect()
}

/// What was marked as left out before the change stays so. Of the marks that the change brings only those count that stand
/// at what refuses and does nothing else.
fn exempt_marked(found: &mut Statements, version: &Version<'_>) {
    let Some(new) = version.new else { return };
    let marked = |line: &str| MARKS.iter().any(|mark| line.contains(mark));
    let old = version.old.unwrap_or_default().lines();
    let before: BTreeSet<&str> = old.filter(|line| marked(line)).map(str::trim).collect();
    let lines = (1_u32..).zip(new.lines()).filter(|(_, line)| marked(line));
    let (known, brought): (Vec<_>, Vec<_>) =
        lines.partition(|(_, line)| before.contains(line.trim()));
    // A mark stands in the line, or alone in the one before.
    if !known.is_empty() {
        exempt(found, |first, last| {
            known.iter().any(|(mark, _)| (first.saturating_sub(1)..=last).contains(mark))
        });
    }
    let is_alone = |line: &str| line.trim_start().starts_with(['#', '/', '*']);
    let is_marked = |it: &Statement| {
        brought.iter().any(|(mark, line)| {
            (it.first..=it.last).contains(mark) || (mark + 1 == it.first && is_alone(line))
        })
    };
    let refusals: Vec<(u32, u32)> = found
        .all
        .iter()
        .filter(|it| is_marked(it) && only_refuses(found, it))
        .map(|it| (it.first, it.end))
        .collect();
    hide(found, &refusals);
}

/// Whether a statement and all that it holds end in an error: a defensive branch, which no test can reach where it is right.
fn only_refuses(found: &Statements, statement: &Statement) -> bool {
    let inner = |it: &&Statement| (statement.first..=statement.end).contains(&it.first);
    let held: Vec<&Statement> = found.all.iter().filter(inner).collect();
    let refuses = |it: &&Statement| REFUSALS.iter().any(|word| it.text.starts_with(word));
    match held.as_slice() {
        [only] => refuses(only),
        [head, rest @ ..] => *head == statement && rest.iter().all(refuses),
        [] => false,
    }
}

/// What the project's own configuration leaves out by its lines, with all that such a line begins.
fn exempt_excluded(found: &mut Statements, version: &Version<'_>, exclusions: &Exclusions) {
    let Some(new) = version.new.filter(|_| exclusions.has_lines()) else { return };
    let lines = (1_u32..).zip(new.lines());
    let hidden: Vec<u32> = lines
        .filter(|(_, line)| exclusions.has_line(version.path, line))
        .map(|(number, _)| number)
        .collect();
    exempt(found, |first, last| hidden.iter().any(|line| (first..=last).contains(line)));
}

/// Nobody expects a test to run what begins on such lines.
fn exempt(found: &mut Statements, is_marked: impl Fn(u32, u32) -> bool) {
    let of_functions = found.functions.iter().map(|it: &Function| (it.first, it.first, it.last));
    let of_statements = found.all.iter().map(|it| (it.first, it.last, it.end));
    let hidden: Vec<(u32, u32)> = of_functions
        .chain(of_statements)
        .filter(|(first, last, _)| is_marked(*first, *last))
        .map(|(first, _, end)| (first, end))
        .collect();
    hide(found, &hidden);
}

/// Exempts what begins in these lines.
fn hide(found: &mut Statements, hidden: &[(u32, u32)]) {
    for statement in &mut found.all {
        statement.exempt |=
            hidden.iter().any(|(first, end)| (*first..=*end).contains(&statement.first));
    }
}

/// Identifies what changed in a function.
fn change_of(path: &str, function: Option<&Function>, statements: &[&Statement]) -> String {
    let name = function.map_or("", |function| function.name.as_str());
    let parts = [path, name].into_iter().chain(statements.iter().map(|it| it.text.as_str()));
    format!("{:08x}", small_digest(parts.flat_map(|part| part.bytes().chain([0]))))
}

/// The tests that run what stands nearest.
fn near(seen: &FileCoverage, statements: &[&Statement]) -> Vec<String> {
    let Some(first) = statements.first().map(|statement| statement.first) else {
        return Vec::new();
    };
    let mut lines: Vec<(&u32, &Vec<String>)> = seen.tests.iter().collect();
    lines.sort_by_key(|(line, _)| line.abs_diff(first));
    let mut near: Vec<String> = Vec::new();
    for test in lines.into_iter().flat_map(|(_, tests)| tests) {
        if near.len() < NEAR_MAX && !near.contains(test) {
            near.push(test.clone());
        }
    }
    near
}
