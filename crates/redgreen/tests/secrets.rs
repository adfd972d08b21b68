//! Row 24 of the table of escapes: a key that is printed, in any place and in any way, is nowhere in what
//! redgreen stores, shows or sends.

mod spellings;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::common::{Ended, Project};
use serde_json::json;

/// The two parts of a key: whole it is in no file of this project or of those that are tested.
const PARTS: [&str; 2] = ["ghp_x7Qa2RTmmmWm222amq", "8a4RqqkRR2axZW4qWk"];
/// What must be nowhere: enough of the key to be of use.
const BODY_BYTES: std::ops::Range<usize> = 8..28;
/// Secrets that have no form: of the environment, and of the project's `.env`.
const OF_ENVIRONMENT: &str = "plain-W0rds-of-the-caller";
const OF_PROJECT: &str = "pl41n-words-of-the-project";

/// A test that prints the key everywhere, is named after it, and fails for it.
const PYTEST: &str = r#"import os
import sys

import pytest
from calc import add, key

@pytest.mark.parametrize("it", [key()])
def test_key(it):
    print("on stdout", it, os.environ.get("SERVICE_TOKEN"), open(".env").read())
    print("on stderr", it, file=sys.stderr)
    os.write(1, it[:9].encode())
    os.write(1, it[9:].encode() + b"\n")
    assert it == "other", "compared " + it
    assert add(2, 2) == 4
"#;

const JEST: &str = r"const { key } = require('../calc.js');

test(`the key ${key()} is used`, () => {
  console.log('on stdout', key());
  console.error('on stderr', key());
  process.stdout.write(key().slice(0, 9));
  process.stdout.write(key().slice(9) + '\n');
  expect(key()).toBe('other');
});
";

/// What the agent does: it prints the key, too, and names it in its analysis.
const AGENT: &str = r#"K=ghp_x7Qa2RTmmmWm222amq
K=${K}8a4RqqkRR2axZW4qWk
echo "used $K"
echo "used $K" >&2
printf '{"root_cause": "the key %s is wrong here", "fix_strategy": "use the key %s instead"}' $K $K > "$REDGREEN_ANALYSIS_FILE""#;

crate::common::escape::escapes! { "secrets":
    24 rows::a_loop_with_pytest, "test, agent and analysis name a key (pytest)";
    24 rows::a_loop_with_jest, "test and agent print a key (jest)";
    24 rows::a_hook, "the failure at a stop hook is about a key";
    24 rows::evidence_of_a_pass, "a test that passes prints a key and is named after it";
    24 rows::a_test_named_after_a_key_is_fixed, "a test named after a key is red, and is fixed";
    24 rows::reports_of_others, "a key is in reports that redgreen reads and writes";
    24 rows::a_key_in_the_configuration, "a key is in the command of a check";
    24 rows::a_bundle, "a bundle for a report of a bug, with a log of everything";
    24 spellings::a_loop, "values of `.env` are printed in every spelling";
    24 spellings::a_key_of_the_agent, "a key is in the agent's command";
}

fn key() -> String {
    PARTS.concat()
}

/// All files below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() && !path.is_symlink() => files(&path, found),
            path => found.push(path),
        }
    }
}

/// What must be nowhere, as it is and as base64 writes it at any place: envelopes do.
fn in_all_ways() -> Vec<String> {
    let key = key();
    let plain = [&key[BODY_BYTES], OF_ENVIRONMENT, OF_PROJECT];
    let coded = plain.iter().flat_map(|text| (0..3).map(|start| base64(&text[start..start + 15])));
    coded.chain(plain.map(str::to_owned)).collect()
}

/// Of a text whose length is a multiple of three.
fn base64(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letters = |three: &[u8]| {
        let number = three.iter().fold(0_usize, |number, byte| number << 8 | usize::from(*byte));
        [18, 12, 6, 0].map(|shift| char::from(LETTERS[number >> shift & 63]))
    };
    text.as_bytes().chunks(3).flat_map(letters).collect()
}

/// Nothing that is shown, and no file of redgreen's, has a secret in it.
#[track_caller]
fn assert_nowhere(project: &Project, shown: &[&Ended]) -> String {
    assert_none(project, &in_all_ways(), shown)
}

/// The same, for these secrets.
#[track_caller]
fn assert_none(project: &Project, secrets: &[String], shown: &[&Ended]) -> String {
    let found = |text: &str| secrets.iter().find(|secret| text.contains(*secret)).cloned();
    for ended in shown {
        for text in [&ended.stdout, &ended.stderr] {
            assert_eq!(found(text), None, "shown: {text}");
        }
    }
    let mut all = Vec::new();
    files(&project.root().join(".redgreen"), &mut all);
    files(&project.root().join(".aiwg"), &mut all);
    files(&project.home(), &mut all);
    assert!(all.len() > 4, "{all:?}");
    for path in all {
        let bytes = fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let around =
            found(&text).and_then(|secret| text.lines().find(|line| line.contains(&secret)));
        assert_eq!(around, None, "{}", path.display());
    }
    "nowhere".to_owned()
}

