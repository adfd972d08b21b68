//! Plays the runs of a table with the real binary, and compares.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::Project;
use crate::frameworks::model::{Model, Run, Wanted};

/// The most characters of a message in a record: what a report may hold, and the note of a cut.
const MESSAGE_CHARS: usize = 4_100;

/// Executes one run of a framework and compares all of what was recorded.
#[track_caller]
pub fn run(model: &Model, name: &str) {
    let run = model.runs.iter().find(|run| run.name == name).expect("a run of the table");
    let project = project(model, name);
    let limit = run.limit_seconds.map(|seconds| seconds.to_string());
    let limit: Vec<&str> = limit.iter().flat_map(|limit| ["--test-timeout", limit]).collect();
    let tested = project.tested(&limit);
    let (record, checks, report) = (&tested.record, tested.checks(), tested.report());
    let differences = differences(run, record, report);
    assert!(
        differences.is_empty(),
        "{} {name}:\n{}\n\n{report:#}\n{}",
        model.framework,
        differences.join("\n"),
        checks[0]["output_tail"].as_str().unwrap_or_default()
    );
}

/// Red, then green on the same tree: redgreen asks the framework for this one test again, and says so.
#[track_caller]
pub fn flaky(model: &Model) {
    let project = project(model, "flaky");
    fs::write(project.outside().join("outcomes"), "PFP").expect("a file");
    let (file, more) = model.harmless_edit;
    let agent = format!("printf '%s\\n' '{more}' >> '{file}'");
    let done = project.run(&agent, &["--max-attempts", "1"]);
    let judged = done.last("judged");
    let flaky = &judged["classes"]["flaky"];
    assert_eq!(flaky[0]["test"], model.flaky, "{}", done.text());
    assert_eq!(flaky.as_array().map(Vec::len), Some(1), "{}", done.text());
    assert_eq!(judged["classes"]["regressed"].as_array().map_or(0, Vec::len), 0, "{}", done.text());
    assert_eq!(judged["verdict"], "inconclusive", "{}", done.text());
    let left = fs::read_to_string(project.outside().join("outcomes")).expect("a file");
    assert_eq!(left, "", "each outcome was used\n{}", done.text());
}

/// The fixture in a repository of its own.
fn project(model: &Model, run: &str) -> Project {
    let project = Project::empty();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/frameworks/fixtures")
        .join(model.framework);
    copy(&fixture.join("base"), &project.root());
    copy(&fixture.join(run), &project.root());
    (model.prepare)(&project);
    let command = Value::from(model.command);
    project.write(
        "redgreen.toml",
        format!("[[checks]]\nname = \"unit\"\ncommand = {command}\nframework = \"{}\"\n\n[limits]\ngrace_seconds = 1\n", model.framework),
    );
    project.commit();
    project
}

fn copy(from: &Path, to: &Path) {
    let entries = fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    for entry in entries {
        let entry = entry.expect("an entry");
        let target: PathBuf = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            fs::create_dir_all(&target).expect("a folder");
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).expect("a copy");
        }
    }
}

/// Everything in which the record is not what the table says.
fn differences(run: &Run, record: &Value, report: &Value) -> Vec<String> {
    let mut found = Vec::new();
    differ(&mut found, "verdict", &record["verdict"], &run.verdict.into());
    differ(&mut found, "complete", &report["complete"], &run.complete.into());
    let unfinished = run.unfinished.iter().map(|(_, id)| *id);
    differ(&mut found, "unfinished", &sorted(&report["unfinished"]), &names(unfinished));
    let not_run = run.not_run.iter().copied();
    differ(&mut found, "not run", &sorted(&report["not_run"]), &names(not_run));
    let tests = report["tests"].as_array().cloned().unwrap_or_default();
    let outcome = |test: &Value| format!("{} {}", text(&test["id"]), text(&test["outcome"]));
    let mut seen: Vec<String> = tests.iter().map(outcome).collect();
    seen.sort();
    let wanted = run.tests.iter().map(|test| format!("{} {}", test.id, test.outcome));
    let mut wanted: Vec<String> = wanted.collect();
    wanted.sort();
    for extra in seen.iter().filter(|test| !wanted.contains(test)) {
        found.push(format!("test: {extra} was not wanted"));
    }
    for missing in wanted.iter().filter(|test| !seen.contains(test)) {
        found.push(format!("test: {missing} is missing"));
    }
    if seen.len() != wanted.len() {
        found.push(format!("{} tests, {} wanted", seen.len(), wanted.len()));
    }
    for test in run.tests {
        let Some(seen) = tests.iter().find(|seen| seen["id"] == test.id) else { continue };
        if seen["duration_ms"].as_u64().unwrap_or(0) < test.at_least_ms {
            found.push(format!("{}: {} ms", test.id, seen["duration_ms"]));
        }
        match &test.failure {
            Some(wanted) => compare(&mut found, test.id, &seen["failure"], wanted),
            None if seen["failure"].is_null() => {}
            None => found.push(format!("{}: a failure was not wanted", test.id)),
        }
    }
    let errors = report["errors"].as_array().cloned().unwrap_or_default();
    if errors.len() != run.errors.len() {
        found.push(format!(
            "{} errors outside of tests, {} wanted",
            errors.len(),
            run.errors.len()
        ));
    }
    for (seen, (case, wanted)) in errors.iter().zip(run.errors) {
        compare(&mut found, &format!("error {case:?}"), seen, wanted);
    }
    if let Some(limit) = run.limit_seconds {
        let running: Vec<&str> = run.unfinished.iter().map(|(_, id)| *id).collect();
        let wanted =
            format!("ended at its limit of {limit} s while {} was running", running.concat());
        if !errors.iter().any(|error| text(&error["message"]).contains(&wanted)) {
            found.push(format!("no error says {wanted:?}"));
        }
    }
    found
}

fn compare(found: &mut Vec<String>, what: &str, seen: &Value, wanted: &Wanted) {
    let message = text(&seen["message"]);
    differ(found, &format!("{what}: kind"), &seen["kind"], &wanted.kind.into());
    differ(found, &format!("{what}: type"), &seen["error_type"], &wanted.error_type.into());
    if !message.contains(wanted.message) || message.chars().count() > MESSAGE_CHARS {
        found.push(format!("{what}: the message is {message:?}, not {:?}", wanted.message));
    }
    for (name, value) in [("expected", wanted.expected), ("actual", wanted.actual)] {
        let begins = value.and_then(|value| value.strip_suffix('…'));
        if !begins.is_some_and(|start| text(&seen[name]).starts_with(start)) {
            differ(found, &format!("{what}: {name}"), &seen[name], &value.into());
        }
    }
    for (name, place) in [("location", wanted.location), ("test_location", wanted.test_location)] {
        let seen = seen[name]["file"].as_str().map(|file| match seen[name]["line"].as_u64() {
            Some(line) => format!("{file}:{line}"),
            None => file.to_owned(),
        });
        differ(found, &format!("{what}: {name}"), &seen.into(), &place.into());
    }
}

fn differ(found: &mut Vec<String>, what: &str, seen: &Value, wanted: &Value) {
    if seen != wanted {
        found.push(format!("{what}: {seen}, wanted {wanted}"));
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn names<'name>(names: impl Iterator<Item = &'name str>) -> Value {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.into()
}

fn sorted(list: &Value) -> Value {
    names(list.as_array().into_iter().flatten().map(text))
}
