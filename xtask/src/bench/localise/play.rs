//! Plays a case with the real program, and reads what it saw and said.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::corpus::{Case, Story};
use super::peers::{Ranking, changed, each, frames, ochiai};
use super::told::{Tokenizers, Told};
use crate::Failure;
use crate::bench::path_with_pytest;
use crate::project::{bench_folder, capture};

/// What came of a case.
pub(super) struct Played {
    pub(super) name: String,
    pub(super) story: Story,
    pub(super) ours: Ranking,
    pub(super) confidence: f64,
    pub(super) frames: Ranking,
    pub(super) changed: Ranking,
    pub(super) ochiai: Ranking,
    pub(super) told: Told,
}

/// Plays a case; none where no test notices the fault.
pub(super) fn play(
    case: &Case,
    redgreen: &Path,
    tokenizers: &Tokenizers,
) -> Result<Option<Played>, Failure> {
    let home = bench_folder().join("localise");
    let (project, after) = (home.join("project"), home.join("after"));
    lay(&project, &case.before)?;
    lay(&after, &case.after)?;
    let git = |args: &[&str]| capture(Command::new("git").args(args).current_dir(&project));
    git(&["init", "--quiet"])?;
    git(&["add", "."])?;
    git(&["-c", "user.name=b", "-c", "user.email=b@b", "commit", "--quiet", "-m", "start"])?;
    // Who is asked for a fix ends: what it was told is what counts.
    let agent = format!("[ $REDGREEN_ATTEMPT != 1 ] || cp -R '{}'/. .", after.display());
    let mut command = Command::new(redgreen);
    command.args(["run", "find the fault", "--max-attempts", "2", "--agent-command", &agent]);
    let output = command
        .env("PATH", path_with_pytest()?)
        .current_dir(&project)
        .output()
        .map_err(|error| format!("redgreen cannot be started: {error}"))?;
    let Some(journal) = journal(&project) else {
        return Err(format!(
            "{}: no journal: {}",
            case.name,
            String::from_utf8_lossy(&output.stderr)
        ));
    };
    let text = fs::read_to_string(&journal).map_err(|error| format!("journal: {error}"))?;
    let kept = home.join("journals");
    let made = fs::create_dir_all(&kept).and_then(|()| {
        fs::copy(
            &journal,
            kept.join(format!(
                "{}@{}:{}@{:?}.jsonl",
                case.name,
                case.file.replace('/', "+"),
                case.line,
                case.story
            )),
        )
    });
    made.map_err(|error| format!("{}: {error}", kept.display()))?;
    let executions: Vec<Value> = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|line| line["input"] == "executed")
        .map(|mut line| line["execution"].take())
        .collect();
    let judged = executions.iter().rev().find(|it| it["purpose"] == "judge");
    let confirm = executions.iter().rev().find(|it| it["purpose"] == "confirm");
    let Some(analysis) = analysis(&project) else { return Ok(None) };
    let Some(judged) = judged else { return Ok(None) };
    let code: BTreeSet<&str> = case
        .after
        .iter()
        .map(|(path, _)| path.as_str())
        .filter(|it| !it.contains("test"))
        .collect();
    let truth = (case.file.as_str(), case.line);
    let place = format!("{}:{}", case.file, case.line);
    let report = journal.with_file_name("agent/2-apply_fix/prompt.md");
    let report = fs::read_to_string(&report).unwrap_or_default();
    let ours = analysis["suspects"].as_array().cloned().unwrap_or_default();
    let ours = ours.iter().enumerate().map(|(at, it)| {
        let place = &it["place"];
        #[expect(clippy::cast_precision_loss, reason = "five places")]
        let score = -(at as f64);
        (place["file"].as_str().unwrap_or_default().to_owned(), number(&place["line"]), score)
    });
    Ok(Some(Played {
        name: case.name.clone(),
        story: case.story,
        ours: Ranking::of(ours.collect(), truth),
        confidence: analysis["confidence"].as_f64().unwrap_or_default(),
        frames: Ranking::of(frames(judged, &code), truth),
        changed: Ranking::of(changed(case, &code), truth),
        ochiai: Ranking::of(
            confirm.map(|confirm| ochiai(judged, confirm)).unwrap_or_default(),
            truth,
        ),
        told: tokenizers.look(&report, &red(judged), &place),
    }))
}

/// The red tests of an execution.
fn red(execution: &Value) -> BTreeSet<String> {
    let tests = each(execution, "/report/tests").into_iter().filter(|test| {
        ["failed", "errored"].contains(&test["outcome"].as_str().unwrap_or_default())
    });
    tests.filter_map(|test| Some(test["id"].as_str()?.to_owned())).collect()
}

/// Lays a folder anew. What is built stays: only what differs is built again.
fn lay(folder: &Path, files: &[(String, String)]) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for kept in entries(folder) {
        if kept.file_name().is_some_and(|name| name != "target") {
            let gone =
                if kept.is_dir() { fs::remove_dir_all(&kept) } else { fs::remove_file(&kept) };
            gone.map_err(|error| format!("{}: {error}", kept.display()))?;
        }
    }
    for (path, text) in files {
        let path = folder.join(path);
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::write(&path, text))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

pub(super) fn number(value: &Value) -> u32 {
    value.as_u64().and_then(|it| u32::try_from(it).ok()).unwrap_or_default()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(folder).into_iter().flatten();
    found.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

fn journal(project: &Path) -> Option<PathBuf> {
    let sessions = entries(&project.join(".redgreen/sessions"));
    sessions.into_iter().map(|it| it.join("journal.jsonl")).find(|it| it.is_file())
}

/// The analysis of the first attempt, as it was announced.
fn analysis(project: &Path) -> Option<Value> {
    let events = journal(project)?.with_file_name("events.jsonl");
    let text = fs::read_to_string(events).ok()?;
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.into_iter().find_map(|mut line| {
        let found = line.get_mut("analysis").map(Value::take);
        found.filter(|it| it.is_object())
    })
}