/// What every log of redgreen's has.
fn logs(project: &Project) -> String {
    let mut all = Vec::new();
    files(&project.root().join(".redgreen"), &mut all);
    let is_log = |path: &&PathBuf| path.extension().is_some_and(|it| it == "log");
    let text = |path| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
    all.iter().filter(is_log).map(text).collect()
}

fn pytest(tests: &str) -> Project {
    let project = Project::empty();
    let [first, second] = PARTS;
    project.write("conftest.py", "");
    project.write(".gitignore", "__pycache__/\n.pytest_cache/\n");
    project.write(
        "calc.py",
        format!(
            "def add(a, b):\n    return a + b\n\n\ndef key():\n    return \"\".join([\"{first}\", \"{second}\"])\n"
        ),
    );
    project.write("tests/test_calc.py", tests);
    project.write(".env", format!("# of this project\nDB_PASSWORD='{OF_PROJECT}'\n"));
    project.configure("python -m pytest -q -s", "pytest", "");
    project
}

/// redgreen, with a secret in its environment.
fn redgreen(project: &Project, args: &[&str], input: &str) -> Ended {
    let mut command = project.redgreen_command(args);
    command.env("SERVICE_TOKEN", OF_ENVIRONMENT).env("REDGREEN_LOG", "trace");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("redgreen");
    let mut stdin = child.stdin.take().expect("a pipe");
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("redgreen").into()
}

mod rows {
    use super::*;

    fn looped(project: &Project, edit: &str) -> String {
        let agent = project.agent(&format!("{AGENT}\n{edit}"));
        let run = ["run", "--json", "--max-attempts", "2", "--agent-command", &agent, "fix it"];
        let ended = redgreen(project, &run, "");
        assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
        let report = redgreen(project, &["report"], "");
        let page = redgreen(project, &["report", "--format", "html"], "");
        assert!(report.stdout.contains("[redacted"), "{}", report.stdout);
        let analysis = project.session_file("agent/1-generate_code/analysis.json");
        assert!(analysis.contains("the key ghp_[redacted] is wrong"), "{analysis}");
        let logs = logs(project);
        for words in ["on stdout", "on stderr", "used ghp_[redacted]", "\nghp_[redacted]\n"] {
            assert!(logs.contains(words), "no {words:?}: {logs}");
        }
        assert_nowhere(project, &[&ended, &report, &page])
    }

    pub fn a_loop_with_pytest() -> String {
        let project = pytest(PYTEST);
        let seen = looped(&project, "echo \"x = $(wc -c < calc.py) # $K\" >> calc.py");
        let prompt = project.session_file("agent/2-apply_fix/prompt.md");
        assert!(prompt.contains("test_key[ghp_[redacted:"), "{prompt}");
        assert!(logs(&project).contains("DB_PASSWORD='[redacted]'"), "{}", logs(&project));
        let mut remembered = Vec::new();
        files(&project.root().join(".aiwg/ralph/debug-memory/sessions"), &mut remembered);
        let record = fs::read_to_string(&remembered[0]).expect("a record");
        for words in ["test_key[ghp_[redacted:", "# ghp_[redacted]", "used ghp_[redacted]"] {
            assert!(record.contains(words), "no {words:?}: {record}");
        }
        seen
    }

    pub fn a_loop_with_jest() -> String {
        let project = Project::javascript("jest", "current");
        let [first, second] = PARTS;
        project
            .write("calc.js", format!("exports.key = () => ['{first}', '{second}'].join('');\n"));
        project.write("test/calc.test.js", JEST);
        project.commit();
        looped(&project, "echo \"exports.x = $(wc -c < calc.js);\" >> calc.js")
    }

    pub fn a_hook() -> String {
        let project = pytest("def test_nothing():\n    pass\n");
        project.trust();
        let event = |name: &str| {
            let event = json!({"session_id": "s", "hook_event_name": name, "cwd": project.root()});
            redgreen(&project, &["gate", "--hook", "claude"], &event.to_string())
        };
        let started = event("SessionStart");
        project.write("tests/test_calc.py", PYTEST);
        let held = event("Stop");
        assert!(held.stdout.contains("\"block\""), "{}{}", held.stdout, held.stderr);
        assert!(held.stdout.contains("test_key[ghp_[redacted:"), "{}", held.stdout);
        let given = redgreen(&project, &["give-up", &format!("I need {}", key())], "");
        assert_eq!(given.code, Some(0), "{}", given.stderr);
        let let_go = event("Stop");
        assert_nowhere(&project, &[&started, &held, &let_go])
    }

