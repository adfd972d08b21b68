//! Reads what `redgreen_coverage.py` left: for each process a file of what its numbers mean and who ran them, and one
//! of those that ran since that was said last.

use std::collections::{BTreeMap, BTreeSet};

use redgreen_coverage::{Coverage, FileCoverage};
use redgreen_model::coverage::Point;
use serde::Deserialize;

use crate::collect::{Collector, CoverageMaterial};

/// Counts the statements of Python.
pub(crate) const COLLECTOR: Collector =
    Collector { name: "Python", endings: &["py", "pyw"], leaves: "python-", read };

/// How many tests are kept for a line.
const TESTS_OF_LINE_MAX: usize = 50;

/// A line of what a process wrote.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Note {
    /// A source was loaded, whose statements have the numbers from `first` on.
    file: Option<String>,
    first: usize,
    /// Where they stand.
    places: Vec<(u32, u32)>,
    /// Why they are not counted.
    problem: Option<String>,
    /// Who ran what has run since the note before; none of the tests where it is nobody.
    test: Option<String>,
    ran: Vec<usize>,
}

/// What a number stands for.
struct Counted {
    file: String,
    place: (u32, u32),
}

#[derive(Default)]
struct Reading {
    files: BTreeMap<String, BTreeMap<(u32, u32), u64>>,
    tests: BTreeMap<(String, u32), BTreeSet<String>>,
    problems: Vec<String>,
}

fn read(material: &CoverageMaterial<'_>) -> Coverage {
    let mut reading = Reading::default();
    for file in material.left {
        let Some(name) = file.path.strip_suffix(".jsonl") else { continue };
        if name.starts_with(COLLECTOR.leaves) {
            let rest = material.left.iter().find(|it| it.path == format!("{name}.ran"));
            reading.process(&file.bytes, rest.map_or(&[], |it| &it.bytes));
        }
    }
    reading.coverage()
}

impl Reading {
    /// What one process did, and those that it forked.
    fn process(&mut self, notes: &[u8], rest: &[u8]) {
        let mut counted: Vec<Counted> = Vec::new();
        for line in notes.split(|byte| *byte == b'\n') {
            let Ok(note) = serde_json::from_slice::<Note>(line) else { continue };
            if let (Some(file), Some(problem)) = (&note.file, &note.problem) {
                self.problems.push(format!("{file}: {problem}"));
            } else if let Some(file) = note.file {
                let known = self.files.entry(file.clone()).or_default();
                counted.truncate(note.first);
                for place in note.places {
                    known.entry(place).or_default();
                    counted.push(Counted { file: file.clone(), place });
                }
            } else {
                let ran = note.ran.iter().filter_map(|at| counted.get(*at));
                ran.for_each(|counted| self.ran(counted, note.test.as_deref()));
            }
        }
        let ran = (0..).zip(rest).filter(|(_, byte)| **byte != 0);
        for counted in ran.filter_map(|(at, _): (usize, _)| counted.get(at)) {
            self.ran(counted, None);
        }
    }

    fn ran(&mut self, counted: &Counted, test: Option<&str>) {
        if let Some(hits) =
            self.files.get_mut(&counted.file).and_then(|it| it.get_mut(&counted.place))
        {
            *hits += 1;
        }
        if let Some(test) = test {
            let tests = self.tests.entry((counted.file.clone(), counted.place.0)).or_default();
            if tests.len() < TESTS_OF_LINE_MAX {
                tests.insert(test.to_owned());
            }
        }
    }

    fn coverage(self) -> Coverage {
        let mut coverage = Coverage { files: BTreeMap::new(), problems: self.problems };
        for (path, places) in self.files {
            let mut file = FileCoverage::default();
            for ((line, column), hits) in places {
                file.saw(line, hits);
                file.points.push(Point { line, column, hits });
            }
            coverage.files.insert(path, file);
        }
        for ((path, line), tests) in self.tests {
            if let Some(file) = coverage.files.get_mut(&path) {
                file.tests.insert(line, tests.into_iter().collect());
            }
        }
        coverage
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::ReportFile;

    fn left(name: &str, bytes: &[u8]) -> ReportFile {
        ReportFile { path: name.to_owned(), bytes: bytes.to_vec() }
    }

    #[test]
    fn what_ran_is_told_by_file_line_and_test() {
        let notes =
            br#"{"file": "/p/a.py", "first": 0, "places": [[1, 0], [3, 4], [3, 12], [4, 4]]}
{"test": null, "ran": [0]}
{"test": "t.py::one", "ran": [1, 2]}
{"test": "t.py::two", "ran": [1]}
{"file": "/p/b.py", "problem": "numba compiles its functions itself"}
half a li"#;
        let files = [left("python-1-aa.jsonl", notes), left("python-1-aa.ran", &[0, 0, 0, 1, 1])];
        let asked = ["/p/a.py".to_owned(), "/p/b.py".to_owned()];
        let coverage = read(&CoverageMaterial { asked: &asked, left: &files, source: &|_| None });
        let file = &coverage.files["/p/a.py"];
        assert_eq!(file.lines, [(1, 1), (3, 2), (4, 1)].into());
        assert_eq!(file.ran_from((3, 12), 3), Some(true));
        assert_eq!(file.tests, [(3, vec!["t.py::one".to_owned(), "t.py::two".to_owned()])].into());
        assert_eq!(coverage.problems, ["/p/b.py: numba compiles its functions itself"]);
    }

    #[test]
    fn two_processes_are_one_run() {
        let notes = br#"{"file": "/p/a.py", "first": 0, "places": [[1, 0], [2, 0]]}"#;
        let files = [
            left("python-1-aa.jsonl", notes),
            left("python-1-aa.ran", &[1, 0]),
            left("python-2-bb.jsonl", notes),
            left("python-2-bb.ran", &[0, 1]),
        ];
        let coverage = read(&CoverageMaterial { asked: &[], left: &files, source: &|_| None });
        assert_eq!(coverage.files["/p/a.py"].lines, [(1, 1), (2, 1)].into());
    }
}
