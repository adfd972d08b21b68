//! Which statements of the changed files run: go's own cover profile, in the packages of those files.
//!
//! ```text
//! asked files ─▶ go list: their packages ─▶ go test -coverprofile -coverpkg ─▶ profile, and a note of which file is which
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use redgreen_coverage::Coverage;
use redgreen_coverage::formats::{Format, Wanted, read_as};
use serde::{Deserialize, Serialize};

use super::arguments::{GoTestCall, OwnCoverage};
use crate::collect::{Collector, CoverageMaterial};

/// Counts the statements of Go.
pub(super) const COLLECTOR: Collector =
    Collector { name: "Go", endings: &["go"], leaves: LEAVES, read };

const LEAVES: &str = "go-";
/// What go says on standard error of a package in which nothing could be counted; the note says it better.
pub const UNUSED_PACKAGE: &str = "warning: no packages being tested depend on matches for pattern ";
/// The package that files on the command line are.
const FILES_PACKAGE: &str = "command-line-arguments";

/// The format for `go list` that [`GoCounting::new`] reads: a package, its folder, its files with a `+`, and with a `-`
/// those that this build leaves out.
pub const LIST_FORMAT: &str = "{{.ImportPath}}\t{{.Dir}}{{range .GoFiles}}\t+{{.}}{{end}}{{range .CgoFiles}}\t+{{.}}{{end}}{{range .IgnoredGoFiles}}\t-{{.}}{{end}}";

/// How one `go test` counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoCounting {
    /// The call that counts; the user's own where it cannot.
    pub call: GoTestCall,
    /// Whether go only counts because redgreen wants it to, so that what it says about it is not shown.
    pub is_ours: bool,
    /// The profile that it writes.
    pub profile: String,
    /// What the reader needs beside the profile.
    pub note: GoNote,
}

/// What a `go test` leaves beside its profile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoNote {
    /// The files that are counted, by the names that they have in the profile.
    files: BTreeMap<String, String>,
    /// Whether a file that is not in the profile is one that nothing uses.
    is_whole: bool,
    /// Why others are not.
    problems: BTreeMap<String, String>,
}

/// The names of what one `go test` leaves: its note, and its profile.
pub fn left_by(process: u32) -> (String, String) {
    (format!("{LEAVES}{process}.json"), format!("{LEAVES}{process}.out"))
}

/// The folders in which packages are to be looked for.
pub fn folders(asked: &[String]) -> Vec<&str> {
    let mut folders: Vec<&str> =
        asked.iter().filter(|path| is_code(path)).filter_map(|path| folder(path)).collect();
    folders.sort_unstable();
    folders.dedup();
    folders
}

fn folder(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(folder, _)| folder)
}

fn is_code(path: &str) -> bool {
    path.ends_with(".go") && !path.ends_with("_test.go")
}

impl GoCounting {
    /// What to add to a call so that the asked files are counted. `listed` is what `go list` says of their folders;
    /// `profile` is where ours is written.
    pub fn new(call: &GoTestCall, asked: &[String], listed: &str, profile: &str) -> Self {
        let mut note = GoNote::default();
        let mut packages = Vec::new();
        for package in listed.lines().filter_map(Package::read) {
            let mine = asked.iter().filter(|path| folder(path) == Some(package.folder));
            for path in mine.filter(|path| is_code(path)) {
                let name = Path::new(path).file_name().and_then(|name| name.to_str());
                let Some(name) = name else { continue };
                if package.files.contains(&name) {
                    note.files.insert(format!("{}/{name}", package.path), path.clone());
                    packages.push(package.path.to_owned());
                } else if package.left_out.contains(&name) {
                    let why = "is left out of this build, by its name or its constraints";
                    note.problems.insert(path.clone(), why.to_owned());
                }
            }
        }
        packages.sort_unstable();
        packages.dedup();
        if call.names_files() && !packages.is_empty() {
            packages.push(FILES_PACKAGE.to_owned());
        }
        let mut counting =
            Self { call: call.clone(), is_ours: false, profile: profile.to_owned(), note };
        counting.amend(&packages);
        counting
    }

