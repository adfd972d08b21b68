//! LLVM's coverage map: for each function its parts in the source, and how to count each of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};

use md5::{Digest, Md5};
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use serde::{Deserialize, Serialize};

use super::counts::Counts;
use super::cursor::Cursor;

/// The versions of the map whose form this is, as they are written: rustc has written them since 1.60.
const VERSIONS: std::ops::RangeInclusive<u32> = 5..=6;
/// The most bytes that the names of a unit's files are unpacked to.
const NAMES_MAX: usize = 16 << 20;
/// Everything in the map begins at a multiple of this.
const ALIGNMENT: usize = 8;
/// In the last column, for what lies between parts.
const GAP: u32 = 1 << 31;
/// The deepest that sums of counters are nested: rustc's are flat.
const DEPTH_MAX: usize = 1_000;

/// A part of a source that runs as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Region {
    /// Its line and the bytes before it in the line.
    pub from: (u32, u32),
    /// Where it ends.
    pub to: (u32, u32),
    /// How often it ran.
    pub hits: u64,
}

/// What programs map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapped {
    /// The parts of the wanted files.
    pub regions: BTreeMap<String, Vec<Region>>,
    /// The files of all units that were read.
    pub files: BTreeSet<String>,
}

impl Mapped {
    /// Takes in the map of a program, by its two sections.
    pub(super) fn add(
        &mut self,
        (units, functions): (&[u8], &[u8]),
        wanted: &dyn Fn(&str) -> bool,
        counts: &Counts,
    ) -> Result<(), String> {
        let units = read_units(units)?;
        for function in all_functions(functions) {
            let (mut function, _) = function.ok_or_else(cut)?;
            let Some(files) = units.get(&function.unit) else { continue };
            let own = function.files(files).ok_or_else(cut)?;
            function.regions(&own, wanted, counts, &mut self.regions).ok_or_else(cut)?;
        }
        self.files.extend(units.into_values().flatten());
        Ok(())
    }
}

/// What the section of the functions says of those in wanted files.
pub(super) fn wanted_functions(
    units: &[u8],
    functions: &[u8],
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<u8>, String> {
    let units = read_units(units)?;
    let mut kept = Vec::new();
    for function in all_functions(functions) {
        let (mut function, bytes) = function.ok_or_else(cut)?;
        let Some(files) = units.get(&function.unit) else { continue };
        if function.files(files).ok_or_else(cut)?.iter().any(|file| wanted(file)) {
            kept.extend_from_slice(bytes);
        }
    }
    Ok(kept)
}

fn cut() -> String {
    "has a coverage map that is cut off".to_owned()
}

/// Each function of a section, with its bytes; one that is cut off is the last.
fn all_functions(bytes: &[u8]) -> impl Iterator<Item = Option<(Function<'_>, &[u8])>> {
    let mut rest = Cursor(bytes);
    std::iter::from_fn(move || {
        if rest.0.len() <= ALIGNMENT {
            return None;
        }
        let all = rest.0;
        let Some(function) = Function::read(&mut rest) else {
            rest = Cursor(&[]);
            return Some(None);
        };
        let size = all.len() - rest.0.len();
        rest.take((size.next_multiple_of(ALIGNMENT) - size).min(rest.0.len()));
        Some(Some((function, all.get(..all.len() - rest.0.len())?)))
    })
}

/// The files of each unit of compilation, by what its functions call it.
fn read_units(bytes: &[u8]) -> Result<HashMap<u64, Vec<String>>, String> {
    let mut units = HashMap::new();
    let mut rest = Cursor(bytes);
    while !rest.0.is_empty() {
        let mut head = || Some([rest.u32()?, rest.u32()?, rest.u32()?, rest.u32()?]);
        let [_, size, _, version] = head().ok_or_else(cut)?;
        if !VERSIONS.contains(&version) {
            return Err(format!(
                "has a coverage map of version {}, which redgreen does not know yet",
                u64::from(version) + 1
            ));
        }
        let size = size as usize;
        let names = rest.take(size).ok_or_else(cut)?;
        let digest = Md5::digest(names);
        let id = Cursor(&digest).u64().unwrap_or_default();
        units.insert(id, file_names(names).ok_or_else(cut)?);
        rest.take((size.next_multiple_of(ALIGNMENT) - size).min(rest.0.len()));
    }
    Ok(units)
}

/// The first name is the folder that the others start from.
fn file_names(bytes: &[u8]) -> Option<Vec<String>> {
    let mut head = Cursor(bytes);
    let (count, _, packed) = (head.small()?, head.small()?, head.small()?);
    let unpacked = match packed {
        0 => head.0.to_vec(),
        size => decompress_to_vec_zlib_with_limit(head.take(size)?, NAMES_MAX).ok()?,
    };
    let mut rest = Cursor(&unpacked);
    let mut names = Vec::new();
    for _ in 0..count {
        let size = rest.small()?;
        names.push(String::from_utf8_lossy(rest.take(size)?).into_owned());
    }
    let folder = PathBuf::from(names.first().cloned().unwrap_or_default());
    Some(names.iter().map(|name| plain(&folder.join(name))).collect())
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> String {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain.to_string_lossy().into_owned()
}

/// What is said of one function.
struct Function<'bytes> {
    key: (u64, u64),
    unit: u64,
    map: Cursor<'bytes>,
}

/// How a part is counted: never, by a counter, or by the difference or sum of two.
#[derive(Clone, Copy)]
enum Counter {
    Never,
    Of(usize),
    Computed { index: usize, is_sum: bool },
}

impl Counter {
    fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        Self::of(cursor.small()?)
    }

    const fn of(number: usize) -> Option<Self> {
        let index = number >> 2;
        match number & 3 {
            0 if index == 0 => Some(Self::Never),
            0 => None,
            1 => Some(Self::Of(index)),
            kind => Some(Self::Computed { index, is_sum: kind == 3 }),
        }
    }
}

