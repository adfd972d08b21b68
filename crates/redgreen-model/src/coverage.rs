//! Which lines ran, and what of a change no test runs.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mutants::{MutantFigures, MutantKind, TriedMutant};
use crate::square::Declaration;
use crate::tree::LineRange;
use crate::workflow::CodeType;

/// What ran in each file, by its path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// The files. One that is here without a line was asked for, and nothing in it ran.
    pub files: BTreeMap<String, FileCoverage>,
    /// Why some file could not be measured, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// The lines of a file that can run. A line that is not here executes nothing, by what measured it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileCoverage {
    /// How often each ran, from line 1.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", with = "pairs")]
    #[schemars(with = "Vec<(u32, u64)>")]
    pub lines: BTreeMap<u32, u64>,
    /// From each of these places on, up to the next: how often that ran. Where there are any, they say more
    /// than the lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<Point>,
    /// Who ran each line, where that is known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", with = "pairs")]
    #[schemars(with = "Vec<(u32, Vec<String>)>")]
    pub tests: BTreeMap<u32, Vec<String>>,
    /// The statements that ran, where somebody has to find the one that is wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<RanStatement>,
    /// Which lines differ from those before the work began, where somebody has to find the one that is wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<LineRange>,
    /// The line at which it cannot be read any more, where somebody has to find that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<u32>,
}

/// A statement that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RanStatement {
    /// Its first line.
    pub first: u32,
    /// The last line of its own, without what it holds.
    pub last: u32,
    /// Where it begins in its first line, in bytes.
    pub column: u32,
    /// The function that it stands in; empty outside of all.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub function: String,
    /// Its text, bounded.
    pub text: String,
}

/// Maps as lists of pairs: the keys of JSON's objects are texts, and not every reader makes numbers of them again.
mod pairs {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<V: Serialize, S: Serializer>(
        map: &BTreeMap<u32, V>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(map)
    }

    pub(super) fn deserialize<'de, V: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<u32, V>, D::Error> {
        Ok(Vec::<(u32, V)>::deserialize(deserializer)?.into_iter().collect())
    }
}

/// A place in a source, and how often what begins there ran.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct Point {
    /// The line, from 1.
    pub line: u32,
    /// The bytes before it in its line.
    pub column: u32,
    /// How often it ran.
    pub hits: u64,
}

impl Coverage {
    /// Takes in what another report saw: a line ran if it ran in one of them.
    pub fn merge(&mut self, other: Self) {
        for (path, file) in other.files {
            self.files.entry(path).or_default().merge(&file);
        }
        for problem in other.problems {
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
    }
}

impl FileCoverage {
    /// The same for one file. Of two reports with places the one that saw more run speaks for each statement; one with
    /// lines alone speaks for the places on a line of which nothing ran before.
    pub fn merge(&mut self, other: &Self) {
        if other.points.is_empty() {
            let Self { lines, points, .. } = self;
            let idle = points.iter_mut().filter(|it| lines.get(&it.line).is_none_or(|it| *it == 0));
            for point in idle {
                point.hits =
                    point.hits.max(other.lines.get(&point.line).copied().unwrap_or_default());
            }
        }
        for (line, hits) in &other.lines {
            self.saw(*line, *hits);
        }
        for (line, tests) in &other.tests {
            let known = self.tests.entry(*line).or_default();
            known.extend(
                tests.iter().filter(|test| !known.contains(test)).cloned().collect::<Vec<_>>(),
            );
        }
        self.points = together(&self.points, &other.points);
    }

    /// Takes in what one report says of a line: the highest count is true.
    pub fn saw(&mut self, line: u32, hits: u64) {
        let known = self.lines.entry(line).or_default();
        *known = (*known).max(hits);
    }

    /// Whether anything in it ran.
    pub fn ran_at_all(&self) -> bool {
        self.lines.values().any(|hits| *hits > 0) || self.points.iter().any(|point| point.hits > 0)
    }

