//! Source maps: from which place of which source a part of a text was made.

use serde::Deserialize;

/// A source map, as far as it tells places.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct SourceMap {
    /// The folder that its sources are told from.
    folder: String,
    source_root: Option<String>,
    /// What the text was made from.
    pub(super) sources: Vec<Option<String>>,
    mappings: String,
    /// Whether it is made of several, which are not read.
    pub(super) sectioned: bool,
}

/// From this place of the text on, it was made from that place of a source. Lines are from 0, columns in units of
/// UTF-16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) source: usize,
    pub(super) source_line: usize,
    pub(super) source_column: usize,
}

impl SourceMap {
    /// In the order of the text. What cannot be read is left out.
    pub(super) fn segments(&self) -> Vec<Segment> {
        let mut found = Vec::new();
        // The source, its line and its column go on from segment to segment.
        let mut at = [0_i64; 3];
        for (line, text) in self.mappings.split(';').enumerate() {
            let mut column = 0;
            for fields in text.split(',').map(numbers) {
                let Some(fields) = fields else { return found };
                column += fields.first().copied().unwrap_or_default();
                let [_, more @ ..] = fields.as_slice() else { continue };
                if more.len() < 3 {
                    continue;
                }
                at.iter_mut().zip(more).for_each(|(at, more)| *at += more);
                let whole = |number: i64| usize::try_from(number).ok();
                if let (Some(column), Some(source), Some(source_line), Some(source_column)) =
                    (whole(column), whole(at[0]), whole(at[1]), whole(at[2]))
                {
                    found.push(Segment { line, column, source, source_line, source_column });
                }
            }
        }
        found
    }

    /// For each of its sources which of these files it is.
    pub(super) fn files(&self, script: &str, files: &[String]) -> Vec<Option<usize>> {
        let own = files.iter().position(|file| file == script);
        if self.sources.len() == 1 && own.is_some() {
            return vec![own];
        }
        self.sources.iter().map(|source| self.file(source.as_deref()?, files)).collect()
    }

    fn file(&self, source: &str, files: &[String]) -> Option<usize> {
        let root = self.source_root.as_deref().unwrap_or_default();
        let named = match root.is_empty() || source.starts_with('/') || source.contains("://") {
            true => source.to_owned(),
            false => format!("{}/{source}", root.trim_end_matches('/')),
        };
        let named = named.split(['?', '#']).next().unwrap_or_default();
        let path = match named.split_once("://") {
            Some(("file", path)) => path.to_owned(),
            // `webpack://name/./src/a.ts`: told from a folder that is not said.
            Some((_, place)) => {
                let inside = place.split_once('/').map_or(place, |(_, inside)| inside);
                let end = joined("/", inside.trim_start_matches("../"));
                let mut fitting = (0..files.len()).filter(|at| files[*at].ends_with(&end));
                return fitting.next().filter(|_| fitting.next().is_none());
            }
            None => joined(&self.folder, named),
        };
        files.iter().position(|file| *file == path)
    }
}

/// A path from a folder, without `.` and `..`.
fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> =
        if path.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.retain(|part| !part.is_empty() && *part != ".");
    format!("/{}", parts.join("/"))
}

/// The numbers of a segment, as source maps write them: five bits a letter, the lowest first, the sign in the
/// lowest of all.
fn numbers(text: &str) -> Option<Vec<i64>> {
    let (mut found, mut number, mut shift) = (Vec::new(), 0_i64, 0);
    for letter in text.bytes() {
        let digit = i64::from(match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        });
        number |= (digit & 31).checked_shl(shift)?;
        shift += 5;
        if shift > 40 {
            return None;
        }
        if digit & 32 == 0 {
            found.push(if number & 1 == 1 { -(number >> 1) } else { number >> 1 });
            (number, shift) = (0, 0);
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_goes_on_from_the_one_before() {
        let map = SourceMap { mappings: "AAAA,SAASA;;CACD,E".to_owned(), ..SourceMap::default() };
        let segment = |line, column, source_line, source_column| Segment {
            line,
            column,
            source: 0,
            source_line,
            source_column,
        };
        let expected = [segment(0, 0, 0, 0), segment(0, 9, 0, 9), segment(2, 1, 1, 8)];
        assert_eq!(map.segments(), expected);
    }

    #[test]
    fn sources_are_found_however_they_are_told() {
        let files = ["/p/src/a.ts".to_owned(), "/p/src/b.ts".to_owned(), "/p/c/b.ts".to_owned()];
        let found = |sources: &[&str]| {
            let sources = sources.iter().map(|it| Some((*it).to_owned())).collect();
            let map = SourceMap { folder: "/p/dist".into(), sources, ..SourceMap::default() };
            map.files("/p/dist/all.js", &files)
        };
        assert_eq!(found(&["../src/a.ts", "/p/src/b.ts"]), [Some(0), Some(1)]);
        assert_eq!(found(&["file:///p/src/a.ts", "webpack://p/./src/b.ts?1"]), [Some(0), Some(1)]);
        assert_eq!(found(&["webpack://p/b.ts", "../../src/a.ts"]), [None, None]);
        let alone = SourceMap { sources: vec![Some("x.ts".into())], ..SourceMap::default() };
        assert_eq!(alone.files("/p/src/a.ts", &files), [Some(0)]);
    }
}