    fn amend(&mut self, packages: &[String]) {
        if packages.is_empty() {
            return;
        }
        match self.call.coverage() {
            OwnCoverage::None => {
                self.call = self.call.counting(&self.profile, packages);
                self.is_ours = true;
                self.note.is_whole = true;
            }
            OwnCoverage::Across(None) => self.call = self.call.counting(&self.profile, &[]),
            OwnCoverage::Across(Some(theirs)) => {
                self.profile = theirs.to_string_lossy().into_owned();
            }
            OwnCoverage::PackageByPackage => self.note.gives_up(
                "is counted by the command itself, and only for the tests of its own package: add -coverpkg=./... to the command",
            ),
            OwnCoverage::Timed => {
                self.note.gives_up("is not counted where go fuzzes or measures time: have a check without -fuzz and -bench");
            }
        }
    }
}

impl GoNote {
    fn gives_up(&mut self, why: &str) {
        for path in std::mem::take(&mut self.files).into_values() {
            self.problems.insert(path, why.to_owned());
        }
    }

    /// Whether there is anything in it.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.problems.is_empty()
    }

    /// Takes in what a profile says; there may be none.
    fn read(&self, profile: Option<&[u8]>, coverage: &mut Coverage) {
        for (path, why) in &self.problems {
            coverage.problems.push(format!("{path} {why}"));
        }
        let wanted = Wanted::these(self.files.keys().map(String::as_str));
        // What is cut says too little of what ran.
        let read = profile.map(|bytes| read_as(Format::Go, bytes, &wanted));
        let seen = read.filter(|it| it.diagnostics.is_empty()).map(|it| it.coverage.files);
        for (name, path) in &self.files {
            // Files on the command line have their paths there.
            let file = seen.as_ref().and_then(|seen| seen.get(name).or_else(|| seen.get(path)));
            match file {
                Some(file) => coverage.files.entry(path.clone()).or_default().merge(file),
                None if self.is_whole && seen.is_some() => {
                    coverage.files.entry(path.clone()).or_default();
                }
                None => coverage
                    .problems
                    .push(format!("{path} is not in the cover profile that `go test` wrote")),
            }
        }
    }
}

/// A package, as `go list` has it.
struct Package<'line> {
    path: &'line str,
    folder: &'line str,
    files: Vec<&'line str>,
    left_out: Vec<&'line str>,
}

impl<'line> Package<'line> {
    fn read(line: &'line str) -> Option<Self> {
        let mut words = line.split('\t');
        let (path, folder) = (words.next()?, words.next().filter(|folder| !folder.is_empty())?);
        let with = |mark: char| words.clone().filter_map(move |word| word.strip_prefix(mark));
        Some(Self { path, folder, files: with('+').collect(), left_out: with('-').collect() })
    }
}

fn read(material: &CoverageMaterial<'_>) -> Coverage {
    let mut coverage = Coverage::default();
    let mut notes = Vec::new();
    for left in material.left.iter().filter(|left| left.path.starts_with(LEAVES)) {
        let Some(name) = left.path.strip_suffix(".json") else { continue };
        let Ok(note) = serde_json::from_slice::<GoNote>(&left.bytes) else { continue };
        let profile = material.left.iter().find(|it| it.path == format!("{name}.out"));
        note.read(profile.map(|profile| profile.bytes.as_slice()), &mut coverage);
        notes.push(note);
    }
    // What no call knew is not what no test runs.
    let known = |path: &&String| {
        let has = |note: &GoNote| {
            note.files.values().any(|it| it == *path) || note.problems.contains_key(*path)
        };
        notes.iter().any(has)
    };
    let unknown = material.asked.iter().filter(|path| is_code(path) && !known(path));
    coverage.problems.extend(
        unknown.map(|path| format!("{path} is in no package that a `go test` of this check knows")),
    );
    coverage
}

#[cfg(test)]
mod tests {
    use redgreen_coverage::FileCoverage;

    use super::*;
    use crate::adapter::ReportFile;

    const LISTED: &str =
        "m.org/a\t/w/a\t+a.go\t+b.go\t-a_windows.go\nm.org/c\t/w/c\t+c.go\n/w/none\t\n";