    /// Whether a line ran; none where it cannot run.
    pub fn ran(&self, line: u32) -> Option<bool> {
        self.lines.get(&line).map(|hits| *hits > 0)
    }

    /// Whether what begins at a place and takes these lines ran; none where nothing in it can run.
    pub fn ran_from(&self, place: (u32, u32), last: u32) -> Option<bool> {
        self.hits_from(place, last).map(|hits| hits > 0)
    }

    /// How often what begins at a place and takes these lines ran; none where nothing in it can run.
    pub fn hits_from(&self, (line, column): (u32, u32), last: u32) -> Option<u64> {
        let has_line = || self.lines.range(line..=last.max(line)).next().is_some();
        if !self.points.is_empty() {
            if !self.lines.is_empty() && !has_line() {
                return None;
            }
            let at =
                self.points.partition_point(|point| (point.line, point.column) <= (line, column));
            return self.points.get(at.checked_sub(1)?).map(|point| point.hits);
        }
        self.lines.range(line..=last.max(line)).map(|(_, hits)| *hits).max()
    }
}

/// Two lists of places as one: at each place the higher of the counts that hold there.
fn together(one: &[Point], other: &[Point]) -> Vec<Point> {
    if one.is_empty() || other.is_empty() {
        return if one.is_empty() { other.to_vec() } else { one.to_vec() };
    }
    let mut places: Vec<(u32, u32)> =
        one.iter().chain(other).map(|point| (point.line, point.column)).collect();
    places.sort_unstable();
    places.dedup();
    let holds = |points: &[Point], place: (u32, u32)| {
        let at = points.partition_point(|point| (point.line, point.column) <= place);
        at.checked_sub(1).and_then(|at| points.get(at)).map_or(0, |point| point.hits)
    };
    let points = places.into_iter().map(|place| Point {
        line: place.0,
        column: place.1,
        hits: holds(one, place).max(holds(other, place)),
    });
    points.collect()
}

/// A statement of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedStatement {
    /// Its first line in the new file.
    pub first: u32,
    /// Its last line.
    pub last: u32,
    /// Where it begins in its first line, in bytes.
    #[serde(default)]
    pub column: u32,
    /// Its text, bounded.
    pub text: String,
    /// Whether a test ran it; none where nobody measured it.
    pub ran: Option<bool>,
}

/// What changed in a function, or in a file outside of functions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedFunction {
    /// The file.
    pub file: String,
    /// The function; empty for what stands outside of all.
    pub function: String,
    /// The line where the function begins; 0 outside of all.
    #[serde(default)]
    pub line: u32,
    /// Whether there was no such function before.
    pub is_new: bool,
    /// The small edits of what changed that were tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mutants: Vec<TriedMutant>,
    /// Whether it was there before and no test runs anything of it, changed or not; or it is in a script beside the
    /// product, which none runs and no product code reaches.
    pub untested_before: bool,
    /// What changed in it.
    pub statements: Vec<ChangedStatement>,
    /// Identifies what changed: a declaration holds for exactly this.
    pub change: String,
    /// Tests that come nearest: they run something else of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
}

/// What was seen of a change's coverage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageFacts {
    /// What changed, function by function; what moved and what is only laid out anew is not here.
    pub functions: Vec<ChangedFunction>,
    /// Why some of it was not measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// A test that is there and comes nearest to what no test looks at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<ExampleTest>,
}

/// A test to follow the example of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExampleTest {
    /// Its file.
    pub file: String,
    /// Its source.
    pub text: String,
}

/// What the change was held to, and what it reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageFigures {
    /// The kind of change.
    pub kind: CodeType,
    /// Why it is taken for that; none where somebody said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived: Option<String>,
    /// The least that was asked for, in percent.
    pub threshold: u32,
    /// How many changed statements a test ran.
    pub covered: u64,
    /// How many were measured.
    pub measured: u64,
    /// How many nobody measured.
    pub unmeasured: u64,
    /// Whether it is enough.
    pub met: bool,
    /// The small edits that were tried.
    #[serde(default, skip_serializing_if = "MutantFigures::is_empty")]
    pub mutants: MutantFigures,
}

