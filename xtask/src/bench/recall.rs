//! The debug memory at three sizes: a cold brief, recall in a process, growth, taking records in, the index.
//!
//! The example of the crate makes the histories and asks in a process; the cold brief is the shipped binary,
//! from its start to its end.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::measure::{compare, time};
use super::table::{Quantity, Row};
use super::{NamedRow, START_RUNS, Setting};
use crate::Failure;
use crate::project::{bench_folder, built, capture};

const EXAMPLE: &str = "memory_bench";
/// With the binary, so that what both use is built once.
const BUILD: &[&str] =
    &["--release", "--package", "redgreen", "--package", "redgreen-memory", "--example", EXAMPLE];
const SMALL: u64 = 1_000;
const MIDDLE: u64 = 10_000;
const LARGE: u64 = 100_000;

/// A brief may cost so many starts of the program.
const BRIEF_RATIO: f64 = 3.0;
/// From the small to the large history, costs may grow by that.
const GROWTH: f64 = 3.0;
/// What an agent may wait at a failure, at the 99th percentile.
const RECALL_LIMIT: Duration = Duration::from_millis(2);
/// What making the index anew may cost for each thousand records of ten executions.
const REBUILD_LIMIT: Duration = Duration::from_millis(600);
/// What the index may add to the records.
const INDEX_RATIO: f64 = 0.25;
/// Putting a record in may cost so many times reading it.
const INGEST_RATIO: f64 = 10.0;
/// A record goes to the disk and into the index: that may cost so many times the first alone.
const WRITE_RATIO: f64 = 3.0;

pub fn small(setting: &Setting) -> Result<Vec<NamedRow>, Failure> {
    History::make(SMALL)?.rows(setting)
}

pub fn middle(setting: &Setting) -> Result<Vec<NamedRow>, Failure> {
    History::make(MIDDLE)?.rows(setting)
}

/// The large history, and what became more since the small one.
pub fn large(setting: &Setting) -> Result<Vec<NamedRow>, Failure> {
    let (small, large) = (History::make(SMALL)?, History::make(LARGE)?);
    let mut rows = large.rows(setting)?;
    let cold = compare(
        START_RUNS,
        || time(&mut large.brief(setting)),
        || time(&mut small.brief(setting)),
    )?;
    let against = "1,000 records";
    rows.push(large.row(
        "brief-growth",
        Row {
            ours: Quantity::Time(cold.ours),
            against,
            theirs: Quantity::Time(cold.theirs),
            target_ratio: GROWTH,
        },
    ));
    for (name, figure) in
        [("recall-growth", "recall_p50_us"), ("recall-p99-growth", "recall_p99_us")]
    {
        rows.push(large.row(
            name,
            Row {
                ours: Quantity::Time(large.time(figure)?),
                against,
                theirs: Quantity::Time(small.time(figure)?),
                target_ratio: GROWTH,
            },
        ));
    }
    Ok(rows)
}

/// A work tree whose debug memory has so many records; it goes when this is dropped.
struct History {
    records: u64,
    folder: PathBuf,
    /// Where the key is that its records are sealed with: outside of the work tree.
    state: PathBuf,
    bytes: u64,
    figures: Value,
    file: String,
}

