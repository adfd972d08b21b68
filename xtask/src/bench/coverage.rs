//! Which changed lines no test ran, by a large report: from the start of a process to its end, against diff-cover.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Setting;
use super::measure::{compare, time};
use super::table::{Quantity, Row};
use crate::Failure;
use crate::project::{bench_folder, built, capture, tools_folder};

const PEER: &str = "diff-cover==11.0.1";
/// At least twenty times as fast.
const TARGET_RATIO: f64 = 1.0 / 20.0;
const FILES: usize = 5_000;
const FILES_IN_FOLDER: usize = 50;
/// Of the lines that a report has of a file, only the first are in the tree; the others are there for the size.
const LINES_IN_TREE: usize = 40;
/// How many files are changed, and how many lines are new in each: 500 together.
const CHANGED_FILES: usize = 20;
const NEW_LINES: usize = 25;
/// Lines of each file in a report of 100 MB.
const LCOV_LINES: usize = 2_080;
/// The same for 50 MB.
const COBERTURA_LINES: usize = 285;

/// 100 MB of LCOV.
pub fn lcov(setting: &Setting) -> Result<Row, Failure> {
    let mut report = String::new();
    for number in 0..FILES {
        let _ = writeln!(report, "TN:\nSF:{}", path(number));
        for line in 1..=LCOV_LINES {
            let _ = writeln!(report, "DA:{line},{}", hits(number, line));
        }
        report += "end_of_record\n";
    }
    against_diff_cover(setting, "lcov.info", &report)
}

/// 50 MB of Cobertura's XML, as coverage.py writes it.
pub fn cobertura(setting: &Setting) -> Result<Row, Failure> {
    let root = folder();
    let mut report = format!(
        "<?xml version=\"1.0\" ?>\n<coverage version=\"7.17.3\">\n\t<sources>\n\t\t<source>{}</source>\n\
         \t</sources>\n\t<packages>\n\t\t<package name=\"src\">\n\t\t\t<classes>\n",
        root.display()
    );
    for number in 0..FILES {
        let path = path(number);
        let _ = writeln!(
            report,
            "\t\t\t\t<class name=\"m{number}.py\" filename=\"{path}\">\n\t\t\t\t\t<methods/>\n\t\t\t\t\t<lines>"
        );
        for line in 1..=COBERTURA_LINES {
            let hits = hits(number, line);
            let _ = writeln!(report, "\t\t\t\t\t\t<line number=\"{line}\" hits=\"{hits}\"/>");
        }
        report += "\t\t\t\t\t</lines>\n\t\t\t\t</class>\n";
    }
    report += "\t\t\t</classes>\n\t\t</package>\n\t</packages>\n</coverage>\n";
    against_diff_cover(setting, "coverage.xml", &report)
}

fn against_diff_cover(setting: &Setting, name: &str, text: &str) -> Result<Row, Failure> {
    let peer = diff_cover()?;
    let options = ["--release", "--package", "redgreen-coverage", "--example", "changed_lines"];
    let ours = built(&options, "changed_lines")?;
    let root = repository()?;
    let report = root.with_extension(name);
    write(&report, text)?;
    let medians = compare(
        setting.runs,
        || time(Command::new(&ours).arg("base").arg(&report).current_dir(&root)),
        || {
            let mut command = Command::new(&peer);
            time(command.arg(&report).args(["--compare-branch", "base"]).current_dir(&root))
        },
    )?;
    let said = capture(Command::new(&ours).arg("base").arg(&report).current_dir(&root))?;
    let total = format!("total {}, ", CHANGED_FILES * NEW_LINES);
    if !said.contains(&total) {
        return Err(format!("not all of the changed lines were found in {name}:\n{said}"));
    }
    fs::remove_file(&report).map_err(|error| format!("{}: {error}", report.display()))?;
    Ok(Row {
        ours: Quantity::Time(medians.ours),
        against: "diff-cover",
        theirs: Quantity::Time(medians.theirs),
        target_ratio: TARGET_RATIO,
    })
}

fn folder() -> PathBuf {
    bench_folder().join("coverage")
}

fn path(number: usize) -> String {
    format!("src/package_{:03}/module_{number:05}.py", number / FILES_IN_FOLDER)
}

const fn hits(number: usize, line: usize) -> usize {
    (line * 7 + number) % 3
}

/// A repository whose last commit adds lines to some of its files.
fn repository() -> Result<PathBuf, Failure> {
    let root = folder();
    if root.exists() {
        fs::remove_dir_all(&root).map_err(|error| format!("{}: {error}", root.display()))?;
    }
    let old: String = (0..LINES_IN_TREE).map(|line| format!("value_{line} = {line}\n")).collect();
    for number in 0..FILES {
        write(&root.join(path(number)), &old)?;
    }
    git(&root, &["init", "--quiet"])?;
    commit(&root)?;
    git(&root, &["tag", "base"])?;
    let new: String = (0..NEW_LINES).map(|line| format!("new_{line} = {line}\n")).collect();
    for number in (0..FILES).step_by(FILES / CHANGED_FILES) {
        write(&root.join(path(number)), &format!("{new}{old}"))?;
    }
    commit(&root)?;
    Ok(root)
}

fn commit(root: &Path) -> Result<(), Failure> {
    git(root, &["add", "."])?;
    git(root, &["-c", "user.name=b", "-c", "user.email=b@b", "commit", "--quiet", "-m", "change"])
}

fn git(root: &Path, args: &[&str]) -> Result<(), Failure> {
    capture(Command::new("git").args(args).current_dir(root)).map(drop)
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let made = file.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| fs::write(file, text))
        .map_err(|error| format!("{} cannot be written: {error}", file.display()))
}

/// The peer, in an environment of its own: no test needs it.
fn diff_cover() -> Result<PathBuf, Failure> {
    let environment = tools_folder().join("diff-cover");
    let program = environment.join("bin/diff-cover");
    if !program.exists() {
        capture(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
        let mut pip = Command::new(environment.join("bin/python"));
        capture(pip.args(["-m", "pip", "install", "--no-input", "--quiet", PEER]))?;
    }
    Ok(program)
}
