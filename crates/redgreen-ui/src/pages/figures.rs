//! Figures: whether it pays, for one project at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use minijinja::Value;
use redgreen_memory::{Figure, Group, Memory, Metric, Standing};
use redgreen_model::config::Config;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_runner::memory::opened;
use redgreen_runner::overview::Card;
use redgreen_runner::session;
use serde::Serialize;

use crate::picture;
use crate::render::part;
use crate::watch::Watched;
use crate::words::millis;

/// How many rows a table has.
const ROWS_MAX: usize = 15;
/// How many of the newest sessions are read for what their tests did, and how large their journals may be.
const SESSIONS_READ: usize = 8;
const JOURNAL_BYTES_MAX: u64 = 16 * 1024 * 1024;

#[derive(Default, Serialize)]
struct View {
    projects: Vec<(usize, String, bool)>,
    folder: String,
    sessions: usize,
    figures: Vec<FigureView>,
    agents: Vec<GroupView>,
    recurring: Vec<(String, u32, String, String)>,
    patterns: Vec<PatternView>,
    slowest: Vec<(String, String)>,
    flaky: Vec<(String, usize)>,
    problem: Option<String>,
}

#[derive(Serialize)]
struct FigureView {
    title: &'static str,
    now: String,
    target: String,
    standing: &'static str,
    class: &'static str,
    of: usize,
    trend: Value,
    parts: Vec<String>,
}

#[derive(Serialize)]
struct GroupView {
    name: String,
    sessions: usize,
    values: Vec<String>,
}

#[derive(Serialize)]
struct PatternView {
    error: String,
    message: String,
    seen: u32,
    worked: u32,
    tried: u32,
    offered: bool,
    fix: Option<String>,
}

pub(crate) fn body(watched: &Watched, asked: Option<usize>, now: Timestamp) -> Value {
    let cards: Vec<Card> = watched.look(|overview| overview.cards().cloned().collect());
    let known: BTreeSet<&Path> = cards.iter().map(|card| card.project.as_path()).collect();
    let projects: Vec<PathBuf> = known.into_iter().map(Path::to_owned).collect();
    let newest = || {
        let newest = &cards.first()?.project;
        projects.iter().position(|project| project == newest)
    };
    let Some(chosen) = asked.filter(|it| *it < projects.len()).or_else(newest) else {
        return part("figures.html", &View::default());
    };
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let listed =
        projects.iter().enumerate().map(|(place, path)| (place, name(path), place == chosen));
    let root = &projects[chosen];
    let mut view = View {
        projects: listed.collect(),
        folder: root.to_string_lossy().into_owned(),
        ..View::default()
    };
    if let Err(problem) =
        memory(root).and_then(|mut memory| remembered(&mut memory, &mut view, now))
    {
        view.problem = Some(problem);
    }
    tests(cards.iter().filter(|card| card.project == *root), &mut view);
    part("figures.html", &view)
}

fn memory(root: &Path) -> Result<Memory, String> {
    let text = std::fs::read_to_string(root.join("redgreen.toml")).unwrap_or_default();
    let config = Config::parse(&text).map_err(|_| "redgreen.toml cannot be read".to_owned())?;
    opened(root, &config.memory).map_err(|error| error.to_string())
}

fn remembered(memory: &mut Memory, view: &mut View, now: Timestamp) -> Result<(), String> {
    let failed = |error: redgreen_memory::MemoryError| error.to_string();
    let metrics = memory.metrics(None, now).map_err(failed)?;
    view.sessions = metrics.sessions;
    view.figures = metrics.all.iter().map(figure).collect();
    view.agents = metrics.by_agent.iter().map(group).collect();
    let line = |text: &str| clean_line(text, LINE_CHARS);
    let day = |at: &str| at.split('T').next().unwrap_or(at).to_owned();
    view.recurring = memory
        .recurring()
        .map_err(failed)?
        .into_iter()
        .take(ROWS_MAX)
        .map(|it| (line(&it.test), it.sessions, it.resolution.to_string(), day(&it.last_seen)))
        .collect();
    let patterns = memory.patterns().map_err(failed)?;
    let pattern = |it: redgreen_memory::Pattern| PatternView {
        error: line(&it.error_type),
        message: line(&it.message),
        seen: it.occurrences,
        worked: it.worked,
        tried: it.worked + it.failed,
        offered: it.offered,
        fix: it.fix.as_deref().map(line),
    };
    view.patterns = patterns.into_iter().take(ROWS_MAX).map(pattern).collect();
    Ok(())
}