impl CoverageFigures {
    /// The part that ran, in percent, rounded down; none where nothing was measured.
    pub fn percent(&self) -> Option<u64> {
        (self.covered * 100).checked_div(self.measured)
    }
}

/// Changed statements that no test runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UntestedChange {
    /// How it is named in a declaration: `src/cart.py:12-14`.
    pub place: String,
    /// The file.
    pub file: String,
    /// The function; empty outside of all.
    pub function: String,
    /// Whether the function is new.
    pub is_new: bool,
    /// Where tests run it and none of them notices what it does: the edits that none of them notices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub survivors: Vec<TriedMutant>,
    /// What no test runs.
    pub statements: Vec<ChangedStatement>,
    /// Tests that come nearest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
    /// Which change a declaration must name.
    pub change: String,
    /// Who owns it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<Declaration>,
}

/// How many places and texts are named in one message.
const NAMED_MAX: usize = 5;
/// How many edits that no test notices are shown in one message.
const SURVIVORS_SHOWN_MAX: usize = 3;

impl UntestedChange {
    /// What it is, in one line.
    pub fn headline(&self) -> String {
        let what = match (self.function.as_str(), self.is_new) {
            ("", true) => format!("{} (new)", self.file),
            ("", false) => self.file.clone(),
            (function, true) => format!("{function} in {} (new)", self.file),
            (function, false) => format!("{function} in {}", self.file),
        };
        if self.is_hollow() {
            let nothing = self.survivors.iter().any(|it| it.kind == MutantKind::AtOnce);
            let otherwise = if nothing { "if it did nothing" } else { "if it did something else" };
            return format!(
                "untested change: {what}: tests run it, and all of them would pass {otherwise}"
            );
        }
        let lines = self.lines();
        let plural = if lines.contains(['-', ',']) { "s" } else { "" };
        format!("untested change: {what}: no test runs line{plural} {lines}")
    }

    /// Whether tests run it, and none of them notices what it does.
    pub fn is_hollow(&self) -> bool {
        !self.survivors.is_empty()
    }

    /// The edits that no test notices, as diffs.
    pub fn edits(&self) -> String {
        let shown = self.survivors.iter().take(SURVIVORS_SHOWN_MAX);
        let shown = shown.map(|it| format!("line {}\n{}", it.line, it.diff));
        shown.collect::<Vec<_>>().join("\n")
    }

    /// The lines that no test runs: `12, 14-16`.
    pub fn lines(&self) -> String {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for statement in &self.statements {
            match ranges.last_mut().filter(|(_, last)| statement.first <= *last + 1) {
                Some((_, last)) => *last = statement.last.max(*last),
                None => ranges.push((statement.first, statement.last)),
            }
        }
        let shown = ranges.iter().take(NAMED_MAX).map(|(first, last)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        });
        let more = ranges.len().saturating_sub(NAMED_MAX);
        let more = (more > 0).then(|| format!("and {more} more places"));
        shown.chain(more).collect::<Vec<_>>().join(", ")
    }

    /// What stands there, a statement a line.
    pub fn texts(&self) -> String {
        let shown = self.statements.iter().take(NAMED_MAX);
        let mut shown: Vec<String> = shown.map(|it| format!("{}: {}", it.first, it.text)).collect();
        let more = self.statements.len().saturating_sub(NAMED_MAX);
        if more > 0 {
            shown.push(format!("and {more} more"));
        }
        shown.join("\n")
    }
}