impl<'bytes> Function<'bytes> {
    fn read(cursor: &mut Cursor<'bytes>) -> Option<Self> {
        let name = cursor.u64()?;
        let size = cursor.u32()? as usize;
        let (form, unit) = (cursor.u64()?, cursor.u64()?);
        Some(Self { key: (name, form), unit, map: Cursor(cursor.take(size)?) })
    }

    /// Its own among the files of its unit: what its map begins with.
    fn files<'unit>(&mut self, unit: &'unit [String]) -> Option<Vec<&'unit String>> {
        let count = self.map.small()?;
        (0..count).map(|_| unit.get(self.map.small()?)).collect()
    }

    fn regions(
        mut self,
        own: &[&String],
        wanted: &dyn Fn(&str) -> bool,
        counts: &Counts,
        into: &mut BTreeMap<String, Vec<Region>>,
    ) -> Option<()> {
        if !own.iter().any(|file| wanted(file)) {
            return Some(());
        }
        let mut sums = Vec::new();
        for _ in 0..self.map.small()? {
            sums.push((Counter::read(&mut self.map)?, Counter::read(&mut self.map)?));
        }
        let mut tally = Tally { function: self.key, counts, known: vec![None; sums.len()], sums };
        for file in own {
            let found = self.regions_of_file(&mut tally)?;
            if wanted(file) {
                into.entry((*file).clone()).or_default().extend(found);
            }
        }
        Some(())
    }

    fn regions_of_file(&mut self, tally: &mut Tally<'_>) -> Option<Vec<Region>> {
        let mut found = Vec::new();
        let mut line = 0_u32;
        for _ in 0..self.map.small()? {
            let head = self.map.small()?;
            let counter = self.counter(head)?;
            line = line.checked_add(self.map.place()?)?;
            let (column, lines, end) = (self.map.place()?, self.map.place()?, self.map.place()?);
            if let Some(counter) = counter.filter(|_| end & GAP == 0) {
                let hits = tally.hits(counter, DEPTH_MAX)?;
                let to = (line.checked_add(lines)?, end.saturating_sub(1));
                found.push(Region { from: (line, column.saturating_sub(1)), to, hits });
            }
        }
        Some(found)
    }

    /// How a part is counted; none for what is no part that runs by itself (branches, conditions, what is skipped).
    fn counter(&mut self, head: usize) -> Option<Option<Counter>> {
        if head & 3 != 0 {
            return Counter::of(head).map(Some);
        }
        if head & 4 != 0 {
            return Some(None);
        }
        // What else is said of conditions.
        let more = match head >> 3 {
            0 => return Some(Some(Counter::Never)),
            4 | 5 => 2,
            6 => 5,
            _ => 0,
        };
        for _ in 0..more {
            self.map.number()?;
        }
        Some(None)
    }
}

/// What the counters of a function come to.
struct Tally<'run> {
    function: (u64, u64),
    counts: &'run Counts,
    sums: Vec<(Counter, Counter)>,
    /// Those that were calculated: one sum can be a part of many.
    known: Vec<Option<u64>>,
}

impl Tally<'_> {
    fn hits(&mut self, counter: Counter, depth: usize) -> Option<u64> {
        let (index, is_sum) = match counter {
            Counter::Never => return Some(0),
            Counter::Of(index) => return Some(self.counts.of(self.function, index)),
            Counter::Computed { index, is_sum } => (index, is_sum),
        };
        if let Some(known) = self.known.get(index).copied().flatten() {
            return Some(known);
        }
        let (one, other) = *self.sums.get(index)?;
        let depth = depth.checked_sub(1)?;
        let (one, other) = (self.hits(one, depth)?, self.hits(other, depth)?);
        let hits = if is_sum { one.saturating_add(other) } else { one.saturating_sub(other) };
        *self.known.get_mut(index)? = Some(hits);
        Some(hits)
    }
}
