//! Which statements of the changed files run: rustc's own counters, in the crates of the workspace.
//!
//! ```text
//! asked files ─▶ cargo, with rustc in a wrapper: -C instrument-coverage ─▶ counts, and the map in the programs ─▶ note
//! ```

use std::collections::BTreeMap;

use redgreen_coverage::instrumented::{Mapped, Region};
use redgreen_coverage::{Coverage, FileCoverage};
use redgreen_model::coverage::Point;
use redgreen_syntax::{Statement, language_of, statements};
use serde::{Deserialize, Serialize};

use crate::collect::{Collector, CoverageMaterial};

/// Counts the statements of Rust.
pub(super) const COLLECTOR: Collector =
    Collector { name: "Rust", endings: &["rs"], leaves: LEAVES, read };

const LEAVES: &str = "rust-";
/// The folder for the counts of programs, in the one for coverage.
pub const COUNTS_FOLDER: &str = "rust-counts";
/// The programs that a runner of tests has started, a path a line, in the folder for coverage.
pub const PROGRAMS_FILE: &str = "rust-programs.txt";
/// What programs map that are gone when their counts are read, a file each, in the folder for coverage: doctests.
pub const MAPS_FOLDER: &str = "rust-maps";

/// The flags with which rustc counts.
pub const FLAGS: &[&str] = &["-C", "instrument-coverage"];
/// Those beside them with which counts are there even if the process is killed. They are for ELF.
pub const LIVE_FLAGS: &[&str] = &["-C", "llvm-args=-runtime-counter-relocation"];
/// What stands in the name of a file of counts for that.
pub const LIVE: &str = "%c";
/// What stands there for the program, of which four processes write at the same time.
pub const EACH_PROGRAM: &str = "%4m";
/// Where a program writes its counts if no variable tells it, at the end of its text.
pub const UNTOLD: &[u8] = b"default_%m_%p.profraw\0";

/// What one run of cargo leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RustNote {
    /// The parts of the asked files that can run.
    regions: BTreeMap<String, Vec<Region>>,
    /// Files that no program has.
    without: Vec<String>,
    /// Why others are not counted.
    problems: BTreeMap<String, String>,
}

/// The name of what one cargo leaves.
pub fn left_by(process: u32) -> String {
    format!("{LEAVES}{process}.json")
}

/// Those of the asked files in which rustc counts.
pub fn countable(asked: Vec<String>) -> Vec<String> {
    asked.into_iter().filter(|path| COLLECTOR.counts_in(path)).collect()
}

/// Whether a call of rustc is for what runs while others are compiled: it is not counted, for what is built already
/// does not run again.
pub fn runs_in_builds(arguments: &[String]) -> bool {
    let pairs = || arguments.iter().zip(arguments.iter().skip(1));
    pairs().any(|(option, value)| match option.as_str() {
        "--crate-type" => value == "proc-macro",
        "--crate-name" => value.starts_with("build_script_"),
        _ => false,
    })
}

/// The program that a call of rustc makes.
pub fn program_of(arguments: &[String]) -> Option<String> {
    let value = |name: &str| {
        let at = arguments.iter().position(|word| word == name)?;
        arguments.get(at + 1).map(String::as_str)
    };
    let is_program = value("--crate-type")
        .map_or_else(|| arguments.iter().any(|word| word == "--test"), |kind| kind == "bin");
    let (folder, name) = (value("--out-dir").filter(|_| is_program)?, value("--crate-name")?);
    let extra = arguments.iter().find_map(|word| word.strip_prefix("extra-filename="));
    Some(format!("{folder}/{name}{}", extra.unwrap_or_default()))
}

impl RustNote {
    /// Where nothing can be counted: why.
    pub fn uncounted(asked: &[String], why: &str) -> Self {
        let problems = asked.iter().map(|path| (path.clone(), why.to_owned()));
        Self { problems: problems.collect(), ..Self::default() }
    }

    /// What programs say of the asked files. `text` has the files of the project.
    pub fn new(asked: &[String], mapped: Mapped, text: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut note = Self::default();
        let Mapped { mut regions, files } = mapped;
        for path in asked {
            let package = package_of(path, text);
            let is_built = |folder: &str| files.iter().any(|file| file.starts_with(folder));
            let problem = match &package {
                Some((_, manifest)) if is_of_macros(manifest) => {
                    "belongs to a procedural macro, which runs while others are compiled: that is not counted"
                }
                Some((folder, _)) if *path == format!("{folder}build.rs") => {
                    "is a build script, which runs before the tests: that is not counted"
                }
                Some((folder, _)) if is_built(folder) => match regions.remove(path) {
                    Some(mut found) => {
                        found.sort_unstable_by_key(|it| (it.from, it.to, u64::MAX - it.hits));
                        found.dedup_by_key(|it| (it.from, it.to));
                        note.regions.insert(path.clone(), found);
                        continue;
                    }
                    None if is_declared(path, text) => {
                        "has nothing that is counted: it is left out of this build, or has macros and types alone"
                    }
                    None => {
                        note.without.push(path.clone());
                        continue;
                    }
                },
                _ => "is in no package that this check builds",
            };
            note.problems.insert(path.clone(), problem.to_owned());
        }
        note
    }
}

