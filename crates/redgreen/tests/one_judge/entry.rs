//! Who can ask, and what each of them says.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::common::{Ended, Project, events};
use crate::one_judge::Said;
use crate::one_judge::rows::Row;

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    Test,
    Square,
    Gate,
    Staged,
    Commit,
    Pushed,
    Ci,
    Hook,
    Run,
}

pub const ENTRIES: &[Entry] = &[
    Entry::Test,
    Entry::Square,
    Entry::Gate,
    Entry::Staged,
    Entry::Commit,
    Entry::Pushed,
    Entry::Ci,
    Entry::Hook,
    Entry::Run,
];

impl Entry {
    /// Asks about a change in a project of which nobody has seen anything.
    pub fn ask(self, row: &Row) -> Said {
        // A project of its own: a worker may still be at work in the one before.
        let project = &Project::empty();
        row.begin(project);
        project.commit();
        project.trust();
        match self {
            Self::Hook => return hook(row, project),
            Self::Run => return run(row, project),
            _ => (row.change)(project),
        }
        let gate = |more: &[&'static str]| [&["gate", "--json"], more].concat();
        match self {
            Self::Test => said_by(&project.redgreen(&["test", "--json"])),
            Self::Square => said_by(&project.redgreen(&["square", "--json"])),
            Self::Gate => said_by(&project.redgreen(&gate(&[]))),
            Self::Staged => {
                project.git(&["add", "-A"]);
                said_by(&project.redgreen(&gate(&["--staged"])))
            }
            Self::Commit | Self::Pushed | Self::Ci => {
                project.git(&["add", "-A"]);
                project.git(&["commit", "-qm", "the change", "--allow-empty"]);
                match self {
                    Self::Commit => said_by(&project.redgreen(&gate(&["--commit", "HEAD"]))),
                    Self::Ci => said_by(&project.redgreen(&gate(&["--ci", "--base", "HEAD~1"]))),
                    _ => pushed(project),
                }
            }
            Self::Hook | Self::Run => unreachable!("asked above"),
        }
    }
}

/// What a command said with `--json`.
fn said_by(ended: &Ended) -> Said {
    let mut events = events(&ended.stdout);
    let result = events.pop().unwrap_or_default();
    let mut said = seen(&events);
    match (result["result"].as_str(), result["decision"].as_str()) {
        // Nothing had to be run.
        (Some("gate"), Some("allow")) if said.verdict.is_empty() => {
            said.verdict = "passed".to_owned()
        }
        (Some("gate"), Some("allow")) => assert_eq!(ended.code, Some(0)),
        (Some("gate"), _) => assert_ne!(ended.code, Some(0), "{}", ended.stdout),
        (Some(_), _) => said.verdict = result["verdict"].as_str().unwrap_or_default().to_owned(),
        (None, _) => said.verdict = "no result".to_owned(),
    }
    said
}

/// What the events tell: the verdict on the change, and what is held against it.
fn seen(events: &[Value]) -> Said {
    let last = |name: &str| events.iter().rev().find(|event| event["event"] == name);
    let judged = events.iter().rev().find(|it| it["event"] == "judged" && it["purpose"] == "judge");
    let squared = last("squared");
    let verdict = squared.or(judged).map(|event| event["verdict"].as_str().unwrap_or_default());
    let mut against = BTreeSet::new();
    if let Some(square) = squared.map(|event| &event["square"]) {
        for finding in square["findings"].as_array().into_iter().flatten() {
            let about =
                finding.pointer("/test/test").or(finding.get("file")).unwrap_or(&Value::Null);
            against.insert(named(&finding["kind"], about));
        }
        for open in square["expectations"].as_array().into_iter().flatten() {
            if open["declared"].is_null() {
                against.insert(named(&open["kind"], &open["test"]["test"]));
            }
        }
    }
    Said { verdict: verdict.unwrap_or_default().to_owned(), against }
}

/// A kind and the last part of a name.
fn named(kind: &Value, about: &Value) -> String {
    let about = about.as_str().unwrap_or_default();
    let short = about.rsplit(['.', ':', ' ']).next().unwrap_or(about);
    let about = if about.contains('/') || about.ends_with(".toml") { about } else { short };
    format!("{} {about}", kind.as_str().unwrap_or_default())
}

fn pushed(project: &Project) -> Said {
    let of = |revision: &str| project.git(&["rev-parse", revision]).trim().to_owned();
    let line = format!("refs/heads/main {} refs/heads/main {}\n", of("HEAD"), of("HEAD~1"));
    said_by(&fed(project, &["gate", "--pushed", "--json"], &line))
}

fn fed(project: &Project, arguments: &[&str], input: &str) -> Ended {
    let mut command = project.redgreen_command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("redgreen");
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("redgreen").into()
}

/// An agent's session: it begins, the change is made, and it wants to end; again, if it was only informed.
fn hook(row: &Row, project: &Project) -> Said {
    let event = |name: &str| {
        let event = json!({"session_id": "s", "hook_event_name": name, "cwd": project.root()});
        let ended = fed(project, &["gate", "--hook", "claude"], &event.to_string());
        serde_json::from_str::<Value>(ended.stdout.trim()).unwrap_or_default()
    };
    event("SessionStart");
    (row.change)(project);
    let first = event("Stop");
    let mut said = seen(&recorded(project));
    let blocked = |answer: &Value| answer["decision"] == "block";
    let green = ["passed", "passed_but_for_red_before"].contains(&said.verdict.as_str());
    let held = blocked(&first);
    if said.verdict.is_empty() {
        said.verdict = if held { "blocked without a run" } else { "passed" }.to_owned();
    } else if held && said.verdict == "passed_but_for_red_before" {
        let second = event("Stop");
        let words = second["systemMessage"].as_str().unwrap_or_default();
        assert!(words.contains("red before") && !words.contains("PASSED"), "{second}");
    } else {
        assert_eq!(held, !green, "{said:?}: {first}");
    }
    said
}

/// The events of the session that the gate recorded.
fn recorded(project: &Project) -> Vec<Value> {
    let sessions = fs::read_dir(project.root().join(".redgreen/sessions")).into_iter().flatten();
    let files = sessions.flatten().map(|entry| entry.path().join("events.jsonl"));
    files.filter_map(|file| fs::read_to_string(file).ok()).flat_map(|text| events(&text)).collect()
}

/// A loop whose agent makes the change, once.
fn run(row: &Row, project: &Project) -> Said {
    (row.change)(project);
    project.git(&["add", "-A"]);
    let patch = project.git(&["diff", "--cached", "--binary", "--no-renames"]);
    project.git(&["reset", "-q", "--hard"]);
    let file = project.outside().join("change.patch");
    fs::write(&file, &patch).expect("written");
    let script = match patch.is_empty() {
        true => "exit 0".to_owned(),
        false => format!("git apply {}", file.display()),
    };
    let agent = project.agent(&script);
    let ended = project.redgreen(&[
        "run",
        "--json",
        "--max-attempts",
        "1",
        "--agent-command",
        &agent,
        "do it",
    ]);
    let events = events(&ended.stdout);
    let mut said = seen(&events);
    let finished = events.last().cloned().unwrap_or_default();
    let passed = finished["status"] == "passed";
    assert_eq!(passed, ended.code == Some(0), "{finished}");
    if said.verdict.is_empty() {
        said.verdict = match (passed, finished["reason"].as_str()) {
            (true, _) => "passed".to_owned(),
            (false, reason) => reason.unwrap_or_default().to_owned(),
        };
    }
    assert_eq!(passed, said.verdict == "passed", "{said:?}: {finished}");
    said
}
