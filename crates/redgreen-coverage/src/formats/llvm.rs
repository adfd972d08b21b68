//! What `llvm-cov export` writes: `data`, in it `files`, in them `segments`: from where on which count holds.
//!
//! From segments to lines as LLVM itself does it for its other formats: a line has the count that holds at its
//! beginning or the highest of the regions that begin on it. Gaps between statements begin nothing.

use serde::de::MapAccess;
use serde_json::Value;

use super::Draft;
use super::json::{Object, count, enter, line, pass_over, walk};

/// Reads a document.
pub(super) fn read(text: &str, draft: &mut Draft<'_>) {
    draft.cut |= !walk(text, &mut Export(draft));
}

struct Export<'a, 'run>(&'a mut Draft<'run>);

impl Object for Export<'_, '_> {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "data" => enter(map, self),
            "files" => enter(map, &mut File { path: None, segments: Vec::new(), draft: self.0 }),
            _ => pass_over(map),
        }
    }
}

struct File<'a, 'run> {
    path: Option<String>,
    segments: Vec<Segment>,
    draft: &'a mut Draft<'run>,
}

impl Object for File<'_, '_> {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "filename" => {
                let name: Value = map.next_value()?;
                self.path = name.as_str().map(str::to_owned);
            }
            // The name usually comes first.
            "segments" if self.path.as_ref().is_none_or(|path| self.draft.wanted.wants(path)) => {
                let segments: Value = map.next_value()?;
                for segment in segments.as_array().into_iter().flatten() {
                    match Segment::read(segment) {
                        Some(segment) => self.segments.push(segment),
                        None => self.draft.odd(&segment.to_string()),
                    }
                }
            }
            _ => pass_over(map)?,
        }
        Ok(())
    }

    fn end(&mut self) {
        let segments = std::mem::take(&mut self.segments);
        if let Some(path) = self.path.take() {
            let ranges = lines(&segments);
            self.draft.ranges(&path, ranges);
        }
    }
}

/// From here on, this count holds.
struct Segment {
    line: u32,
    hits: u64,
    has_count: bool,
    is_entry: bool,
    is_gap: bool,
}

impl Segment {
    fn read(value: &Value) -> Option<Self> {
        let fields = value.as_array()?;
        let flag =
            |at: usize| fields.get(at).is_some_and(|flag| flag.as_bool().unwrap_or(flag == 1));
        Some(Self {
            line: fields.first().and_then(line).filter(|line| *line > 0)?,
            hits: count(fields.get(2)?)?,
            has_count: flag(3),
            is_entry: flag(4),
            is_gap: flag(5),
        })
    }

    const fn begins(&self) -> bool {
        self.has_count && self.is_entry && !self.is_gap
    }
}

/// The lines that are mapped, as ranges with their counts.
fn lines(segments: &[Segment]) -> Vec<(u32, u32, u64)> {
    let mut ranges = Vec::new();
    let mut wrapped: Option<&Segment> = None;
    for here in segments.chunk_by(|one, next| one.line == next.line) {
        let Some(line) = here.first().map(|segment| segment.line) else { continue };
        if let Some(wrapped) = wrapped.filter(|wrapped| wrapped.has_count)
            && wrapped.line + 1 < line
        {
            ranges.push((wrapped.line + 1, line - 1, wrapped.hits));
        }
        let skipped = here.first().is_some_and(|first| !first.has_count && first.is_entry);
        let around = wrapped.filter(|wrapped| wrapped.has_count && !skipped);
        let beginning = here.iter().filter(|segment| segment.begins());
        if let Some(hits) = beginning.chain(around).map(|segment| segment.hits).max() {
            ranges.push((line, line, hits));
        }
        wrapped = here.last();
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(segments: &Value) -> Vec<(u32, u32, u64)> {
        let read = |segment| Segment::read(segment).expect("a segment");
        let segments: Vec<_> = segments.as_array().expect("a list").iter().map(read).collect();
        lines(&segments)
    }

    #[test]
    fn gaps_and_skipped_regions_begin_nothing() {
        let segments = serde_json::json!([
            [1, 1, 2, true, true, false],
            [3, 9, 0, true, true, true],
            [4, 5, 0, true, true, false],
            [6, 2, 0, false, false, false],
            [8, 1, 0, false, true, false],
            [9, 1, 7, true, true, false],
            [9, 9, 0, false, false, false]
        ]);
        let expected =
            [(1, 1, 2), (2, 2, 2), (3, 3, 2), (4, 4, 0), (5, 5, 0), (6, 6, 0), (9, 9, 7)];
        assert_eq!(of(&segments), expected);
    }
}