/// The folder of the package that a file belongs to, with a `/`, and its manifest.
fn package_of(path: &str, text: &dyn Fn(&str) -> Option<String>) -> Option<(String, String)> {
    let mut folder = path;
    while let Some((above, _)) = folder.rsplit_once('/') {
        let manifest = text(&format!("{above}/Cargo.toml"));
        if let Some(manifest) = manifest.filter(|text| text.contains("[package]")) {
            return Some((format!("{above}/"), manifest));
        }
        folder = above;
    }
    None
}

fn is_of_macros(manifest: &str) -> bool {
    let read: Result<toml::Table, _> = manifest.parse();
    let library = read.ok().and_then(|manifest| manifest.get("lib").cloned());
    let says = |name: &str| library.as_ref().and_then(|it| it.get(name)?.as_bool()) == Some(true);
    says("proc-macro") || says("proc_macro")
}

/// Whether another file names this one as its module.
fn is_declared(path: &str, text: &dyn Fn(&str) -> Option<String>) -> bool {
    let Some((folder, stem)) = path.strip_suffix(".rs").and_then(|path| path.rsplit_once('/'))
    else {
        return false;
    };
    let (folder, name) = match (stem, folder.rsplit_once('/')) {
        ("mod", Some((above, name))) => (above, name),
        _ => (folder, stem),
    };
    let declares = |file: String| {
        let words = format!("mod {name}");
        text(&file).is_some_and(|text| {
            text.lines().any(|line| {
                let after = line.split_once(&words).map(|(_, rest)| rest.trim_start());
                after.is_some_and(|rest| rest.starts_with([';', '{']))
            })
        })
    };
    let beside = ["mod", "lib", "main"].map(|file| format!("{folder}/{file}.rs"));
    beside.into_iter().chain([format!("{folder}.rs")]).any(declares)
}

fn read(material: &CoverageMaterial<'_>) -> Coverage {
    let mut coverage = Coverage::default();
    let mut known = Vec::new();
    for left in material.left {
        let is_note = left.path.starts_with(LEAVES) && left.path.ends_with(".json");
        let Some(note) =
            is_note.then(|| serde_json::from_slice::<RustNote>(&left.bytes).ok()).flatten()
        else {
            continue;
        };
        for (path, regions) in &note.regions {
            let source = (material.source)(path).unwrap_or_default();
            coverage.files.entry(path.clone()).or_default().merge(&counted(path, &source, regions));
        }
        for path in &note.without {
            coverage.files.entry(path.clone()).or_default();
        }
        coverage.problems.extend(note.problems.iter().map(|(path, why)| format!("{path} {why}")));
        known.extend(note.regions.into_keys().chain(note.without).chain(note.problems.into_keys()));
    }
    let unknown =
        material.asked.iter().filter(|path| COLLECTOR.counts_in(path) && !known.contains(path));
    coverage.problems.extend(
        unknown.map(|path| format!("{path} is counted only by `cargo test` and `cargo nextest`")),
    );
    coverage
}

/// What ran, statement by statement. A part of the map begins where something is calculated and not where the statement
/// does (`let`, `if`), so a statement ran if one of the parts did that begin in it, before the next statement.
fn counted(path: &str, source: &str, regions: &[Region]) -> FileCoverage {
    let mut file = FileCoverage::default();
    let Some(language) = language_of(path) else { return file };
    let all = statements(language, source).all;
    let mut begins: Vec<(u32, u32)> = all.iter().map(begin).collect();
    begins.sort_unstable();
    for statement in &all {
        if let Some(hits) = hits(statement, &begins, regions) {
            let (line, column) = begin(statement);
            (line..=statement.last).for_each(|line| file.saw(line, hits));
            file.points.push(Point { line, column, hits });
        }
    }
    file.points.sort_unstable();
    file.points.dedup_by_key(|point| (point.line, point.column));
    file
}

const fn begin(statement: &Statement) -> (u32, u32) {
    (statement.first, statement.column)
}