impl Drop for History {
    fn drop(&mut self) {
        for folder in [&self.folder, &self.state] {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

impl History {
    fn make(records: u64) -> Result<Self, Failure> {
        let example = built(BUILD, EXAMPLE)?;
        let name = format!("debug-memory-{records}-{}", std::process::id());
        let (folder, state) = (bench_folder().join(&name), bench_folder().join(name + "-state"));
        let memory = folder.join(".aiwg/ralph/debug-memory");
        fs::create_dir_all(&memory).map_err(|error| format!("{}: {error}", memory.display()))?;
        let mut history =
            Self { records, folder, state, bytes: 0, figures: Value::Null, file: String::new() };
        capture(Command::new("git").args(["init", "--quiet"]).arg(&history.folder))?;
        let state = history.state.clone();
        let ask = |what: &[&str]| {
            capture(Command::new(&example).args(what).env("XDG_STATE_HOME", &state))
        };
        let (memory, number) = (path_text(&memory)?, records.to_string());
        let written = ask(&["history", memory, &number])?;
        history.bytes = written.trim().parse().map_err(|_| format!("no size: {written}"))?;
        let figures = ask(&["figures", memory, &number])?;
        history.figures =
            serde_json::from_str(&figures).map_err(|error| format!("{error}: {figures}"))?;
        ask(&["file", "7"])?.trim_end().clone_into(&mut history.file);
        Ok(history)
    }

    fn rows(&self, setting: &Setting) -> Result<Vec<NamedRow>, Failure> {
        let said = capture(&mut self.brief(setting))?;
        if !said.contains("From the debug memory of this project") {
            return Err(format!("the brief of {} knows nothing: {said}", self.file));
        }
        let cold = compare(
            START_RUNS,
            || time(&mut self.brief(setting)),
            || time(Command::new(&setting.redgreen).arg("--version")),
        )?;
        let thousands = u32::try_from(self.records / SMALL).unwrap_or(u32::MAX);
        let row = |name: &str, ours, against, theirs, target_ratio| {
            self.row(name, Row { ours, against, theirs, target_ratio })
        };
        let scan = Quantity::Time(self.time("scan_us")?);
        let index = Quantity::Memory(self.number("index_bytes")?);
        let rebuild = self.time("rebuild_us")?;
        let each = |time: Duration| time / u32::try_from(self.records).unwrap_or(u32::MAX);
        Ok(vec![
            row(
                "brief",
                Quantity::Time(cold.ours),
                "redgreen --version",
                Quantity::Time(cold.theirs),
                BRIEF_RATIO,
            ),
            row("brief-scan", Quantity::Time(cold.ours), "plain scan", scan, 1.0),
            row(
                "recall-p99",
                Quantity::Time(self.time("recall_p99_us")?),
                "limit",
                Quantity::Time(RECALL_LIMIT),
                1.0,
            ),
            row(
                "recall-scan",
                Quantity::Time(self.time("recall_p50_us")?),
                "plain scan",
                scan,
                1.0,
            ),
            row(
                "write",
                Quantity::Time(self.time("write_p50_us")?),
                "file and fsync",
                Quantity::Time(self.time("plain_write_p50_us")?),
                WRITE_RATIO,
            ),
            row(
                "rebuild",
                Quantity::Time(rebuild),
                "limit",
                Quantity::Time(REBUILD_LIMIT * thousands),
                1.0,
            ),
            row(
                "ingest",
                Quantity::Time(each(rebuild)),
                "scan a record",
                Quantity::Time(each(self.time("scan_us")?)),
                INGEST_RATIO,
            ),
            row("index", index, "the records", Quantity::Memory(self.bytes), INDEX_RATIO),
        ])
    }

    fn row(&self, name: &str, row: Row) -> NamedRow {
        (format!("debug-memory-{}k-{name}", self.records / SMALL), row)
    }

    fn brief(&self, setting: &Setting) -> Command {
        let mut command = Command::new(&setting.redgreen);
        command.args(["memory", "brief", &self.file]).current_dir(&self.folder);
        command.env("XDG_STATE_HOME", &self.state);
        command
    }

    fn number(&self, figure: &str) -> Result<u64, Failure> {
        let found = self.figures.get(figure).and_then(Value::as_u64);
        found.ok_or_else(|| format!("{EXAMPLE} says nothing of {figure}: {}", self.figures))
    }

    fn time(&self, figure: &str) -> Result<Duration, Failure> {
        self.number(figure).map(Duration::from_micros)
    }
}

fn path_text(path: &Path) -> Result<&str, Failure> {
    path.to_str().ok_or_else(|| format!("{} is not UTF-8", path.display()))
}
