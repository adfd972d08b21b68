//! How a place is ranked: by redgreen, and by what anybody could do.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::corpus::Case;
use super::play::number;

/// Where the true place stands among all that were named: how many come before it, and how many stand beside it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ranking(Option<(f64, f64)>);

impl Ranking {
    pub(super) fn of(named: Vec<(String, u32, f64)>, (file, line): (&str, u32)) -> Self {
        let is_it = |it: &&(String, u32, f64)| it.0 == file && it.1 == line;
        let Some(score) = named.iter().find(is_it).map(|it| it.2) else { return Self(None) };
        let count = |beats: &dyn Fn(f64) -> bool| {
            let found = named.iter().filter(|it| beats(it.2)).count();
            u32::try_from(found).map_or(f64::MAX, f64::from)
        };
        Self(Some((count(&|other| other > score), count(&|other| (other - score).abs() < 1e-9))))
    }

    /// How likely the place is among the first `most`, where those that stand side by side are drawn.
    pub(super) fn among_first(self, most: f64) -> f64 {
        self.0.map_or(0.0, |(before, beside)| ((most - before) / beside).clamp(0.0, 1.0))
    }
}

/// The frames in code, from the innermost out.
pub(super) fn frames(judged: &Value, code: &BTreeSet<&str>) -> Vec<(String, u32, f64)> {
    let mut found: Vec<(String, u32, f64)> = Vec::new();
    for test in each(judged, "/report/tests") {
        let failure = &test["failure"];
        let own = [&failure["location"]]
            .into_iter()
            .chain(failure["frames"].as_array().into_iter().flatten());
        let own = own.filter(|place| place["file"].as_str().is_some_and(|it| code.contains(it)));
        for (depth, place) in (0_u32..).zip(own) {
            let file = place["file"].as_str().unwrap_or_default().to_owned();
            found.push((file, number(&place["line"]), -f64::from(depth)));
        }
    }
    found
}

/// All lines of code that the agent changed, alike.
pub(super) fn changed(case: &Case, code: &BTreeSet<&str>) -> Vec<(String, u32, f64)> {
    let mut found = Vec::new();
    for (path, new) in case.after.iter().filter(|(path, _)| code.contains(path.as_str())) {
        let old = case.before.iter().find(|(known, _)| known == path);
        let old: BTreeSet<&str> = old.into_iter().flat_map(|(_, text)| text.lines()).collect();
        let lines = (1..).zip(new.lines()).filter(|(_, line)| !old.contains(line));
        found.extend(lines.map(|(number, _)| (path.clone(), number, 1.0)));
    }
    found
}

/// The parts of the checks of an execution.
pub(super) fn each<'a>(execution: &'a Value, pointer: &str) -> Vec<&'a Value> {
    let checks = execution["checks"].as_array().into_iter().flatten();
    checks.filter_map(|check| check.pointer(pointer)?.as_array()).flatten().collect()
}

fn files(execution: &Value) -> BTreeMap<&str, &Value> {
    let checks = execution["checks"].as_array().into_iter().flatten();
    let all = checks.filter_map(|check| check.pointer("/coverage/files")?.as_object());
    all.flatten().map(|(path, file)| (path.as_str(), file)).collect()
}

/// Plain Ochiai over the statements that the failing tests ran.
pub(super) fn ochiai(judged: &Value, confirm: &Value) -> Vec<(String, u32, f64)> {
    let red: BTreeSet<&str> = each(judged, "/report/tests")
        .into_iter()
        .filter(|test| {
            ["failed", "errored"].contains(&test["outcome"].as_str().unwrap_or_default())
        })
        .filter_map(|test| test["id"].as_str())
        .collect();
    let all = files(judged);
    let mut found = Vec::new();
    for (path, alone) in files(confirm) {
        let Some(whole) = all.get(path) else { continue };
        for statement in alone["statements"].as_array().into_iter().flatten() {
            let score = match tests(whole, statement) {
                Some(tests) => {
                    let failing = tests.iter().filter(|test| red.contains(*test)).count();
                    ratio(failing) / (ratio(red.len()) * ratio(tests.len())).sqrt()
                }
                None => (hits(alone, statement) / hits(whole, statement).max(1.0)).min(1.0).sqrt(),
            };
            if score > 0.0 {
                found.push((path.to_owned(), number(&statement["first"]), score));
            }
        }
    }
    found
}

fn ratio(count: usize) -> f64 {
    u32::try_from(count).map_or(0.0, f64::from)
}

/// The tests that ran a statement, where the file says who ran what.
fn tests<'a>(file: &'a Value, statement: &Value) -> Option<BTreeSet<&'a str>> {
    let lines = file["tests"].as_array()?;
    let of_line = lines.iter().find(|pair| pair[0] == statement["first"]);
    let names = of_line.and_then(|pair| pair[1].as_array()).into_iter().flatten();
    Some(names.filter_map(Value::as_str).collect())
}

/// How often a statement ran.
fn hits(file: &Value, statement: &Value) -> f64 {
    let at = (number(&statement["first"]), number(&statement["column"]));
    let points = file["points"].as_array().map(Vec::as_slice).unwrap_or_default();
    let place = |point: &&Value| (number(&point["line"]), number(&point["column"])) <= at;
    let point = points.iter().rfind(place).map(|point| &point["hits"]);
    let line = || {
        let lines = file["lines"].as_array().into_iter().flatten();
        lines.into_iter().find(|pair| number(&pair[0]) == at.0).map(|pair| &pair[1])
    };
    point.or_else(line).and_then(Value::as_f64).unwrap_or_default()
}
