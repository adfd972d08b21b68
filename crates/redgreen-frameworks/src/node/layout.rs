//! Where the parts of a text that ran stand in the files that it was made from.

use std::collections::BTreeMap;

use redgreen_coverage::FileCoverage;
use redgreen_model::coverage::Point;

use super::source_map::SourceMap;
use crate::collect::CoverageMaterial;

/// A text that ran.
pub(super) struct Script<'run> {
    /// The asked file that it was loaded as, or else its own path.
    pub(super) path: &'run str,
    /// How much stands before the text of the file, where that is known.
    pub(super) before: Option<usize>,
    pub(super) text: &'run str,
    pub(super) map: Option<&'run SourceMap>,
    pub(super) material: &'run CoverageMaterial<'run>,
}

/// How often the parts of a text ran, by their offsets in units of UTF-16: `(first, end, count)`. A part of a part
/// comes after it.
type Ranges = [(usize, usize, u64)];

/// What a text is of the files that were asked for.
pub(super) enum Layout {
    /// A file as it is, with this much before it.
    Same { path: String, before: usize, lines: Lines },
    /// Made from files.
    Mapped(Vec<Mapped>),
    /// Changed, but for its lines: where each begins.
    ByLine { path: String, begins: Vec<(u32, usize)> },
    /// Nothing tells.
    Unknown,
}

/// A file that a text was made from.
pub(super) struct Mapped {
    path: String,
    /// From which offset of the text on what was made from which place: line from 1, column in bytes.
    places: Vec<(usize, (u32, u32))>,
}

impl Layout {
    pub(super) fn of(script: &Script<'_>) -> Self {
        let asked = script.material.asked.iter().any(|path| path == script.path);
        let source = if asked { (script.material.source)(script.path) } else { None };
        let source = source.as_deref().map(|it| it.strip_prefix('\u{feff}').unwrap_or(it));
        if let Some((source, before)) = source.and_then(|it| Some((it, before(script.text, it)?))) {
            return Self::Same { path: script.path.to_owned(), before, lines: Lines::of(source) };
        }
        if let Some(map) = script.map.filter(|map| !map.sectioned) {
            return Self::Mapped(mapped(script, map));
        }
        match source {
            Some(source) if source.lines().count() == code_lines(script.text) => {
                Self::ByLine { path: script.path.to_owned(), begins: begins(script.text, source) }
            }
            _ => Self::Unknown,
        }
    }

    /// What ran of each file, or why that cannot be told.
    pub(super) fn seen(
        &self,
        ranges: &Ranges,
    ) -> Result<Vec<(String, FileCoverage)>, &'static str> {
        let counts = Counts::of(ranges);
        match self {
            Self::Same { path, before, lines } => {
                let inside = counts.0.iter().filter(|(offset, _)| offset > before);
                let inside = inside.map(|(offset, hits)| (lines.place(offset - before), *hits));
                let points = [((1, 0), counts.at(*before))].into_iter().chain(inside);
                Ok(vec![(path.clone(), with_points(points))])
            }
            Self::Mapped(files) => {
                let points = |file: &Mapped| {
                    let places = file.places.iter();
                    with_points(places.map(|(offset, place)| (*place, counts.at(*offset))))
                };
                Ok(files.iter().map(|file| (file.path.clone(), points(file))).collect())
            }
            Self::ByLine { path, begins } => {
                let mut file = FileCoverage::default();
                begins.iter().for_each(|(line, offset)| file.saw(*line, counts.at(*offset)));
                Ok(vec![(path.clone(), file)])
            }
            Self::Unknown => Err("it was changed before it ran, and no source map tells how"),
        }
    }
}

/// From each offset on, how often what stands there ran.
struct Counts(Vec<(usize, u64)>);

impl Counts {
    fn of(ranges: &Ranges) -> Self {
        let mut sorted = ranges.to_vec();
        sorted.sort_by_key(|(first, end, _)| (*first, std::cmp::Reverse(*end)));
        let mut counts: Vec<(usize, u64)> = Vec::new();
        let mut open: Vec<(usize, u64)> = Vec::new();
        // Of what begins at one place the innermost holds, and it comes last.
        let begin = |counts: &mut Vec<(usize, u64)>, offset: usize, count: u64| {
            counts.pop_if(|(known, _)| *known == offset);
            counts.push((offset, count));
        };
        for (first, end, count) in sorted.into_iter().chain([(usize::MAX, usize::MAX, 0)]) {
            while let Some((end, _)) = open.pop_if(|(end, _)| *end <= first) {
                begin(&mut counts, end, open.last().map_or(0, |(_, count)| *count));
            }
            begin(&mut counts, first, count);
            open.push((end, count));
        }
        Self(counts)
    }

    fn at(&self, offset: usize) -> u64 {
        let next = self.0.partition_point(|(first, _)| *first <= offset);
        next.checked_sub(1).and_then(|at| self.0.get(at)).map_or(0, |(_, hits)| *hits)
    }
}

/// A file in which these places ran so often; at the same place the highest count is true.
fn with_points(places: impl Iterator<Item = ((u32, u32), u64)>) -> FileCoverage {
    let mut hits_at: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for (place, hits) in places {
        let known = hits_at.entry(place).or_default();
        *known = hits.max(*known);
    }
    let point = |((line, column), hits)| Point { line, column, hits };
    FileCoverage { points: hits_at.into_iter().map(point).collect(), ..FileCoverage::default() }
}