/// What the newest sessions saw of each test.
fn tests<'a>(cards: impl Iterator<Item = &'a Card>, view: &mut View) {
    let mut took: BTreeMap<String, u64> = BTreeMap::new();
    let mut flaky: BTreeMap<String, usize> = BTreeMap::new();
    let small = |card: &&Card| {
        let found = std::fs::metadata(card.folder().journal());
        found.is_ok_and(|found| found.len() <= JOURNAL_BYTES_MAX)
    };
    for card in cards.filter(small).take(SESSIONS_READ) {
        let Ok(record) = session::read(&card.folder()) else { continue };
        let state = &record.state;
        let tests = state.executions().flat_map(|it| &it.checks).flat_map(|it| &it.report.tests);
        for test in tests {
            let known = took.entry(test.id.clone()).or_default();
            *known = (*known).max(test.duration_ms);
        }
        let judged =
            state.attempts.iter().filter_map(|it| it.judged.as_ref()).chain(&state.baseline);
        let seen: BTreeSet<&str> =
            judged.flat_map(|it| &it.classes.flaky).map(|it| it.test.as_str()).collect();
        for test in seen {
            *flaky.entry(test.to_owned()).or_default() += 1;
        }
    }
    let mut slowest: Vec<(String, u64)> = took.into_iter().filter(|(_, took)| *took > 0).collect();
    slowest.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    view.slowest =
        slowest.into_iter().take(ROWS_MAX).map(|(test, took)| (test, millis(took))).collect();
    let mut flaky: Vec<(String, usize)> = flaky.into_iter().collect();
    flaky.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    flaky.truncate(ROWS_MAX);
    view.flaky = flaky;
}

fn figure(figure: &Figure) -> FigureView {
    let parts: Vec<String> = figure.trend.iter().map(|part| value(figure.metric, *part)).collect();
    let sign = if figure.metric.less_is_better() { "under" } else { "over" };
    let title = title(figure.metric);
    FigureView {
        title,
        now: value(figure.metric, figure.current),
        target: format!("{sign} {}", value(figure.metric, Some(figure.target))),
        standing: match figure.standing {
            Standing::Met => "met",
            Standing::Missed => "missed",
            Standing::NoData => "no data",
        },
        class: match figure.standing {
            Standing::Met => "passed",
            Standing::Missed => "ended",
            Standing::NoData => "idle",
        },
        of: figure.of,
        trend: picture::trend(&figure.trend, figure.target, &format!("the course of: {title}")),
        parts,
    }
}

fn group(group: &Group) -> GroupView {
    let values = group.figures.iter().map(|it| value(it.metric, it.current)).collect();
    GroupView { name: group.name.clone(), sessions: group.sessions, values }
}

fn title(metric: Metric) -> &'static str {
    match metric {
        Metric::FirstAttemptPassRate => "Passed with the first attempt",
        Metric::AverageAttempts => "Attempts until it passed",
        Metric::EscalationRate => "Handed to a person",
        Metric::DebugMemoryReuse => "Helped by memory",
        Metric::CoverageMetRate => "Covered enough",
    }
}

/// A figure as people write it.
fn value(metric: Metric, value: Option<f64>) -> String {
    match value {
        None => "–".to_owned(),
        Some(value) if metric.is_number() => format!("{value:.2}"),
        Some(share) => {
            let percent = format!("{:.1}", share * 100.0);
            format!("{} %", percent.strip_suffix(".0").unwrap_or(&percent))
        }
    }
}
