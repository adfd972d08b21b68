//! `cargo xtask bench`: the benchmarks, as one table.
//!
//! A comparison is always with a peer on the same machine in the same run, interleaved, and by
//! medians: a number from another day says little.

mod console;
mod coverage;
mod gate;
mod junit;
mod localise;
mod measure;
mod memory;
mod mutants;
mod recall;
mod square;
mod suites;
mod table;
mod tree;
mod ui;

use std::path::{Path, PathBuf};
use std::process::Command;

use measure::{compare, time};
use suites::Suite;
use table::{Quantity, Row, render};

use crate::project::{PYTHON_ENVIRONMENT, built, tools_folder};
use crate::{Failure, tools};

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    strict: bool,
    runs: usize,
    binary: Option<PathBuf>,
    names: Vec<String>,
}

/// Fewer runs of a suite than this make a poor median.
const DEFAULT_RUNS: usize = 5;
/// Starting a program takes milliseconds, so that more runs cost nothing and less is noise.
const START_RUNS: usize = 41;

impl Options {
    /// Reads `[--strict] [--runs N] [--binary FILE] [NAME…]`.
    pub fn parse(args: &[&str]) -> Result<Self, Failure> {
        let mut options =
            Self { strict: false, runs: DEFAULT_RUNS, binary: None, names: Vec::new() };
        let mut args = args.iter();
        while let Some(&arg) = args.next() {
            match arg {
                "--strict" => options.strict = true,
                "--runs" => {
                    let runs = args.next().and_then(|runs| runs.parse().ok());
                    options.runs = runs.filter(|&runs| runs > 0).ok_or("--runs needs a number")?;
                }
                "--binary" => {
                    let file = args.next().ok_or("--binary needs a file")?;
                    let file = std::path::absolute(file);
                    options.binary = Some(file.map_err(|error| format!("--binary: {error}"))?);
                }
                _ if arg.starts_with('-') => return Err(format!("unknown option `{arg}`")),
                _ => options.names.push(arg.to_owned()),
            }
        }
        Ok(options)
    }

    fn selects(&self, benchmark: &Benchmark) -> bool {
        self.names.is_empty() || self.names.iter().any(|name| benchmark.name.contains(name))
    }
}

struct Benchmark {
    name: &'static str,
    run: Run,
}

/// How a benchmark is run.
enum Run {
    /// It has one row, which is named as the benchmark is.
    One(fn(&Setting) -> Result<Row, Failure>),
    /// What it needs is made once for all of its rows.
    Several(fn(&Setting) -> Result<Vec<NamedRow>, Failure>),
}

/// A row and its name.
type NamedRow = (String, Row);

impl Benchmark {
    fn rows(&self, setting: &Setting) -> Result<Vec<NamedRow>, Failure> {
        match self.run {
            Run::One(run) => Ok(vec![(self.name.to_owned(), run(setting)?)]),
            Run::Several(run) => run(setting),
        }
    }
}

const BENCHMARKS: &[Benchmark] = &[
    Benchmark { name: "test-quick-suite", run: Run::One(quick_suite) },
    Benchmark { name: "test-3s-suite", run: Run::One(three_second_suite) },
    Benchmark { name: "square-500-code-changed", run: Run::One(square::code_changed) },
    Benchmark { name: "square-500-tests-changed", run: Run::One(square::tests_changed) },
    Benchmark { name: "version", run: Run::One(version) },
    Benchmark { name: "gate-1000-files", run: Run::One(gate::small) },
    Benchmark { name: "gate-50000-files", run: Run::One(gate::large) },
    Benchmark { name: "gate-50000-files-one-edit", run: Run::One(gate::one_edit) },
    Benchmark { name: "gate-hook", run: Run::One(gate::hook) },
    Benchmark { name: "tree-hash-50000-files", run: Run::One(tree::unchanged_tree) },
    Benchmark { name: "console-noise", run: Run::One(console::noise) },
    Benchmark { name: "console-results", run: Run::One(console::results) },
    Benchmark { name: "memory-2gb-output", run: Run::One(memory_under_flood) },
    Benchmark { name: "junit-25mb-peer", run: Run::One(junit::against_junit_parser) },
    Benchmark { name: "junit-25mb-events", run: Run::One(junit::against_plain_events) },
    Benchmark { name: "junit-25mb-memory", run: Run::One(junit::memory) },
    Benchmark { name: "coverage-100mb-lcov", run: Run::One(coverage::lcov) },
    Benchmark { name: "coverage-50mb-cobertura", run: Run::One(coverage::cobertura) },
    Benchmark { name: "mutants-of-a-module", run: Run::One(mutants::module) },
    Benchmark { name: "ui-1000-sessions", run: Run::Several(ui::pages) },
    Benchmark { name: "localise", run: Run::Several(localise::all) },
    Benchmark { name: "debug-memory-1k", run: Run::Several(recall::small) },
    Benchmark { name: "debug-memory-10k", run: Run::Several(recall::middle) },
    Benchmark { name: "debug-memory-100k", run: Run::Several(recall::large) },
];

/// What every benchmark may use.
struct Setting {
    redgreen: PathBuf,
    runs: usize,
}