fn hits(statement: &Statement, begins: &[(u32, u32)], regions: &[Region]) -> Option<u64> {
    let from = begin(statement);
    let next = begins.get(begins.partition_point(|it| *it <= from)).copied();
    let last = (statement.last, u32::MAX);
    let behind = next.map_or(last, |next| next.min(last));
    let own = regions.iter().filter(|it| from <= it.from && it.from < behind);
    let around = || {
        let holds = |it: &&Region| it.from <= from && from < it.to;
        regions.iter().filter(holds).max_by_key(|it| (it.from, std::cmp::Reverse(it.to)))
    };
    // `loop {` and `unsafe {` run as what is in them.
    let inside = || {
        let in_it = |it: &&Region| from <= it.from && it.from.0 <= statement.end;
        regions.iter().filter(in_it).min_by_key(|it| it.from)
    };
    own.map(|it| it.hits).max().or_else(|| around().or_else(inside).map(|it| it.hits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::ReportFile;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn region(from: (u32, u32), to: (u32, u32), hits: u64) -> Region {
        Region { from, to, hits }
    }

    #[test]
    fn what_runs_in_builds_is_not_counted() {
        assert!(runs_in_builds(&words("--crate-name m m/src/lib.rs --crate-type proc-macro")));
        assert!(runs_in_builds(&words("--crate-name build_script_build a/build.rs")));
        assert!(!runs_in_builds(&words("--crate-name a a/src/lib.rs --crate-type lib")));
    }

    #[test]
    fn programs_have_names() {
        let call = "--crate-name a a/src/lib.rs KIND -C extra-filename=-1f --out-dir /t/deps";
        let of = |kind: &str| program_of(&words(&call.replace("KIND", kind)));
        assert_eq!(of("--test").as_deref(), Some("/t/deps/a-1f"));
        assert_eq!(of("--crate-type bin").as_deref(), Some("/t/deps/a-1f"));
        assert_eq!(of("--crate-type lib"), None);
        assert_eq!(program_of(&words("-vV")), None);
    }

    #[test]
    fn a_statement_ran_if_a_part_that_begins_in_it_did() {
        let source = "fn a(b: Option<u32>) -> u32 {\n    let c = if b.is_some() {\n        1\n    } else {\n        2\n    };\n    loop {\n        return c;\n    }\n}\n\n#[cfg(windows)]\nfn d() -> u32 {\n    3\n}\n";
        let regions = [
            region((1, 0), (1, 28), 1),
            region((2, 8), (2, 9), 1),
            region((2, 15), (2, 26), 1),
            region((3, 8), (3, 9), 0),
            region((5, 8), (5, 9), 1),
            region((8, 8), (8, 16), 1),
        ];
        let seen = counted("a.rs", source, &regions);
        let ran = |line, column| seen.ran_from((line, column), line);
        assert_eq!(
            [ran(2, 4), ran(3, 8), ran(5, 8), ran(7, 4), ran(8, 8)],
            [Some(true), Some(false), Some(true), Some(true), Some(true)],
            "{seen:?}"
        );
        // What this build leaves out is not what no test runs.
        assert_eq!(ran(14, 4), None);
    }

    #[test]
    fn of_a_file_that_no_program_has_it_is_said_why() {
        let files: &[(&str, &str)] = &[
            ("/w/Cargo.toml", "[workspace]\n"),
            ("/w/a/Cargo.toml", "[package]\nname = \"a\"\n"),
            ("/w/a/src/lib.rs", "pub mod types;\n#[cfg(windows)]\nmod drive {}\nmod models;\n"),
            ("/w/m/Cargo.toml", "[package]\nname = \"m\"\n[lib]\nproc-macro = true\n"),
            ("/w/b/Cargo.toml", "[package]\nname = \"b\"\n"),
        ];
        let text = |path: &str| {
            files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
        };
        let mapped = Mapped {
            regions: [("/w/a/src/lib.rs".to_owned(), vec![region((1, 0), (1, 9), 2)])].into(),
            files: ["/w/a/src/lib.rs".to_owned(), "/w/m/src/lib.rs".to_owned()].into(),
        };
        let names = [
            "a/src/lib.rs",
            "a/src/types.rs",
            "a/src/model.rs",
            "a/src/drive/mod.rs",
            "a/build.rs",
            "m/src/lib.rs",
            "b/src/lib.rs",
        ];
        let asked: Vec<String> = names.map(|name| format!("/w/{name}")).into();
        let note = RustNote::new(&asked, mapped, &text);
        assert_eq!(note.without, ["/w/a/src/model.rs"]);
        let why: Vec<&str> = note.problems.values().map(String::as_str).collect();
        let wanted =
            ["build script", "left out of", "left out of", "in no package", "procedural macro"];
        assert!(why.len() == wanted.len(), "{why:?}");
        assert!(why.iter().zip(wanted).all(|(why, wanted)| why.contains(wanted)), "{why:?}");
        let left = [ReportFile { path: left_by(7), bytes: serde_json::to_vec(&note).unwrap() }];
        let source = |_: &str| Some("fn a() {\n    b();\n}\n".to_owned());
        let seen = read(&CoverageMaterial { asked: &asked, left: &left, source: &source });
        assert_eq!(seen.files.len(), 2);
        assert_eq!(seen.problems.len(), 5);
        let nothing = read(&CoverageMaterial { asked: &asked, left: &[], source: &source });
        assert_eq!((nothing.files.len(), nothing.problems.len()), (0, 7));
    }
}
