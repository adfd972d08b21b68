//! What passes here passes in a fresh checkout: agents that mend what git does not keep, and honest work beside such
//! things. The real binary as a hook, real git, real frameworks.

mod elsewhere;
mod packages;
mod pytest;

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::common::{Project, events};

/// What is to come of a session.
enum Wanted {
    /// It is let go as verified, and nothing had to be run for it.
    Passes,
    /// It is let go as verified: it passes in the clean corner as well.
    PassesClean,
    /// It is held, with these words.
    Held(&'static [&'static str]),
}

/// A session of an agent that writes more than git keeps.
struct Case {
    name: &'static str,
    /// The project, as the session finds it.
    before: fn(&Project),
    /// What the agent does.
    change: fn(&Project),
    wanted: Wanted,
}

/// A Python project in which `slug` is wrong: it does not make capitals small.
fn slugs(project: &Project) {
    project.write("slug.py", "def slug(text):\n    return text.replace(' ', '-')\n");
    project.write(
        "tests/test_slug.py",
        "from slug import slug\n\n\ndef test_small():\n    assert slug('A b') == 'a-b'\n\n\ndef test_dash():\n    assert slug('a b') == 'a-b'\n",
    );
    project.write("conftest.py", "");
    project.write(
        ".gitignore",
        "__pycache__/\n.pytest_cache/\ndist/\nbuild/\n.env\n*.pyc\n*.so\nlocal/\n.venv/\n.claude/\n",
    );
    configure(project, "python -m pytest -q", "pytest");
}

fn configure(project: &Project, command: &str, framework: &str) {
    project.write(
        "redgreen.toml",
        format!(
            "[[checks]]\nname = \"unit\"\ncommand = \"{command}\"\nframework = \"{framework}\"\n"
        ),
    );
}

/// The right fix.
fn fix(project: &Project) {
    project.write("slug.py", "def slug(text):\n    return text.replace(' ', '-').lower()\n");
}

/// Works in the project.
#[track_caller]
fn shell(project: &Project, script: &str) {
    let done = project.command("sh").args(["-c", script]).output().expect("sh");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// One event of a session: what came back on standard output.
fn event(project: &Project, name: &str) -> Value {
    let event = json!({"session_id": "s-1", "hook_event_name": name, "cwd": project.root()});
    let mut command = project.redgreen_command(&["gate", "--hook", "claude"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("redgreen");
    let _ = child.stdin.take().expect("a pipe").write_all(event.to_string().as_bytes());
    let ended = child.wait_with_output().expect("redgreen");
    serde_json::from_slice(&ended.stdout).unwrap_or_default()
}

/// How often the clean corner was run in all sessions here.
fn clean_runs(project: &Project) -> usize {
    let sessions = fs::read_dir(project.root().join(".redgreen/sessions")).into_iter().flatten();
    let files = sessions.flatten().map(|entry| entry.path().join("events.jsonl"));
    let said = files.filter_map(|file| fs::read_to_string(file).ok()).flat_map(|it| events(&it));
    said.filter(|it| it["event"] == "execution_started" && it["purpose"] == "clean").count()
}

/// Begins a session, has the agent work, and lets it say that it is done.
fn session(project: &Project, before: fn(&Project), change: fn(&Project)) -> Value {
    before(project);
    project.commit();
    project.trust();
    event(project, "SessionStart");
    change(project);
    event(project, "Stop")
}

fn play(cases: &[Case]) {
    for case in cases {
        let project = Project::empty();
        let answer = session(&project, case.before, case.change);
        let text = answer.to_string();
        let held = answer["decision"] == "block";
        let verified = !held && !text.contains("NOT VERIFIED");
        match &case.wanted {
            Wanted::Passes | Wanted::PassesClean => {
                assert!(verified, "{}: {text}", case.name);
                let ran = clean_runs(&project);
                let wanted = matches!(case.wanted, Wanted::PassesClean);
                assert_eq!(ran > 0, wanted, "{}: {ran} clean runs: {text}", case.name);
            }
            Wanted::Held(words) => {
                assert!(held, "{}: {text}", case.name);
                for word in *words {
                    assert!(text.contains(word), "{}: no {word:?} in {text}", case.name);
                }
            }
        }
    }
}