/// Runs the benchmarks and prints the table. Being over a target fails only with `--strict`; a
/// benchmark that could not be run always fails.
pub fn run(options: &Options) -> Result<(), Failure> {
    let selected: Vec<&Benchmark> =
        BENCHMARKS.iter().filter(|benchmark| options.selects(benchmark)).collect();
    if selected.is_empty() {
        let all: Vec<&str> = BENCHMARKS.iter().map(|benchmark| benchmark.name).collect();
        return Err(format!("no benchmark has such a name; there are: {}", all.join(", ")));
    }
    // The histories of the debug memory need nothing but git.
    if selected.iter().any(|benchmark| matches!(benchmark.run, Run::One(_))) {
        tools::install()?;
    }
    let redgreen = options.binary.clone().map_or_else(build_release, Ok)?;
    let setting = Setting { redgreen, runs: options.runs };
    let (mut rows, mut failures) = (Vec::new(), Vec::new());
    for benchmark in selected {
        eprintln!("running {}", benchmark.name);
        match benchmark.rows(&setting) {
            Ok(found) => rows.extend(found),
            Err(failure) => failures.push(format!("{}: {failure}", benchmark.name)),
        }
    }
    print!("{}", render(&rows));
    if !failures.is_empty() {
        return Err(format!("could not be measured:\n{}", failures.join("\n")));
    }
    let over = rows.iter().filter(|(_, row)| !row.within_target()).count();
    if options.strict && over > 0 {
        return Err(format!("{over} over target"));
    }
    Ok(())
}

/// Builds redgreen as it is shipped, and returns where it is.
fn build_release() -> Result<PathBuf, Failure> {
    built(&["--release", "--package", "redgreen"], "redgreen")
}

/// The price of being watched when tests take no time.
fn quick_suite(setting: &Setting) -> Result<Row, Failure> {
    overhead(setting, &Suite::quick()?, 1.25)
}

/// The price of being watched on an ordinary suite.
fn three_second_suite(setting: &Setting) -> Result<Row, Failure> {
    overhead(setting, &Suite::three_seconds()?, 1.10)
}

fn overhead(setting: &Setting, suite: &Suite, target_ratio: f64) -> Result<Row, Failure> {
    let path = path_with_pytest()?;
    let timed_in_suite = |program: &Path, arg: &str| {
        time(Command::new(program).arg(arg).env("PATH", &path).current_dir(suite.folder()))
    };
    let pytest = tools_folder().join(PYTHON_ENVIRONMENT).join("bin/pytest");
    let medians = compare(
        setting.runs,
        || timed_in_suite(&setting.redgreen, "test"),
        || timed_in_suite(&pytest, suites::PYTEST_ARGUMENT),
    )?;
    suite.check_executions(medians.executions)?;
    Ok(Row {
        ours: Quantity::Time(medians.ours),
        against: "bare pytest",
        theirs: Quantity::Time(medians.theirs),
        target_ratio,
    })
}

/// The search path on which `pytest` is the one that we installed.
fn path_with_pytest() -> Result<std::ffi::OsString, Failure> {
    let ours = tools_folder().join(PYTHON_ENVIRONMENT).join("bin");
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(ours).chain(std::env::split_paths(&inherited)))
        .map_err(|error| format!("the search path cannot be extended: {error}"))
}

/// How long it takes to start and end.
fn version(setting: &Setting) -> Result<Row, Failure> {
    let medians = compare(
        START_RUNS,
        || time(Command::new(&setting.redgreen).arg("--version")),
        || time(Command::new("git").arg("--version")),
    )?;
    Ok(Row {
        ours: Quantity::Time(medians.ours),
        against: "git --version",
        theirs: Quantity::Time(medians.theirs),
        target_ratio: 1.5,
    })
}

const MEMORY_LIMIT_BYTES: u64 = 64 * 1024 * 1024;

/// What redgreen keeps while a child prints more than fits anywhere.
fn memory_under_flood(setting: &Setting) -> Result<Row, Failure> {
    let suite = Suite::flood()?;
    let mut command = Command::new(&setting.redgreen);
    command.arg("test").current_dir(suite.folder());
    Ok(Row {
        ours: Quantity::Memory(memory::peak_bytes(&mut command, "redgreen")?),
        against: "limit",
        theirs: Quantity::Memory(MEMORY_LIMIT_BYTES),
        target_ratio: 1.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let args = ["--strict", "--runs", "9", "--binary", "/old/redgreen", "memory"];
        let expected = Options {
            strict: true,
            runs: 9,
            binary: Some("/old/redgreen".into()),
            names: vec!["memory".into()],
        };
        assert_eq!(Options::parse(&args), Ok(expected));
        assert!(Options::parse(&["--runs"]).is_err());
        assert!(Options::parse(&["--runs", "0"]).is_err());
        assert!(Options::parse(&["--loose"]).is_err());
    }

    #[test]
    fn names_select() {
        let options = Options::parse(&["suite"]).expect("valid");
        let selected: Vec<&str> = BENCHMARKS
            .iter()
            .filter(|benchmark| options.selects(benchmark))
            .map(|benchmark| benchmark.name)
            .collect();
        assert_eq!(selected, ["test-quick-suite", "test-3s-suite"]);
    }
}
