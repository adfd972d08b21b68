//! Small reports as the tools themselves wrote them. The same run gives the same answer in every format of its tool.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use redgreen_coverage::formats::{Format, Wanted, read, recognise};
use redgreen_coverage::paths::{Module, Tree};

/// A report, and the run that it is of.
pub struct Report {
    /// Where it is in the fixtures.
    pub file: &'static str,
    format: Format,
    run: &'static str,
}

const fn report(file: &'static str, format: Format, run: &'static str) -> Report {
    Report { file, format, run }
}

/// All of them.
pub const REPORTS: &[Report] = &[
    report("python/coverage.json", Format::CoveragePy, "coverage.py"),
    report("python/coverage.xml", Format::Cobertura, "coverage.py"),
    report("python/lcov.info", Format::Lcov, "coverage.py"),
    report("javascript/nyc/coverage-final.json", Format::Istanbul, "nyc"),
    report("javascript/nyc/cobertura-coverage.xml", Format::Cobertura, "nyc"),
    report("javascript/nyc/clover.xml", Format::Clover, "nyc"),
    report("javascript/nyc/lcov.info", Format::Lcov, "nyc"),
    report("javascript/c8/coverage-final.json", Format::Istanbul, "c8"),
    report("javascript/c8/cobertura-coverage.xml", Format::Cobertura, "c8"),
    report("javascript/c8/clover.xml", Format::Clover, "c8"),
    report("javascript/c8/lcov.info", Format::Lcov, "c8"),
    report("go/cover.out", Format::Go, "go"),
    report("go/count.out", Format::Go, "go"),
    report("go/lcov.info", Format::Lcov, "go"),
    report("go/cobertura.xml", Format::Cobertura, "go"),
    report("c/llvm/export.json", Format::Llvm, "llvm"),
    report("c/llvm/lcov.info", Format::Lcov, "llvm"),
    report("c/gcov/lcov.info", Format::Lcov, "gcov"),
    report("c/gcov/cobertura.xml", Format::Cobertura, "gcov"),
    report("c/gcov/clover.xml", Format::Clover, "gcov"),
    report("java/jacoco.xml", Format::Jacoco, "java"),
];

/// What a run says of the files of its tree: the lines that ran, and those that did not.
const RUNS: &[(&str, &str, &[u32], &[u32])] = &[
    (
        "coverage.py",
        "src/shop/prices.py",
        &[3, 9, 13, 17, 22, 25, 26, 28, 29, 30, 31, 32, 39, 42, 43, 45, 46, 47, 49],
        &[18, 27, 50],
    ),
    ("coverage.py", "src/shop/unused.py", &[], &[1, 2]),
    ("nyc", "src/prices.js", &[3, 9, 10, 11, 12, 17, 21, 24, 25, 26, 28, 33, 41], &[13, 22, 37]),
    (
        "go",
        "prices/prices.go",
        &[13, 14, 15, 16, 17, 18, 22, 26, 27, 30, 31, 32, 34],
        &[19, 20, 21, 28, 29, 38],
    ),
    (
        "llvm",
        "src/prices.c",
        &[3, 4, 5, 6, 7, 8, 13, 14, 16, 17, 20, 21, 22, 23, 24, 25, 26, 27],
        &[9, 10, 11, 12, 18, 19, 29, 30, 31],
    ),
    (
        "gcov",
        "src/prices.c",
        &[3, 4, 5, 6, 8, 13, 16, 17, 20, 21, 22, 23, 26],
        &[9, 10, 11, 18, 29, 30],
    ),
    ("java", "src/main/java/shop/prices/Prices.java", &[9, 10, 11, 13, 18], &[3, 14, 22, 25, 27]),
];

const TREE: &[&str] = &[
    "main.c",
    "prices/prices.go",
    "src/main/java/shop/prices/Prices.java",
    "src/prices.c",
    "src/prices.js",
    "src/shop/__init__.py",
    "src/shop/prices.py",
    "src/shop/unused.py",
];

/// A report's bytes.
pub fn bytes_of(file: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reports").join(file);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Line by line, whether it ran.
type Lines = BTreeMap<u32, bool>;

fn placed(file: &str, wanted: &Wanted<'_>) -> BTreeMap<String, Lines> {
    let reading = read(&bytes_of(file), wanted);
    assert_eq!(reading.diagnostics, Vec::<String>::new(), "{file}");
    let module = Module::read("", "module example.com/shop\n").expect("a module");
    let tree = Tree { paths: TREE.to_vec(), modules: vec![module], ..Tree::default() };
    let (coverage, diagnostics) = tree.place(reading, None);
    assert_eq!(diagnostics, Vec::<String>::new(), "{file}");
    let lines = coverage.files.into_iter().map(|(path, file)| {
        (path, file.lines.into_iter().map(|(line, hits)| (line, hits > 0)).collect())
    });
    lines.collect()
}

#[test]
fn a_report_is_told_by_what_it_says() {
    for report in REPORTS {
        assert_eq!(recognise(&bytes_of(report.file)), Some(report.format), "{}", report.file);
    }
}

#[test]
fn every_line_is_as_the_tool_saw_it() {
    for report in REPORTS {
        let found = placed(report.file, &Wanted::all());
        for (_, path, ran, not) in RUNS.iter().filter(|(run, ..)| *run == report.run) {
            let ran = ran.iter().map(|line| (*line, true));
            let expected: Lines = ran.chain(not.iter().map(|line| (*line, false))).collect();
            assert_eq!(found[*path], expected, "{}: {path}", report.file);
        }
    }
}

#[test]
fn the_same_run_gives_the_same_answer_in_every_format() {
    let mut runs: BTreeMap<&str, BTreeMap<String, Lines>> = BTreeMap::new();
    for report in REPORTS {
        let found = placed(report.file, &Wanted::all());
        assert!(!found.is_empty(), "{}", report.file);
        let first = runs.entry(report.run).or_insert_with(|| found.clone());
        assert_eq!(*first, found, "{}", report.file);
    }
}

#[test]
fn what_is_wanted_is_the_same_as_without_the_rest() {
    for report in REPORTS {
        let all = placed(report.file, &Wanted::all());
        for path in all.keys() {
            let wanted = placed(report.file, &Wanted::these([path.as_str()]));
            assert_eq!(wanted.get(path), all.get(path), "{}", report.file);
            assert_eq!(wanted.len(), 1, "{}", report.file);
        }
    }
}

#[test]
fn what_does_not_say_whether_it_ran_is_not_known() {
    let reading = read(&bytes_of("c/gcov/jacoco.xml"), &Wanted::all());
    assert!(reading.coverage.files.values().all(|file| file.lines.is_empty()));
    assert_eq!(reading.diagnostics.len(), 1, "{:?}", reading.diagnostics);
}