    fn asked(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| format!("/w/{name}")).collect()
    }

    fn counting(command: &str, names: &[&str]) -> GoCounting {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let call = GoTestCall::parse(&words, "").unwrap();
        GoCounting::new(&call, &asked(names), LISTED, "/f/go.out")
    }

    fn measured(names: &[&str], note: &GoNote, profile: Option<&str>) -> Coverage {
        let (noted, profiled) = left_by(7);
        let mut left = vec![ReportFile { path: noted, bytes: serde_json::to_vec(note).unwrap() }];
        left.extend(profile.map(|text| ReportFile { path: profiled, bytes: text.into() }));
        read(&CoverageMaterial { asked: &asked(names), left: &left, source: &|_| None })
    }

    #[test]
    fn the_packages_of_the_changed_files_are_counted() {
        let names = ["a/a.go", "a/a_test.go", "a/a_windows.go", "c/c.go", "d/d.go"];
        assert_eq!(folders(&asked(&names)), ["/w/a", "/w/c", "/w/d"]);
        let counting = counting("test ./...", &names);
        let flags = counting.call.amended(None, None, false).join(" ");
        assert_eq!(
            flags,
            "test -json -count=1 -coverprofile=/f/go.out -coverpkg=m.org/a,m.org/c -covermode=count ./..."
        );
        assert!(counting.is_ours);
        let profile = "mode: set\nm.org/a/a.go:3.1,4.2 1 1\nm.org/a/a.go:5.1,6.2 1 0\n";
        let seen = measured(&names, &counting.note, Some(profile));
        let file = &seen.files["/w/a/a.go"];
        assert_eq!([3, 5].map(|line| file.ran_from((line, 4), line)), [Some(true), Some(false)]);
        assert_eq!(seen.files["/w/c/c.go"], FileCoverage::default());
        assert_eq!(seen.files.len(), 2);
        assert_eq!(
            seen.problems,
            [
                "/w/a/a_windows.go is left out of this build, by its name or its constraints",
                "/w/d/d.go is in no package that a `go test` of this check knows"
            ]
        );
    }

    #[test]
    fn a_race_detector_keeps_its_own_way_of_counting() {
        let counting = counting("test -race ./...", &["a/a.go"]);
        assert!(!counting.call.amended(None, None, false).join(" ").contains("covermode"));
    }

    #[test]
    fn what_go_did_not_write_is_not_what_no_test_runs() {
        let names = ["a/a.go"];
        let seen = measured(&names, &counting("test", &names).note, None);
        assert_eq!(seen.files.len(), 0);
        assert_eq!(seen.problems, ["/w/a/a.go is not in the cover profile that `go test` wrote"]);
        let cut = measured(&names, &counting("test", &names).note, Some("mode: set\nm.org/a/a."));
        assert_eq!((cut.files.len(), cut.problems.len()), (0, 1));
        let own = counting("test -coverpkg=m.org/x", &names);
        assert!(!own.is_ours);
        assert_eq!(measured(&names, &own.note, Some("mode: set\n")).problems.len(), 1);
        let theirs = counting("test -coverpkg=./... -coverprofile=c.out", &names);
        assert_eq!(
            (theirs.profile.as_str(), theirs.call),
            ("c.out", counting("test -coverpkg=./... -coverprofile=c.out", &[]).call)
        );
        let one_by_one = counting("test -cover", &names);
        let seen = measured(&names, &one_by_one.note, None);
        assert!(seen.problems[0].contains("-coverpkg=./..."), "{seen:?}");
    }

    #[test]
    fn files_on_the_command_line_have_their_paths_in_the_profile() {
        let counting = counting("test a.go a_test.go", &["a/a.go"]);
        let flags = counting.call.amended(None, None, false).join(" ");
        assert!(flags.contains("-coverpkg=m.org/a,command-line-arguments"), "{flags}");
        let profile = "mode: set\n/w/a/a.go:3.1,4.2 1 1\n";
        let seen = measured(&["a/a.go"], &counting.note, Some(profile));
        assert_eq!(seen.files["/w/a/a.go"].ran(3), Some(true));
    }
}