    pub fn evidence_of_a_pass() -> String {
        let project = pytest(&PYTEST.replace("it == \"other\", ", ""));
        let gate = redgreen(&project, &["gate"], "");
        assert_eq!(gate.code, Some(0), "{}{}", gate.stdout, gate.stderr);
        let mut shown = vec![gate];
        for more in [&["show"][..], &["show", "--json"], &["export"]] {
            shown.push(redgreen(&project, &[&["evidence"], more].concat(), ""));
        }
        let all: String = shown.iter().map(|ended| ended.stdout.as_str()).collect();
        assert!(all.contains("test_key"), "{all}");
        assert_nowhere(&project, &shown.iter().collect::<Vec<_>>())
    }

    /// It was red, so that it is run once more by its name, which its framework does not know.
    pub fn a_test_named_after_a_key_is_fixed() -> String {
        let project = pytest(&PYTEST.replace("it == \"other\", ", ""));
        project.write("calc.py", project.read("calc.py").replace("a + b", "a + b + 1"));
        project.commit();
        let agent = project.agent("sed -i 's/a + b + 1/a + b/' calc.py");
        let run = ["run", "--json", "--max-attempts", "1", "--agent-command", &agent, "fix it"];
        let ended = redgreen(&project, &run, "");
        assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
        assert_nowhere(&project, &[&ended])
    }

    pub fn reports_of_others() -> String {
        let project = pytest(PYTEST);
        let key = key();
        let tested = redgreen(&project, &["test", "--junit", "out.xml", "--ctrf", "out.json"], "");
        for file in ["out.xml", "out.json"] {
            let text = project.read(file);
            assert!(text.contains("ghp_[redacted") && !text.contains(&key), "{text}");
        }
        let xml = format!(
            "<testsuite><testcase classname=\"a\" name=\"t[{key}]\"><failure message=\"no {key}\">at {key}</failure><system-out>{key}</system-out></testcase></testsuite>"
        );
        let console = format!("FAILED a.py::t[{key}] - assert '{key}' == 1\n1 failed in 0.1s\n");
        let mut shown = vec![tested];
        for input in [&xml, &console] {
            for more in [&["--json"][..], &[]] {
                shown.push(redgreen(&project, &[&["parse", "-"], more].concat(), input));
            }
        }
        assert!(shown[1].stdout.contains("[redacted:"), "{}", shown[1].stdout);
        assert_nowhere(&project, &shown.iter().collect::<Vec<_>>())
    }

    pub fn a_bundle() -> String {
        let project = pytest(PYTEST);
        let command = format!("API_KEY={} python -m pytest -q -s", key());
        project.configure(&command, "pytest", "");
        let agent = project.agent(AGENT);
        let task = format!("fix it, {} is the key", key());
        let run = ["run", "--max-attempts", "1", "--agent-command", &agent, &task];
        let ended = redgreen(&project, &run, "");
        let tested = redgreen(&project, &["test"], "");
        let doctor = redgreen(&project, &["doctor", "--bundle"], "");
        assert_eq!(doctor.code, Some(0), "{}{}", doctor.stdout, doctor.stderr);
        let bundle = project.read(".redgreen/bug-report.txt");
        for words in [
            "redgreen 0.",
            "git version 2.",
            "ok      work tree: /",
            "===== ~/.local/state/redgreen/logs/",
            "command = \"API_KEY=ghp_[redacted] python",
            "REDGREEN_LOG=trace",
            "/journal.jsonl =====",
            ".redgreen/runs/",
            "no_progress",
            "INFO redgreen::log: redgreen version=",
            "INFO redgreen_runner::session: plan root=",
            "DEBUG redgreen_runner::trees: looked at tree=",
            "redgreen_workspace::git: git action=",
            "execute{number=1 purpose=Baseline}:",
        ] {
            assert!(bundle.contains(words), "no {words:?}: {bundle}");
        }
        assert!(!bundle.contains(&*project.home().to_string_lossy()));
        assert_nowhere(&project, &[&ended, &tested, &doctor])
    }

    /// It is its owner's own, and kept where it is needed to run again, outside of the work tree.
    pub fn a_key_in_the_configuration() -> String {
        let project = pytest(PYTEST);
        let command = format!("API_KEY={} python -m pytest -q", key());
        project.configure(
            &command,
            "pytest",
            "[checks.environment]\nOTHER_KEY = \"0ther-value-1\"",
        );
        let agent = project.agent("echo 'x = 1' >> calc.py");
        let run = ["run", "--json", "--max-attempts", "1", "--agent-command", &agent, "fix it"];
        let ended = redgreen(&project, &run, "");
        assert!(project.session_file("journal.jsonl").contains("API_KEY=ghp_[redacted]"));
        assert_none(&project, &["0ther-value-1".to_owned()], &[&ended]);
        assert_nowhere(&project, &[&ended])
    }
}