impl fmt::Display for CoverageFigures {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, threshold, covered, measured, unmeasured, mutants, .. } = self;
        match measured {
            0 => write!(formatter, "coverage of the change: not measured")?,
            _ => write!(
                formatter,
                "coverage of the change: {} % ({covered} of {measured} statements), at least {threshold} % for {kind}",
                self.percent().unwrap_or_default()
            )?,
        }
        if let Some(why) = &self.derived {
            write!(formatter, " ({why})")?;
        }
        if *measured > 0 && *unmeasured > 0 {
            write!(formatter, "; {unmeasured} not measured")?;
        }
        if mutants.survived > 0 {
            let MutantFigures { tried, survived } = mutants;
            write!(formatter, "; no test noticed {survived} of {tried} small edits")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(lines: &[(u32, u64)]) -> FileCoverage {
        FileCoverage { lines: lines.iter().copied().collect(), ..FileCoverage::default() }
    }

    fn points(points: &[(u32, u32, u64)]) -> FileCoverage {
        let point = |&(line, column, hits): &(u32, u32, u64)| Point { line, column, hits };
        FileCoverage { points: points.iter().map(point).collect(), ..FileCoverage::default() }
    }

    #[test]
    fn a_line_ran_if_it_ran_in_one_of_two_reports() {
        let mut both = Coverage::default();
        both.files.insert("a.py".into(), file(&[(1, 0), (2, 3)]));
        let other = [("a.py".into(), file(&[(1, 2), (2, 0), (4, 0)]))];
        both.merge(Coverage { files: other.into(), problems: Vec::new() });
        let merged = &both.files["a.py"];
        assert_eq!(merged, &file(&[(1, 2), (2, 3), (4, 0)]));
        assert_eq!([1, 4, 9].map(|line| merged.ran(line)), [Some(true), Some(false), None]);
    }

    #[test]
    fn what_was_counted_is_the_same_when_it_is_read_again() {
        let mut seen = file(&[(1, 0), (3, 2)]);
        seen.points.push(Point { line: 3, column: 4, hits: 2 });
        seen.tests.insert(3, vec!["one".into()]);
        // As in a journal, whose lines are flattened.
        #[derive(Serialize, Deserialize)]
        struct Line {
            #[serde(flatten)]
            coverage: Coverage,
        }
        let coverage = Coverage { files: [("a.py".into(), seen)].into(), problems: Vec::new() };
        let text = serde_json::to_string(&Line { coverage: coverage.clone() }).expect("JSON");
        let line: Line = serde_json::from_str(&text).expect("it was written so");
        assert_eq!(line.coverage, coverage);
    }

    #[test]
    fn a_statement_ran_if_one_of_its_lines_did() {
        let seen = file(&[(1, 0), (3, 2), (5, 0)]);
        let ran = |first, last| seen.ran_from((first, 0), last);
        assert_eq!(
            [ran(1, 1), ran(2, 3), ran(2, 2), ran(4, 5), ran(1, 5)],
            [Some(false), Some(true), None, Some(false), Some(true)]
        );
    }

    #[test]
    fn places_say_more_than_lines() {
        let seen = points(&[(1, 0, 1), (1, 10, 0), (1, 20, 1), (3, 0, 0)]);
        let ran = |line, column| seen.ran_from((line, column), line);
        assert_eq!(
            [ran(1, 4), ran(1, 10), ran(1, 25), ran(2, 0), ran(4, 0)],
            [Some(true), Some(false), Some(true), Some(true), Some(false)]
        );
        assert_eq!(points(&[(2, 0, 1)]).ran_from((1, 0), 1), None);
    }

    #[test]
    fn of_two_lists_of_places_the_higher_count_holds() {
        let mut one = points(&[(1, 0, 1), (2, 0, 0)]);
        one.merge(&points(&[(1, 0, 0), (1, 5, 3), (2, 4, 2)]));
        let expected = points(&[(1, 0, 1), (1, 5, 3), (2, 0, 3), (2, 4, 2)]);
        assert_eq!(one, expected);
    }
}
