//! Which lines ran, file by file, from whatever measured it.
//!
//! - [`formats`]: a file for each coverage format. Readers never fail: what cannot be understood is a diagnostic.
//! - [`paths`]: from the paths in a report to those of the tree.
//! - [`Coverage`]: what they all give.
//!
//! Everything here is a function of text.

pub mod formats;
pub mod paths;

use std::collections::BTreeMap;

/// What ran in each file, by the path as the report gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The files.
    pub files: BTreeMap<String, FileCoverage>,
}

/// The lines of a file that can run. A line that is not here executes nothing, by what measured it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileCoverage {
    /// How often each ran, from line 1.
    pub lines: BTreeMap<u32, u64>,
}

impl Coverage {
    /// Takes in what another report saw: a line ran if it ran in one of them.
    pub fn merge(&mut self, other: Self) {
        for (path, file) in other.files {
            self.files.entry(path).or_default().merge(&file);
        }
    }
}

impl FileCoverage {
    /// The same for one file.
    pub fn merge(&mut self, other: &Self) {
        for (line, hits) in &other.lines {
            self.saw(*line, *hits);
        }
    }

    /// Takes in what one report says of a line: the highest count is true.
    pub fn saw(&mut self, line: u32, hits: u64) {
        let known = self.lines.entry(line).or_default();
        *known = (*known).max(hits);
    }

    /// Whether a line ran; none where it cannot run.
    pub fn ran(&self, line: u32) -> Option<bool> {
        self.lines.get(&line).map(|hits| *hits > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(lines: &[(u32, u64)]) -> FileCoverage {
        FileCoverage { lines: lines.iter().copied().collect() }
    }

    #[test]
    fn a_line_ran_if_it_ran_in_one_of_two_reports() {
        let mut both = Coverage { files: [("a.py".into(), file(&[(1, 0), (2, 3)]))].into() };
        both.merge(Coverage { files: [("a.py".into(), file(&[(1, 2), (2, 0), (4, 0)]))].into() });
        let merged = &both.files["a.py"];
        assert_eq!(merged, &file(&[(1, 2), (2, 3), (4, 0)]));
        assert_eq!([1, 4, 9].map(|line| merged.ran(line)), [Some(true), Some(false), None]);
    }
}