/// How much stands before the source in a text, if it is there as it is: in the same line.
fn before(text: &str, source: &str) -> Option<usize> {
    let at = if source.trim().is_empty() { None } else { text.find(source) };
    at.map(|at| &text[..at]).filter(|head| !head.contains('\n')).map(units)
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// What is put around a module when it is compiled by its text.
fn wrapper(text: &str) -> usize {
    const HEADS: [(&str, &str); 3] = [
        ("({\"Object.<anonymous>\":function(", "){"),
        ("'use strict';async (", ")=>{{"),
        ("(function (exports, require, module, __filename, __dirname", ") { "),
    ];
    let first = text.lines().next().unwrap_or_default();
    let head = HEADS.iter().find(|(begin, _)| first.starts_with(begin));
    let end = head.and_then(|(_, end)| Some(first.find(end)? + end.len()));
    end.map_or(0, |end| units(&first[..end]))
}

fn mapped(script: &Script<'_>, map: &SourceMap) -> Vec<Mapped> {
    let lines = Lines::of(script.text);
    let before = script.before.unwrap_or_else(|| wrapper(script.text));
    let asked = script.material.asked;
    let mut found: BTreeMap<usize, (Mapped, Lines)> = BTreeMap::new();
    for (at, file) in map.files(script.path, asked).into_iter().enumerate() {
        let Some((file, text)) =
            file.and_then(|it| Some((it, (script.material.source)(&asked[it])?)))
        else {
            continue;
        };
        let mapped = Mapped { path: asked[file].clone(), places: Vec::new() };
        found.insert(at, (mapped, Lines::of(&text)));
    }
    for segment in map.segments() {
        let Some((mapped, source)) = found.get_mut(&segment.source) else { continue };
        let column = segment.column + if segment.line == 0 { before } else { 0 };
        let offset = lines.offset(segment.line, column);
        let place = source.place(source.offset(segment.source_line, segment.source_column));
        mapped.places.push((offset, place));
    }
    let begun = found.into_values().map(|(mut mapped, source)| {
        mapped.begin_lines(&source);
        mapped
    });
    begun.collect()
}

impl Mapped {
    /// What a line begins with belongs to the first that is known of it: of `export const a = b()` a map may tell
    /// where the name comes from, and nothing before that.
    fn begin_lines(&mut self, source: &Lines) {
        let mut first: BTreeMap<u32, (u32, usize)> = BTreeMap::new();
        for (offset, (line, column)) in &self.places {
            let known = first.entry(*line).or_insert((*column, *offset));
            *known = (*known).min((*column, *offset));
        }
        for (line, (column, offset)) in first {
            let begin = source.indent(line);
            if begin < column {
                self.places.push((offset, (line, begin)));
            }
        }
    }
}

/// The lines of a text, for places in it.
pub(super) struct Lines {
    text: Vec<Line>,
}

/// A line: where it begins, in units of UTF-16, how many it has, and what that is in bytes where it is not the same.
struct Line {
    begin: usize,
    units: usize,
    indent: u32,
    /// For each unit the bytes before it; empty where all are of one byte.
    bytes: Vec<u32>,
}

impl Lines {
    fn of(text: &str) -> Self {
        let mut begin = 0;
        let line = |text: &str| {
            let line = Line::of(begin, text);
            begin += line.units;
            line
        };
        Self { text: text.split_inclusive('\n').map(line).collect() }
    }

    /// The offset of a place in a line that is counted from 0.
    fn offset(&self, line: usize, column: usize) -> usize {
        let Some(line) = self.text.get(line) else { return usize::MAX };
        line.begin + column.min(line.units)
    }

    /// The line from 1, and the bytes before the offset in it.
    fn place(&self, offset: usize) -> (u32, u32) {
        let next = self.text.partition_point(|line| line.begin <= offset);
        let Some(line) = next.checked_sub(1).and_then(|at| self.text.get(at)) else {
            return (1, 0);
        };
        let unit = offset - line.begin;
        let column = match line.bytes.is_empty() {
            true => u32::try_from(unit).unwrap_or(u32::MAX),
            false => line.bytes.get(unit).or(line.bytes.last()).copied().unwrap_or_default(),
        };
        (u32::try_from(next).unwrap_or(u32::MAX), column)
    }

    /// The bytes before what stands first in a line.
    fn indent(&self, line: u32) -> u32 {
        self.text.get(line as usize - 1).map_or(0, |line| line.indent)
    }
}

impl Line {
    fn of(begin: usize, text: &str) -> Self {
        let indent = u32::try_from(text.len() - text.trim_start().len()).unwrap_or(u32::MAX);
        if text.is_ascii() {
            return Self { begin, units: text.len(), indent, bytes: Vec::new() };
        }
        let mut bytes = Vec::new();
        for (at, letter) in text.char_indices() {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            bytes.extend(std::iter::repeat_n(at, letter.len_utf16()));
        }
        let units = bytes.len();
        bytes.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
        Self { begin, units, indent, bytes }
    }
}

/// How many lines a text has without what says something about it at its end.
fn code_lines(text: &str) -> usize {
    let is_comment = |line: &&str| line.is_empty() || line.starts_with("//# source");
    let behind = text.lines().rev().take_while(is_comment).count();
    text.lines().count() - behind
}

/// Where each line of the source begins in the text, from 1.
fn begins(text: &str, source: &str) -> Vec<(u32, usize)> {
    let lines = Lines::of(text);
    let filled = (1..).zip(text.lines().zip(source.lines()));
    let filled = filled.filter(|(_, (line, _))| !line.trim().is_empty());
    let begin = |(number, _): (u32, (&str, &str))| {
        let line = lines.text.get(number as usize - 1)?;
        Some((number, line.begin + line.indent as usize))
    };
    filled.filter_map(begin).collect()
}
